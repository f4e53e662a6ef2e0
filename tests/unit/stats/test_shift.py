from __future__ import annotations

import math
import time
from collections import Counter
from itertools import combinations
from statistics import median as plain_median

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from echolot_tui.stats.shift import clear_of_zero, cut, median, resolves, runs_needed, shift

LISTED_CUTS = {
    (4, 4): 0,
    (5, 5): 2,
    (6, 6): 5,
    (7, 7): 8,
    (8, 8): 13,
    (10, 10): 23,
    (5, 10): 8,
    (3, 5): 0,
    (2, 12): 1,
    (100, 100): 4197,
}


def cut_by_enumeration(n: int, m: int) -> int | None:
    """Every ordering of the runs, counted one by one."""
    pairs: Counter[int] = Counter()
    for places in combinations(range(n + m), n):
        pairs[sum(place - rank for rank, place in enumerate(places))] += 1
    total, below, found = math.comb(n + m, n), 0, None
    for u in range(n * m + 1):
        below += pairs[u]
        if below * 40 > total:
            return found
        found = u
    return found


@pytest.mark.parametrize("n", range(1, 9))
def test_cut_equals_counting_every_ordering(n: int) -> None:
    for m in range(1, 9):
        assert cut(n, m) == cut_by_enumeration(n, m), (n, m)


@pytest.mark.parametrize(("sizes", "expected"), LISTED_CUTS.items())
def test_listed_cuts(sizes: tuple[int, int], expected: int) -> None:
    assert cut(*sizes) == expected
    assert cut(sizes[1], sizes[0]) == expected


@pytest.mark.parametrize(("small", "needs"), [(4, 4), (3, 5), (2, 8), (1, 39)])
def test_minimum_sizes(small: int, needs: int) -> None:
    assert cut(small, needs) == 0
    assert cut(small, needs - 1) is None


@pytest.mark.parametrize("sizes", [(0, 0), (0, 9), (9, 0)])
def test_no_cut_without_values(sizes: tuple[int, int]) -> None:
    assert cut(*sizes) is None


def test_the_normal_cut_continues_the_exact_one() -> None:
    exact, approximate = cut(100, 100), cut(100, 101)
    assert exact is not None
    assert approximate is not None
    assert 0 < approximate - exact < 60
    assert cut(500, 500) == 116_049


def test_holds_is_the_exact_rank_test() -> None:
    """Without ties the range excludes zero exactly when Mann and Whitney's exact p is at most 5 %."""
    from scipy.stats import mannwhitneyu

    rng = np.random.default_rng(11)
    seen = Counter[bool]()
    for _ in range(400):
        n, m = rng.integers(4, 13, size=2)
        drawn = rng.permutation(1000)[: n + m].astype(float)
        before, after = drawn[:n], drawn[n:] + 0.5 + 200 * rng.integers(0, 5)
        p = mannwhitneyu(after, before, alternative="two-sided", method="exact").pvalue
        estimate = shift(before, after)
        assert estimate is not None
        assert estimate.holds == (p <= 0.05)
        seen[estimate.holds] += 1
    assert min(seen.values()) > 50


def test_worked_by_hand_four_against_four() -> None:
    estimate = shift([10, 12, 11, 30], [20, 21, 19, 22])
    assert estimate is not None
    differences = sorted(a - b for a in (20, 21, 19, 22) for b in (10, 12, 11, 30))
    assert (estimate.low_ms, estimate.high_ms) == (differences[0], differences[-1]) == (-11, 12)
    assert estimate.ms == plain_median(differences)
    assert estimate.resolves_ms == 20.0  # (19 - 20.5) - (30 - 11.5)
    assert not estimate.holds
    assert estimate.runs_needed == math.ceil(4 * (20.0 / estimate.ms) ** 2)


def test_a_fall_resolves_in_its_own_direction() -> None:
    before, after = [20, 21, 19, 22], [10, 12, 11, 30]
    estimate = shift(before, after)
    assert estimate is not None
    assert estimate.ms < 0
    strays = [(a - 11.5) - (b - 20.5) for a in after for b in before]
    assert estimate.resolves_ms == max(strays)


def test_zero_spread_after_a_clear_drop_holds_with_the_exact_shift() -> None:
    estimate = shift([15.0] * 5, [10.0] * 5)
    assert estimate is not None
    assert (estimate.ms, estimate.low_ms, estimate.high_ms, estimate.resolves_ms) == (-5, -5, -5, 0)
    assert estimate.holds
    assert estimate.runs_needed is None


def test_equal_sides_move_nothing_and_carry_no_negative_zero() -> None:
    estimate = shift([3.0] * 4, [3.0] * 4)
    assert estimate is not None
    assert not estimate.holds
    assert estimate.runs_needed is None
    figures = (estimate.ms, estimate.low_ms, estimate.high_ms, estimate.resolves_ms)
    assert [math.copysign(1, figure) for figure in figures] == [1, 1, 1, 1]


def test_a_range_that_touches_zero_does_not_hold() -> None:
    before, after = [1.0, 1.0, 1.0, 1.0], [1.0, 2.0, 2.0, 2.0]
    estimate = shift(before, after)
    assert estimate is not None
    assert (estimate.low_ms, estimate.high_ms) == (0.0, 1.0)
    assert not estimate.holds
    assert not clear_of_zero(0.0, 1.0)


