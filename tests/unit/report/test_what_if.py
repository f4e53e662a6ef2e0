"""Other thresholds on stored rows list exactly what a new report would list."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from echolot_tui.errors import EcholotError
from echolot_tui.measure.plan import Decision
from echolot_tui.report.build import ReportContext, build_report
from echolot_tui.report.codec import decode_rows, encode_report, encode_rows
from echolot_tui.report.model import AllRows
from echolot_tui.report.what_if import Passing, passing
from hand_built import answer, decision, plan_of, traces

GATE = "self_ms >= min_self_ms and (count >= min_count or near = 1)"


def decided(min_self_ms: float, min_count: int) -> Decision:
    return decision("block", params={"min_self_ms": min_self_ms, "min_count": min_count}, gate=GATE)


RUNS = traces(
    answer(
        "block",
        {"location": "a", "self_ms": 30.0, "count": 2, "near": 0},
        {"location": "b", "self_ms": 8.0, "count": 9, "near": 0},
        {"location": "c", "self_ms": 50.0, "count": 1, "near": 1},
    ),
    answer("block", {"location": "a", "self_ms": 5.0, "count": 20, "near": 0}),
    answer("block", {"location": "b", "self_ms": 12.5, "count": None, "near": 1}),
)


def stored(made_with: Decision) -> AllRows:
    """The rows as they come back from ``rows.json``."""
    report, rows = build_report(RUNS, plan_of(made_with), context=ReportContext())
    data = encode_report(report)
    return decode_rows(encode_rows(rows, data), where="rows.json", report=data)


def judged(params: dict[str, float], made_with: Decision) -> Passing:
    return passing(stored(made_with).detectors[0], GATE, params, len(RUNS))


@given(min_self=st.sampled_from([0, 5, 8.5, 12.5, 30, 51]), min_count=st.sampled_from([0, 1, 2, 9, 21]))
def test_it_lists_what_a_report_with_these_thresholds_lists(min_self: float, min_count: int) -> None:
    wanted = decided(min_self, min_count)
    report, _ = build_report(RUNS, plan_of(wanted), context=ReportContext())
    found = judged(wanted.params, made_with=decided(10, 2))
    assert {one.row.location for one in found.rows if one.passes} == {
        row.location for row in report.detectors[0].rows
    }
    assert found.listed == len(report.detectors[0].rows)


def test_each_run_is_counted_and_a_run_without_the_row_is_neither_over_nor_under() -> None:
    found = judged({"min_self_ms": 10, "min_count": 2}, made_with=decided(10, 2))
    by_name = {one.row.location: one.by_run for one in found.rows}
    assert by_name == {"a": (True, False, None), "b": (False, None, True), "c": (True, None, None)}
    assert found.by_run == (2, 0, 1)


def test_without_a_gate_every_row_is_listed() -> None:
    section = stored(decided(10, 2)).detectors[0]
    assert passing(section, None, {}, len(RUNS)).listed == 3


def test_a_column_the_file_does_not_keep_is_told_with_what_to_do() -> None:
    section = stored(decided(10, 2)).detectors[0]
    older = replace(
        section,
        rows=tuple(
            replace(row, by_run={key: values for key, values in (row.by_run or {}).items() if key != "near"})
            for row in section.rows
        ),
    )
    with pytest.raises(EcholotError, match=r"block: gate names near.*analyze again"):
        passing(older, GATE, {"min_self_ms": 0, "min_count": 99}, len(RUNS))
