"""The store: what goes in comes out, once, whoever writes at the same time."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from echolot_tui.errors import EcholotError
from echolot_tui.history.measured import Run, measured
from echolot_tui.history.series import Blessing
from echolot_tui.history.store import Place, Store, StoreError
from history_repo import SET, one, put

WRITER = """
import sys
from pathlib import Path
from echolot_tui.history.measured import Run, measured
from echolot_tui.history.series import SetName
from echolot_tui.history.store import Place, Store

name = SetName(scenario="s", model="m", engine="e")
for at in range(25):
    with Store(Path(sys.argv[1])) as store:
        run = Run(set=name, measured=(measured(("window",), "ms", "ms", [float(at)]),))
        told = f"{sys.argv[2]}-{at}"
        store.add(run, Place(commit=told), source="x", sha256=told, at="now")
"""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "deep" / "history.db")


def test_values_come_back_with_their_runs(store: Store) -> None:
    value = one(3.0)
    assert put(store, "c1", value, one(5.0, name="marker/a|b\n"))
    (run,) = store.runs()
    assert (run.commit, run.dirty, run.set) == ("c1", False, SET)
    series = {each.id: each for each in store.series()}
    points = {series[point.series].segments: point for point in store.points([run.id])}
    assert points["window",].runs == (3.0,)
    assert points["marker", "a|b\n"].value == 5.0


def test_a_series_keeps_the_unit_it_began_with(store: Store) -> None:
    """A tool that changes from milliseconds to seconds has not become a thousand times faster."""

    def add(value: float, unit: str | None, sha: str) -> None:
        run = Run(set=SET, measured=(measured(("a",), "time", unit, [value, 2 * value], value=value),))
        store.add(run, Place(commit=sha), source="r.json", sha256=sha, at="now")

    add(12.0, "ms", "1")
    add(0.012, "s", "2")
    add(12_000.0, "us", "3")
    for point in store.points([run.id for run in store.runs()]):
        assert (point.value, *point.runs) == pytest.approx((12.0, 12.0, 24.0), rel=1e-15)
    for unit, said in (("bytes", "bytes"), (None, "no unit")):
        with pytest.raises(
            EcholotError, match=rf'^r\.json: gives time of "a" in {said}, the history has it in ms;'
        ):
            add(12.0, unit, "4")
    assert len(store.runs()) == 3


def test_the_same_report_is_kept_once(store: Store) -> None:
    assert put(store, "c1", one(3.0), sha="a")
    assert not put(store, "c1", one(4.0), sha="a")
    assert put(store, "c2", one(3.0), sha="a")
    assert put(store, "c1", one(3.0), sha="a", dirty=True)
    assert put(store, "c1", one(3.0), sha="b")
    assert len(store.runs()) == 4
    assert len(store.series()) == 1


def test_a_failed_addition_leaves_nothing(store: Store) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        put(store, "c1", one(1.0), one(2.0))
    assert store.runs() == []
    assert store.series() == []


def test_blessings_are_given_and_taken_back_at_one_commit(store: Store) -> None:
    for commit in ("c1", "c2"):
        store.bless(
            [Blessing(commit=commit, prefix=prefix, reason="r", at="t", set=SET) for prefix in ("", "win")]
        )
    assert store.unbless("c1", ["win"], [SET]) == 1
    assert store.unbless("c1", ["wi"], [SET]) == 0
    assert [(each.commit, each.prefix) for each in store.blessings()] == [
        ("c1", ""),
        ("c2", ""),
        ("c2", "win"),
    ]
    assert store.unbless("c2", None, [SET]) == 2


def test_processes_write_at_the_same_time(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(each)], stderr=subprocess.PIPE)
        for each in range(3)
    ]
    for writer in writers:
        _, stderr = writer.communicate(timeout=120)
        assert writer.returncode == 0, stderr
    with Store(path) as store:
        assert len(store.runs()) == 75
        assert len(store.series()) == 1


def test_what_is_no_store_is_refused_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    path.write_bytes(b"not a database" * 100)
    with pytest.raises(StoreError, match="is no history store"):
        Store(path)
    newer = tmp_path / "newer.db"
    with sqlite3.connect(newer) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StoreError, match="newer echolot"):
        Store(newer)


def test_a_store_that_is_held_is_waited_for_and_then_named(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    Store(path).close()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with Store(path, busy_s=0.1) as store, pytest.raises(EcholotError, match="another process"):
        put(store, "c1", one(1.0))
    other.close()
