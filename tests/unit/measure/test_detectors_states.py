"""Detectors of thread states: waiting for a core or the disk, blind spots, stalls, sleeps."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from detectors_asked import MS, PID, app, ask, put
from echolot_tui.engine.model import TraceSession
from echolot_tui.generate import packets
from echolot_tui.generate.builder import TraceBuilder
from echolot_tui.generate.sched import Segment, State

Load = Callable[[TraceBuilder], TraceSession]


# ── states ──


def test_starvation_by_state_and_thread(load: Load) -> None:
    builder = app((11, "app"), (12, "w"))
    packets.system_info(builder, packets.System(cpus=2))  # the kernel's release says how it writes R+
    builder.segments(
        PID,
        [
            Segment(0, 10 * MS, State.RUNNING),
            Segment(10 * MS, 30 * MS, State.PREEMPTED),
            Segment(30 * MS, 40 * MS, State.RUNNING),
            Segment(40 * MS, 59 * MS, State.RUNNABLE),
            Segment(59 * MS, 70 * MS, State.RUNNING),
        ],
    )
    builder.segments(
        11,
        [
            Segment(0, 5 * MS, State.RUNNING, cpu=1),
            Segment(5 * MS, 90 * MS, State.PREEMPTED),
            Segment(90 * MS, 95 * MS, State.RUNNING, cpu=1),
        ],
    )
    asked = ask(load(builder), "runnable_starvation", 0, 60)
    found = {
        (row["location"], row["thread"], row["detail"]): row["total_ms"]
        for row in asked.rows("runnable_starvation")
    }
    assert found == {
        ("app", "main", "state R+"): 20.0,
        ("app", "background", "state R+"): 55.0,
        ("app", "main", "state R"): 19.0,
    }
    assert len(asked.listed("runnable_starvation")) == 2
    assert asked.covered("runnable_starvation") == {"app": [(10 * MS, 30 * MS), (40 * MS, 59 * MS)]}


def test_threads_that_are_known_to_wait_for_a_core_are_left_out_of_starvation(load: Load) -> None:
    builder = app((11, "app:Binder"), (12, "worker"))
    for cpu, tid in enumerate((PID, 11, 12)):
        builder.segments(
            tid,
            [
                Segment(0, 5 * MS, State.RUNNING, cpu=cpu),
                Segment(5 * MS, 50 * MS, State.RUNNABLE),
                Segment(50 * MS, 55 * MS, State.RUNNING, cpu=cpu),
            ],
        )
    session = load(builder)
    everyone = ask(session, "runnable_starvation", 0, 60)
    assert {row["location"] for row in everyone.rows("runnable_starvation")} == {
        "app",
        "app:Binder",
        "worker",
    }
    workers = ask(session, "runnable_starvation", 0, 60, skip_glob="app*")
    assert {row["location"] for row in workers.rows("runnable_starvation")} == {"worker"}
    assert workers.covered("runnable_starvation") == {}


def test_io_wait_counts_only_what_waits_for_io(load: Load) -> None:
    builder = app((11, "w"))
    builder.segments(
        PID,
        [
            Segment(0, 1 * MS, State.RUNNING),
            Segment(1 * MS, 31 * MS, State.BLOCKED, waker=0, io_wait=True, blocked_function="b_read"),
            Segment(31 * MS, 32 * MS, State.RUNNABLE),
            Segment(32 * MS, 33 * MS, State.RUNNING),
            Segment(33 * MS, 63 * MS, State.BLOCKED, waker=0, io_wait=False, blocked_function="mutex"),
            Segment(63 * MS, 64 * MS, State.RUNNABLE),
            Segment(64 * MS, 65 * MS, State.RUNNING),
            Segment(65 * MS, 75 * MS, State.BLOCKED, waker=0, io_wait=True, blocked_function="a_sync"),
            Segment(75 * MS, 76 * MS, State.RUNNABLE),
            Segment(76 * MS, 77 * MS, State.RUNNING),
        ],
    )
    asked = ask(load(builder), "io_wait", 0, 70)
    assert asked.rows("io_wait") == [
        {
            "location": "app",
            "count": 2,
            "total_ms": 35.0,
            "max_ms": 30.0,
            "detail": "main · a_sync, b_read",
            "thread": "main",
        }
    ]
    assert asked.covered("io_wait") == {"app": [(MS, 31 * MS), (65 * MS, 70 * MS)]}


def test_uninstrumented_is_running_outside_top_level_slices(load: Load) -> None:
    builder = app((11, "w"))
    builder.segments(
        PID,
        [
            Segment(0, 100 * MS, State.RUNNING),
            Segment(100 * MS, 200 * MS, State.SLEEPING, waker=11),
            Segment(200 * MS, 210 * MS, State.RUNNING),
        ],
    )
    builder.segments(11, [Segment(0, 60 * MS, State.RUNNING, cpu=1)])
    put(builder, PID, 10, 30, "outer")
    put(builder, PID, 15, 25, "inner")
    put(builder, PID, 90, 205, "spans a sleep")
    asked = ask(load(builder), "uninstrumented_cpu", 5, 300)
    main = asked.row("uninstrumented_cpu", "app")
    assert (main["count"], main["total_ms"], main["covered_ms"], main["max_ms"]) == (3, 105.0, 35.0, None)
    assert main["detail"] == "67.0% of CPU outside slices"
    assert asked.covered("uninstrumented_cpu") == {
        "app": [(5 * MS, 10 * MS), (30 * MS, 90 * MS), (205 * MS, 210 * MS)]
    }
    worker = asked.row("uninstrumented_cpu", "w")
    assert (worker["count"], worker["total_ms"], worker["covered_ms"]) == (0, 55.0, 0.0)
    assert {row["location"] for row in asked.listed("uninstrumented_cpu")} == {"app", "w"}


def test_half_covered_is_not_a_blind_spot(load: Load) -> None:
    builder = app()
    builder.segments(PID, [Segment(0, 100 * MS, State.RUNNING)])
    put(builder, PID, 0, 50, "half")
    assert ask(load(builder), "uninstrumented_cpu").listed("uninstrumented_cpu") == []
    assert (
        len(ask(load(builder), "uninstrumented_cpu", max_covered_pct="50.1").listed("uninstrumented_cpu"))
        == 1
    )


# ── anr_risk ──


def busy_builder() -> TraceBuilder:
    """Busy 0-3000 with a gap of 1.5 ms, idle to 3100, busy to 3700; sleeping under a slice is busy."""
    builder = app((11, "w"))
    builder.segments(
        PID,
        [
            Segment(0, 1000 * MS, State.RUNNING),
            Segment(1000 * MS, 2000 * MS, State.SLEEPING, waker=11),
            Segment(2000 * MS, 2500 * MS, State.RUNNABLE),
            Segment(2500 * MS, 2900 * MS, State.RUNNING),
            Segment(2900 * MS, round(2901.5 * MS), State.SLEEPING, waker=11),
            Segment(round(2901.5 * MS), 3000 * MS, State.RUNNING),
            Segment(3000 * MS, 3100 * MS, State.SLEEPING, waker=11),
            Segment(3100 * MS, 3700 * MS, State.RUNNING),
        ],
    )
    put(builder, PID, 0, 3800, "whole scenario")
    put(builder, PID, 900, 2100, "blocked here")
    put(builder, PID, 950, 2050, "deeper")
    put(builder, PID, 2600, 2700, "short")
    put(builder, PID, 3200, 3300, "blocked here")
    return builder


def test_stall(load: Load) -> None:
    asked = ask(load(busy_builder()), "anr_risk", 0, 4000, min_stall_ms="1000")
    (row,) = asked.rows("anr_risk")
    assert row == {
        "location": "blocked here",
        "count": 1,
        "total_ms": 3000.0,
        "max_ms": 3000.0,
        "detail": "1498.5 ms on CPU · 500.0 ms waiting for one · 1001.5 ms neither · 3 slices",
    }
    assert asked.listed("anr_risk") == [row]
    assert asked.covered("anr_risk") == {"blocked here": [(0, 3000 * MS)]}


def test_stall_gap_and_bar(load: Load) -> None:
    session = load(busy_builder())
    parts = ask(session, "anr_risk", 0, 4000, min_stall_ms="500", max_gap_ms="1").row(
        "anr_risk", "blocked here"
    )
    assert (parts["count"], parts["total_ms"], parts["max_ms"]) == (2, 3500.0, 2900.0)
    joined = ask(session, "anr_risk", 0, 4000, max_gap_ms="100").row("anr_risk", "blocked here")
    assert joined["max_ms"] == 3700.0
    assert ask(session, "anr_risk", 0, 4000, max_gap_ms="100").listed("anr_risk") == []
    below = ask(session, "anr_risk", 0, 4000, min_stall_ms="3500")
    assert below.listed("anr_risk") == []
    assert (below.rows("anr_risk")[0]["count"], below.rows("anr_risk")[0]["total_ms"]) == (1, 3000.0)


@pytest.mark.parametrize("longest", [0, 1, 2])
def test_stall_is_named_by_its_longest_slice_wherever_it_lies(load: Load, longest: int) -> None:
    builder = app((11, "w"))
    put(builder, PID, 0, 10_000, "whole scenario")
    for part in range(3):
        start = part * 2001
        put(builder, PID, start, start + 1500 + (400 if part == longest else 0), f"part {part}")
        builder.segments(
            PID,
            [
                Segment(start * MS, (start + 2000) * MS, State.RUNNING),
                Segment((start + 2000) * MS, (start + 2001) * MS, State.SLEEPING, waker=11),
            ],
        )
    builder.segments(PID, [Segment(6003 * MS, 6004 * MS, State.RUNNING)])
    (row,) = ask(load(builder), "anr_risk", 0, 10_000).listed("anr_risk")
    assert (row["location"], row["count"], row["total_ms"]) == (f"part {longest}", 1, 6004.0)
    assert row["detail"] == "6001.0 ms on CPU · 0.0 ms waiting for one · 3.0 ms neither · 3 slices"


def test_stalls_of_one_name_tell_of_the_longest(load: Load) -> None:
    builder = app((11, "w"))
    put(builder, PID, 0, 40_000, "whole scenario")
    at = 0
    for length in (6000, 8000, 7000):
        put(builder, PID, at, at + 100, "same")
        builder.segments(
            PID,
            [
                Segment(at * MS, (at + length) * MS, State.RUNNING),
                Segment((at + length) * MS, (at + length + 1000) * MS, State.SLEEPING, waker=11),
            ],
        )
        at += length + 1000
    builder.segments(PID, [Segment(at * MS, (at + 1) * MS, State.RUNNING)])
    (row,) = ask(load(builder), "anr_risk", 0, 40_000).listed("anr_risk")
    assert (row["count"], row["total_ms"], row["max_ms"]) == (3, 21000.0, 8000.0)
    assert str(row["detail"]).startswith("8000.0 ms on CPU")


def test_stall_without_slices(load: Load) -> None:
    builder = app()
    builder.segments(PID, [Segment(0, 6000 * MS, State.RUNNING)])
    (row,) = ask(load(builder), "anr_risk", 0, 7000).listed("anr_risk")
    assert (row["location"], row["total_ms"]) == ("uninstrumented work on the main thread", 6000.0)


# ── main_thread_waits ──


def sleeping(builder: TraceBuilder, waker: int | None, start: float, end: float) -> None:
    builder.segments(
        PID,
        [
            Segment(round((start - 1) * MS), round(start * MS), State.RUNNING),
            Segment(round(start * MS), round(end * MS), State.SLEEPING, waker=waker),
            Segment(round(end * MS), round((end + 1) * MS), State.RUNNABLE),
            Segment(round((end + 1) * MS), round((end + 2) * MS), State.RUNNING),
        ],
    )


@pytest.mark.parametrize(
    ("waker", "name", "seen"),
    [
        (11, "w", True),
        (11, "RenderThread", False),
        (11, "binder:10_1", False),
        (11, "Binder:10_1", False),
        (PID, "w", False),
        (77, "w", False),
    ],
)
def test_waits_keep_only_own_workers(load: Load, waker: int, name: str, seen: bool) -> None:
    builder = app((11, name))
    builder.process(70, "other")
    builder.thread(70, 77, "foreign")
    for tid in (11, 77):
        builder.segments(tid, [Segment(0, 39 * MS, State.RUNNING, cpu=tid)])
    put(builder, PID, 0, 1, "a")
    sleeping(builder, waker, 10, 30)
    rows = ask(load(builder), "main_thread_waits", 0, 100).rows("main_thread_waits")
    assert bool(rows) is seen


@pytest.mark.parametrize(
    ("opened", "detail"),
    [
        (None, "idle"),
        ((5, 35, "outer"), "blocked in outer"),
        ((0, 100, "as long as the window"), "idle"),
        ((11, 20, "opened later"), "idle"),
    ],
)
def test_where_it_slept(load: Load, opened: tuple[float, float, str] | None, detail: str) -> None:
    builder = app((11, "w"))
    builder.segments(11, [Segment(0, 39 * MS, State.RUNNING, cpu=1)])
    sleeping(builder, 11, 10, 30)
    if opened:
        put(builder, PID, *opened)
    put(builder, PID, 36, 37, "else")
    row = ask(load(builder), "main_thread_waits", 0, 100).row("main_thread_waits", "w")
    assert (row["count"], row["total_ms"], row["max_ms"], row["detail"]) == (1, 20.0, 20.0, detail)


def test_waits_are_clipped_and_lock_waits_left_out(load: Load) -> None:
    builder = app((11, "w-1"), (12, "w-2"))
    for tid in (11, 12):
        builder.segments(tid, [Segment(0, 400 * MS, State.RUNNING, cpu=tid)])
    sleeping(builder, 11, 10, 50)
    sleeping(builder, 12, 100, 130)
    sleeping(builder, 11, 200, 260)
    put(builder, PID, 195, 262, "Lock contention on a monitor lock (owner tid: 11)")
    session = load(builder)
    asked = ask(session, "main_thread_waits", 30, 300)
    row = asked.row("main_thread_waits", "w-#")
    assert (row["count"], row["total_ms"], row["full_ms"]) == (2, 50.0, 70.0)
    assert asked.covered("main_thread_waits") == {"w-#": [(30 * MS, 50 * MS), (100 * MS, 130 * MS)]}
    everything = ask(session, "main_thread_waits", 30, 300, lock_glob="nothing").row(
        "main_thread_waits", "w-#"
    )
    assert everything["total_ms"] == 110.0


def test_chain_of_waits(load: Load) -> None:
    """Main waits for a, that for b, that for the disk; what lies before the sleep does not count."""
    builder = app((11, "a"), (12, "b"))
    sleeping(builder, 11, 10, 60)
    builder.segments(
        11,
        [
            Segment(0, 5 * MS, State.RUNNING, cpu=1),
            Segment(5 * MS, 50 * MS, State.SLEEPING, waker=12),
            Segment(50 * MS, 51 * MS, State.RUNNABLE),
            Segment(51 * MS, 70 * MS, State.RUNNING, cpu=1),
        ],
    )
    builder.segments(
        12,
        [
            Segment(0, 12 * MS, State.RUNNING, cpu=2),
            Segment(12 * MS, 42 * MS, State.BLOCKED, waker=0, io_wait=True, blocked_function="read"),
            Segment(42 * MS, 43 * MS, State.RUNNABLE),
            Segment(43 * MS, 70 * MS, State.RUNNING, cpu=2),
        ],
    )
    row = ask(load(builder), "main_thread_waits", 0, 100).row("main_thread_waits", "a")
    assert row["detail"] == "idle · waited itself 40.0 ms for b, that 30.0 ms for the disk"
