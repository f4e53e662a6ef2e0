"""The window's tables: clipping, names, and one window after another."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from detectors_asked import windowed
from echolot_tui.engine.model import QueryError, TraceSession
from echolot_tui.generate.builder import TraceBuilder
from echolot_tui.generate.sched import Segment, State
from echolot_tui.measure.derived import DerivedTables
from echolot_tui.measure.tables import create_tables, drop_tables

Load = Callable[[TraceBuilder], TraceSession]

HOSTILE = 'it\'s\n"[red]" | 100% $start_ns * ]'


def one(session: TraceSession, sql: str) -> list[tuple[object, ...]]:
    return list(session.query(sql).tuples())


def test_bounds_and_process(load: Load) -> None:
    builder = TraceBuilder()
    builder.process(10, "com.app:remote")
    builder.slice(10, 10, 100, 900, "a")
    session = load(builder)
    windowed(session, 10, 200, 600, package="com.app")
    assert one(session, "SELECT ts, end_ts, dur FROM window_bounds") == [(200, 600, 400)]
    assert one(session, "SELECT pid, name, package FROM process_info") == [(10, "com.app:remote", "com.app")]


def test_slices_at_the_edges(load: Load) -> None:
    builder = TraceBuilder()
    builder.process(10, "app")
    for start, end, name in (
        (100, 200, "ends at the start"),
        (200, 200, "nothing, at the start"),
        (300, 300, "nothing, inside"),
        (500, 500, "nothing, at the end"),
        (500, 600, "begins at the end"),
    ):
        builder.slice(10, 10, start, end, name)
    session = load(builder)
    windowed(session, 10, 200, 500)
    for view in ("window_slice", "main_slice"):
        assert one(session, f"SELECT name, ts, dur FROM {view}") == [("nothing, inside", 300, 0)]
    derived = DerivedTables(session)
    assert [derived.slices.names[name] for name in derived.slices.name] == ["nothing, inside"]


def test_clipped_and_unfinished(load: Load) -> None:
    builder = TraceBuilder()
    builder.process(10, "app")
    builder.slice(10, 10, 100, None, "open")
    builder.slice(10, 10, 150, 400, "cut")
    builder.slice(10, 10, 450, 460, "inner")
    builder.print(10, 900, "C|10|end of trace|1")
    session = load(builder)
    windowed(session, 10, 200, 500)
    columns = "name, ts, dur, self_dur, full_ts, full_dur, depth, thread_name, is_main"
    assert one(session, f"SELECT {columns} FROM window_slice ORDER BY id") == [
        ("open", 200, 300, 90, 100, 800, 0, "app", 1),
        ("cut", 200, 200, 200, 150, 250, 1, "app", 1),
        ("inner", 450, 10, 10, 450, 10, 1, "app", 1),
    ]


def test_states_are_clipped(load: Load) -> None:
    builder = TraceBuilder()
    builder.process(10, "app")
    builder.segments(
        10,
        [
            Segment(100, 300, State.RUNNING),
            Segment(300, 700, State.SLEEPING, waker=10),
            Segment(700, 800, State.RUNNABLE),
            Segment(800, 900, State.RUNNING),
        ],
    )
    session = load(builder)
    windowed(session, 10, 200, 750)
    assert one(
        session, "SELECT state, ts, dur, full_ts, full_dur, is_main FROM window_state ORDER BY ts"
    ) == [
        ("Running", 200, 100, 100, 200, 1),
        ("S", 300, 400, 300, 400, 1),
        ("R", 700, 50, 700, 100, 1),
    ]


def test_async_slices_are_the_processes_own(load: Load) -> None:
    builder = TraceBuilder()
    builder.process(10, "app")
    builder.process(20, "other")
    builder.slice(10, 10, 100, 900, "a")
    builder.async_slice(10, 100, 300, "ours")
    builder.async_slice(20, 100, 300, "theirs")
    session = load(builder)
    windowed(session, 10, 200, 600)
    assert one(session, "SELECT name, ts, dur, full_ts, full_dur FROM window_async") == [
        ("ours", 200, 100, 100, 200)
    ]


@pytest.mark.parametrize(
    ("name", "shown", "folded"),
    [
        ("worker", "worker", "worker"),
        ("binder:4321_2", "binder:#_#", "binder:#_#"),
        ("HwBinder:4321_A", "HwBinder:#_#", "HwBinder:#_#"),
        ("binder:43210_2", "binder:43210_2", "binder:#_#"),
        ("pool-1-thread-2", "pool-1-thread-2", "pool-#-thread-#"),
        ("4321", "(unnamed thread)", "(unnamed thread)"),
        ('it\'s "x"\n', 'it\'s "x"\n', 'it\'s "x"\n'),
    ],
)
def test_thread_names(load: Load, name: str, shown: str, folded: str) -> None:
    builder = TraceBuilder()
    builder.process(4321, "app")
    builder.thread(4321, 4400, name)
    builder.slice(4321, 4400, 100, 200, "a")
    session = load(builder)
    windowed(session, 4321, 0, 500)
    threads = one(session, "SELECT thread_name, thread_family, is_main FROM process_thread WHERE tid = 4400")
    assert threads == [(shown, folded, 0)]
    assert one(session, "SELECT thread_name FROM window_slice") == [(shown,)]


def test_nameless_threads(load: Load) -> None:
    builder = TraceBuilder()
    builder.slice(10, 10, 100, 200, "a")
    builder.slice(10, 11, 100, 200, "b")
    session = load(builder)
    windowed(session, 10, 0, 500)
    assert one(session, "SELECT name, thread_name FROM window_slice ORDER BY name") == [
        ("a", "(main thread)"),
        ("b", "(unnamed thread)"),
    ]


def test_claimed_names_and_hostile_globs(load: Load) -> None:
    builder = TraceBuilder()
    builder.process(10, "app")
    builder.slice(10, 10, 100, 200, "it's held")
    builder.slice(10, 10, 300, 400, "[x] held")
    builder.slice(10, 10, 500, 600, "free")
    session = load(builder)
    windowed(session, 10, 0, 150, claimed=["it's*", "[[]x]*", "no such '; DROP TABLE x; --", "[", HOSTILE])
    assert one(session, "SELECT name FROM claimed_name ORDER BY name") == [("[x] held",), ("it's held",)]
    windowed(session, 10, 0, 150)
    assert one(session, "SELECT name FROM claimed_name") == []


def test_hostile_process_name(load: Load) -> None:
    builder = TraceBuilder()
    builder.process(10, "app")
    builder.slice(10, 10, 100, 200, "a")
    session = load(builder)
    upid, utid = one(session, "SELECT upid, utid FROM thread WHERE tid = 10")[0]
    create_tables(
        session,
        upid=upid,
        main_utid=utid,
        start_ns=0,
        end_ns=500,
        process_name=HOSTILE,
        package=HOSTILE,
        claimed_globs=(),
    )  # type: ignore[arg-type]
    assert one(session, "SELECT name, package FROM process_info") == [(HOSTILE, HOSTILE)]


def test_process_without_a_main_thread(load: Load) -> None:
    builder = TraceBuilder()
    builder.process(10, "app")
    builder.thread(10, 11, "worker")
    builder.slice(10, 11, 100, 200, "a")
    session = load(builder)
    windowed(session, 10, 0, 500, main_tid=99)
    assert one(session, "SELECT COUNT(*) FROM main_slice") == [(0,)]
    assert one(session, "SELECT name, is_main FROM window_slice") == [("a", 0)]


def test_one_window_after_another(load: Load) -> None:
    builder = TraceBuilder()
    builder.process(10, "app")
    builder.slice(10, 10, 100, 200, "first")
    builder.slice(10, 10, 600, 700, "second")
    session = load(builder)
    for start, end, name in ((0, 500, "first"), (500, 900, "second")):
        windowed(session, 10, start, end)
        DerivedTables(session).make_for(["slice_total slice_call window_cpu main_busy main_path main_sleep"])
        assert one(session, "SELECT name FROM window_slice") == [(name,)]
        assert one(session, "SELECT name FROM slice_total") == [(name,)]
    drop_tables(session)
    for table in ("window_slice", "slice_total", "window_bounds", "window_cpu"):
        with pytest.raises(QueryError, match=table):
            session.query(f"SELECT * FROM {table}")
    drop_tables(session)
