"""One recording on a device: ``perfetto`` started in the background, awaited, its trace pulled."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from echolot_tui.collect.adb_wire import AdbRefusedError
from echolot_tui.collect.device import Device, Said
from echolot_tui.collect.runner import CollectError, Control

DEVICE_TRACE: Final = "/data/misc/perfetto-traces/echolot.pftrace"
"""The one folder where both ``perfetto`` may write and the shell's user may read."""

_START_S: Final = 60.0
_BACKGROUND_S: Final = 2.0
"""Given to the data sources where perfetto does not wait for them itself."""
_POLL_S: Final = 0.5
_LATE_S: Final = 60.0
"""For the flush and the writing of a full buffer."""
_FULL_KB: Final = 1024
_USED: Final = re.compile(r"[0-9]+%")
"""The column of ``df`` right of the free space."""
_UNKNOWN_OPTION: Final = ("unrecognized option", "unknown option", "invalid option")


def end_left_over(device: Device, control: Control) -> None:
    """End a recording that a killed set has left: two at once would slow the first run.

    The bracket keeps the pattern from fitting the shell that looks for it.
    """
    if device.shell("pkill -f '[e]cholot.pftrace'").code == 0:
        control.say("a recording an earlier set had left running was ended")


class Recording:
    """A recording on its way from its start to the pulled trace; :meth:`stop` ends it at any point."""

    def __init__(self, device: Device, config: str, duration_ms: int, *, wait_for_sources: bool) -> None:
        """Nothing is started yet.

        Args:
            device: Where it records.
            config: Protobuf text.
            duration_ms: Its length, for the patience with its end.
            wait_for_sources: Whether every data source of the config answers when it has started. An app's
                own source does not before the app runs.
        """
        self._device = device
        self._config = config
        self._duration_s = duration_ms / 1000
        self._wait_for_sources = wait_for_sources
        self._pid: int | None = None

    def start(self, control: Control) -> None:
        """Remove the trace of the run before and start.

        Raises:
            CollectError: perfetto refused, with its words.
        """
        self._checked(f"rm -f {DEVICE_TRACE}", "the trace of the run before cannot be removed")
        said = self._launch("--background-wait" if self._wait_for_sources else "--background")
        if self._wait_for_sources and said.code and _no_such_option(said):
            self._wait_for_sources = False
            said = self._launch("--background")
        self._pid = _pid(said)
        if said.code or self._pid is None:
            self.stop()
            raise CollectError(
                f"perfetto did not start ({said.reason})",
                where=f"device {self._device.serial}",
                todo=self._full_storage() or "see its message; another recording may hold the data source",
            )
        if not self._wait_for_sources:
            control.sleep(_BACKGROUND_S)

    def _launch(self, background: str) -> Said:
        return self._device.shell(
            f"perfetto -c - --txt {background} -o {DEVICE_TRACE}",
            stdin=self._config.encode(),
            timeout_s=_START_S,
        )

    def running(self) -> bool:
        """Whether perfetto is still there."""
        if self._pid is None:
            return False
        if self._device.shell(f"test -d /proc/{self._pid}").code == 0:
            return True
        self._pid = None
        return False

    def await_end(self, control: Control) -> None:
        """Wait until perfetto has written everything and left.

        Raises:
            CollectError: It is still there long after the recording should have ended.
            Stopped: Somebody asked to stop.
        """
        patience_s, waited_s = self._duration_s + _LATE_S, 0.0
        while self.running():
            if waited_s >= patience_s:
                raise CollectError(
                    f"perfetto still runs {waited_s:.0f} s after a recording of {self._duration_s:g} s began",
                    where=f"device {self._device.serial}",
                    todo="restart the device",
                )
            control.sleep(_POLL_S)
            waited_s += _POLL_S

    def fetch(self, to: Path, control: Control) -> None:
        """Pull the finished trace and remove it from the device.

        Raises:
            CollectError: It is missing or empty, the connection broke off, or ``to`` cannot be written.
        """
        control.state("pulling")
        try:
            count = self._device.pull(DEVICE_TRACE, to)
        except AdbRefusedError as error:
            raise self._nothing(f"perfetto left no trace ({error.what})") from error
        if not count:
            raise self._nothing("perfetto left an empty trace")
        self._device.shell(f"rm -f {DEVICE_TRACE}")

    def _nothing(self, what: str) -> CollectError:
        return CollectError(
            what,
            where=f"device {self._device.serial}",
            todo=self._full_storage() or "record again; adb logcat -s perfetto traced says more",
        )

    def _full_storage(self) -> str:
        """What to do when the device's storage is the cause; else nothing."""
        words = self._device.shell("df -k /data").out.split()
        free = next((words[at - 1] for at, word in enumerate(words) if _USED.fullmatch(word)), "")
        return "its storage is full: free some space" if free.isdecimal() and int(free) < _FULL_KB else ""

    def stop(self) -> None:
        """End a recording that is still running; a device that is gone is none of its concern."""
        if self._pid is None:
            return
        pid, self._pid = self._pid, None
        try:
            self._device.shell(f"kill {pid}; rm -f {DEVICE_TRACE}")
        except CollectError:
            # what ended the run is already on its way as an error; the recording ends by itself
            return

    def _checked(self, line: str, what: str) -> None:
        said = self._device.shell(line)
        if said.code:
            raise CollectError(
                f"{what} ({said.reason})",
                where=f"device {self._device.serial}",
                todo=f"remove {DEVICE_TRACE} with adb shell, or restart the device",
            )


def _pid(said: Said) -> int | None:
    """The process it left in the background, which it prints last."""
    lines = said.out.split()
    return int(lines[-1]) if lines and lines[-1].isdecimal() else None


def _no_such_option(said: Said) -> bool:
    text = f"{said.err}\n{said.out}".lower()
    return any(words in text for words in _UNKNOWN_OPTION)
