"""The slice behind a row."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from echolot_tui.engine.model import EngineChoice, TraceSession
from echolot_tui.engine.open import open_trace
from echolot_tui.generate.builder import TraceBuilder
from echolot_tui.viewer.find import Place, Question, find_place

MS = 1_000_000


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TraceSession]:
    builder = TraceBuilder()
    for pid, name in ((10, "app"), (20, "other")):
        builder.process(pid, name)
    builder.thread(10, 11, "worker")
    put = [
        (10, 10, 0, 1, "start"),
        (10, 10, 2, 5, "draw"),
        (10, 11, 2, 9, "draw"),
        (10, 10, 20, 21, "end"),
        (10, 10, 30, 70, "draw"),
        (20, 20, 3, 19, "draw"),
        (10, 10, 6, 8, "Lock contention on a monitor lock (owner tid: 7)"),
        (10, 10, 10, 13, "Lock contention on a monitor lock (owner tid: 11)"),
        (10, 10, 14, None, "never ends"),
    ]
    for pid, tid, start, end, name in put:
        builder.slice(pid, tid, start * MS, None if end is None else end * MS, name)
    path = tmp_path_factory.mktemp("find") / "t.pftrace"
    path.write_bytes(builder.build())
    with open_trace(path, EngineChoice()) as session:
        yield session


def find(session: TraceSession, row: str | None) -> Place:
    return find_place(session, Question(row=row, process="app", start="start", end="end"))


def test_the_longest_of_the_window_and_the_process(session: TraceSession) -> None:
    place = find(session, "draw")
    assert place.thread == "worker"
    assert place.slice_dur_ns == 7 * MS
    assert place.slice_ns is not None
    assert place.slice_ns - place.start_ns == 2 * MS
    assert place.end_ns - place.start_ns == 21 * MS


def test_a_row_without_ids_is_any_of_its_names(session: TraceSession) -> None:
    place = find(session, "Lock contention on a monitor lock (owner tid: #)")
    assert (place.slices, place.slice_dur_ns) == (2, 3 * MS)


def test_one_that_never_ends(session: TraceSession) -> None:
    place = find(session, "never ends")
    assert place.slice_dur_ns == -1
    assert place.slice_ns is not None


@pytest.mark.parametrize("row", [None, "absent", "' OR 1 --"])
def test_without_a_slice_it_is_the_window(session: TraceSession, row: str | None) -> None:
    place = find(session, row)
    assert (place.slice_ns, place.slices) == (None, 0)
    assert place.end_ns > place.start_ns
