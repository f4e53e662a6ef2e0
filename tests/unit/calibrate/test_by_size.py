"""Bars by the size of the report: what each run lists under the bar of the others, counted anew."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibrations_by_hand import BLOCK, EITHER, block, calibrated, detector_of, runs, threshold_of
from echolot_tui.calibrate.by_size import fit, misses
from echolot_tui.calibrate.model import Threshold
from hand_built import answer, measurement, occurrence, traces


def bar(*sets: list[float], size: int = 2) -> Threshold:
    return threshold_of(calibrated(runs(*sets), BLOCK, report_size=size))


def test_the_bar_is_just_over_the_row_too_many_raised_by_what_the_others_need() -> None:
    """Third largest: 20, 21, 22, 24. The run with 24 needs 24/22 of the others' bar; 24 × that = 26.18."""
    one = bar([50, 40, 20], [50, 40, 21, 5], [50, 40, 22], [50, 40, 24])
    assert (one.per_run, one.value, one.factor) == ((20, 21, 22, 24), 24.0, round(24 / 22, 4))
    assert (one.proposed, one.held, one.statistic) == (26.2, "4/4", "top3(self_ms)")
    assert (one.sample, one.runs_used) == ((3, 4, 3, 3), 4)


def test_fewer_than_ten_rows_are_enough() -> None:
    rows = [[9.0, 8.0, 7.0, 1.0]] * 3
    assert threshold_of(calibrated(runs(*rows), BLOCK)).outcome == "sample"
    assert bar(*rows).proposed == 7.1


def test_it_does_not_grow_with_repeats() -> None:
    rows = [[50.0, 40.0, 20.0], [50.0, 40.0, 21.0], [50.0, 40.0, 22.0]]
    assert {bar(*rows * repeats).proposed for repeats in (2, 4, 6)} == {22.1}


def test_runs_that_never_have_more_need_no_bar() -> None:
    one = bar([5, 4], [5, 4], [6])
    assert (one.proposed, one.outcome, one.held) == (None, "sample", None)
    assert one.reason == "no run has more than 2 rows, so any bar keeps them to that"


def test_two_traces_support_nothing() -> None:
    one = bar([50, 40, 20], [50, 40, 21])
    assert (one.proposed, one.outcome) == (None, "spread")
    assert one.reason == "2 trace(s) to go by; leaving one out needs 3"


def test_a_single_run_with_more_rows_is_judged_one_row_lower() -> None:
    """Only one run has a third row, so nobody vouches for its bar; every run has a second one."""
    one = bar([50, 40, 20], [50, 41], [50, 42])
    assert (one.statistic, one.proposed, one.held) == ("top2(self_ms)", 43.1, "3/3")


def test_no_support_at_any_height() -> None:
    one = bar([50, 40, 20], [], [])
    assert (one.proposed, one.outcome) == (None, "spread")
    assert one.reason == "under the bar of the other runs, a run lists more than 2 rows at every height"


def test_a_bar_under_one_is_degenerate() -> None:
    one = bar([50, 40, 0.5], [50, 40, 0.5], [50, 40, 0.5])
    assert (one.proposed, one.outcome, one.after) == (None, "degenerate", 16)


def test_occurrences_of_one_trace_are_left_out_together() -> None:
    third = [20.0, 21.0, 22.0]
    made = [
        measurement(
            occurrence(block(50.0, 40.0, value)),
            occurrence(block(50.0, 40.0, value), number=2),
            path=f"t{value}",
        )
        for value in third
    ]
    one = threshold_of(calibrated(made, BLOCK, report_size=2))
    assert (one.held, one.factor) == ("3/3", round(22 / 21, 4))
    twice = threshold_of(calibrated(made[:2], BLOCK, report_size=2))
    assert twice.outcome == "spread"  # four runs, but two traces


def test_two_thresholds_share_the_rows() -> None:
    """A row passes by either bar, so each is made for fewer rows until both together list two."""
    rows = [
        {"location": "long", "callers": 1, "max_ms": 90.0, "total_ms": 10.0},
        {"location": "longer", "callers": 1, "max_ms": 95.0, "total_ms": 11.0},
        {"location": "often", "callers": 1, "max_ms": 3.0, "total_ms": 400.0},
        {"location": "oftener", "callers": 1, "max_ms": 4.0, "total_ms": 500.0},
        {"location": "neither", "callers": 1, "max_ms": 2.0, "total_ms": 5.0},
    ]
    made = calibrated(traces(*[answer("either", *rows)] * 4), EITHER, report_size=2)
    assert threshold_of(made, "min_txn_ms", "either").proposed == 90.1
    assert threshold_of(made, "max_total_ms", "either").proposed == 400.1
    assert detector_of(made, "either").after == (2, 2, 2, 2)


@given(
    st.lists(st.lists(st.integers(0, 8000).map(lambda n: n / 100), max_size=12), min_size=1, max_size=8),
    st.integers(1, 6),
)
@settings(max_examples=120, deadline=None)
def test_a_proposed_bar_keeps_every_run_to_its_size(sets: list[list[float]], size: int) -> None:
    one = bar(*sets, size=size)
    if one.proposed is None:
        assert one.reason
        return
    assert all(sum(value >= one.proposed for value in values) <= size for values in sets)
    assert one.held == f"{len(sets)}/{len(sets)}"


@given(st.lists(st.floats(0.1, 1e4), min_size=3, max_size=18))
def test_leaving_each_out_holds_by_the_margin_and_not_by_less(excess: list[float]) -> None:
    found = fit(excess)
    assert found is not None
    for at, value in enumerate(excess):
        others = excess[:at] + excess[at + 1 :]
        assert value <= max(others) * found.margin * (1 + 1e-12)
    first, second = sorted(excess, reverse=True)[:2]
    assert found.margin == pytest.approx(first / second)
    assert found.base == first


def test_how_many_may_miss_is_what_ninety_five_percent_of_runs_to_come_allow() -> None:
    assert [misses(n) for n in (3, 18, 19, 38, 39, 58, 59, 99)] == [0, 0, 0, 0, 1, 1, 2, 4]
    for n in range(19, 200):
        assert (n - misses(n)) / (n + 1) >= 0.95 > (n - misses(n) - 1) / (n + 1)


@pytest.mark.parametrize(
    ("traces_given", "least"), [(3, 0.82), (5, 0.87), (10, 0.92), (19, 0.95), (40, 0.95)]
)
@pytest.mark.parametrize("shape", ["normal", "skewed"])
def test_how_often_a_run_to_come_holds(traces_given: int, least: float, shape: str) -> None:
    """Drawn sets: the documented shares, well over the ``n / (n + 1)`` of a bar without the factor."""
    luck = np.random.default_rng(7)

    def draw(count: int) -> list[float]:
        if shape == "normal":
            return [float(value) for value in np.exp(0.1 * luck.standard_normal(count))]
        return [float(value) for value in 1 + 0.2 * luck.exponential(size=count)]

    held = 0
    for _ in range(2000):
        found = fit(draw(traces_given))
        assert found is not None
        held += draw(1)[0] <= found.base * found.margin
    assert held / 2000 >= least
    assert math.isfinite(found.margin)
