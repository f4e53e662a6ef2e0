"""Mode ``gradle``: a benchmark task of the project's build records, its traces are taken over."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import Final

from echolot_tui.collect.child import Ended, run_shell
from echolot_tui.collect.device import Device
from echolot_tui.collect.gradle_failure import gist, remedy, telling_lines
from echolot_tui.collect.held import Held
from echolot_tui.collect.preparation import hold_still
from echolot_tui.collect.runner import CollectError, Control
from echolot_tui.collect.temperature import check_sensor, cool_down
from echolot_tui.project.layout import STATE
from echolot_tui.project.model import Runner as RunnerSettings

SERIAL: Final = "ANDROID_SERIAL"
_ENDINGS: Final = (".perfetto-trace", ".pftrace")
_RECORDING_KEYS: Final = (
    "iterations",
    "duration_ms",
    "reset_policy",
    "environment",
    "sampling",
    "compose_names",
    "atrace_categories",
    "buffer_kb",
)
_LOG_BYTES: Final = 4 << 20


class GradleRunner:
    """Runs the task once; every trace it wrote under the root is a run."""

    here = False

    def __init__(
        self,
        device: Device | None,
        settings: RunnerSettings,
        *,
        folder: Path,
        env: Mapping[str, str],
        state: Path,
    ) -> None:
        """Check the settings.

        Args:
            device: Given to the build as ``ANDROID_SERIAL`` and held still; ``None`` leaves the
                choice to Gradle.
            settings: The scenario's runner.
            folder: The config's folder; ``project_root`` starts from it.
            env: Environment of the build.
            state: Folder in which changes to the device are written down.

        Raises:
            CollectError: There is no task, or no such folder.
        """
        if not settings.gradle_task or not settings.gradle_task.strip():
            raise CollectError(
                "mode gradle needs a task",
                where="runner.gradle_task",
                todo="for example :benchmark:connectedBenchmarkAndroidTest",
            )
        self._root = (folder / Path(settings.project_root or ".").expanduser()).resolve()
        if not self._root.is_dir():
            raise CollectError(
                "there is no such folder",
                where=f"runner.project_root, {self._root}",
                todo="name the folder of the Gradle build, from the config's",
            )
        self._device = device
        self._settings = settings
        self._env = dict(env) if device is None else {**env, SERIAL: device.serial}
        self._line = " ".join(map(quote, (settings.gradle, settings.gradle_task, *settings.gradle_args)))
        self._state = state
        self._held: Held | None = None

    @property
    def resource(self) -> str:
        """One collect per device; without a known one, one build of this root."""
        return f"gradle {self._root}" if self._device is None else f"device {self._device.serial}"

    def prepare(self, control: Control) -> None:
        """Say what does not apply; hold the device still; cool it down once."""
        for line in unused_keys(self._settings):
            control.say(line)
        settings, device = self._settings, self._device
        if device is None:
            return
        self._held = Held(device, self._state)
        self._held.release_left(control)
        check_sensor(device, settings.cooldown)
        hold_still(device, settings, self._held, control)
        cool_down(device, settings.cooldown, control)

    def record_all(self, control: Control) -> Sequence[Path]:
        """Run the task; its traces, oldest first.

        Raises:
            CollectError: The build failed, took too long, or wrote no trace.
        """
        control.state("recording")
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "build.log"
            mark = Path(folder) / "begin"
            mark.touch()  # the file system's own clock tells which traces are newer
            ended = self._run(log, control)
            text = _end_of(log)
            if ended.code != 0:
                raise self._failed(ended, text, control)
            found = traces_since(self._root, mark.stat().st_mtime_ns)
        if not found:
            raise CollectError(
                f"the build ended well but wrote no {' or '.join('*' + each for each in _ENDINGS)} file",
                where=str(self._root),
                todo="see that the task runs a macrobenchmark and is not up to date (--rerun-tasks)",
            )
        return found

    def _run(self, log: Path, control: Control) -> Ended:
        control.say(f"running {self._line}")
        try:
            return run_shell(
                f"{self._line} >{quote(str(log))} 2>&1",
                folder=self._root,
                env=self._env,
                timeout_s=self._settings.timeout_s,
                control=control,
            )
        except OSError as error:
            raise CollectError(
                f"the build could not be started ({error.strerror or error})",
                where=str(self._root),
                todo="check that /bin/sh may run in that folder",
            ) from error

    def _failed(self, ended: Ended, text: str, control: Control) -> CollectError:
        lines = telling_lines(text)
        if ended.code is None:
            what = f"the build took longer than runner.timeout_s, {self._settings.timeout_s} s, and was ended"
        else:
            what = f"the build {ended.how} ({gist(lines)})"
        help_ = remedy(text)
        control.say(what)
        for line in lines:
            control.say(f"  | {line}")
        return CollectError(what, where=self._line, todo=help_ or "the log has its telling lines")

    def finish(self, control: Control) -> None:
        """Put everything back, the latest change first."""
        if self._held is not None:
            self._held.release(control)


def unused_keys(settings: RunnerSettings) -> tuple[str, ...]:
    """One line per recording key that is set and does not reach the benchmark."""
    shipped = RunnerSettings()
    named = [f"runner.{key}" for key in _RECORDING_KEYS if getattr(settings, key) != getattr(shipped, key)]
    if not named:
        return ()
    verb = "does" if len(named) == 1 else "do"
    return (f"{', '.join(named)} {verb} not apply in mode gradle: the benchmark decides",)


def traces_since(root: Path, mtime_ns: int) -> tuple[Path, ...]:
    """Traces anywhere under ``root`` modified since then, oldest first, then by name."""
    found = [
        (path.stat().st_mtime_ns, path)
        for path in root.rglob("*")
        if path.name.endswith(_ENDINGS)
        and STATE not in path.relative_to(root).parts  # sets that are already ours
        and path.is_file()
        and path.stat().st_mtime_ns >= mtime_ns
    ]
    return tuple(path for _, path in sorted(found))


def holds_device(settings: RunnerSettings) -> bool:
    """Whether something is to be changed on the device, so that it has to be known."""
    return (
        settings.cooldown is not None
        or settings.fixed_performance
        or settings.airplane_mode
        or settings.brightness is not None
    )


def _end_of(log: Path) -> str:
    with log.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(size - _LOG_BYTES, 0))
        return file.read().decode("utf-8", "replace")
