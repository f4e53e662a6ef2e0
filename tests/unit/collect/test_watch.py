"""Which traces of a folder are complete, new, replaced, gone."""

from __future__ import annotations

import itertools
import os
import threading
import time
import tracemalloc
from pathlib import Path

import pytest

from echolot_tui.collect.waiting import Events, Polling, waiter_for
from echolot_tui.collect.watch import Folder, FolderChange, WatchError, changes

TRACE = '{"traceEvents": [{"ph": "X", "name": "a", "ts": 1, "dur": 2, "pid": 1, "tid": 1}]}'


def _names(change: FolderChange | None) -> list[str]:
    return [Path(path).name for path in change.traces] if change else []


def test_a_trace_counts_when_it_stopped_growing(tmp_path: Path) -> None:
    folder = Folder(tmp_path, settled_s=1.0)
    assert folder.look(0.0) is None
    trace = tmp_path / "run2.json"
    trace.write_text(TRACE)
    assert folder.look(1.0) is None
    assert not folder.is_quiet
    trace.write_text(TRACE + " " * 10)
    assert folder.look(1.9) is None
    assert folder.look(2.5) is None
    change = folder.look(2.9)
    assert change == FolderChange(new=("run2.json",), traces=(str(trace),))
    assert folder.is_quiet
    assert folder.look(9.0) is None


def _settled(folder: Folder, at: float) -> FolderChange | None:
    assert folder.look(at) is None
    return folder.look(at + 1)


def test_replaced_and_gone(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    for name in ("run10.json", "run2.json"):
        (tmp_path / name).write_text(TRACE)
    assert _names(_settled(folder, 0)) == ["run2.json", "run10.json"]
    other = tmp_path / "next"
    other.write_text(TRACE)
    os.utime(other, ns=((tmp_path / "run2.json").stat().st_mtime_ns,) * 2)
    other.replace(tmp_path / "run2.json")  # same size, same time: another file all the same
    change = _settled(folder, 10)
    assert change is not None
    assert (change.new, change.replaced, change.gone) == ((), ("run2.json",), ())
    (tmp_path / "run10.json").unlink()
    change = folder.look(20)
    assert change is not None
    assert (change.gone, _names(change)) == (("run10.json",), ["run2.json"])


def test_what_is_no_trace_is_left_out_and_asked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("notes.txt", ".hidden.json", "big.json.part", "x.tmp", "report.json", "rows.json"):
        (tmp_path / name).write_text(TRACE if name != "notes.txt" else "hello")
    (tmp_path / "sub.pftrace").mkdir()
    asked: list[str] = []
    from echolot_tui.collect import watch

    real = watch.is_trace
    monkeypatch.setattr(watch, "is_trace", lambda path: (asked.append(path.name), real(path))[1])
    folder = Folder(tmp_path)
    assert _settled(folder, 0) is None
    assert folder.is_quiet
    assert folder.look(5) is None
    assert asked == ["notes.txt"]


def test_a_file_that_becomes_a_trace_and_one_that_stops_being_one(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    file = tmp_path / "a.json"
    file.write_text("hello")
    assert _settled(folder, 0) is None
    file.write_text(TRACE)
    assert _names(_settled(folder, 10)) == ["a.json"]
    file.write_text("hello")
    change = _settled(folder, 20)
    assert change is not None
    assert (change.gone, change.traces) == (("a.json",), ())


def test_an_empty_file_with_a_traces_ending_is_a_run_that_failed(tmp_path: Path) -> None:
    (tmp_path / "a.pftrace").touch()
    assert _names(_settled(Folder(tmp_path), 0)) == ["a.pftrace"]


def test_only_the_newest_make_the_set(tmp_path: Path) -> None:
    for number in range(6):
        trace = tmp_path / f"run{number}.json"
        trace.write_text(TRACE)
        os.utime(trace, (1000 - number, 1000 - number))
    change = _settled(Folder(tmp_path, latest=2), 0)
    assert change is not None
    assert (_names(change), change.older) == (["run0.json", "run1.json"], 4)


def test_a_folder_that_goes_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(WatchError, match=r"gone: the folder cannot be read \(No such file"):
        Folder(tmp_path / "gone").look(0)


def test_thousands_of_files_cost_little_memory_and_no_second_look_inside(tmp_path: Path) -> None:
    for number in range(3000):
        (tmp_path / f"run{number:05d}.pftrace").write_bytes(b"x" * 2000)
    folder = Folder(tmp_path, latest=50)
    tracemalloc.start()
    change = _settled(folder, 0)
    held, _ = tracemalloc.get_traced_memory()
    for at in range(5):
        folder.look(10.0 + at)
    later, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert change is not None
    assert (len(change.traces), change.older) == (50, 2950)
    assert held < 3000 * 1024, held
    assert later < held * 1.2


class _Script:
    """Does one thing to the folder each time somebody waits."""

    def __init__(self, *steps: object) -> None:
        self._steps = list(steps)

    def wait(self, seconds: float) -> bool:
        time.sleep(min(seconds, 0.02))
        if self._steps:
            step = self._steps.pop(0)
            step()  # type: ignore[operator]
            return True
        return False


def test_changes_come_one_after_the_other_and_once_ends(tmp_path: Path) -> None:
    folder = Folder(tmp_path, settled_s=0.1)
    (tmp_path / "a.json").write_text(TRACE)
    found = list(changes(folder, _Script(), once=True, tick_s=0.02))
    assert [change.new for change in found] == [("a.json",)]
    assert list(changes(Folder(tmp_path / ".", settled_s=0.0), _Script(), once=True))


def test_an_empty_folder_is_over_at_once(tmp_path: Path) -> None:
    assert list(changes(Folder(tmp_path), _Script(), once=True)) == []


def test_what_no_event_told_is_found_by_looking_again(tmp_path: Path) -> None:
    class Deaf:
        def wait(self, seconds: float) -> bool:
            time.sleep(min(seconds, 0.05))
            return False

    stream = changes(Folder(tmp_path, settled_s=0.05), Deaf(), once=False, tick_s=0.02, rescan_s=0.2)
    threading.Timer(0.1, lambda: (tmp_path / "late.json").write_text(TRACE)).start()
    assert next(stream).new == ("late.json",)
    stream.close()


def test_events_wake_early(tmp_path: Path) -> None:
    with waiter_for(tmp_path, poll=False) as waiter:
        assert isinstance(waiter, Events)
        assert list(tmp_path.iterdir()) == []  # the probe is gone
        assert not waiter.wait(0.5)
        threading.Timer(0.1, lambda: (tmp_path / "x").write_text("1")).start()
        begun = time.monotonic()
        assert waiter.wait(20)
        assert time.monotonic() - begun < 10


def test_polling_by_choice_and_where_no_probe_is_heard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with waiter_for(tmp_path, poll=True) as waiter:
        assert isinstance(waiter, Polling)
        assert waiter.wait(0.0)
    deaf = itertools.repeat(set())
    monkeypatch.setattr(Events, "_next", lambda _self: (time.sleep(0.05), next(deaf))[1])
    monkeypatch.setattr("echolot_tui.collect.waiting._PROBE_S", 0.2)
    with waiter_for(tmp_path, poll=False) as waiter:
        assert isinstance(waiter, Polling)
    assert list(tmp_path.iterdir()) == []
