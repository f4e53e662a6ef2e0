"""The trend test and the robust line, against scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau, theilslopes

from echolot_tui.stats.kendall import kendall_score, normal_p, robust_line, trend_p


@pytest.mark.parametrize("n", [3, 7, 20, 50])
def test_untied_series_get_scipys_exact_p(n: int) -> None:
    values = np.random.default_rng(n).permutation(n).astype(float)
    expected = kendalltau(np.arange(n), values, method="exact").pvalue
    assert trend_p(values) == pytest.approx(expected, rel=1e-9)


def test_a_perfect_ramp_of_ten() -> None:
    assert trend_p(np.arange(10.0)) == pytest.approx(2 / math.factorial(10), rel=1e-12)
    assert trend_p(np.arange(10.0)) == pytest.approx(5.5e-7, abs=5e-9)
    assert normal_p(45, (1,) * 10) == pytest.approx(8.3e-5, abs=5e-7)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 3).map(float), min_size=3, max_size=6).filter(lambda v: len(set(v)) > 1))
def test_tied_series_get_the_share_of_all_orders(values: list[float]) -> None:
    from itertools import permutations

    score = abs(kendall_score(np.array(values)))
    scores = [abs(kendall_score(np.array(order))) for order in permutations(values)]
    assert trend_p(np.array(values)) == pytest.approx(sum(each >= score for each in scores) / len(scores))


def test_long_series_get_the_normal_form() -> None:
    values = np.round(np.random.default_rng(4).normal(size=200) + np.arange(200) / 100, 1)
    n, score = 200, kendall_score(values)
    groups = np.unique(values, return_counts=True)[1]
    variance = (n * (n - 1) * (2 * n + 5) - sum(g * (g - 1) * (2 * g + 5) for g in groups)) / 18
    assert trend_p(values) == pytest.approx(math.erfc((abs(score) - 1) / math.sqrt(variance) / math.sqrt(2)))


def test_nothing_to_see() -> None:
    assert trend_p(np.array([1.0, 2.0])) == 1.0
    assert trend_p(np.ones(30)) == 1.0


@given(st.lists(st.floats(-100, 100), min_size=2, max_size=30))
def test_the_line_is_theil_and_sens(values: list[float]) -> None:
    slope, intercept = robust_line(np.array(values))
    assert slope == pytest.approx(theilslopes(values).slope, abs=1e-9)
    assert intercept == pytest.approx(np.median(np.array(values) - slope * np.arange(len(values))), abs=1e-9)
