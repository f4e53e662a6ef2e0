"""Detector files: the header, what is wrong with one, and the catalogue of all."""

from __future__ import annotations

from pathlib import Path

import pytest

from echolot_tui.measure.catalogue import load_catalogue
from echolot_tui.measure.detector_file import CalibrateRule, DetectorFileError, Parameter, parse_detector
from echolot_tui.measure.gate import parse_gate

SHIPPED = (
    "anr", "anr_risk", "app_init", "background_work", "binder_txn", "composables", "frame_jank",
    "gc_pressure", "io_wait", "main_thread_block", "main_thread_outlier", "main_thread_waits",
    "monitor_contention", "repeated_work", "runnable_starvation", "uninstrumented_cpu",
)  # fmt: skip

FULL = """-- A comment before the header says nothing.
-- @id: slow_draws
-- @title: Slow draws
-- @why: Where drawing takes long,
--   told in two lines.
-- @needs: slices, thread_state
-- @record: record gfx
-- @module: slices.with_context
-- @module: sched.states
-- @param: min_ms = 5
-- @param: share = 0.5
-- @param: name_glob = 'draw*'
-- @param: plain = some text = more
-- @gate: self_ms >= min_ms and self_ms > total_ms * share
-- @calibrate: min_ms = top10(self_ms) * 1.5
-- @identity: location, thread
-- @rank: self_ms
-- a comment before the query
SELECT name AS location, 'main' AS thread, 1 AS self_ms, 2 AS total_ms
FROM window_slice -- $ alone is nothing
WHERE name GLOB $name_glob AND name != $plain;

-- @covers
SELECT name AS location, ts, dur FROM window_slice WHERE name GLOB $name_glob
"""

SMALL = "-- @id: own\n-- @title: Own\n-- @rank: total_ms\nSELECT 'x' AS location, 1 AS total_ms\n"


def test_everything_in_a_header() -> None:
    found = parse_detector(FULL, "x.sql")
    assert (found.id, found.title, found.rank) == ("slow_draws", "Slow draws", "self_ms")
    assert found.why == "Where drawing takes long, told in two lines."
    assert found.needs == ("slices", "thread_state")
    assert found.record == "record gfx"
    assert found.modules == ("slices.with_context", "sched.states")
    assert found.params == (
        Parameter(name="min_ms", default=5),
        Parameter(name="share", default=0.5),
        Parameter(name="name_glob", default="draw*"),
        Parameter(name="plain", default="some text = more"),
    )
    assert found.gate == "self_ms >= min_ms and self_ms > total_ms * share"
    assert found.calibrate == (CalibrateRule(param="min_ms", top=10, column="self_ms", factor=1.5),)
    assert found.identity == ("location", "thread")
    assert found.query.startswith("SELECT name AS location")
    assert found.query.endswith("name != $plain")
    assert found.covers is not None
    assert found.covers.endswith("GLOB $name_glob")
    assert found.measured_params == ("name_glob", "plain")
    assert found.gate_params == ("min_ms", "share")
    assert not found.shipped


def test_what_may_be_left_out() -> None:
    found = parse_detector(SMALL, "x.sql")
    assert (found.why, found.needs, found.params, found.gate, found.covers) == ("", (), (), None, None)
    assert found.identity == ("location",)
    assert (found.gate_params, found.measured_params) == ((), ())


def test_what_both_queries_begin_with() -> None:
    both = "WITH a AS (\n  SELECT 'x' AS location, 1 AS ts, 2 AS dur\n)"
    more = "SELECT location, dur AS total_ms FROM a"
    header = SMALL.partition("SELECT")[0]
    found = parse_detector(f"{header}{both}\n-- @query\n{more};\n\n-- @covers\nSELECT * FROM a\n", "x.sql")
    assert found.query == f"{both}\n{more}"
    assert found.covers == f"{both}\nSELECT * FROM a"
    alone = parse_detector(f"{header}{both}\n-- @query\n{more}\n-- @covers: self\n", "x.sql")
    assert (alone.query, alone.covers) == (found.query, "self")
    with pytest.raises(DetectorFileError, match="no query after the header"):
        parse_detector(f"{header}{both}\n-- @query\n-- @covers: self\n", "x.sql")


