"""Slices as arrays: sums, medians, callers and paths, against plain loops over the same slices."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from detectors_asked import windowed
from echolot_tui.engine.model import TraceSession
from echolot_tui.generate.builder import TraceBuilder
from echolot_tui.measure.slice_arrays import SliceArrays, load_slice_arrays

Load = Callable[[TraceBuilder], TraceSession]
NAMES = ("a", "b", None, "c")


@st.composite
def slices(draw: st.DrawFn) -> SliceArrays:
    """Two threads of nested slices, some of no length, in order of start."""
    found: list[tuple[int, int, int, int, int]] = []  # thread, start, end, name, parent

    def fill(thread: int, start: int, end: int, parent: int, depth: int) -> None:
        at = start
        for _ in range(draw(st.integers(0, 3))):
            if len(found) > 30 or depth > 4:
                return
            begin = draw(st.integers(at, end))
            stop = draw(st.integers(begin, end))
            found.append((thread, begin, stop, draw(st.integers(0, 3)), parent))
            fill(thread, begin, stop, len(found) - 1, depth + 1)
            at = stop

    for thread in (7, 9):
        fill(thread, 100, 140, -1, 0)
    thread, start, end, name, parent = (
        (np.array(column, dtype=np.int64) for column in zip(*found, strict=True))
        if found
        else (np.empty(0, np.int64),) * 5
    )
    return SliceArrays(
        id=np.arange(len(found), dtype=np.int64) * 3 + 5,
        parent=parent,
        ts=start,
        dur=end - start,
        full_dur=end - start + 2,
        utid=thread,
        track=thread * 10,
        name=name,
        names=NAMES,
        recorded=name,
        recorded_names=NAMES,
        main_utid=7,
        window=40,
    )


def children_of(arrays: SliceArrays, at: int) -> list[int]:
    return [child for child in range(len(arrays.id)) if arrays.parent[child] == at]


@given(slices())
def test_self_time(arrays: SliceArrays) -> None:
    expected = [
        int(arrays.dur[at]) - sum(int(arrays.dur[child]) for child in children_of(arrays, at))
        for at in range(len(arrays.id))
    ]
    assert arrays.self_dur.tolist() == expected


def test_self_time_is_never_negative() -> None:
    one = np.array([5, 8], dtype=np.int64)
    arrays = SliceArrays(
        id=np.arange(2),
        parent=np.array([-1, 0]),
        ts=np.zeros(2, np.int64),
        dur=one,
        full_dur=one,
        utid=np.ones(2, np.int64),
        track=np.ones(2, np.int64),
        name=np.zeros(2, np.int64),
        names=("a",),
        recorded=np.zeros(2, np.int64),
        recorded_names=("a",),
        main_utid=1,
        window=9,
    )
    assert arrays.self_dur.tolist() == [0, 8]


@given(slices())
def test_totals(arrays: SliceArrays) -> None:
    groups: dict[tuple[int, int], list[int]] = defaultdict(list)
    for at in range(len(arrays.id)):
        groups[int(arrays.utid[at]), int(arrays.name[at])].append(at)
    totals = {name: column.tolist() for name, column in arrays.totals().items()}
    assert len(totals["utid"]) == len(groups)
    for place, sample in enumerate(totals["sample_id"]):
        at = arrays.id.tolist().index(sample)
        members = groups[totals["utid"][place], int(arrays.name[at])]
        assert at == members[0]
        durations = [int(arrays.dur[one]) for one in members]
        timed = [duration for duration in durations if duration]
        assert totals["count"][place] == len(members)
        assert totals["timed"][place] == len(timed)
        assert totals["self_ns"][place] == sum(int(arrays.self_dur[one]) for one in members)
        assert totals["total_ns"][place] == sum(durations)
        assert totals["full_ns"][place] == sum(durations) + 2 * len(members)
        assert totals["max_ns"][place] == max(durations)
        assert totals["median_ns"][place] == (statistics.median_low(timed) if timed else 0)


@given(slices())
def test_calls(arrays: SliceArrays) -> None:
    groups: dict[tuple[int, int, int], list[int]] = defaultdict(list)
    for at in range(len(arrays.id)):
        parent = int(arrays.parent[at])
        above, inside = parent, False
        while above >= 0:
            inside |= bool(arrays.name[above] == arrays.name[at])
            above = int(arrays.parent[above])
        # A slice of no length at the very edge of a namesake takes no time there, wherever it counts.
        edge = arrays.dur[at] == 0
        if not inside or edge:
            caller = int(arrays.name[parent]) if parent >= 0 else -1
            groups[int(arrays.utid[at]), int(arrays.name[at]), caller].append(at)
    calls = {name: column.tolist() for name, column in arrays.calls().items()}
    found = set()
    for place, sample in enumerate(calls["sample_id"]):
        at = arrays.id.tolist().index(sample)
        caller = (
            arrays.id.tolist().index(calls["parent_id"][place]) if calls["parent_id"][place] >= 0 else None
        )
        key = (calls["utid"][place], int(arrays.name[at]), -1 if caller is None else int(arrays.name[caller]))
        found.add(key)
        durations = [int(arrays.dur[one]) for one in groups[key]]
        timed = [duration for duration in durations if duration]
        assert calls["total_ns"][place] == sum(durations)
        assert calls["max_ns"][place] == max(durations)
        assert len(timed) <= calls["count"][place] <= len(durations)
        if timed and calls["min_ns"][place]:
            assert calls["min_ns"][place] == min(timed)
    callers: dict[int, set[int]] = defaultdict(set)
    for (_, name, caller), members in groups.items():
        if any(arrays.dur[one] for one in members):
            callers[name].add(caller)
    expected = {
        key
        for key, members in groups.items()
        if len(callers[key[1]]) > 1 and any(arrays.dur[one] for one in members)
    }
    assert expected <= found
    assert all(len({caller for _, other, caller in found if other == name}) > 1 for _, name, _ in found)


@given(slices())
def test_paths(arrays: SliceArrays) -> None:
    def path(at: int) -> tuple[int, ...]:
        parent = int(arrays.parent[at])
        return (*(path(parent) if parent >= 0 else ()), int(arrays.name[at]))

    groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for at in np.flatnonzero(arrays.utid == 7).tolist():
        groups[path(at)].append(at)
    columns = {name: column.tolist() for name, column in arrays.main_paths().items()}
    names: list[tuple[int, ...]] = []
    for place, sample in enumerate(columns["sample_id"]):
        at = arrays.id.tolist().index(sample)
        above = columns["parent_path"][place]
        names.append((*(names[above] if above >= 0 else ()), int(arrays.name[at])))
        members = groups[names[-1]]
        assert names[-1] == path(at)
        assert columns["count"][place] == len(members)
        assert columns["total_ns"][place] == sum(int(arrays.dur[one]) for one in members)
        assert columns["max_ns"][place] == max(int(arrays.dur[one]) for one in members)
    assert len(names) == len(groups)


@given(
    slices(), st.lists(st.tuples(st.integers(100, 139), st.integers(1, 20), st.integers(0, 2)), max_size=6)
)
@settings(max_examples=200)
def test_busy(arrays: SliceArrays, states: list[tuple[int, int, int]]) -> None:
    moments = [False] * 200
    pieces = [(start, start + length) for start, length, _ in states]
    inner = [
        at
        for at in range(len(arrays.id))
        if arrays.utid[at] == 7 and arrays.parent[at] >= 0 and arrays.dur[at] > 0
    ]
    pieces += [(int(arrays.ts[at]), int(arrays.ts[at] + arrays.dur[at])) for at in inner]
    for start, end in pieces:
        moments[start:end] = [True] * (end - start)
    ts, dur, kind = (np.array([one[at] for one in states], dtype=np.int64) for at in range(3))
    busy = {name: column.tolist() for name, column in arrays.busy(ts, dur, kind).items()}
    seen = [False] * 200
    for place, (start, end) in enumerate(zip(busy["ts"], busy["end_ts"], strict=True)):
        assert not seen[start - 1]
        seen[start:end] = [True] * (end - start)
        own = [at for at in inner if start <= arrays.ts[at] < end]
        assert busy["slices"][place] == len(own)
        upper = [at for at in own if arrays.parent[int(arrays.parent[at])] < 0]
        longest = max(upper, key=lambda at: (arrays.dur[at], -at), default=None)
        assert busy["longest_id"][place] == (-1 if longest is None else arrays.id[longest])
        for column, wanted in (("running_ns", 1), ("ready_ns", 2)):
            assert busy[column][place] == sum(
                length for begin, length, what in states if what == wanted and start <= begin < end
            )
    assert seen == moments


def test_loaded_like_the_view(load: Load) -> None:
    """Clipped and own time as the SQL view says, slice by slice, with the window cutting both ends."""
    builder = TraceBuilder()
    builder.process(10, "app")
    builder.thread(10, 11, "worker")
    builder.process(20, "other")
    for tid in (10, 11):
        builder.slice(10, tid, 1_000, 9_000, "whole")
        builder.slice(10, tid, 1_500, 4_000, "cut before")
        builder.slice(10, tid, 2_500, 3_000, "inside")
        builder.slice(10, tid, 5_000, 8_500, "cut after")
        builder.slice(10, tid, 6_000, 6_500, "inside")
        builder.slice(10, tid, 7_000, 8_000, "inside")
    builder.slice(10, 11, 10_000, None, "never closed")
    builder.slice(20, 20, 2_000, 3_000, "elsewhere")
    session = load(builder)
    windowed(session, 10, 2_000, 7_500)
    view = session.query("SELECT id, ts, dur, self_dur, full_dur, utid FROM window_slice ORDER BY id")
    arrays = load_slice_arrays(session)
    for column, mine in (
        ("id", arrays.id),
        ("ts", arrays.ts),
        ("dur", arrays.dur),
        ("self_dur", arrays.self_dur),
        ("full_dur", arrays.full_dur),
        ("utid", arrays.utid),
    ):
        assert mine.tolist() == view[column].tolist(), column
    main = [at for at in range(len(arrays.id)) if arrays.utid[at] == arrays.main_utid]
    assert [arrays.names[arrays.name[at]] for at in main] == [
        "whole",
        "cut before",
        "inside",
        "cut after",
        "inside",
        "inside",
    ]
    assert arrays.dur[main].tolist() == [5_500, 2_000, 500, 2_500, 500, 500]
    assert arrays.self_dur[main].tolist() == [1_000, 1_500, 500, 1_500, 500, 500]


@pytest.mark.parametrize(("start", "end"), [(0, 50), (100_000, 200_000)])
def test_window_without_slices(load: Load, start: int, end: int) -> None:
    builder = TraceBuilder()
    builder.process(10, "app")
    builder.slice(10, 10, 1_000, 2_000, "a")
    session = load(builder)
    windowed(session, 10, start, end)
    arrays = load_slice_arrays(session)
    assert len(arrays.id) == 0
    for columns in (arrays.totals(), arrays.calls(), arrays.main_paths()):
        assert all(len(column) == 0 for column in columns.values())
    assert [len(part) for part in arrays.main_own_time] == [0, 0, 0]
