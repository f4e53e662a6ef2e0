"""The seam between the loop over runs and the ways to record one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol, runtime_checkable

from echolot_tui.collect.model import RunState
from echolot_tui.errors import EcholotError
from echolot_tui.frozen import Frozen

WARNING: Final = "warning: "


class CollectError(EcholotError):
    """Recording failed."""

    prefix = "collection error"


class Stopped(BaseException):
    """Somebody asked to stop now.

    Raised by :class:`Control` inside a runner. No error, so that no ``except Exception`` on the way
    takes it for one; a runner cleans up in ``finally``.
    """


class Control(Protocol):
    """What a runner may ask of the loop that runs it."""

    def check(self) -> None:
        """Go on.

        Raises:
            Stopped: Somebody asked to stop now.
        """

    def sleep(self, seconds: float) -> None:
        """Wait, listening.

        Raises:
            Stopped: As :meth:`check`, at once.
        """

    def say(self, text: str) -> None:
        """One line for the log and for whoever follows; one that begins with ``WARNING`` may be a fault."""

    def state(self, state: RunState) -> None:
        """The run in flight is now cooling, recording, pulling."""


class Recorded(Frozen, frozen=True, kw_only=True):
    """What recording one run told besides its trace."""

    launch_ms: float | None = None


@runtime_checkable
class Runner(Protocol):
    """Records runs one at a time.

    The loop calls ``prepare`` once, ``record_one`` per run and, whatever happened in between or in
    ``prepare`` itself, ``finish`` once. Everything a person can do something about is a ``CollectError``.
    """

    @property
    def resource(self) -> str:
        """What only one collect may use at a time: ``host``, ``device SERIAL``."""

    @property
    def here(self) -> bool:
        """The program under measurement runs on this machine, so nothing else may run meanwhile."""

    def prepare(self, control: Control) -> None:
        """Check everything that can be checked before the first run, and hold the device still."""

    def record_one(self, k: int, to: Path, control: Control) -> Recorded:
        """Record run ``k`` and leave its complete trace at ``to``, which is not there yet."""

    def finish(self, control: Control) -> None:
        """Undo what ``prepare`` did, in reverse order; say what is worth knowing about the set.

        Has to work after a ``prepare`` that failed half way, and must not listen to ``control.check``.
        """


@runtime_checkable
class BatchRunner(Protocol):
    """Records all runs with one command, which decides how many there are."""

    @property
    def resource(self) -> str:
        """As :class:`Runner`."""

    @property
    def here(self) -> bool:
        """As :class:`Runner`."""

    def prepare(self, control: Control) -> None:
        """As :class:`Runner`."""

    def record_all(self, control: Control) -> Sequence[Path]:
        """Record, and name the complete traces in run order; they are copied, not moved."""

    def finish(self, control: Control) -> None:
        """As :class:`Runner`."""
