"""A program on a terminal of its own: what it paints, when, and how it ends."""

from __future__ import annotations

import codecs
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from terminal_model import TerminalModel

REPAINT = b"\x1b[?2026h"
"""Textual opens every update with it where the terminal says it knows synchronized output."""

KNOWS_SYNC = b"\x1b[?2026;2$y"


def _take_terminal() -> None:
    """In the child: the terminal becomes its controlling one, so that a hang-up is signalled."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class PtySession:
    """Runs a command on a pseudo-terminal and keeps everything it writes with its time."""

    def __init__(
        self, command: Sequence[str], *, cwd: Path, env: Mapping[str, str], size: tuple[int, int] = (100, 30)
    ) -> None:
        self.fd, child = pty.openpty()
        fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            command,
            stdin=child,
            stdout=child,
            stderr=child,
            cwd=cwd,
            env=dict(env),
            start_new_session=True,
            preexec_fn=_take_terminal,  # noqa: PLW1509 - one call into the kernel, no lock
        )
        os.close(child)
        self._hung_up = False
        self.screen = TerminalModel(*size)
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self.chunks: list[tuple[float, bytes]] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        while not self._hung_up:
            # Closing a file another thread reads from does not hang up, so the reader never waits in read.
            if not select.select([self.fd], [], [], 0.02)[0]:
                continue
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                return
            if not data:
                return
            self.chunks.append((time.monotonic(), data))
            self.screen.feed(self._decoder.decode(data))
            if b"\x1b[?2026$p" in data:
                self.send(KNOWS_SYNC)

    @property
    def output(self) -> bytes:
        """Everything painted so far."""
        return b"".join(data for _, data in self.chunks)

    def send(self, keys: bytes) -> None:
        """Press keys."""
        os.write(self.fd, keys)

    def wait_for(self, text: str, timeout: float = 20) -> float:
        """Seconds from the start until ``text`` was on the screen, or among what was written."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            if text in self.screen.text or text.encode() in self.output:
                return self.chunks[-1][0] - self.started
            if self.process.poll() is not None:
                break
            time.sleep(0.01)
        raise AssertionError(f"{text!r} was not painted; there is:\n{self.screen.text}")

    def quiet(self, seconds: float = 0.3, timeout: float = 20) -> None:
        """Wait until nothing was painted for a while."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            if self.chunks and time.monotonic() - self.chunks[-1][0] > seconds:
                return
            time.sleep(0.01)
        raise AssertionError("the screen does not come to rest")

    def press(self, keys: bytes, rest: float = 0.3, timeout: float = 20) -> tuple[float, int]:
        """Press keys and wait for the screen to come to rest; seconds to the last paint, bytes painted."""
        since = time.monotonic()
        self.send(keys)
        while not self.painted_after(since):
            if time.monotonic() - since > timeout:
                raise AssertionError(f"nothing was painted after {keys!r}")
            time.sleep(0.002)
        self.quiet(rest)
        painted = self.painted_after(since)
        return painted[-1][0] - since, sum(len(data) for _, data in painted)

    def cpu_seconds(self) -> float:
        """Processor time the program took so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def painted_after(self, since: float) -> list[tuple[float, bytes]]:
        """What was painted after a moment of ``time.monotonic``."""
        return [(at, data) for at, data in self.chunks if at > since]

    def wait_end(self, timeout: float) -> int:
        """The exit code."""
        return self.process.wait(timeout)

    def hang_up(self) -> None:
        """The other end of the line goes away, as when ssh drops."""
        self._hung_up = True
        self._reader.join()
        os.close(self.fd)

    def close(self) -> None:
        """End it, whatever state it is in."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(5)
        if not self._hung_up:
            self.hang_up()