@pytest.mark.parametrize("word", ["self", "whole"])
def test_coverage_in_a_word(word: str) -> None:
    assert parse_detector(f"{SMALL}-- @covers: {word}\n", "x.sql").covers == word


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("-- @id: slow_draws\n", "", 1, "@id is missing"),
        ("-- @title: Slow draws\n", "", 1, "@title is missing"),
        ("-- @rank: self_ms\n", "", 1, "@rank is missing"),
        ("@id: slow_draws", "@id: Slow-Draws", 2, "'Slow-Draws' is not lower case"),
        ("@id: slow_draws", "@id:", 2, "@id is empty"),
        ("@title: Slow draws", "@id: twice", 3, "@id stands twice"),
        ("@title", "@tilte", 3, "did you mean @title?"),
        ("@title", "@zzz", 3, "allowed are @id, @title"),
        ("@needs: slices", "@needs: slicez", 6, "'slicez' is no source"),
        ("slices.with_context", "slices; DROP TABLE x", 8, "is no name of a stdlib module"),
        ("min_ms = 5", "min_ms", 10, "is not name = value"),
        ("share = 0.5", "min_ms = 7", 11, "@param min_ms stands twice"),
        ("min_ms and", "min_ms nad", 14, "does not parse"),
        ("top10(self_ms) * 1.5", "best(self_ms) * 1.5", 15, "is not param = topN(column) * factor"),
        ("@calibrate: min_ms", "@calibrate: mim_ms", 15, "did you mean min_ms?"),
        ("@identity: location, thread", "@identity: location, a thread", 16, "'a thread' is no column name"),
        ("@rank: self_ms", "@rank: self_ms, total_ms", 17, "more than one column"),
        ("name != $plain", "name != $plan", 19, "uses $plan, which is no @param; did you mean plain?"),
        ("-- @covers\n", "-- @gate: self_ms > 1\n", 23, "@gate stands after the query"),
        ("$name_glob AND name != $plain", "'x'", 10, "@param plain is used by neither gate nor query"),
    ],
)  # fmt: skip
def test_what_is_wrong_and_where(old: str, new: str, line: int, said: str) -> None:
    assert old in FULL
    with pytest.raises(DetectorFileError) as raised:
        parse_detector(FULL.replace(old, new), "folder/x.sql")
    assert said in raised.value.sentence
    assert raised.value.where == f"folder/x.sql:{line}"


def test_no_query() -> None:
    with pytest.raises(DetectorFileError, match="no query after the header"):
        parse_detector("-- @id: a\n-- @title: b\n-- @rank: total_ms\n", "x.sql")
    with pytest.raises(DetectorFileError, match="@query parts the query"):
        parse_detector(SMALL.replace("SELECT", "-- @query\nSELECT", 1), "x.sql")
    with pytest.raises(DetectorFileError, match="@query parts the query"):
        parse_detector(f"{SMALL}-- @covers\nSELECT 1\n-- @query\n", "x.sql")
    with pytest.raises(DetectorFileError, match="@query stands twice"):
        parse_detector(f"{SMALL}-- @query\nSELECT 1\n-- @query\n", "x.sql")
    with pytest.raises(DetectorFileError, match="no query after @covers"):
        parse_detector(f"{SMALL}-- @covers\n", "x.sql")
    with pytest.raises(DetectorFileError, match="@covers stands twice"):
        parse_detector(f"{SMALL}-- @covers: self\n-- @covers: whole\n", "x.sql")


def test_shipped_detectors() -> None:
    catalogue = load_catalogue()
    assert tuple(detector.id for detector in catalogue.detectors) == SHIPPED
    assert catalogue.broken == ()
    for detector in catalogue.detectors:
        assert detector.shipped
        assert detector.why.endswith(".")
        assert not detector.title.endswith(".")
        if detector.gate is not None:
            parse_gate(detector.gate)
        calibrated = {rule.param for rule in detector.calibrate}
        assert calibrated <= set(detector.gate_params), detector.id
    assert catalogue.find("anr_risk") is not None
    assert catalogue.find("no such") is None


SHIPPED_VALUES = {
    "anr": {},
    "anr_risk": {"min_stall_ms": 5000, "max_gap_ms": 2},
    "app_init": {"min_stretch_ms": 80},
    "background_work": {"min_self_ms": 40},
    "binder_txn": {
        "min_txn_ms": 10, "max_total_ms": 50, "name_glob": "binder transaction*", "skip_glob": "*async*",
    },
    "composables": {"min_self_ms": 8, "name_glob": "* ([A-Za-z]*.kt:[0-9]*)"},
    "frame_jank": {"min_frames": 3, "min_overrun_ms": 4},
    "gc_pressure": {
        "max_events": 15, "max_total_ms": 120, "name_glob": "*GC", "name_glob_alt": "waitWhileAllocating*",
    },
    "io_wait": {"min_io_wait_ms": 20},
    "main_thread_block": {"min_slice_ms": 16},
    "main_thread_outlier": {"factor": 4, "min_abs_ms": 40, "min_occurrences": 5},
    "main_thread_waits": {"min_total_ms": 16, "lock_glob": "*contention*"},
    "monitor_contention": {
        "min_block_ms": 8, "max_total_ms": 50, "name_glob": "Lock contention on a monitor lock*",
        "name_glob_alt": "monitor contention with owner*",
    },
    "repeated_work": {"min_total_ms": 40, "max_callers": 3, "max_spread": 1.5, "marker_prefix": "AGENTTMP_"},
    "runnable_starvation": {"min_runnable_ms": 20, "skip_glob": ""},
    "uninstrumented_cpu": {"min_running_ms": 50, "max_covered_pct": 50},
}  # fmt: skip


