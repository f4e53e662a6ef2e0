from __future__ import annotations

import math
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echolot_tui.stats.drift import trend


def score(values: tuple[float, ...]) -> int:
    return sum(
        (values[j] > values[i]) - (values[j] < values[i]) for j in range(len(values)) for i in range(j)
    )


@settings(deadline=None)
@given(st.lists(st.integers(min_value=0, max_value=4), min_size=3, max_size=6))
def test_p_equals_shuffling_the_runs_in_every_way(values: list[int]) -> None:
    found = trend(values)
    if len(set(values)) == 1:
        assert found is None
        return
    assert found is not None
    orders = list(permutations(values))
    as_clear = sum(abs(score(order)) >= abs(score(tuple(values))) for order in orders)
    assert found.p == pytest.approx(as_clear / len(orders))


@settings(deadline=None)
@given(st.permutations(range(12)))
def test_without_ties_it_is_kendalls_exact_p(order: list[int]) -> None:
    from scipy.stats import kendalltau

    found = trend(order)
    assert found is not None
    assert found.p == pytest.approx(kendalltau(range(12), order, method="exact").pvalue)


def test_a_steady_climb_of_five_runs() -> None:
    found = trend([100, 104, 108.5, 112, 116])
    assert found is not None
    assert found.p == pytest.approx(2 / math.factorial(5))
    assert found.total == 16.0


def test_a_run_without_a_value_keeps_its_place() -> None:
    found = trend([10.0, None, 14.0, 16.0])
    assert found is not None
    assert found.total == 6.0
    assert found.p == pytest.approx(2 / 6)


@pytest.mark.parametrize("values", [[], [1.0, 2.0], [None, 1.0, None, 2.0], [5.0] * 8])
def test_nothing_to_say(values: list[float | None]) -> None:
    assert trend(values) is None


def test_up_and_down_are_the_same_trend() -> None:
    values = [3.0, 1.0, 4.0, 1.5, 5.0, 9.0, 2.6]
    up, down = trend(values), trend(values[::-1])
    assert up is not None
    assert down is not None
    assert up.p == down.p
    assert up.total == -down.total


def test_more_runs_than_are_counted_get_nearly_the_exact_p() -> None:
    from scipy.stats import kendalltau

    values = [float(at * 37 % 61 + at // 4) + at / 100 for at in range(60)]
    found = trend(values)
    assert found is not None
    exact = kendalltau(range(60), values, method="exact").pvalue
    assert 0.001 < exact < 0.2
    assert found.p == pytest.approx(exact, rel=0.05)


def test_many_runs_are_quick_and_sane() -> None:
    climbing = trend([value + (value * 7919) % 13 for value in range(200)])
    flat = trend([(value * 7919) % 101 for value in range(200)])
    assert climbing is not None
    assert flat is not None
    assert climbing.p < 1e-6 < 0.2 < flat.p
