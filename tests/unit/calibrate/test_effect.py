"""Live bars list exactly what a report built with those bars lists."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from calibrations_by_hand import BLOCK, EITHER, FRAMES, block, catalogue, plan_for, runs
from echolot_tui.calibrate.effect import LiveBars, effect
from echolot_tui.calibrate.open_rows import open_report_rows
from echolot_tui.errors import EcholotError
from echolot_tui.measure.model import Measurement
from echolot_tui.measure.plan import Override, plan
from echolot_tui.project.scenario import Scenario
from echolot_tui.report.build import ReportContext, build_report
from hand_built import answer, measurement, occurrence, traces

ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "location": st.sampled_from("abcdefgh"),
            "callers": st.integers(1, 5),
            "max_ms": st.integers(0, 2000).map(lambda n: n / 100),
            "total_ms": st.integers(0, 9000).map(lambda n: n / 100),
        }
    ),
    max_size=10,
)


def reported(measurements: list[Measurement], text: str, detector: str, **changed: float) -> list[list[str]]:
    """For each run the rows a report of that run alone lists, then those of the whole set."""
    overrides = [Override(detector=detector, param=name, text=str(value)) for name, value in changed.items()]
    made = plan(catalogue(text), overrides=overrides)
    sets = [*([one] for one in measurements), measurements]
    sections = [build_report(one, made, context=ReportContext())[0].detectors[0] for one in sets]
    return [[str(row.location) for row in section.rows] for section in sections]


@given(st.lists(ROWS, min_size=1, max_size=4), st.floats(0, 20), st.floats(0, 90))
@settings(max_examples=60, deadline=None)
def test_the_effect_is_the_report(sets: list[list[dict[str, Any]]], txn: float, total: float) -> None:
    measurements = traces(*(answer("either", *rows) for rows in sets))
    txn, total = round(txn, 1), round(total, 1)
    live = LiveBars(measurements, plan(catalogue(EITHER)))
    found = live.effect("either", {"min_txn_ms": txn, "max_total_ms": total})
    *each, whole = reported(measurements, EITHER, "either", min_txn_ms=txn, max_total_ms=total)
    assert list(found.per_run) == [len(rows) for rows in each]
    assert found.rows == len(whole)


@given(st.lists(st.lists(st.integers(0, 9000).map(lambda n: n / 100), max_size=9), min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
def test_the_rows_file_gives_the_same_answer(sets: list[list[float]]) -> None:
    measurements, made = runs(*sets), plan(catalogue(BLOCK))
    report, rows = build_report(measurements, made, context=ReportContext())
    decision = made.decisions[0]
    opened = open_report_rows(rows.detectors[0], decision, report.repeats)
    assert opened is not None
    live = LiveBars(measurements, made)
    for bar in (0, 10, 16, 44.4, 90):
        assert effect(opened, {**decision.params, "min_ms": bar}) == live.effect("block", {"min_ms": bar})


@given(st.lists(st.lists(st.integers(0, 90).map(float), max_size=9), min_size=1, max_size=3), st.data())
@settings(max_examples=40, deadline=None)
def test_a_higher_bar_never_lists_more(sets: list[list[float]], data: st.DataObject) -> None:
    live = LiveBars(runs(*sets), plan(catalogue(BLOCK)))
    low, high = sorted(data.draw(st.tuples(st.floats(0, 90), st.floats(0, 90))))
    under, over = live.effect("block", {"min_ms": low}), live.effect("block", {"min_ms": high})
    assert all((a or 0) >= (b or 0) for a, b in zip(under.per_run, over.per_run, strict=True))
    assert under.rows >= over.rows


def test_a_run_that_was_not_looked_at_has_no_count() -> None:
    broken = answer("block", state="failed", reason="broke")
    blind = answer("block", state="no data", reason="nothing recorded")
    measurements, made = traces(block(20.0, 3.0), broken, blind), plan(catalogue(BLOCK))
    found = LiveBars(measurements, made).effect("block")
    assert (found.per_run, found.rows, found.range) == ((1, None, None), 1, (1, 1))
    report, rows = build_report(measurements, made, context=ReportContext())
    opened = open_report_rows(rows.detectors[0], made.decisions[0], report.repeats)
    assert opened is not None
    assert effect(opened, made.decisions[0].params) == found


def test_a_gate_over_a_column_the_rows_file_lacks_is_not_known_from_it() -> None:
    measurements = traces(answer("either", {"location": "a", "callers": 1, "max_ms": 9.0, "total_ms": 9.0}))
    made = plan(catalogue(EITHER))
    report, rows = build_report(measurements, made, context=ReportContext())
    (section,) = rows.detectors
    (row,) = section.rows
    assert open_report_rows(section, made.decisions[0], report.repeats) is not None
    by_run = {name: values for name, values in (row.by_run or {}).items() if name != "callers"}
    older = replace(section, rows=(replace(row, by_run=by_run),))
    assert open_report_rows(older, made.decisions[0], report.repeats) is None


def test_every_detector_that_is_on() -> None:
    scenario = Scenario(name="run", detectors={"frames": False})
    frames = {"location": "f", "count": 9}
    both = [measurement(occurrence(block(20.0, 3.0), answer("frames", frames)))]
    live = LiveBars(both, plan_for(scenario, BLOCK, FRAMES))
    assert {name: one.per_run for name, one in live.effects().items()} == {"block": (1,)}
    assert live.effect("frames").per_run == (1,)  # also what is off can be asked about
    assert [run.label for run in live.runs] == ["1"]


@pytest.mark.parametrize(
    ("detector", "changed", "problem"),
    [
        ("blok", {}, "there is no detector blok"),
        ("block", {"min_mss": 3}, "block.min_mss: is no parameter"),
        ("block", {"skip_glob": "x"}, "block.skip_glob: is part of the query; measure again"),
    ],
)
def test_what_cannot_be_asked(detector: str, changed: dict[str, Any], problem: str) -> None:
    live = LiveBars(runs([1.0]), plan(catalogue(BLOCK)))
    with pytest.raises(EcholotError) as refused:
        live.effect(detector, changed)
    assert str(refused.value) == problem


def test_moving_a_bar_changes_nothing_but_the_bar() -> None:
    live = LiveBars(runs([20.0, 17.0], [15.0]), plan(catalogue(BLOCK)))
    for low, high in product((1, 16), (18, 99)):
        assert live.effect("block", {"min_ms": low}).per_run == ((2, 1) if low == 1 else (2, 0))
        assert live.effect("block", {"min_ms": high}).per_run == ((1, 0) if high == 18 else (0, 0))
    assert live.effect("block").per_run == (2, 0)
