"""The rank test: brute force over subsets, scipy, whole numbers, and bounds that hold."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from echolot_tui.stats.rank_sum import RankSums, sums_of, untied_sums
from echolot_tui.stats.ranks import Ints, doubled_ranks


def brute(ranks: Ints, size: int, total: int) -> float:
    sums = [sum(each) for each in combinations(ranks.tolist(), size)]
    lower = sum(each <= total for each in sums) / len(sums)
    upper = sum(each >= total for each in sums) / len(sums)
    return min(1.0, 2 * min(lower, upper))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 6).map(float), min_size=2, max_size=12), st.data())
def test_p_is_that_of_all_subsets(values: list[float], data: st.DataObject) -> None:
    ranks = doubled_ranks(np.array(values))
    size = data.draw(st.integers(1, len(values) // 2))
    chosen = data.draw(st.permutations(range(len(values))))[:size]
    total = int(ranks[list(chosen)].sum())
    assert sums_of(ranks).p(size, total) == pytest.approx(brute(ranks, size, total), rel=1e-12)


@pytest.mark.parametrize(("n", "size"), [(20, 10), (37, 12), (60, 30)])
def test_p_is_scipys_exact_one(n: int, size: int) -> None:
    values = np.random.default_rng(n).permutation(n).astype(float)
    ranks = doubled_ranks(values)
    expected = mannwhitneyu(values[:size], values[size:], method="exact").pvalue
    assert sums_of(ranks).p(size, int(ranks[:size].sum())) == pytest.approx(expected, rel=1e-10)


def test_counts_beyond_a_doubles_whole_numbers_stay_exact() -> None:
    """A perfect split of 300: one subset of C(300, 150) in each tail."""
    total = int((2 * np.arange(1, 151)).sum())
    assert 2 / math.comb(300, 150) < 1e-15
    assert untied_sums(300).p(150, total) == 1e-15
    sums = untied_sums(100)
    lowest = int((2 * np.arange(1, 6)).sum())
    assert sums.p(5, lowest + 4) == pytest.approx(8 / math.comb(100, 5), rel=1e-12)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(0, 5).map(float), min_size=4, max_size=11).filter(lambda v: len(set(v)) > 1),
    st.floats(1e-4, 1),
)
def test_mass_is_the_share_of_subsets_with_such_a_p(values: list[float], p: float) -> None:
    ranks = doubled_ranks(np.array(values))
    sums = RankSums(ranks)
    size = len(values) // 2
    shares = [sums.p(size, sum(each)) <= p * (1 + 1e-12) for each in combinations(ranks.tolist(), size)]
    assert sums.mass(size, p) == pytest.approx(sum(shares) / len(shares), rel=1e-12)


@pytest.mark.parametrize("tied", [False, True])
def test_the_bound_of_the_normal_form_covers_its_real_rate(tied: bool) -> None:
    """At 400 points the normal form is used; random subsets show a small p at most as often as bounded."""
    rng = np.random.default_rng(11)
    values = rng.integers(0, 4, 400).astype(float) if tied else rng.permutation(400).astype(float)
    ranks = doubled_ranks(values)
    sums = RankSums(ranks)
    totals = np.array([rng.choice(ranks, 40, replace=False).sum() for _ in range(20_000)])
    p = sums.p_of(40, totals)
    for level in (0.05, 0.01, 0.001):
        assert (p <= level).mean() <= sums.mass(40, level)
    assert sums.mass(40, 1e-12) < 1e-9


def test_the_normal_form_is_scipys() -> None:
    values = np.round(np.random.default_rng(3).normal(size=400), 1)
    ranks = doubled_ranks(values)
    expected = mannwhitneyu(values[:200], values[200:], method="asymptotic").pvalue
    assert RankSums(ranks).p(200, int(ranks[:200].sum())) == pytest.approx(expected, rel=1e-9)


def test_equal_values_are_no_evidence() -> None:
    assert RankSums(doubled_ranks(np.ones(400))).p(200, 200 * 401) == 1.0
    assert RankSums(doubled_ranks(np.ones(12))).p(6, 6 * 13) == 1.0


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(0, 5).map(float), min_size=6, max_size=11).filter(lambda v: len(set(v)) > 1),
    st.floats(1e-6, 0.9),
)
def test_the_bound_holds_for_every_small_series(values: list[float], bar: float) -> None:
    """Against all subsets, ties and all, judged by the normal form."""
    ranks = doubled_ranks(np.array(values))
    sums = RankSums(ranks)
    size = len(values) // 2
    totals = np.array([sum(each) for each in combinations(ranks.tolist(), size)])
    assert (sums._normal_p(size, totals) <= bar).mean() <= sums._bounded_mass(size, bar) * (1 + 1e-9)


def test_the_bound_is_near_the_truth_where_both_are_known() -> None:
    """At 300 points the exact mass of sums with a small normal p is within a factor of a hundred."""
    sums = untied_sums(300)
    for bar in (1e-3, 1e-6, 1e-12):
        exact = sums.mass(100, bar)
        assert exact < sums._bounded_mass(100, bar) < 100 * exact
