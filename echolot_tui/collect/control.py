"""How a collect in flight hears that it should stop, or record more."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Final

import msgspec

from echolot_tui.collect.model import Request, RunState
from echolot_tui.collect.runner import Stopped
from echolot_tui.project.files import write_atomic

_LISTEN_S: Final = 0.2
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class Listening:
    """The ear of the loop over runs: a request file, and the signals that ask a process to end.

    Args:
        requests: Where requests are left.
        collect: Identity of this collect; requests to another are not for us.
        say: Takes log lines.
        on_state: Told what the run in flight is doing.
    """

    def __init__(
        self,
        requests: Path,
        collect: str,
        *,
        say: Callable[[str], None],
        on_state: Callable[[RunState], None],
    ) -> None:
        self._requests = requests
        self._collect = collect
        self._say = say
        self._on_state = on_state
        self._signalled = False
        self._looked = float("-inf")
        self._request = Request(collect=collect)

    @contextmanager
    def signals(self) -> Iterator[None]:
        """Take the signals that ask to end as a request to stop now. Only in the main thread.

        A hang-up is not one of them: it tells of a terminal that is gone, and nobody here has one.
        """
        before = {number: signal.signal(number, self._hear) for number in _SIGNALS}
        before[signal.SIGHUP] = signal.signal(signal.SIGHUP, _ignored)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    @property
    def stop_now(self) -> bool:
        """Whether the run in flight is to be given up."""
        return self._signalled or self._heard().stop == "now"

    @property
    def stop_after_run(self) -> bool:
        """Whether no further run is to be started."""
        return self._signalled or self._read().stop is not None

    @property
    def iterations(self) -> int | None:
        """Another number of runs, when somebody asked for one."""
        return self._read().iterations

    def check(self) -> None:
        """As :class:`~echolot_tui.collect.runner.Control`."""
        if self.stop_now:
            raise Stopped

    def sleep(self, seconds: float) -> None:
        """As :class:`~echolot_tui.collect.runner.Control`."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.check()
            time.sleep(min(left, _LISTEN_S / 2))
        self.check()

    def say(self, text: str) -> None:
        """As :class:`~echolot_tui.collect.runner.Control`."""
        self._say(text)

    def state(self, state: RunState) -> None:
        """As :class:`~echolot_tui.collect.runner.Control`."""
        self._on_state(state)

    def _hear(self, _number: int, _frame: FrameType | None) -> None:
        self._signalled = True

    def _heard(self) -> Request:
        """The request, as it was a moment ago at most."""
        return self._read() if time.monotonic() - self._looked >= _LISTEN_S else self._request

    def _read(self) -> Request:
        self._looked = time.monotonic()
        found = read_request(self._requests)
        if found is not None and found.collect == self._collect:
            self._request = found
        return self._request


def _ignored(_number: int, _frame: FrameType | None) -> None:
    """A handler and not ``SIG_IGN``, which the commands that are run would inherit."""


def read_request(path: Path) -> Request | None:
    """The request that was left, if any that can be read."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Request)
    except (OSError, msgspec.MsgspecError):
        return None


def leave_request(path: Path, request: Request) -> None:
    """Ask the collect in flight for something; what an earlier request to it asked for stays asked.

    Raises:
        EcholotError: The folder cannot be written.
    """
    earlier = read_request(path)
    if earlier is not None and earlier.collect == request.collect:
        request = Request(
            collect=request.collect,
            stop=request.stop or earlier.stop,
            iterations=request.iterations or earlier.iterations,
        )
    write_atomic(path, msgspec.json.encode(request))
