"""Detectors that add up slices: the window's cut, ties, names that are missing or hostile, bars."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import (
    FtraceEvent,
    TaskNewtaskFtraceEvent,
    TrackEvent,
)

from detectors_asked import MS, PID, Asked, app, ask, put
from echolot_tui.engine.model import TraceSession
from echolot_tui.generate.builder import TraceBuilder

Load = Callable[[TraceBuilder], TraceSession]

HOSTILE = "it's\t\"[red]\" $factor -- ; DROP TABLE x; '*[a-z]?"


# ── main_thread_block, background_work ──


def test_block_is_clipped_and_keeps_the_full_length(load: Load) -> None:
    builder = app()
    put(builder, PID, 0, 100, "outer")
    put(builder, PID, 10, 60, "cut")
    put(builder, PID, 90, 95, "after")
    rows = ask(load(builder), "main_thread_block", 50, 80)
    assert rows.rows("main_thread_block") == [
        {
            "location": "outer",
            "detail": "app",
            "count": 1,
            "self_ms": 20.0,
            "total_ms": 30.0,
            "max_ms": 30.0,
            "full_ms": 100.0,
        },
        {
            "location": "cut",
            "detail": "app",
            "count": 1,
            "self_ms": 10.0,
            "total_ms": 10.0,
            "max_ms": 10.0,
            "full_ms": 50.0,
        },
    ]


def test_unfinished_slices_end_with_the_trace(load: Load) -> None:
    builder = app((11, "w"))
    put(builder, PID, 10, None, "open")
    put(builder, 11, 10, None, "open too")
    builder.print(PID, 200 * MS, f"C|{PID}|last|1")
    session = load(builder)
    row = ask(session, "main_thread_block", 0, 50).row("main_thread_block", "open")
    assert (row["self_ms"], row["total_ms"], row["full_ms"]) == (40.0, 40.0, 190.0)
    row = ask(session, "background_work", 0, 200).row("background_work", "open too")
    assert (row["self_ms"], row["full_ms"]) == (190.0, None)


def test_bar_is_at_least(load: Load) -> None:
    builder = app((11, "w"))
    for tid, bar in ((PID, 16), (11, 40)):
        put(builder, tid, 0, bar, "at the bar")
        put(builder, tid, 100, 100 + bar - 0.01, "under the bar")
    for detector in ("main_thread_block", "background_work"):
        asked = ask(load(builder), detector)
        assert [row["location"] for row in asked.listed(detector)] == ["at the bar"]
        assert len(asked.rows(detector)) == 2


def test_background_families_and_the_main_thread(load: Load) -> None:
    builder = app((11, "pool-1-thread-1"), (12, "pool-1-thread-2"), (13, "app"))
    for tid, length in ((PID, 1), (11, 2), (12, 4), (13, 8)):
        put(builder, tid, 0, length, "work")
    asked = Asked(load(builder), PID, 0, 100 * MS, only="background_work main_thread_block")
    assert asked.rows("background_work") == [
        {
            "location": "work",
            "thread": "app",
            "count": 1,
            "self_ms": 8.0,
            "total_ms": 8.0,
            "max_ms": 8.0,
            "full_ms": None,
            "detail": "on app",
        },
        {
            "location": "work",
            "thread": "pool-#-thread-#",
            "count": 2,
            "self_ms": 6.0,
            "total_ms": 6.0,
            "max_ms": 4.0,
            "full_ms": None,
            "detail": "on 2 threads, pool-1-thread-1 first by name",
        },
    ]
    assert [row["self_ms"] for row in asked.rows("main_thread_block")] == [1.0]


def test_slices_without_a_name(load: Load) -> None:
    """Track events need not carry a name."""
    builder = app((11, "w"))
    for tid in (PID, 11):
        packet = builder.packet(0)
        packet.track_descriptor.uuid = 500 + tid
        packet.track_descriptor.thread.pid, packet.track_descriptor.thread.tid = PID, tid
        for number in range(6):
            for ts, kind in (
                (number * 100, TrackEvent.TYPE_SLICE_BEGIN),
                (number * 100 + 20, TrackEvent.TYPE_SLICE_END),
            ):
                event = builder.packet(round(ts * MS))
                event.track_event.type, event.track_event.track_uuid = kind, 500 + tid
    put(builder, PID, 700, 701, "named")
    asked = Asked(load(builder), PID, 0, 1000 * MS)
    assert {answer.state for answer in asked.answers.values()} <= {"ok", "no data"}
    assert asked.row("main_thread_block", "(no name)")["count"] == 6
    assert asked.row("background_work", "(no name)")["self_ms"] == 120.0
    assert len(asked.covered("main_thread_block")["(no name)"]) == 6
    assert asked.rows("repeated_work") == []


def test_hostile_names_pass_unharmed(load: Load) -> None:
    builder = app((11, HOSTILE[:15]))
    put(builder, PID, 0, 20, HOSTILE)
    put(builder, 11, 0, 50, HOSTILE)
    asked = Asked(load(builder), PID, 0, 100 * MS)
    assert asked.row("main_thread_block", HOSTILE)["self_ms"] == 20.0
    assert asked.row("background_work", HOSTILE)["thread"] == HOSTILE[:15]
    assert {answer.state for answer in asked.answers.values()} <= {"ok", "no data"}
    assert asked.covered("main_thread_block") == {HOSTILE: [(0, 20 * MS)]}


@pytest.mark.parametrize("glob", [HOSTILE, "'", "''", "[", "*'; DROP TABLE slice; --", "$name_glob", "a\nb"])
def test_hostile_parameters(load: Load, glob: str) -> None:
    builder = app()
    put(builder, PID, 0, 20, "binder transaction")
    put(builder, PID, 30, 50, glob.replace("[", "").replace("\n", ""))
    asked = ask(load(builder), "binder_txn", name_glob=glob)
    assert asked["binder_txn"].state == "ok", asked["binder_txn"].reason
    assert all(row["total_ms"] == 20.0 for row in asked.rows("binder_txn"))


# ── main_thread_outlier ──


def outliers(durations: list[float], load: Load, **settings: str) -> Asked:
    builder = app()
    for number, duration in enumerate(durations):
        put(builder, PID, number * 100, number * 100 + duration, "work")
    return ask(load(builder), "main_thread_outlier", 0, 10_000, **settings)


def test_outlier_uses_the_lower_median(load: Load) -> None:
    # Of six it is the third, 11 ms; with the upper median nothing would be four times as long.
    asked = outliers([10, 10, 11, 30, 44, 60], load)
    row = asked.row("main_thread_outlier", "work")
    assert (row["count"], row["total_ms"], row["max_ms"], row["occurrences"]) == (2, 104.0, 60.0, 6)
    assert row["detail"] == "median 11.0 ms of 6 · worst 5.5×"
    assert asked.covered("main_thread_outlier") == {"work": [(400 * MS, 444 * MS), (500 * MS, 560 * MS)]}


def test_outlier_counts_only_those_over_the_floor(load: Load) -> None:
    asked = outliers([1, 1, 1, 1, 1, 5, 39.9, 40, 50], load)
    row = asked.row("main_thread_outlier", "work")
    assert (row["count"], row["total_ms"]) == (2, 90.0)
    assert len(asked.covered("main_thread_outlier")["work"]) == 2
    assert asked.listed("main_thread_outlier") == [row]


def test_outlier_under_the_floor_keeps_its_longest(load: Load) -> None:
    asked = outliers([1, 1, 1, 1, 1, 5, 39.9], load)
    row = asked.row("main_thread_outlier", "work")
    assert (row["count"], row["total_ms"], row["max_ms"]) == (1, 39.9, 39.9)
    assert asked.listed("main_thread_outlier") == []
    assert asked.covered("main_thread_outlier") == {}


def test_outlier_needs_occurrences_and_its_factor(load: Load) -> None:
    assert outliers([1, 1, 1, 50], load).listed("main_thread_outlier") == []
    assert len(outliers([1, 1, 1, 1, 50], load).listed("main_thread_outlier")) == 1
    assert outliers([20, 20, 20, 20, 79], load).rows("main_thread_outlier") == []
    assert len(outliers([20, 20, 20, 20, 80], load).listed("main_thread_outlier")) == 1
    assert len(outliers([20, 20, 20, 20, 50], load, factor="2.5").listed("main_thread_outlier")) == 1


def test_outlier_is_clipped_and_sees_unfinished_slices(load: Load) -> None:
    builder = app()
    for number in range(5):
        put(builder, PID, number * 10, number * 10 + 1, "work")
    put(builder, PID, 100, None, "work")
    builder.print(PID, 500 * MS, f"C|{PID}|last|1")
    row = ask(load(builder), "main_thread_outlier", 0, 150).row("main_thread_outlier", "work")
    assert (row["count"], row["total_ms"], row["max_ms"], row["full_ms"]) == (1, 50.0, 50.0, 400.0)


def test_outlier_leaves_slices_of_no_length_out_of_the_median(load: Load) -> None:
    row = outliers([0, 0, 0, 0, 0, 0, 10, 10, 10, 10, 40], load).row("main_thread_outlier", "work")
    assert row["detail"] == "median 10.0 ms of 5 · worst 4.0×"


# ── binder, contention, gc ──


def test_binder_leaves_async_out_and_gates_on_either_bar(load: Load) -> None:
    builder = app((11, "many"), (12, "none"))
    put(builder, PID, 0, 10, "binder transaction")
    put(builder, PID, 20, 90, "binder transaction async")
    for number in range(10):
        put(builder, 11, number * 10, number * 10 + 5, "binder transaction")
    put(builder, 12, 0, 9.9, "binder transaction")
    asked = ask(load(builder), "binder_txn")
    assert {(row["location"], row["detail"], row["count"]) for row in asked.listed("binder_txn")} == {
        ("app", "main thread", 1),
        ("many", "background", 10),
    }
    assert asked.row("binder_txn", "none")["max_ms"] == 9.9
    assert asked.covered("binder_txn") == {"app": [(0, 10 * MS)]}


CONTENTION = (
    "monitor contention with owner w (11) at void a.B.c()(B.kt:1) waiters=0 blocking from int a.B.d()(B.kt:9)"
)
INNER = "Lock contention on a monitor lock (owner tid: 11)"


def test_contention_counts_a_nested_wait_once(load: Load) -> None:
    builder = app((11, "w"))
    put(builder, PID, 0, 20, CONTENTION)
    put(builder, PID, 1, 19, INNER)
    put(builder, PID, 30, 40, INNER)
    asked = ask(load(builder), "monitor_contention")
    assert asked.rows("monitor_contention") == [
        {
            "location": "app",
            "thread": "main",
            "count": 2,
            "total_ms": 30.0,
            "max_ms": 20.0,
            "full_ms": None,
            "detail": CONTENTION,
        }
    ]


def test_contention_names_owner_and_a_blocking_method(load: Load) -> None:
    builder = app((11, "holder"))
    put(builder, PID, 0, 50, INNER)
    put(builder, PID, 60, 70, CONTENTION)
    put(builder, PID, 80, 85, "Lock contention on a monitor lock (owner tid: 999)")
    detail = ask(load(builder), "monitor_contention").row("monitor_contention", "app")["detail"]
    assert detail == (
        f"{INNER} · owner holder · longest wait with a method, 10.00 ms: blocking from int a.B.d()(B.kt:9)"
    )


def test_contention_counts_once_where_the_owners_number_was_given_away_again(load: Load) -> None:
    builder = app((11, "w"))
    put(builder, PID, 0, 50, INNER)
    put(builder, PID, 80, 90, INNER)
    builder.exit(11, 60 * MS)
    of_the_process = 0x10000  # CLONE_THREAD
    again = TaskNewtaskFtraceEvent(pid=11, comm="again", clone_flags=of_the_process)
    builder.event(PID, 70 * MS, FtraceEvent(task_newtask=again))
    session = load(builder)
    assert session.query("SELECT COUNT(*) FROM thread WHERE tid = 11").scalar() == 2
    row = ask(session, "monitor_contention").row("monitor_contention", "app")
    assert (row["count"], row["total_ms"], row["detail"]) == (2, 60.0, f"{INNER} · owner w")
    row = ask(session, "monitor_contention", 75, 95).row("monitor_contention", "app")
    assert (row["count"], row["total_ms"], row["detail"]) == (1, 10.0, f"{INNER} · owner again")


def test_contention_of_an_unknown_owner(load: Load) -> None:
    builder = app()
    put(builder, PID, 0, 50, "Lock contention on a monitor lock (owner tid: 999)")
    row = ask(load(builder), "monitor_contention").row("monitor_contention", "app")
    assert row["detail"] == "Lock contention on a monitor lock (owner tid: 999)"


def test_contention_of_main_and_its_namesake(load: Load) -> None:
    builder = app((11, "app"), (12, "app"))
    put(builder, PID, 0, 10, INNER)
    put(builder, 11, 0, 20, INNER)
    put(builder, 12, 0, 40, INNER)
    asked = ask(load(builder), "monitor_contention")
    assert [(row["thread"], row["count"], row["total_ms"]) for row in asked.rows("monitor_contention")] == [
        ("background", 2, 60.0),
        ("main", 1, 10.0),
    ]
    assert asked.covered("monitor_contention") == {"app": [(0, 10 * MS)]}


def test_gc_matches_either_glob_once(load: Load) -> None:
    builder = app((11, "HeapTaskDaemon"))
    put(builder, 11, 0, 120, "concurrent GC")
    put(builder, PID, 0, 5, "waitWhileAllocating because of GC")
    put(builder, PID, 10, 11, "GCsomething")
    asked = ask(load(builder), "gc_pressure")
    assert [row["location"] for row in asked.listed("gc_pressure")] == ["concurrent GC"]
    assert asked.row("gc_pressure", "waitWhileAllocating because of GC")["count"] == 1
    assert len(asked.rows("gc_pressure")) == 2
