"""Mode ``command``: a shell line of this machine drives the device while it records."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from echolot_tui.collect.child import run_shell
from echolot_tui.collect.device import Device
from echolot_tui.collect.recording import Recording
from echolot_tui.collect.runner import WARNING, CollectError, Control
from echolot_tui.project.model import Runner as RunnerSettings
from echolot_tui.text import visible

SERIAL: Final = "ANDROID_SERIAL"
_BEYOND_S: Final = 300.0
"""How much longer than the recording a command may take before it is ended."""


class OnCommand:
    """Runs the configured line while a recording runs."""

    may_install = True

    def __init__(self, settings: RunnerSettings, folder: Path, env: Mapping[str, str]) -> None:
        """Check the command.

        Args:
            settings: ``command`` and ``duration_ms`` count.
            folder: Where it runs: the config's folder.
            env: Its environment, without the device's serial.

        Raises:
            CollectError: There is no command.
        """
        if settings.command is None or not settings.command.strip():
            raise CollectError(
                "mode command needs a command", where="runner.command", todo='for example "./drive_app.sh"'
            )
        self._command = settings.command
        self._duration_s = settings.duration_ms / 1000
        self._folder = folder
        self._env = env

    def ready(self, device: Device, control: Control) -> None:  # noqa: ARG002 - the seam of the drives
        """Nothing to find out on the device."""
        control.check()

    def act(self, k: int, device: Device, recording: Recording, control: Control) -> float | None:
        """Run it to its end.

        Raises:
            CollectError: It failed, took too long, or could not be started.
            Stopped: Somebody asked to stop; the command is ended.
        """
        run_checked(
            self._command,
            serial=device.serial,
            folder=self._folder,
            env=self._env,
            timeout_s=self._duration_s + _BEYOND_S,
            what=f"run {k + 1}: the command",
            control=control,
        )
        if not recording.running():
            control.say(
                f"{WARNING}run {k + 1}: the command outlasted the recording of {self._duration_s:g} s; "
                "raise runner.duration_ms"
            )
        return None


def run_checked(
    line: str,
    *,
    serial: str,
    folder: Path,
    env: Mapping[str, str],
    timeout_s: float,
    what: str,
    control: Control,
) -> None:
    """Run a shell line of this machine for a device, to its end.

    Args:
        line: The shell line.
        serial: The device, as ``ANDROID_SERIAL``.
        folder: Where it runs.
        env: The rest of its environment.
        timeout_s: After which it is ended.
        what: How a sentence begins that says it failed.
        control: A stop ends the line.

    Raises:
        CollectError: It failed, took too long, or could not be started.
        Stopped: Somebody asked to stop.
    """
    try:
        ended = run_shell(
            line, folder=folder, env={**env, SERIAL: serial}, timeout_s=timeout_s, control=control
        )
    except OSError as error:
        raise CollectError(
            f"{what} could not be started ({error.strerror or error})",
            where=str(folder),
            todo="check that the folder is there and /bin/sh may run in it",
        ) from error
    if ended.code == 0:
        return
    for said in ended.tail:
        control.say(f"  | {said}")
    last = f'; its last line: "{ended.last_words}"' if ended.last_words else ""
    raise CollectError(
        f"{what} {ended.how}{last}", where=visible(line, 120), todo="run it by hand to see why"
    )
