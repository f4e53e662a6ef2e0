"""Calibrations in the project's record."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from echolot_tui.calibrate.model import CalibratedRun, Calibration
from echolot_tui.investigate import database as database_module
from echolot_tui.investigate.calibrations import Calibrations
from echolot_tui.investigate.database import Database, DatabaseError
from echolot_tui.investigate.schema import MIGRATIONS
from echolot_tui.investigate.store import Store
from echolot_tui.project.layout import Layout


def now() -> str:
    return "2026-01-31T12:00:00Z"


def a_calibration(scenario: str = "cold", runs: int = 2) -> Calibration:
    made = tuple(
        CalibratedRun(label=f"run {at}", trace=f"t/{at}.pftrace", sha256=f"{at}" * 64, window_ms=900.0)
        for at in range(runs)
    )
    return Calibration(made_at=now(), scenario=scenario, runs=made, detectors=())


def test_what_is_put_comes_back_and_its_traces_lie_beside_it(tmp_path: Path) -> None:
    with closing(Database(tmp_path / "x.db", now)) as database:
        shelf = Calibrations(database)
        shelf.put("cold-1", a_calibration(), b'{"a": 1}', report=b"report" * 99, rows=b"rows" * 99)
        shelf.put("warm-1", a_calibration("warm"), b"{}", report=b"", rows=b"")
        assert shelf.documents("cold") == (("cold-1", b'{"a": 1}'),)
        assert shelf.documents("none") == ()
        assert shelf.runs("cold-1") == (b"report" * 99, b"rows" * 99)
        traces = database.rows(
            "SELECT run, label, path, sha256 FROM calibration_traces WHERE calibration = 'cold-1'"
        )
        assert [tuple(row) for row in traces] == [
            (0, "run 0", "t/0.pftrace", "0" * 64),
            (1, "run 1", "t/1.pftrace", "1" * 64),
        ]


def test_one_put_again_takes_its_own_place_and_leaves_no_traces_behind(tmp_path: Path) -> None:
    with closing(Database(tmp_path / "x.db", now)) as database:
        shelf = Calibrations(database)
        for runs in (5, 1):
            shelf.put("cold-1", a_calibration(runs=runs), f"{runs}".encode(), report=b"", rows=b"")
        assert shelf.documents("cold") == (("cold-1", b"1"),)
        assert len(database.rows("SELECT * FROM calibration_traces")) == 1


def test_what_is_not_there_or_damaged_is_one_sentence(tmp_path: Path) -> None:
    with closing(Database(tmp_path / "x.db", now)) as database:
        shelf = Calibrations(database)
        with pytest.raises(DatabaseError, match="no calibration cold-1"):
            shelf.runs("cold-1")
        shelf.put("cold-1", a_calibration(), b"{}", report=b"", rows=b"")
        with database.change() as change:
            change.run("UPDATE calibrations SET rows = ?", b"not compressed")
        with pytest.raises(DatabaseError, match="damaged"):
            shelf.runs("cold-1")


def test_a_record_of_the_first_version_keeps_its_hunts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = Layout(root=tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(database_module, "MIGRATIONS", MIGRATIONS[:1])
        with Store(layout, now) as store:
            store.hunts.open("why?", scenario="cold")
    with Store(layout, now) as store:
        assert [hunt.question for hunt in store.hunts.all()] == ["why?"]
    with closing(Database(layout.database, now)) as database:
        Calibrations(database).put("cold-1", a_calibration(), b"{}", report=b"", rows=b"")


def test_a_failing_put_keeps_the_earlier_one(tmp_path: Path) -> None:
    with closing(Database(tmp_path / "x.db", now)) as database:
        shelf = Calibrations(database)
        shelf.put("cold-1", a_calibration(), b"old", report=b"", rows=b"")
        unnamed = msgspec.structs.replace(a_calibration().runs[1], sha256=None)
        broken = msgspec.structs.replace(a_calibration(), runs=(a_calibration().runs[0], unnamed))
        with pytest.raises(sqlite3.IntegrityError):
            shelf.put("cold-1", broken, b"new", report=b"", rows=b"")
        assert shelf.documents("cold") == (("cold-1", b"old"),)
        assert len(database.rows("SELECT * FROM calibration_traces")) == 2
