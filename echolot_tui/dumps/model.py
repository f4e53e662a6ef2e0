"""A thread dump, and what it says about why the main thread did not answer."""

from __future__ import annotations

from typing import Literal

from echolot_tui.checkout.find import Spot
from echolot_tui.frozen import Frozen, always

Doing = Literal[
    "lock", "idle", "binder", "waiting", "sleeping", "files", "database", "drawing", "running", "unknown"
]
"""What a thread did, by its innermost frames: waits for a lock, for messages, for another process, for
another thread, for time to pass, for files, for the database, for the render thread; or it ran."""


class StackFrame(Frozen, frozen=True, kw_only=True):
    """One call of a stack."""

    symbol: str
    """Class and method, or the function and library of native code."""
    file: str | None = None
    line: int | None = None
    native: bool = False
    """Machine code, not Java or Kotlin."""
    retraced: bool = False
    """Told as the source has it; the dump had another name."""
    place: Spot | None = None
    """Where the checkout has it."""


class Lock(Frozen, frozen=True, kw_only=True):
    """A monitor a thread waits for."""

    address: str | None = None
    kind: str | None = None
    """Class of the locked object."""
    owner: int | None = None
    """The dump's number of the thread that holds it."""
    to_enter: bool = True
    """It wants the lock; otherwise it holds none and waits to be notified."""


class DumpThread(Frozen, frozen=True, kw_only=True):
    """One thread of a dump."""

    name: str
    tid: int | None = None
    """The dump's own number of it."""
    sys_tid: int | None = None
    """The system's number, as in a trace."""
    state: str = ""
    """As written: ``Blocked``, ``Native``, ``Runnable``, ``TimedWaiting``."""
    cpu_ms: float | None = None
    """Time on a CPU since it was started."""
    frames: tuple[StackFrame, ...] = ()
    """Innermost first."""
    waits_for: Lock | None = None
    holds: tuple[str, ...] = ()
    """Addresses of monitors it has locked."""


class ThreadDump(Frozen, frozen=True, kw_only=True):
    """The threads of one process."""

    process: str | None = None
    subject: str | None = None
    """Why the system wrote it."""
    threads: tuple[DumpThread, ...]
    others: tuple[str, ...] = ()
    """Other processes of the same file."""


class Link(Frozen, frozen=True, kw_only=True):
    """One thread of the chain."""

    thread: DumpThread
    doing: Doing
    """``lock`` when the next one of the chain holds what its thread ``waits_for``."""


class Busy(Frozen, frozen=True, kw_only=True):
    """A thread that was at work meanwhile."""

    thread: DumpThread
    doing: Doing


class Anr(Frozen, frozen=True, kw_only=True):
    """What a dump says about the main thread."""

    process: str | None = None
    subject: str | None = None
    threads: int
    others: tuple[str, ...] = always(())
    chain: tuple[Link, ...]
    """From the main thread to the one it waits for in the end."""
    deadlock: bool = False
    """The last one waits for a lock that one before it holds."""
    lost: str | None = None
    """Why the chain cannot be followed further."""
    busy: tuple[Busy, ...] = always(())
    """The few threads that were at work, most time on a CPU first."""
    more_busy: int = always(0)
    outside: int = always(0)
    """Frames with a minified class that no mapping gave a name."""
