"""What threads were doing, turned into the scheduler events a kernel would have written."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

IDLE_TID = 0


class State(Enum):
    """What a thread does; the value is the kernel's ``prev_state`` when a thread leaves the CPU for it."""

    RUNNING = -1
    RUNNABLE = 0
    SLEEPING = 1
    BLOCKED = 2
    PREEMPTED = 0x100


WAITING = (State.SLEEPING, State.BLOCKED)
READY = (State.RUNNABLE, State.PREEMPTED)


@dataclass(frozen=True, slots=True)
class Segment:
    """One stretch of a thread in one state, ``[start, end)`` in nanoseconds."""

    start: int
    end: int
    state: State
    cpu: int = 0
    """Where it runs; only meaningful for ``RUNNING``."""
    waker: int | None = None
    """Thread that ends a sleep; without one the recording knows neither the waking nor the reason."""
    io_wait: bool = False
    blocked_function: str | None = None


@dataclass(frozen=True, slots=True)
class Switch:
    """One context switch of a CPU."""

    ts: int
    cpu: int
    prev_tid: int
    prev_state: int
    next_tid: int


@dataclass(frozen=True, slots=True)
class Waking:
    """Thread ``tid`` is made runnable by ``waker``."""

    ts: int
    cpu: int
    waker: int
    tid: int


@dataclass(frozen=True, slots=True)
class BlockedReason:
    """Why thread ``tid`` was in uninterruptible sleep; written when that ends."""

    ts: int
    cpu: int
    waker: int
    tid: int
    io_wait: bool
    function: str | None


SchedEvent = Switch | Waking | BlockedReason


@dataclass(frozen=True, slots=True)
class _Turn:
    """One turn of a thread on a CPU, and the state it leaves in."""

    start: int
    end: int
    tid: int
    leaves_as: int


def sched_events(threads: Iterable[tuple[int, Sequence[Segment]]]) -> list[SchedEvent]:
    """Turn each thread's segments into switches, wakings and reasons, in time order.

    Args:
        threads: Thread id and its segments in time order, without overlap.

    Raises:
        ValueError: Segments of a thread overlap or cannot follow each other, or two threads run on one
            CPU at once.
    """
    turns: dict[int, list[_Turn]] = defaultdict(list)
    wakings: list[SchedEvent] = []
    for tid, segments in threads:
        joined = _joined(tid, segments)
        for segment, following in zip(joined, [*joined[1:], None], strict=True):
            if segment.state is State.RUNNING:
                turns[segment.cpu].append(
                    _Turn(segment.start, segment.end, tid, _leaves_as(segment, following))
                )
            elif segment.state in WAITING:
                wakings.extend(_wakings(tid, segment))
    switches = [switch for cpu in sorted(turns) for switch in _switches(cpu, turns[cpu])]
    # A waking comes before the switch of the same moment, as on a real CPU.
    return sorted([*wakings, *switches], key=lambda event: event.ts)


def _leaves_as(segment: Segment, following: Segment | None) -> int:
    """The state a thread leaves the CPU in; one that is not described until later sleeps."""
    if following is None or following.start > segment.end or following.state is State.RUNNING:
        return int(State.SLEEPING.value)
    return int(following.state.value)


def _joined(tid: int, segments: Sequence[Segment]) -> list[Segment]:
    joined: list[Segment] = []
    for segment in segments:
        if segment.end <= segment.start:
            raise ValueError(f"thread {tid}: a segment of no length at {segment.start}")
        last = joined[-1] if joined else None
        if last is not None and segment.start < last.end:
            raise ValueError(f"thread {tid}: segments overlap at {segment.start}")
        if not _possible(last, segment):
            raise ValueError(
                f"thread {tid}: {segment.state.name} at {segment.start} follows nothing that leads to it"
            )
        if last is not None and last.end == segment.start and _same(last, segment):
            joined[-1] = Segment(last.start, segment.end, State.RUNNING, cpu=last.cpu)
        else:
            joined.append(segment)
    if joined and joined[-1].state in READY:
        raise ValueError(f"thread {tid}: ready at {joined[-1].start}, but never runs")
    return joined


def _possible(last: Segment | None, segment: Segment) -> bool:
    """Whether a kernel could record it: a thread leaves the CPU for a state, or is woken to be ready."""
    if segment.state is State.RUNNING:
        return last is None or last.state not in READY or last.end == segment.start
    if last is None or last.end != segment.start:
        return False
    if segment.state is State.RUNNABLE and last.state in WAITING:
        return last.waker is not None
    return last.state is State.RUNNING


def _same(left: Segment, right: Segment) -> bool:
    return left.state is right.state is State.RUNNING and left.cpu == right.cpu


def _wakings(tid: int, segment: Segment) -> list[SchedEvent]:
    events: list[SchedEvent] = []
    if segment.waker is None:
        return events
    if segment.io_wait or segment.blocked_function is not None:
        reason = BlockedReason(segment.end, 0, segment.waker, tid, segment.io_wait, segment.blocked_function)
        events.append(reason)
    return [*events, Waking(segment.end, 0, segment.waker, tid)]


def _switches(cpu: int, turns: list[_Turn]) -> list[Switch]:
    ordered = sorted(turns, key=lambda turn: turn.start)
    switches: list[Switch] = []
    last: _Turn | None = None
    for turn in ordered:
        if last is not None and turn.start < last.end:
            raise ValueError(f"cpu {cpu}: threads {last.tid} and {turn.tid} both run at {turn.start}")
        if last is not None and turn.start > last.end:
            switches.append(Switch(last.end, cpu, last.tid, last.leaves_as, IDLE_TID))
            last = None
        prev_tid, prev_state = (IDLE_TID, 0) if last is None else (last.tid, last.leaves_as)
        switches.append(Switch(turn.start, cpu, prev_tid, prev_state, turn.tid))
        last = turn
    if last is not None:
        switches.append(Switch(last.end, cpu, last.tid, last.leaves_as, IDLE_TID))
    return switches
