"""Mode ``launch``: the app is started once per run, and the system says how long it took."""

from __future__ import annotations

from echolot_tui.collect.app import component, launcher_component, start
from echolot_tui.collect.device import Device
from echolot_tui.collect.recording import Recording
from echolot_tui.collect.runner import CollectError, Control
from echolot_tui.collect.screen import read_screen
from echolot_tui.project.model import Runner as RunnerSettings


class Launch:
    """Starts the app's activity while a recording runs."""

    may_install = False

    def __init__(self, settings: RunnerSettings, package: str) -> None:
        """Check what the config names.

        Raises:
            CollectError: ``runner.activity`` is none.
        """
        self._settings = settings
        self._package = package
        self._component = "" if settings.activity is None else component(package, settings.activity)

    def ready(self, device: Device, control: Control) -> None:
        """Find out which activity starts.

        Raises:
            CollectError: None, or one of another package.
        """
        control.check()
        self._component = self._component or launcher_component(device, self._package)

    def act(self, k: int, device: Device, recording: Recording, control: Control) -> float | None:  # noqa: ARG002
        """Start it; returns the milliseconds the system gives: 0 when it had none.

        Raises:
            CollectError: The start failed, or ended nowhere because the screen went dark or locked.
        """
        started = start(device, self._component)
        if started.error is not None:
            raise CollectError(
                f"{self._component} did not start ({started.error})",
                where=f"device {device.serial}",
                todo="start it by hand to see why, or name another with runner.activity",
            )
        stopped_before = self._settings.reset_policy != "none"
        if stopped_before and (started.state or "").startswith("UNKNOWN") and not read_screen(device).usable:
            raise CollectError(
                "the launch ended nowhere: the screen went dark or locked meanwhile",
                where=f"device {device.serial}",
                todo="keep it awake (Developer options, Stay awake)",
            )
        return started.total_ms
