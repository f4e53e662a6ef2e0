"""Run a shell line in a process group of its own that never outlives whoever waits for it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Final

from echolot_tui.collect.runner import Control
from echolot_tui.frozen import Frozen
from echolot_tui.text import visible

_TICK_S: Final = 0.05
_GRACE_S: Final = 2.0
"""For the command to end by itself once it was asked to."""

_TAIL_BYTES: Final = 64 * 1024
_TAIL_LINES: Final = 20

_GUARDED: Final = f"""
exec 3<&0 </dev/null
( trap '' TERM HUP INT; cat <&3 >/dev/null; kill -TERM 0; sleep {_GRACE_S:g}; kill -KILL 0 ) >/dev/null 2>&1 &
exec 3<&-
exec /bin/sh -c "$1"
"""
"""Runs the shell line beside a guard that waits for our end of its pipe to close, which the system does
however this process ends, and then ends the group: a killed collect leaves no command running."""


class Ended(Frozen, frozen=True, kw_only=True):
    """How a command ended."""

    code: int | None
    """Exit code, negative for a signal; ``None`` when it took too long and was ended."""
    tail: tuple[str, ...]
    """The last lines of both its streams, harmless to show."""

    @property
    def last_words(self) -> str:
        """Its last line that says anything, for a sentence."""
        return next((line for line in reversed(self.tail) if line.strip()), "").strip()

    @property
    def how(self) -> str:
        """``exit code 3``, ``SIGSEGV``, ``took too long``."""
        if self.code is None:
            return "took too long and was ended"
        if self.code < 0:
            return f"was ended by {_signal_name(-self.code)}"
        return f"ended with exit code {self.code}"


def run_shell(
    command: str, *, folder: Path, env: Mapping[str, str], timeout_s: float, control: Control
) -> Ended:
    """Run ``command`` with ``/bin/sh`` and wait for it; the whole group is gone when this returns.

    Args:
        command: The shell line.
        folder: Where it runs.
        env: Its whole environment.
        timeout_s: After which it is ended.
        control: Asked a few times a second; a stop ends the command first.

    Raises:
        Stopped: ``control`` said so.
        OSError: It could not be started.
    """
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            ["/bin/sh", "-c", _GUARDED, "echolot", command],
            cwd=folder,
            env=dict(env),
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = _wait(process, timeout_s, control)
        finally:
            _end(process)
        return Ended(code=code, tail=_tail(log))


def _wait(process: subprocess.Popen[bytes], timeout_s: float, control: Control) -> int | None:
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        control.check()
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(_TICK_S)
    return None


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask the command to end, then end what is left of its group, the guard included."""
    if process.poll() is None:
        _signal(process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_S)
    _signal(process.pid, signal.SIGKILL)
    process.wait()
    assert process.stdin is not None
    process.stdin.close()


def _signal(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _tail(log: IO[bytes]) -> tuple[str, ...]:
    size = log.seek(0, os.SEEK_END)
    log.seek(max(size - _TAIL_BYTES, 0))
    lines = log.read().decode("utf-8", errors="replace").splitlines()
    return tuple(visible(line, 400) for line in lines[-_TAIL_LINES:])


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
