"""A small random app: nested slices and thread states in whole milliseconds, the same for the same seed."""

from __future__ import annotations

import random
from collections.abc import Sequence

from detectors_asked import MS, PID
from echolot_tui.generate import packets
from echolot_tui.generate.builder import TraceBuilder
from echolot_tui.generate.sched import Segment, State

LENGTH = 260
"""Milliseconds the app lives, from 0."""

THREADS = {
    11: "pool-1-thread-1",
    12: "pool-1-thread-2",
    13: "app",
    14: "RenderThread",
    15: "binder:10_1",
    16: "w",
    17: "w",
}

OWNED = (
    "monitor contention with owner w (16) at void a.B.c()(B.kt:1) waiters=0 blocking from int a.B.d()(B.kt:9)"
)
FRAME = "Choreographer#doFrame"
COMPOSABLES = ("app.Home (Home.kt:1)", "app.Card (Card.kt:2)", "androidx.compose.Column (Column.kt:3)")
NAMES = (
    *("plain", "other", "visit") * 5,
    *("AGENTTMP_x", "AGENTTMP_y") * 2,
    *(FRAME,) * 3,
    "binder transaction",
    "binder transaction async",
    "Lock contention on a monitor lock (owner tid: 16)",
    OWNED,
    "concurrent GC",
    "waitWhileAllocating because of GC",
    "bindApplication",
    "Compose:recompose",
    "Recomposer:recompose",
    "AndroidOwner:measure",
    "traversal",
    *COMPOSABLES,
)
INSIDE = {
    "bindApplication": ("makeApplication", "Startup", "La/B;", "VerifyClass a.B", "plain", "concurrent GC"),
    "Startup": ("La list;", "plain", "other"),
    "Recomposer:recompose": ("Compose:recompose", "other"),
    "AndroidOwner:measure": ("Compose:recompose", "plain"),
    "traversal": ("Compose:recompose", "plain"),
    "Compose:recompose": COMPOSABLES,
    OWNED: ("Lock contention on a monitor lock (owner tid: 16)", "plain"),
} | dict.fromkeys(COMPOSABLES, (*COMPOSABLES, "plain"))
"""What lies in slices of some names; in others lies anything."""


def random_app(seed: int) -> TraceBuilder:
    """A process ``app`` with a few threads: a pool, a namesake of the main thread, two of one name.

    Among its slices some have no length and some never end; of its waits some have no known waker.
    """
    draw = random.Random(seed)
    builder = TraceBuilder()
    packets.system_info(builder, packets.System(cpus=len(THREADS) + 1))  # says how the kernel writes R+
    builder.process(PID, "app")
    for tid, name in THREADS.items():
        builder.thread(PID, tid, name)
    builder.process(70, "elsewhere")
    builder.thread(70, 77, "foreign")
    for tid in (PID, *THREADS):
        if tid == PID or draw.random() < 0.8:
            _slices(draw, builder, tid)
    for cpu, tid in enumerate((PID, *THREADS)):
        builder.segments(tid, _states(draw, cpu))
    builder.segments(77, [Segment(0, LENGTH * MS, State.RUNNING, cpu=len(THREADS) + 1)])
    return builder


def random_window(seed: int) -> tuple[int, int]:
    """Start and end in milliseconds; now and then everything."""
    draw = random.Random(-seed - 1)
    if draw.random() < 0.3:
        return 0, LENGTH
    start = draw.randrange(0, 80)
    return start, draw.randrange(start + 60, LENGTH)


def _slices(draw: random.Random, builder: TraceBuilder, tid: int) -> None:
    """Top-level slices one after another, each with others inside; the last may never end."""
    at = 0
    while at < LENGTH - 5:
        at += draw.randrange(0, 12)
        if at > 0.7 * LENGTH and draw.random() < 0.15:
            builder.slice(PID, tid, at * MS, None, draw.choice(NAMES))
            return
        end = min(at + draw.choice((1, 3, 8, 20, 40, 90)), LENGTH)
        if end > at:
            _nested(draw, builder, tid, (at, end), NAMES)
        at = end


def _nested(
    draw: random.Random,
    builder: TraceBuilder,
    tid: int,
    bounds: tuple[int, int],
    names: Sequence[str],
    depth: int = 0,
) -> None:
    start, end = bounds
    name = draw.choice(names)
    if name == FRAME:
        name = f"{FRAME} {draw.randrange(10**6)}"
    builder.slice(PID, tid, start * MS, end * MS, name)
    at = start
    for _ in range(draw.randrange(0, 5) if depth < 5 and end > start else 0):
        begin = draw.randrange(at, end + 1)
        stop = min(begin + draw.choice((0, 1, 2, 5, 10, 30)), end)
        if begin < stop or start < begin < end:
            _nested(draw, builder, tid, (begin, stop), INSIDE.get(name, NAMES), depth + 1)
        at = stop


def _states(draw: random.Random, cpu: int) -> Sequence[Segment]:
    """Running, and between that asleep, blocked, preempted, or nothing known."""
    segments: list[Segment] = []
    at = draw.randrange(0, 4)

    def add(length: int, state: State, **more: object) -> None:
        nonlocal at
        segments.append(Segment(at * MS, (at + length) * MS, state, **more))  # type: ignore[arg-type]
        at += length

    while at < LENGTH:
        add(draw.choice((1, 2, 4, 9, 25)), State.RUNNING, cpu=cpu)
        waker = draw.choice((None, 0, PID, 77, *THREADS))
        match draw.randrange(6):
            case 0 | 1:
                add(draw.choice((1, 3, 7, 15, 40)), State.SLEEPING, waker=waker)
            case 2:
                reason = draw.choice((None, "a_read", "b_sync"))
                waits = draw.random() < 0.6
                add(
                    draw.choice((1, 5, 12)),
                    State.BLOCKED,
                    waker=waker,
                    io_wait=waits,
                    blocked_function=reason,
                )
            case 3:
                add(draw.choice((1, 4, 11)), State.PREEMPTED)
                continue
            case 4:
                at += draw.randrange(1, 6)
                continue
            case _:
                add(draw.choice((1, 4, 11)), State.RUNNABLE)
                continue
        if waker is not None and draw.random() < 0.8:
            add(draw.choice((1, 2, 6)), State.RUNNABLE)
    add(1, State.RUNNING, cpu=cpu)
    return segments