def test_shipped_values() -> None:
    assert {detector.id: detector.defaults for detector in load_catalogue().detectors} == SHIPPED_VALUES


SHIPPED_RULES = {
    "background_work": {"min_self_ms": "top10(self_ms)"},
    "binder_txn": {"min_txn_ms": "top10(max_ms)", "max_total_ms": "top10(total_ms)"},
    "composables": {"min_self_ms": "top10(self_ms)"},
    "frame_jank": {"min_frames": "top10(count)"},
    "gc_pressure": {"max_events": "top10(count)", "max_total_ms": "top10(total_ms)"},
    "io_wait": {"min_io_wait_ms": "top10(total_ms)"},
    "main_thread_block": {"min_slice_ms": "top10(self_ms)"},
    "main_thread_outlier": {"min_abs_ms": "top10(max_ms)"},
    "main_thread_waits": {"min_total_ms": "top10(total_ms)"},
    "monitor_contention": {"min_block_ms": "top10(max_ms)", "max_total_ms": "top10(total_ms)"},
    "repeated_work": {"min_total_ms": "top5(total_ms)"},
    "runnable_starvation": {"min_runnable_ms": "top10(total_ms)"},
    "uninstrumented_cpu": {"min_running_ms": "top10(total_ms)"},
}


def test_shipped_rules_are_one_and_a_half_times_a_healthy_rank() -> None:
    rules = [(detector.id, rule) for detector in load_catalogue().detectors for rule in detector.calibrate]
    assert {rule.factor for _, rule in rules} == {1.5}
    found: dict[str, dict[str, str]] = {}
    for detector, rule in rules:
        found.setdefault(detector, {})[rule.param] = rule.statistic
    assert found == SHIPPED_RULES


def test_what_names_a_row_and_sorts_it() -> None:
    """Where threads name rows, the main thread is told apart from a namesake."""
    by_thread = {"io_wait", "monitor_contention", "uninstrumented_cpu", "background_work", "repeated_work"}
    detail = {"binder_txn": ("detail",), "main_thread_block": ("detail",)}
    detail |= {"runnable_starvation": ("detail", "thread"), "gc_pressure": ("detail", "thread")}
    detail |= dict.fromkeys(by_thread, ("thread",))
    ranks = dict.fromkeys(("background_work", "composables", "main_thread_block"), "self_ms")
    ranks |= {"anr": "count", "main_thread_outlier": "max_ms"}
    for detector in load_catalogue().detectors:
        assert detector.identity == ("location", *detail.get(detector.id, ()))
        assert detector.rank == ranks.get(detector.id, "total_ms")


def test_own_folder(tmp_path: Path) -> None:
    (tmp_path / "good.sql").write_text(SMALL)
    (tmp_path / "broken.sql").write_text("SELECT 1")
    (tmp_path / "taken.sql").write_text(SMALL.replace("@id: own", "@id: anr"))
    (tmp_path / "twice.sql").write_text(SMALL)
    (tmp_path / "binary.sql").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "notes.txt").write_text("not a detector")
    catalogue = load_catalogue(tmp_path)
    assert [detector.id for detector in catalogue.detectors] == [*SHIPPED, "own"]
    assert not catalogue.detectors[-1].shipped
    messages = {Path(broken.path).name: broken.message for broken in catalogue.broken}
    assert sorted(messages) == ["binary.sql", "broken.sql", "taken.sql", "twice.sql"]
    assert "@id is missing" in messages["broken.sql"]
    assert "belongs to a shipped detector" in messages["taken.sql"]
    assert "belongs to good.sql" in messages["twice.sql"]
    assert "is not UTF-8 (byte 0)" in messages["binary.sql"]
    assert catalogue.left_out == tuple(
        f"a detector file is left out: {broken.message}" for broken in catalogue.broken
    )


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "own.sql").write_text(f"\ufeff{SMALL}", encoding="utf-8")
    assert load_catalogue(tmp_path).detectors[-1].id == "own"


def test_own_folder_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(DetectorFileError, match="detectors_dir"):
        load_catalogue(tmp_path / "absent")
