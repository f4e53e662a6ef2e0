"""Running detectors: no data, failures that stay alone, how rows are read and kept, coverage."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from detectors_asked import windowed
from echolot_tui.engine.model import QueryError, TraceSession
from echolot_tui.generate.builder import TraceBuilder
from echolot_tui.measure.coverage import unpack
from echolot_tui.measure.derived import DerivedTables
from echolot_tui.measure.model import DetectorMeasurement
from echolot_tui.measure.run_detectors import ROWS_KEPT, run_detectors
from echolot_tui.measure.spec import PlannedDetector

Load = Callable[[TraceBuilder], TraceSession]


@pytest.fixture
def session(load: Load) -> TraceSession:
    builder = TraceBuilder()
    builder.process(10, "app")
    builder.slice(10, 10, 1_000_000, 9_000_000, "outer")
    builder.slice(10, 10, 2_000_000, 3_000_000, "inner")
    builder.slice(10, 10, 4_000_000, 4_500_000, "inner")
    session = load(builder)
    windowed(session, 10, 0, 20_000_000)
    return session


def ask(session: TraceSession, sql: str, **fields: Any) -> DetectorMeasurement:
    return run_detectors(DerivedTables(session), [PlannedDetector(id="own", sql=sql, **fields)])[0]


def test_rows_are_sorted_and_rounded(session: TraceSession) -> None:
    answer = ask(
        session,
        "SELECT 'a' AS location, 1 AS count, 1.23456 AS total_ms, 7 AS max_ms, 0.123456 AS own UNION ALL "
        "SELECT 'c', 2, 9.876, NULL, NULL UNION ALL SELECT 'b', 2, 9.876, -0.001, 'x'",
    )
    assert (answer.state, answer.rows_total) == ("ok", 3)
    assert [row.columns for row in answer.rows] == [
        {"location": "b", "count": 2, "total_ms": 9.88, "max_ms": 0.0, "own": "x"},
        {"location": "c", "count": 2, "total_ms": 9.88, "max_ms": None, "own": None},
        {"location": "a", "count": 1, "total_ms": 1.23, "max_ms": 7.0, "own": 0.123456},
    ]
    assert str(answer.rows[0].columns["max_ms"]) == "0.0"


def test_texts_become_text_and_infinity_nothing(session: TraceSession) -> None:
    answer = ask(session, "SELECT 5 AS location, 1.5 AS detail, NULL AS thread, 9e999 AS total_ms")
    assert answer.rows[0].columns == {"location": "5", "detail": "1.5", "thread": None, "total_ms": None}


def test_rows_beyond_the_kept_ones_are_counted(session: TraceSession) -> None:
    sql = (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500) "
        "SELECT 'row ' || i AS location, IIF(i % 2, i, NULL) AS total_ms FROM n"
    )
    answer = ask(
        session,
        sql,
        covers_sql="SELECT 'row 1' AS location, 5 AS ts, 5 AS dur UNION ALL SELECT 'row 2499', 7, 1",
    )
    assert (len(answer.rows), answer.rows_total) == (ROWS_KEPT, 2500)
    ranks = [row.columns["total_ms"] for row in answer.rows]
    assert ranks[:1250] == sorted(range(1, 2500, 2), reverse=True)
    assert set(ranks[1250:]) == {None}
    assert answer.coverage is not None
    row, ts, dur = (column.tolist() for column in unpack(answer.coverage))
    assert (row, ts, dur) == ([1249, 0], [5, 7], [5, 1])


@pytest.mark.parametrize(
    ("sql", "fields", "said"),
    [
        ("SELECT x FROM no_such", {}, "no_such"),
        ("SELEC 1", {}, "syntax error in line 1, column 1 of the query"),
        (
            "SELECT 'a' AS location,\n  1 AS total_ms x y",
            {},
            "syntax error in line 2, column 17 of the query",
        ),
        ("SELECT nme AS location FROM window_slice", {}, "no such column: nme"),
        ("SELECT 1 AS total_ms", {}, "no column location"),
        ("SELECT 'a' AS location", {}, "no column total_ms"),
        ("SELECT 'a' AS location, 1 AS total_ms", {"identity": ("location", "thread")}, "no column thread"),
        ("SELECT 'a' AS location, 'x' AS total_ms", {}, "total_ms holds text"),
        ("SELECT 'a' AS location, 1 AS total_ms, x'00ff' AS own", {}, "own holds bytes"),
        (
            "SELECT 'a' AS location, 1 AS total_ms",
            {"modules": ("no.such",)},
            "module no.such cannot be included",
        ),
    ],
)
def test_failures_stay_alone(session: TraceSession, sql: str, fields: dict[str, Any], said: str) -> None:
    good = PlannedDetector(id="good", sql="SELECT 'a' AS location, 1 AS total_ms")
    bad = PlannedDetector(id="bad", sql=sql, **fields)
    first, failed, last = run_detectors(DerivedTables(session), [good, bad, good])
    assert (failed.id, failed.state, failed.rows) == ("bad", "failed", ())
    assert said in failed.reason
    assert first == last
    assert first.state == "ok"


def test_empty_answer_is_silent(session: TraceSession) -> None:
    answer = ask(
        session, "SELECT 'a' AS location, 1 AS total_ms WHERE FALSE", covers_sql="SELECT never FROM asked"
    )
    assert (answer.state, answer.rows, answer.rows_total, answer.coverage) == ("ok", (), 0, None)


@pytest.mark.parametrize(
    "source",
    [
        "thread_state",
        "wakeups",
        "frame_timeline",
        "composables",
        "activity_manager",
        "samples",
        "async_slices",
    ],
)
def test_missing_source(session: TraceSession, source: str) -> None:
    answer = ask(session, "never asked", needs=("slices", source), record="")
    assert answer.state == "no data"
    assert answer.reason.startswith("the trace has no ")
    assert "; " in answer.reason
    told = ask(session, "never asked", needs=(source,), record="turn it on")
    assert told.reason.endswith("; turn it on")


def test_without_uninterruptible_sleep_no_reason_is_missing(session: TraceSession) -> None:
    assert ask(session, "SELECT 'a' AS location, 1 AS total_ms", needs=("blocked_reason",)).state == "ok"


def test_no_slices(load: Load) -> None:
    builder = TraceBuilder()
    builder.process(10, "app")
    builder.process(20, "other")
    builder.slice(20, 20, 100, 200, "a")
    session = load(builder)
    windowed(session, 10, 0, 500)
    answer = ask(session, "never asked", needs=("slices",))
    assert (answer.state, answer.reason.partition(";")[0]) == (
        "no data",
        "the trace has no slices on this process's threads",
    )


ROWS = "SELECT name AS location, SUM(dur) / 1e6 AS total_ms FROM main_slice GROUP BY name"


def covered(answer: DetectorMeasurement) -> list[tuple[object, int, int]]:
    assert answer.coverage_error == ""
    assert answer.coverage is not None
    return sorted(
        (answer.rows[row].columns["location"], ts, ts + dur)
        for row, ts, dur in zip(*(column.tolist() for column in unpack(answer.coverage)), strict=True)
    )


def test_coverage_of_a_query(session: TraceSession) -> None:
    answer = ask(
        session,
        ROWS,
        covers_sql="SELECT name AS location, ts, dur FROM main_slice UNION ALL SELECT 'else', 1, 2",
    )
    assert covered(answer) == [
        ("inner", 2_000_000, 3_000_000),
        ("inner", 4_000_000, 4_500_000),
        ("outer", 1_000_000, 9_000_000),
    ]


def test_coverage_of_nested_stretches(session: TraceSession) -> None:
    answer = ask(session, ROWS, covers_sql="SELECT name AS location, ts, dur, depth FROM main_slice")
    assert covered(answer) == OWN


OWN = [
    ("inner", 2_000_000, 3_000_000),
    ("inner", 4_000_000, 4_500_000),
    ("outer", 1_000_000, 2_000_000),
    ("outer", 3_000_000, 4_000_000),
    ("outer", 4_500_000, 9_000_000),
]


def test_coverage_in_a_word(session: TraceSession) -> None:
    assert covered(ask(session, ROWS, covers_sql="self")) == OWN
    assert covered(ask(session, ROWS, covers_sql="whole")) == [
        ("inner", 2_000_000, 3_000_000),
        ("inner", 4_000_000, 4_500_000),
        ("outer", 1_000_000, 9_000_000),
    ]


def test_self_time_of_a_slice_as_long_as_the_window_covers_nothing(session: TraceSession) -> None:
    windowed(session, 10, 1_500_000, 8_000_000)
    answer = ask(session, ROWS, covers_sql="self")
    assert covered(answer) == [("inner", 2_000_000, 3_000_000), ("inner", 4_000_000, 4_500_000)]


@pytest.mark.parametrize(
    ("covers", "said"),
    [
        ("SELECT x FROM no_such", "no_such"),
        ("SELECT name AS location, ts FROM main_slice", "dur"),
        ("SELECT name AS location, ts, 1.5 AS dur FROM main_slice", "dur"),
        ("SELECT ts, dur FROM main_slice", "tell the rows apart"),
    ],
)
def test_failing_coverage_costs_only_itself(session: TraceSession, covers: str, said: str) -> None:
    answer = ask(session, ROWS, covers_sql=covers)
    assert (answer.state, len(answer.rows), answer.coverage) == ("ok", 2, None)
    assert said in answer.coverage_error


def test_coverage_that_does_not_tell_rows_apart(session: TraceSession) -> None:
    sql = "SELECT 'a' AS location, 'x' AS thread, 1 AS total_ms UNION ALL SELECT 'a', 'y', 2"
    answer = ask(
        session, sql, identity=("location", "thread"), covers_sql="SELECT 'a' AS location, 1 AS ts, 1 AS dur"
    )
    assert "tell the rows apart" in answer.coverage_error


class Dying:
    """A session whose engine is gone from the first detector's query on."""

    def __init__(self, session: TraceSession) -> None:
        self._session = session
        self._dead = False

    def query(self, sql: str) -> object:
        self._dead |= "trap" in sql
        if self._dead:
            raise QueryError("the engine trapped", where="x")
        return self._session.query(sql)


