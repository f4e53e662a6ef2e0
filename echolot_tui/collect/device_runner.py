"""Modes ``launch`` and ``command``: one recording of a device per run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, Protocol

from echolot_tui.checkout.markers import temporary_markers
from echolot_tui.checkout.sources import Sources
from echolot_tui.collect.app import installed_paths
from echolot_tui.collect.command_mode import run_checked
from echolot_tui.collect.compose_names import names_on
from echolot_tui.collect.device import Device
from echolot_tui.collect.held import Held
from echolot_tui.collect.preparation import hold_still
from echolot_tui.collect.recording import Recording, end_left_over
from echolot_tui.collect.recording_config import recording_config, sampling_warning
from echolot_tui.collect.runner import WARNING, CollectError, Control, Recorded
from echolot_tui.collect.screen import ready_screen
from echolot_tui.collect.temperature import check_sensor, cool_down
from echolot_tui.collect.temporary_markers import check_build
from echolot_tui.project.model import Runner as RunnerSettings

_INSTALL_S: Final = 600.0
_POLICIES: Final = ("force-stop", "none")


class Drive(Protocol):
    """What happens on the device while it records."""

    @property
    def may_install(self) -> bool:
        """Whether it may bring the app itself, so that it need not be there before."""
        ...

    def ready(self, device: Device, control: Control) -> None:
        """Check what can be checked before the first run."""
        ...

    def act(self, k: int, device: Device, recording: Recording, control: Control) -> float | None:
        """Do it; returns the milliseconds the device itself took the launch for, if it was one."""
        ...


class DeviceRunner:
    """Holds the device still, records each run with perfetto, pulls the trace."""

    here = False

    def __init__(
        self,
        device: Device,
        settings: RunnerSettings,
        package: str,
        drive: Drive,
        *,
        state: Path,
        folder: Path,
        env: Mapping[str, str],
        install: str | None = None,
        temp_prefix: str,
    ) -> None:
        """Check the settings; nothing is asked of the device yet.

        Args:
            device: Where to record.
            settings: The scenario's runner.
            package: Application id.
            drive: What happens while it records.
            state: Folder in which changes to the device are written down.
            folder: The config's folder; where ``install`` runs.
            env: Its environment.
            install: Shell line run before each run, to install the build of this arm.
            temp_prefix: What temporary markers begin with: the build has to have those of the sources
                under ``folder``.

        Raises:
            CollectError: The settings make no recording config.
        """
        self._device = device
        self._settings = settings
        self._package = package
        self._drive = drive
        self._state = state
        self._folder = folder
        self._env = env
        self._install = install
        self._temp_prefix = temp_prefix
        self._config = recording_config(settings, package)
        self._held: Held | None = None
        self._checked = False

    @property
    def resource(self) -> str:
        """One collect per device."""
        return f"device {self._device.serial}"

    def prepare(self, control: Control) -> None:
        """App, activity, sensor and screen are looked at before anything is changed."""
        for warning in self._warnings():
            control.say(f"{WARNING}{warning}")
        self._held = Held(self._device, self._state)
        self._held.release_left(control)
        end_left_over(self._device, control)
        if self._install is None and not self._drive.may_install:
            self._check_once(control)
        self._drive.ready(self._device, control)
        check_sensor(self._device, self._settings.cooldown)
        ready_screen(self._device, control)
        hold_still(self._device, self._settings, self._held, control)
        if self._install is None:
            self._name_composables()

    def _name_composables(self) -> None:
        """Switch names on, where asked for; an app that an arm installs has to be there first."""
        if self._settings.compose_names and self._held is not None:
            names_on(self._device, self._package, self._held)

    def _check_once(self, control: Control) -> None:
        """The app is installed and has the checkout's markers: looked at once it can have been installed."""
        if not self._checked:
            apks = installed_paths(self._device, self._package)
            markers = temporary_markers(Sources(self._folder), self._temp_prefix)
            check_build(self._device, apks, markers, control)
            self._checked = True

    def _warnings(self) -> list[str]:
        warnings = [sampling_warning(self._settings)]
        policy = self._settings.reset_policy
        if policy not in _POLICIES:
            warnings.append(f'runner.reset_policy is "{policy}"; force-stop is used (or none)')
        return [warning for warning in warnings if warning]

    def record_one(self, k: int, to: Path, control: Control) -> Recorded:
        """Install the arm's build, cool down, stop the app, record, pull."""
        if self._install is not None:
            run_checked(
                self._install,
                serial=self._device.serial,
                folder=self._folder,
                env=self._env,
                timeout_s=_INSTALL_S,
                what=f"run {k + 1}: the arm's command",
                control=control,
            )
            self._check_once(control)
            self._name_composables()
        cool_down(self._device, self._settings.cooldown, control)
        ready_screen(self._device, control)
        control.state("recording")
        if self._settings.reset_policy != "none":
            self._stop_app()
        recording = Recording(
            self._device,
            self._config,
            self._settings.duration_ms,
            # an app's own source answers only once the app runs
            wait_for_sources=not self._settings.compose_names,
        )
        try:
            recording.start(control)
            launch_ms = self._drive.act(k, self._device, recording, control)
            recording.await_end(control)
        finally:
            recording.stop()
        self._check_once(control)
        recording.fetch(to, control)
        return Recorded(launch_ms=launch_ms)

    def _stop_app(self) -> None:
        said = self._device.shell(f"am force-stop {self._package}")
        if said.code:
            raise CollectError(
                f"{self._package} cannot be stopped ({said.reason})",
                where=f"device {self._device.serial}",
                todo="set runner.reset_policy to none",
            )

    def finish(self, control: Control) -> None:
        """Put everything back, the latest change first."""
        if self._held is not None:
            self._held.release(control)
