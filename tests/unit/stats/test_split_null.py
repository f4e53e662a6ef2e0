"""The corrected chance of a winning split: every ordering by brute force, random orderings, known values."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest

from echolot_tui.stats.orbit import BUDGET, grid, members, moved_positions, orbit_share
from echolot_tui.stats.rank_sum import RankSums, sums_of
from echolot_tui.stats.ranks import Ints, doubled_ranks, locate
from echolot_tui.stats.split_bound import bound_over_splits
from echolot_tui.stats.split_null import exact_chance, tractable


def winning_p(ranks: Ints, sums: RankSums, least_side: int) -> float:
    at = locate(ranks)
    size = min(at, len(ranks) - at)
    if size < least_side:
        return math.inf
    side = ranks[:at] if at <= len(ranks) - at else ranks[at:]
    return sums.p(size, int(side.sum()))


@pytest.mark.parametrize("least_side", [2, 3])
@pytest.mark.parametrize(
    "values",
    [
        [1, 2, 3, 4, 5, 6, 7],
        [1, 2, 3, 4, 5, 6, 7, 8],
        [1, 1, 2, 3, 3, 3, 4, 5],
        [1, 1, 1, 2, 2, 2, 2, 9],
        [1, 1, 1, 1, 2, 2, 2, 2],
    ],
)
def test_every_ordering_by_brute_force(values: list[float], least_side: int) -> None:
    ranks = doubled_ranks(np.array(values, dtype=float))
    sums = sums_of(ranks)
    found = np.array([winning_p(np.array(order), sums, least_side) for order in permutations(ranks.tolist())])
    for p in sorted({each for each in found.tolist() if each < 1}):
        exact = exact_chance(ranks, p, least_side=least_side)
        assert exact == pytest.approx((found <= p * (1 + 1e-12)).mean(), rel=1e-9)
        assert bound_over_splits(sums, p, least_side=least_side) >= exact * (1 - 1e-9)


@pytest.mark.parametrize("decimals", [None, 0])
@pytest.mark.parametrize("n", [12, 16, 18])
def test_random_orderings_agree(n: int, decimals: int | None) -> None:
    rng = np.random.default_rng(n)
    values = rng.normal(size=n) * 3
    ranks = doubled_ranks(values if decimals is None else np.round(values, decimals))
    sums = sums_of(ranks)
    orders = 20_000
    found = np.array([winning_p(rng.permutation(ranks), sums, 5) for _ in range(orders)])
    for p in (0.001, 0.005, 0.02):
        exact = exact_chance(ranks, p, least_side=5)
        seen = (found <= p * (1 + 1e-12)).mean()
        assert abs(exact - seen) <= 4 * math.sqrt(exact * (1 - exact) / orders) + 1e-9


@pytest.mark.parametrize("n", range(10, 19))
def test_a_perfect_step_in_the_middle_has_the_balanced_tests_own_chance(n: int) -> None:
    """Exactly 2/C(n, n/2) at even lengths, and the value of n-1 at odd ones."""
    even = n - n % 2
    ranks = 2 * np.arange(1, n + 1)
    at = locate(ranks)
    p = sums_of(ranks).p(min(at, n - at), int(min(ranks[:at].sum(), n * (n + 1) - ranks[:at].sum())))
    side = ranks[:at] if at <= n - at else ranks[at:]
    p = sums_of(ranks).p(len(side), int(side.sum()))
    assert exact_chance(ranks, p, least_side=5) == pytest.approx(2 / math.comb(even, even // 2), rel=1e-12)


@pytest.mark.slow
def test_twenty_points() -> None:
    ranks = 2 * np.arange(1, 21)
    assert exact_chance(ranks, 2 / math.comb(20, 10), least_side=5) == pytest.approx(1.0825e-5, rel=1e-4)
    rng = np.random.default_rng(20)
    sums = sums_of(ranks)
    found = np.array([winning_p(rng.permutation(ranks), sums, 5) for _ in range(100_000)])
    exact = exact_chance(ranks, 0.001, least_side=5)
    assert abs(exact - (found <= 0.001).mean()) < 4 * math.sqrt(exact / 100_000)


def test_counting_stops_early_only_beyond_what_matters() -> None:
    ranks = doubled_ranks(np.array([1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11.0]))
    whole = exact_chance(ranks, 0.04, least_side=5)
    assert exact_chance(ranks, 0.04, least_side=5, enough=whole / 2) >= whole / 2


def test_what_is_tractable() -> None:
    assert tractable(2 * np.arange(1, 21))
    assert not tractable(2 * np.arange(1, 22))
    assert tractable(doubled_ranks(np.array([0.0, 1.0] * 200)))


@pytest.mark.parametrize("n", [21, 30, 100])
def test_the_rearrangements_are_a_group_with_the_identity(n: int) -> None:
    group = members(n)
    assert len(group) == math.prod(map(math.factorial, grid(n))) <= BUDGET
    assert (group[0] == np.arange(group.shape[1])).all()
    assert len(np.unique(group[:5_000], axis=0)) == 5_000
    rng = np.random.default_rng(n)
    rows = {row.tobytes() for row in group}
    for first, second in rng.integers(0, len(group), (50, 2)):
        assert group[first][group[second]].tobytes() in rows
    moved = moved_positions(n)
    assert len(set(moved.tolist())) == len(moved) == math.prod(grid(n))
    assert moved.min() >= 0
    assert moved.max() < n


def test_the_grid_is_the_specified_one() -> None:
    """Largest order first, then most positions moved."""
    assert grid(22) == (8, 2)
    assert math.prod(map(math.factorial, grid(22))) == 80_640
    assert {math.prod(map(math.factorial, grid(n))) for n in (24, 100, 863)} == {241_920}


def test_the_orbits_share_is_counted_member_by_member() -> None:
    ranks = doubled_ranks(np.random.default_rng(1).normal(size=24) + np.repeat([0, 0.8], 12))
    sums = sums_of(ranks)
    p = winning_p(ranks, sums, 5)
    group, moved = members(24)[:3_000], moved_positions(24)
    hits = 0
    for row in group:
        order = ranks.copy()
        order[moved] = ranks[moved][row]
        hits += winning_p(order, sums, 5) <= p * (1 + 1e-12)
    share = orbit_share(ranks, p, sums, least_side=5, enough=2.0)
    assert share >= hits / len(members(24))
    assert orbit_share(ranks, 1.0, sums, least_side=1, enough=2.0) == 1.0


@pytest.mark.slow
def test_the_orbits_share_is_a_valid_chance() -> None:
    """Over exchangeable series it is super-uniform."""
    rng = np.random.default_rng(7)
    shares = []
    for _ in range(300):
        ranks = doubled_ranks(rng.normal(size=24))
        sums = sums_of(ranks)
        shares.append(orbit_share(ranks, winning_p(ranks, sums, 5), sums, least_side=5, enough=0.2))
    for level in (0.05, 0.1, 0.2):
        assert np.mean(np.array(shares) < level) <= level + 3 * math.sqrt(level / 300)


@pytest.mark.parametrize("decimals", [None, 1, 0])
@pytest.mark.parametrize("n", [13, 14, 16])
def test_the_bound_is_never_below_the_exact_share(n: int, decimals: int | None) -> None:
    """Nor much above it, where nothing is tied: neighbouring splits are not counted twice."""
    values = np.random.default_rng(n).normal(size=n) * 2
    ranks = doubled_ranks(values if decimals is None else np.round(values, decimals))
    sums = sums_of(ranks)
    for p in (0.0005, 0.002, 0.01, 0.024):
        exact = exact_chance(ranks, p, least_side=5)
        bound = bound_over_splits(sums, p, least_side=5)
        assert exact <= bound * (1 + 1e-9)
        if decimals is None:
            assert bound <= 1.3 * exact + 1e-12
