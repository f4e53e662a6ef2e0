from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echolot_tui.stats.plan import Plan, _normal_from_t, _t_from_normal


@pytest.mark.parametrize("freedom", [6, 8, 18, 28, 100])
@pytest.mark.parametrize("tail", [0.02, 1e-3, 1e-5])
def test_bars_carry_over_as_student_quantiles(freedom: int, tail: float) -> None:
    from scipy.stats import norm, t

    bar, z = t.isf(tail, freedom), norm.isf(tail)
    assert _normal_from_t(bar, freedom) == pytest.approx(z, rel=0.015)
    assert _t_from_normal(z, freedom) == pytest.approx(bar, rel=0.035)


@settings(deadline=None)
@given(st.floats(min_value=0.01, max_value=30), st.floats(min_value=1, max_value=500))
def test_there_and_back(t: float, freedom: float) -> None:
    assert _t_from_normal(_normal_from_t(t, freedom), freedom) == pytest.approx(t, rel=1e-6)


def plan(bar: float = 6.0, before: int = 5, after: int = 5, borrowed: float = 0.0) -> Plan:
    return Plan(bar=bar, before=before, after=after, borrowed=borrowed, fewest=5)


def test_nothing_to_plan_without_a_move() -> None:
    assert plan().runs_needed(0.0) is None


@pytest.mark.parametrize("statistic", [6.0, math.inf])
def test_what_stands_at_the_bar_and_is_no_finding_needs_more_ways_to_split(statistic: float) -> None:
    assert plan().runs_needed(statistic) == 6
    assert plan(before=3, after=4).runs_needed(statistic) == 5


def test_with_a_bar_that_stays_runs_grow_with_the_square() -> None:
    """Much borrowed freedom leaves the bar where it is: the plain rule remains."""
    steady = plan(bar=4.0, before=10, after=10, borrowed=1e7)
    for statistic in (3.9, 2.0, 1.0):
        assert steady.runs_needed(statistic) == max(11, math.ceil(10 * (4.0 / statistic) ** 2))


def test_the_bar_comes_down_with_more_runs() -> None:
    needed = plan().runs_needed(3.0)
    assert needed is not None
    assert 6 < needed < math.ceil(5 * (6.0 / 3.0) ** 2)


@settings(deadline=None)
@given(
    st.floats(min_value=0.05, max_value=5.9),
    st.integers(min_value=2, max_value=30),
    st.integers(min_value=2, max_value=30),
    st.floats(min_value=0, max_value=20),
)
def test_needed_runs_are_the_first_that_are_enough(
    statistic: float, before: int, after: int, borrowed: float
) -> None:
    needed = plan(before=before, after=after, borrowed=borrowed).runs_needed(statistic)
    assert needed is not None
    effective = 2 * before * after / (before + after)
    assert needed >= max(5, math.floor(effective) + 1)
    z = _normal_from_t(6.0, before + after - 2 + borrowed)

    def clears(runs: int) -> bool:
        return statistic * math.sqrt(runs / effective) >= _t_from_normal(z, 2 * runs - 2 + borrowed)

    assert clears(needed)
    assert needed == max(5, math.floor(effective) + 1) or not clears(needed - 1)


def test_a_move_beyond_reach_needs_no_number() -> None:
    assert plan().runs_needed(1e-4) is None
