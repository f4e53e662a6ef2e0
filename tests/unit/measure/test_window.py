"""Windows: from the start anchor to the end anchor, the first or each."""

from __future__ import annotations

from echolot_tui.engine.model import TraceSession
from echolot_tui.generate.builder import TraceBuilder
from echolot_tui.generate.sched import Segment, State
from echolot_tui.measure.model import AnchorFacts
from echolot_tui.measure.spec import WindowMode
from echolot_tui.measure.survey import survey
from echolot_tui.measure.window import Windows, cut_slices, find_windows

MS = 1_000_000
PID = 4000


def app() -> TraceBuilder:
    """An app, and another process whose slices never count."""
    builder = TraceBuilder()
    builder.process(PID, "com.example.app", uid=10_100)
    builder.thread(PID, PID + 1, "Worker")
    builder.process(5000, "com.example.other", uid=10_101)
    builder.slice(5000, 5000, 0, 5 * MS, "start")
    builder.slice(5000, 5000, 2000 * MS, 2001 * MS, "end")
    return builder


def add(builder: TraceBuilder, name: str, start_ms: int, end_ms: int | None, tid: int = PID) -> None:
    builder.slice(PID, tid, start_ms * MS, None if end_ms is None else end_ms * MS, name)


def windows_of(
    session: TraceSession, start: str | None = None, end: str | None = None, mode: WindowMode = "first"
) -> Windows:
    seen = survey(session)
    process = next(one for one in seen.processes if one.pid == PID)
    return find_windows(session, seen, process, start=start, end=end, mode=mode)


def bounds(found: Windows) -> list[tuple[float, float]]:
    return [(window.start_ns / MS, window.end_ns / MS) for window in found.windows]


def test_without_anchors_the_process_from_first_to_last_slice(load) -> None:
    builder = app()
    add(builder, "a", 100, 110)
    add(builder, "b", 50, 70, tid=PID + 1)
    add(builder, "long", 120, 400)
    found = windows_of(load(builder))
    assert bounds(found) == [(50, 400)]
    assert found.windows[0].start is None
    assert found.windows[0].end is None
    assert (found.total, found.incomplete) == (1, 0)


def test_an_open_slice_runs_to_the_end_of_the_trace(load) -> None:
    builder = app()
    add(builder, "a", 100, None)
    assert bounds(windows_of(load(builder))) == [(100, 2001)]


def test_anchors_cut_the_window_out(load) -> None:
    builder = app()
    add(builder, "early", 10, 20)
    add(builder, "start", 100, 110)
    add(builder, "end", 200, 230)
    add(builder, "late", 300, 900)
    (window,) = windows_of(load(builder), "start", "end").windows
    assert (window.start_ns, window.end_ns) == (100 * MS, 230 * MS)
    assert window.start == AnchorFacts(glob="start", matches=1)
    assert window.end == AnchorFacts(glob="end", matches=1)


def test_the_end_is_the_first_to_begin_not_the_first_to_end(load) -> None:
    builder = app()
    add(builder, "start", 100, 110)
    add(builder, "end long", 150, 400)
    add(builder, "end short", 200, 210, tid=PID + 1)
    assert bounds(windows_of(load(builder), "start", "end*")) == [(100, 400)]


def test_ends_before_the_start_do_not_count(load) -> None:
    builder = app()
    add(builder, "end", 10, 20)
    add(builder, "end", 30, 40)
    add(builder, "start", 100, 110)
    add(builder, "end", 200, 230)
    (window,) = windows_of(load(builder), "start", "end").windows
    assert window.end == AnchorFacts(glob="end", matches=1, before_start=2)
    assert window.end_ns == 230 * MS


def test_an_end_that_never_closed_is_told(load) -> None:
    builder = app()
    add(builder, "start", 100, 110)
    add(builder, "end", 200, None)
    (window,) = windows_of(load(builder), "start", "end").windows
    assert window.end == AnchorFacts(glob="end", matches=1, unfinished=True)
    assert window.end_ns == 2001 * MS


def test_anchors_that_match_nothing_leave_the_process(load) -> None:
    builder = app()
    add(builder, "a", 100, 200)
    add(builder, "end", 10, 20)
    (window,) = windows_of(load(builder), "nothing", "end").windows
    assert (window.start_ns, window.end_ns) == (10 * MS, 20 * MS)
    assert window.start == AnchorFacts(glob="nothing", matches=0)
    (window,) = windows_of(load(builder), "a", "nowhere").windows
    assert (window.start_ns, window.end_ns) == (100 * MS, 200 * MS)
    assert window.end == AnchorFacts(glob="nowhere", matches=0)


def test_only_ends_before_the_start_match_nothing(load) -> None:
    builder = app()
    add(builder, "end", 10, 20)
    add(builder, "start", 100, 110)
    add(builder, "rest", 120, 300)
    (window,) = windows_of(load(builder), "start", "end").windows
    assert window.end == AnchorFacts(glob="end", matches=0, before_start=1)
    assert window.end_ns == 300 * MS


def test_asynchronous_slices_are_anchors(load) -> None:
    builder = app()
    add(builder, "a", 50, 60)
    builder.async_slice(PID, 100 * MS, 150 * MS, "start")
    builder.async_slice(PID, 200 * MS, 250 * MS, "end", cookie=2)
    add(builder, "b", 300, 900)
    assert bounds(windows_of(load(builder), "start", "end")) == [(100, 250)]


