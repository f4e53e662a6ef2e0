"""What never happens, whatever the numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from echolot_tui.history.detect import detect
from echolot_tui.history.finding import Line
from echolot_tui.history.judge import judge_branch, judge_history
from echolot_tui.history.levels import Levels
from echolot_tui.history.model import HistoryReport
from echolot_tui.history.parallel import over_series
from echolot_tui.history.series import Series, SetName, level_at

SET = SetName(scenario="s", model="m", engine="e")
LINE = Line([(str(at), "") for at in range(200)])
VALUES = st.lists(st.integers(-3, 12).map(float), max_size=24)


def series(at: int, values: Sequence[float], context: float | None = None) -> Series:
    points = tuple(level_at(each, str(each), [value]) for each, value in enumerate(values))
    tip = None if context is None else level_at(len(values), "tip", [context])
    return Series(set=SET, segments=(f"s{at}",), metric="t", unit=None, points=points, context=tip)


def batch(seed: int, many: int) -> list[Series]:
    rng = np.random.default_rng(seed)
    made = []
    for at in range(many):
        values = rng.normal(100, 2, rng.integers(4, 30))
        values[len(values) // 2 :] += rng.choice([0, 20])
        made.append(series(at, values.tolist()))
    return made


def told(report: HistoryReport) -> list[tuple[str, str, float, float]]:
    return sorted((each.name, each.method, each.baseline, each.latest) for each in report.findings)


@settings(max_examples=100, deadline=None)
@given(st.lists(VALUES, max_size=8))
def test_the_census_adds_up(given_values: list[list[float]]) -> None:
    every = [series(at, values, context=5.0) for at, values in enumerate(given_values)]
    for report in (judge_history(every, LINE), judge_branch(every, LINE)):
        census = report.census
        assert census.judged + census.unjudged == census.total == len(every) == report.series
        assert sum(census.reasons.values()) == census.unjudged
        assert sum(one.judged for one in report.sets) == census.judged
        assert report.regressions + report.improvements == len(report.findings)


@settings(max_examples=100, deadline=None)
@given(VALUES)
def test_fewer_than_ten_points_never_find_anything(values: list[float]) -> None:
    report = judge_history([series(0, values)], LINE)
    if len(values) < 10:
        assert not report.findings


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(st.floats(90, 140), st.floats(0, 30)), min_size=10, max_size=20),
    st.sets(st.integers(0, 19)),
)
def test_an_interval_never_creates_a_finding(points: list[tuple[float, float]], held: set[int]) -> None:
    values = [value for value, _ in points]
    intervals = [
        (value - half, value + half) if at in held else None for at, (value, half) in enumerate(points)
    ]
    if detect(Levels.of(values), 0.0, 1).candidate is None:
        with_intervals = detect(Levels.of(values, intervals), 0.0, 1).candidate
        assert with_intervals is None


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(1, 1000), min_size=10, max_size=18), st.sampled_from([2.0**-20, 0.5, 2.0**30]))
def test_a_power_of_two_changes_nothing(values: list[float], factor: float) -> None:
    plain = detect(Levels.of(values), 0.0, 1)
    scaled = detect(Levels.of([each * factor for each in values]), 0.0, 1)
    assert [(gate.gate, gate.verdict) for gate in plain.gates] == [
        (gate.gate, gate.verdict) for gate in scaled.gates
    ]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(1, 1000) | st.sampled_from([0.0, -0.0]), min_size=10, max_size=18))
def test_numbers_are_finite_in_json(values: list[float]) -> None:
    report = judge_history([series(0, values)], LINE, every=True)

    def walk(value: object) -> None:
        if isinstance(value, dict):
            any(walk(each) for each in value.values())
        elif isinstance(value, list):
            any(walk(each) for each in value)
        elif isinstance(value, float):
            assert math.isfinite(value)
            assert value or math.copysign(1, value) > 0

    walk(msgspec.to_builtins(report))


def test_the_order_of_series_does_not_matter() -> None:
    made = batch(1, 60)
    assert told(judge_history(made, LINE)) == told(judge_history(made[::-1], LINE)) != []


def test_processes_change_nothing() -> None:
    made = batch(2, 220)
    assert judge_history(made, LINE, jobs=2, every=True) == judge_history(made, LINE, every=True)


def test_results_keep_the_order_of_the_series() -> None:
    assert over_series(math.sqrt, [float(at) for at in range(300)], jobs=2) == [
        math.sqrt(at) for at in range(300)
    ]


def test_a_point_knows_its_own_interval() -> None:
    """Six runs are the fewest whose extremes hold the median with 95 %."""
    assert level_at(0, "c", [3.0, 1.0, 2.0, 5.0, 4.0]).low is None
    six = level_at(0, "c", [3.0, 1.0, 2.0, 5.0, 4.0, 6.0])
    assert (six.value, six.low, six.high, six.runs) == (3.5, 1.0, 6.0, 6)
    nine = level_at(0, "c", [float(at) for at in range(9)])
    assert (nine.low, nine.high) == (1.0, 7.0)
