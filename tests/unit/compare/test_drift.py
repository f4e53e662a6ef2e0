from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from echolot_tui.compare.drift import trend


def score(values) -> int:
    return sum(
        (later > earlier) - (later < earlier)
        for at, earlier in enumerate(values)
        for later in values[at + 1 :]
    )


@given(st.lists(st.integers(0, 5), min_size=3, max_size=6))
def test_p_is_the_part_of_all_orders_with_a_trend_as_clear(values):
    found = trend([float(value) for value in values])
    if len(set(values)) == 1:
        assert found is None
        return
    orders = list(permutations(values))
    reach = sum(abs(score(order)) >= abs(score(values)) for order in orders)
    assert found.p == pytest.approx(reach / len(orders), abs=1e-12)


@given(st.lists(st.floats(0, 100), min_size=4, max_size=30, unique=True))
def test_without_ties_p_is_kendalls(values):
    assert trend(values).p == pytest.approx(
        kendalltau(range(len(values)), values, method="exact").pvalue, abs=1e-9
    )


def test_many_runs_take_the_normal_distribution():
    values = [float((at * 37) % 101) + at / 2 for at in range(80)]
    exact = kendalltau(range(80), values, method="asymptotic").pvalue
    assert trend(values).p == pytest.approx(exact, rel=0.1)


def test_total_is_the_way_from_first_to_last_along_the_middle_slope():
    assert trend([10.0, 12.0, 14.0, 16.0]).total == 6.0
    assert trend([10.0, None, 14.0, 16.0]).total == 6.0
    assert trend([16.0, 14.0, 12.0, 10.0]).total == -6.0


def test_too_little_to_say():
    assert trend([]) is None
    assert trend([1.0, 2.0]) is None
    assert trend([5.0] * 8) is None
    assert trend([None, 1.0, None, 2.0]) is None