def test_an_end_that_rounds_to_zero_does_not_hold() -> None:
    estimate = shift([1.0] * 4, [1.004] * 4)
    assert estimate is not None
    assert estimate.low_ms == 0.0
    assert not estimate.holds


def test_two_humps_on_both_sides_do_not_hold() -> None:
    humps = [10, 40, 10, 41, 11, 40, 10, 42]
    estimate = shift(humps, humps[::-1])
    assert estimate is not None
    assert not estimate.holds


@pytest.mark.parametrize(("before", "after"), [([], [1.0] * 9), ([1.0] * 9, []), ([1.0] * 3, [2.0] * 3)])
def test_too_few_runs_have_no_shift(before: list[float], after: list[float]) -> None:
    assert shift(before, after) is None


def test_a_side_against_itself() -> None:
    values = [118.2, 121.0, 125.4, 133.7, 340.1]
    spread = sorted(a - b for a in values for b in values)
    assert resolves(values) == round(-spread[2], 2)
    assert resolves(values[:3]) is None
    assert resolves([7.0] * 4) == 0.0


@pytest.mark.parametrize(
    ("n", "m", "resolution", "move", "expected"),
    [
        (5, 5, 88.0, 74.6, 7),
        (5, 5, 10.0, 10.0, None),
        (5, 5, 10.0, 0.0, None),
        (5, 5, 10.0, -9.99, 6),
        (4, 12, 10.0, 5.0, 24),
        (5, 10, 10.0, 9.99, 7),
    ],
)
def test_runs_needed(n: int, m: int, resolution: float, move: float, expected: int | None) -> None:
    assert runs_needed(n, m, resolution, move) == expected


def test_five_hundred_against_five_hundred_is_quick() -> None:
    rng = np.random.default_rng(5)
    before, after = rng.lognormal(4, 0.1, 500), rng.lognormal(4, 0.1, 500)
    cut.cache_clear()
    started = time.perf_counter()
    assert shift(before, after) is not None
    assert time.perf_counter() - started < 1


hundredths = st.integers(min_value=0, max_value=500_000).map(lambda n: n / 100)
sides = st.lists(hundredths, min_size=4, max_size=14)


@settings(deadline=None)
@given(sides, sides)
def test_estimate_lies_in_its_range_and_swapping_sides_negates_it(
    before: list[float], after: list[float]
) -> None:
    there, back = shift(before, after), shift(after, before)
    assert there is not None
    assert back is not None
    assert there.low_ms <= there.ms <= there.high_ms
    assert there.low_ms == -back.high_ms
    assert there.high_ms == -back.low_ms
    assert there.holds == back.holds
    assert there.resolves_ms >= 0


@settings(deadline=None)
@given(sides, sides, st.integers(min_value=-100_000, max_value=100_000))
def test_translation_moves_the_range_and_leaves_the_resolution(
    before: list[float], after: list[float], by: int
) -> None:
    plain, moved = shift(before, after), shift(before, [value + by for value in after])
    assert plain is not None
    assert moved is not None
    assert moved.ms == pytest.approx(plain.ms + by, abs=0.011)
    assert moved.low_ms == pytest.approx(plain.low_ms + by, abs=0.011)
    assert moved.high_ms == pytest.approx(plain.high_ms + by, abs=0.011)
    if (plain.ms < 0) == (moved.ms < 0):
        assert moved.resolves_ms == pytest.approx(plain.resolves_ms, abs=0.011)


@settings(deadline=None)
@given(sides, sides, st.integers(min_value=2, max_value=64))
def test_scale_scales_everything(before: list[float], after: list[float], by: int) -> None:
    plain = shift(before, after)
    scaled = shift([value * by for value in before], [value * by for value in after])
    assert plain is not None
    assert scaled is not None
    names = ["ms", "low_ms", "high_ms"]
    if (plain.ms < 0) == (scaled.ms < 0):  # a move that rounds to zero may show its direction once scaled
        names.append("resolves_ms")
    for name in names:
        assert getattr(scaled, name) == pytest.approx(getattr(plain, name) * by, abs=0.0051 * (by + 1))


@settings(max_examples=300, deadline=None)
@given(sides, sides, st.integers(min_value=-20_000, max_value=20_000))
def test_holds_exactly_when_the_medians_moved_further_than_resolves(
    before: list[float], after: list[float], by: int
) -> None:
    after = [value + by for value in after]
    estimate = shift(before, after)
    assert estimate is not None
    moved = plain_median(after) - plain_median(before)
    assume((moved < 0) == (estimate.ms < 0))  # else the resolution is that of the other direction
    assume(abs(abs(moved) - estimate.resolves_ms) > 0.011)  # the figures are rounded
    assert estimate.holds == (abs(moved) > estimate.resolves_ms)


@settings(deadline=None)
@given(st.lists(hundredths, min_size=1, max_size=30))
def test_median(values: list[float]) -> None:
    assert median(np.array(values)) == plain_median(values)


def test_order_of_runs_does_not_matter() -> None:
    before, after = [3.0, 1.0, 2.0, 9.0, 5.0], [4.0, 8.0, 6.0, 7.0, 12.0]
    assert shift(before, after) == shift(before[::-1], after[::-1])