def test_an_engine_that_died_is_not_a_failed_detector(session: TraceSession) -> None:
    with pytest.raises(QueryError, match="trapped"):
        ask(Dying(session), "SELECT trap")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "statement",
    [
        "DROP VIEW IF EXISTS window_slice",
        "drop table main_path",
        "CREATE OR REPLACE PERFETTO TABLE\n  window_state AS SELECT 1 AS id",
    ],
)
def test_a_query_that_takes_a_table_away_fails_and_the_others_run(
    session: TraceSession, statement: str
) -> None:
    sql = "SELECT name AS location, 1.0 AS total_ms FROM window_slice GROUP BY name"
    broken, other = run_detectors(
        DerivedTables(session),
        [PlannedDetector(id="broken", sql=f"{statement}; {sql}"), PlannedDetector(id="other", sql=sql)],
    )
    assert broken.state == "failed"
    assert "which other detectors read" in broken.reason
    assert (other.state, other.rows_total) == ("ok", 2)


def test_a_query_may_make_tables_of_its_own_out_of_the_windows(session: TraceSession) -> None:
    made = "CREATE OR REPLACE PERFETTO TABLE own_table AS SELECT name FROM window_slice"
    answer = ask(session, f"{made}; SELECT name AS location, 1.0 AS total_ms FROM own_table GROUP BY name")
    assert (answer.state, answer.rows_total) == ("ok", 2)