def test_each_occurrence(load) -> None:
    builder = app()
    for first in (100, 300, 500):
        add(builder, "start", first, first + 10)
        add(builder, "end", first + 50, first + 60)
    session = load(builder)
    found = windows_of(session, "start", "end", "each")
    assert bounds(found) == [(100, 160), (300, 360), (500, 560)]
    assert [window.number for window in found.windows] == [1, 2, 3]
    assert [window.start.matches for window in found.windows if window.start] == [3, 3, 3]
    ends = [window.end for window in found.windows]
    assert ends[1] == AnchorFacts(glob="end", matches=2, before_start=1)
    first = windows_of(session, "start", "end")
    assert bounds(first) == [(100, 160)]
    assert first.total == 3


def test_a_start_inside_an_occurrence_begins_no_other(load) -> None:
    builder = app()
    add(builder, "start", 100, 110)
    add(builder, "start", 120, 130)
    add(builder, "end", 150, 160)
    add(builder, "start", 160, 170)
    add(builder, "end", 180, 190)
    assert bounds(windows_of(load(builder), "start", "end", "each")) == [(100, 160), (160, 190)]


def test_a_last_start_without_an_end_is_left_out_and_counted(load) -> None:
    builder = app()
    add(builder, "start", 100, 110)
    add(builder, "end", 150, 160)
    add(builder, "start", 300, 310)
    add(builder, "start", 320, 330)
    found = windows_of(load(builder), "start", "end", "each")
    assert bounds(found) == [(100, 160)]
    assert (found.total, found.incomplete) == (1, 2)


def test_each_with_one_glob_for_both_ends_is_each_slice(load) -> None:
    builder = app()
    for first in (100, 300):
        add(builder, "scroll", first, first + 40)
    assert bounds(windows_of(load(builder), "scroll", "scroll", "each")) == [(100, 140), (300, 340)]


def test_each_without_an_end_runs_to_the_next_start(load) -> None:
    builder = app()
    for first in (100, 300):
        add(builder, "start", first, first + 10)
    add(builder, "rest", 400, 450)
    session = load(builder)
    assert bounds(windows_of(session, "start", None, "each")) == [(100, 300), (300, 450)]
    first = windows_of(session, "start", None)
    assert bounds(first) == [(100, 450)]  # nothing closes it, so it holds everything after the start
    assert first.total == 1


def test_a_window_of_no_length_is_left_behind(load) -> None:
    builder = app()
    for moment in (100, 200):
        add(builder, "tick", moment, moment)
    add(builder, "rest", 300, 310)
    assert bounds(windows_of(load(builder), "tick", "tick", "each")) == [(100, 100), (200, 200)]


def test_a_process_without_slices_has_the_window_of_its_states(load) -> None:
    builder = app()
    builder.segments(
        PID, [Segment(70 * MS, 90 * MS, State.RUNNING), Segment(90 * MS, 120 * MS, State.SLEEPING)]
    )
    builder.segments(PID, [Segment(120 * MS, 130 * MS, State.RUNNING)])
    ((first, last),) = bounds(windows_of(load(builder)))
    assert first == 70
    assert last >= 130


def test_a_process_without_anything_has_the_window_of_the_trace(load) -> None:
    assert bounds(windows_of(load(app()))) == [(0, 2001)]


def test_a_start_after_the_last_thread_slice_begins_a_window_without_length(load) -> None:
    builder = app()
    add(builder, "a", 100, 110)
    builder.async_slice(PID, 300 * MS, 350 * MS, "start")
    found = windows_of(load(builder), "start", "nowhere")
    assert bounds(found) == [(300, 300)]
    assert found.windows[0].end == AnchorFacts(glob="nowhere", matches=0)


def test_an_end_that_takes_no_time_closes_the_window_where_it_stands(load) -> None:
    builder = app()
    add(builder, "start", 100, 110)
    add(builder, "end", 150, 150)
    add(builder, "end", 200, 230)
    assert bounds(windows_of(load(builder), "start", "end")) == [(100, 150)]


def test_of_ends_that_begin_together_the_first_recorded_closes_the_window(load) -> None:
    builder = app()
    add(builder, "start", 100, 110)
    add(builder, "end outer", 150, 200)
    add(builder, "end inner", 150, 160)
    assert bounds(windows_of(load(builder), "start", "end*")) == [(100, 200)]


def test_asynchronous_slices_alone_make_a_window(load) -> None:
    builder = app()
    builder.async_slice(PID, 100 * MS, 150 * MS, "loading")
    assert bounds(windows_of(load(builder))) == [(100, 150)]


def test_cut_slices_are_counted_once_and_open_ones_apart(load) -> None:
    builder = app()
    add(builder, "before", 10, 20)
    add(builder, "cut by the start", 90, 120)
    add(builder, "start", 100, 110)
    add(builder, "inside", 130, 140)
    add(builder, "end", 150, 200)
    add(builder, "around", 95, 400, tid=PID + 1)
    add(builder, "open", 410, None, tid=PID + 1)
    session = load(builder)
    process = next(one for one in survey(session).processes if one.pid == PID)
    found = windows_of(session, "start", "end")
    assert cut_slices(session, process, found.windows) == (2, 0)
    assert cut_slices(session, process, windows_of(session, "start").windows) == (2, 1)
    assert cut_slices(session, process, windows_of(session).windows) == (0, 1)


def test_a_process_without_slices_has_none_to_cut(load) -> None:
    session = load(app())
    process = next(one for one in survey(session).processes if one.pid == PID)
    assert cut_slices(session, process, windows_of(session).windows) == (0, 0)
