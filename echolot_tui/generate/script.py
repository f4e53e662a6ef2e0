"""A thread's life written down in order: sections, running, waiting, sleeping.

A script moves a cursor forward. What it does is kept as plain numbers, from which both the trace is written
and the planted facts are taken: the facts never pass through the trace.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from echolot_tui.generate.builder import TraceBuilder
from echolot_tui.generate.pace import Pace
from echolot_tui.generate.sched import IDLE_TID, Segment, State

WAKE_NS = 20_000
"""From being woken to being on the CPU."""


@dataclass(slots=True)
class Section:
    """One slice as the script knows it; ``end`` is ``None`` when it never closes."""

    pid: int
    tid: int
    name: str
    start: int
    end: int | None = None
    parent: Section | None = None
    children: list[Section] = field(default_factory=list)
    server: tuple[int, int] | None = None
    """Process and thread that answer, of a binder call."""


@dataclass(slots=True)
class Stage:
    """What all scripts of one recording write to."""

    builder: TraceBuilder
    pace: Pace
    sched: bool = True
    """Whether scheduler events are recorded."""
    sections: list[Section] = field(default_factory=list)
    """Every section of every script, in the order they opened."""
    segments: dict[int, list[Segment]] = field(default_factory=dict)
    """What every thread did, also when the recording does not hold it."""

    def write(self) -> None:
        """Hand everything to the builder; sections in the order they opened, so an outer one comes first."""
        for section in self.sections:
            if section.server is None:
                self.builder.slice(section.pid, section.tid, section.start, section.end, section.name)
            else:
                self._write_call(section, section.server)
        if self.sched:
            for tid, segments in self.segments.items():
                self.builder.segments(tid, segments)

    def _write_call(self, call: Section, server: tuple[int, int]) -> None:
        assert call.end is not None
        margin = (call.end - call.start) // 20
        handled = (call.start + margin, call.end - margin - WAKE_NS)
        self.builder.binder((call.pid, call.tid), server, call.start, call.end, handled=handled)


class ThreadScript:
    """One thread's cursor. Durations are milliseconds at the pace of the section they happen in."""

    def __init__(self, stage: Stage, pid: int, tid: int, cpu: int, at: int) -> None:
        """A thread that runs on one CPU, from ``at`` nanoseconds on."""
        self.pid = pid
        self.tid = tid
        self.cpu = cpu
        self.now = at
        self._stage = stage
        self._open: list[Section] = []

    def at(self, ts: int) -> ThreadScript:
        """Move on to a moment; until then nothing is said, so the thread sleeps."""
        if ts < self.now:
            raise ValueError(f"thread {self.tid} is already at {self.now}, after {ts}")
        self.now = ts
        return self

    @contextmanager
    def section(self, name: str) -> Iterator[Section]:
        """Everything inside happens in a slice of this name."""
        section = self.leave_open(name)
        yield section
        section.end = self.now
        self._open.pop()

    def leave_open(self, name: str) -> Section:
        """Open a slice that never closes; everything after is inside it."""
        parent = self._open[-1] if self._open else None
        section = Section(self.pid, self.tid, name, self.now, parent=parent)
        if parent is not None:
            parent.children.append(section)
        self._open.append(section)
        self._stage.sections.append(section)
        return section

    def run(self, ms: float) -> None:
        """On the CPU."""
        self.run_until(self.now + self._ns(ms))

    def run_until(self, ts: int) -> None:
        """On the CPU until a moment in nanoseconds."""
        self._do(ts - self.now, State.RUNNING)

    def wait_for_cpu(self, ms: float, *, preempted: bool = False) -> None:
        """Ready, but not running: after a waking, or because another thread took the CPU."""
        self._do(self._ns(ms), State.PREEMPTED if preempted else State.RUNNABLE)

    def sleep(self, ms: float, *, waker: int | None = None) -> None:
        """Asleep until ``waker`` (a thread id) wakes it."""
        self.sleep_until(self.now + self._ns(ms), waker=waker)

    def sleep_until(self, ts: int, *, waker: int | None = None) -> None:
        """Asleep until a moment in nanoseconds."""
        self._do(ts - self.now, State.SLEEPING, waker=waker)
        if waker is not None:
            self._do(WAKE_NS, State.RUNNABLE)

    def block(self, ms: float, *, io: bool = False, function: str | None = None) -> None:
        """In the kernel, not to be interrupted, until an interrupt ends it: for the disk when ``io``."""
        self.block_until(self.now + self._ns(ms), io=io, function=function)

    def block_until(self, ts: int, *, io: bool = False, function: str | None = None) -> None:
        """In the kernel until a moment in nanoseconds."""
        self._do(ts - self.now, State.BLOCKED, waker=IDLE_TID, io=io, function=function)
        self._do(WAKE_NS, State.RUNNABLE)

    def call(self, server: tuple[int, int], ms: float) -> None:
        """A binder call that waits: asleep in slice ``binder transaction`` while ``server`` works on it."""
        with self.section("binder transaction") as call:
            call.server = server
            self.sleep(ms, waker=server[1])

    def _ns(self, ms: float) -> int:
        work = self._open[-1].name if self._open else f"thread {self.tid}"
        return self._stage.pace.ns(work, ms)

    def _do(
        self,
        ns: int,
        state: State,
        *,
        waker: int | None = None,
        io: bool = False,
        function: str | None = None,
    ) -> None:
        if ns <= 0:
            raise ValueError(
                f"thread {self.tid} is already at {self.now}: {state.name} until {self.now + ns}"
            )
        segment = Segment(
            self.now,
            self.now + ns,
            state,
            cpu=self.cpu,
            waker=waker,
            io_wait=io,
            blocked_function=function,
        )
        self._stage.segments.setdefault(self.tid, []).append(segment)
        self.now = segment.end
