"""What chance does to unchanged series: never more often than the level says."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

from echolot_tui.history import policy
from echolot_tui.history.chance import chance_of, split_p
from echolot_tui.history.detect import detect
from echolot_tui.history.levels import Levels
from echolot_tui.history.serial import serial_dependence
from echolot_tui.stats.rank_sum import sums_of
from echolot_tui.stats.ranks import Floats, doubled_ranks, locate
from echolot_tui.stats.split_bound import bound_over_splits

Draw = Callable[[np.random.Generator, int], Floats]

NOISES: dict[str, Draw] = {
    "normal": lambda rng, n: rng.normal(100, 2.5, n),
    "tied": lambda rng, n: rng.integers(0, 4, n).astype(float),
    "skewed": lambda rng, n: np.exp(rng.normal(0, 0.5, n)),
    "two modes": lambda rng, n: np.where(rng.uniform(size=n) < 0.2, 130.0, 100.0) + rng.normal(0, 1, n),
}
LEVELS = (0.01, 0.025, 0.05)
SERIES = 10_000


def levels_of_unchanged(draw: Draw, n: int, level: Callable[[Floats], float], series: int = SERIES) -> Floats:
    rng = np.random.default_rng(42)
    return np.array([level(draw(rng, n)) for _ in range(series)])


def assert_super_uniform(found: Floats) -> None:
    for level in LEVELS:
        assert (found <= level).mean() <= level + 3 * math.sqrt(level * (1 - level) / len(found))


def corrected(values: Floats) -> float:
    ranks = doubled_ranks(values)
    at = locate(ranks)
    if min(at, len(values) - at) < 5:
        return 1.0
    return chance_of(ranks, at, accept=0.0, reject=0.06).level


def bounded(values: Floats) -> float:
    ranks = doubled_ranks(values)
    at = locate(ranks)
    if min(at, len(values) - at) < 5:
        return 1.0
    sums = sums_of(ranks)
    p = split_p(ranks, at, sums)
    return bound_over_splits(sums, p, least_side=5) if p <= max(LEVELS) else 1.0


@pytest.mark.slow
@pytest.mark.parametrize("noise", NOISES)
def test_the_exact_chance_is_super_uniform(noise: str) -> None:
    assert_super_uniform(levels_of_unchanged(NOISES[noise], 12, corrected))


@pytest.mark.slow
@pytest.mark.parametrize("noise", ["normal", "skewed", "two modes"])
def test_the_bound_is_super_uniform(noise: str) -> None:
    assert_super_uniform(levels_of_unchanged(NOISES[noise], 40, bounded))


@pytest.mark.slow
@pytest.mark.parametrize("noise", NOISES)
def test_the_exact_chance_is_super_uniform_at_an_odd_length(noise: str) -> None:
    assert_super_uniform(levels_of_unchanged(NOISES[noise], 17, corrected))


@pytest.mark.slow
@pytest.mark.parametrize("noise", NOISES)
def test_the_weighted_chance_of_longer_series_is_super_uniform(noise: str) -> None:
    """Bound and rearrangements together; fewer series, each may cost a whole group."""
    assert_super_uniform(levels_of_unchanged(NOISES[noise], 24, corrected, series=2_000))


def test_the_uncorrected_chance_would_not_be() -> None:
    """What the correction is for: the chosen split's own p is far too small."""

    def plain(values: Floats) -> float:
        ranks = doubled_ranks(values)
        at = locate(ranks)
        return split_p(ranks, at, sums_of(ranks))

    assert (levels_of_unchanged(NOISES["normal"], 20, plain) <= 0.05).mean() > 0.15


def test_rises_and_falls_are_symmetric() -> None:
    """Before the direction filter."""
    rng = np.random.default_rng(9)
    found = [detect(Levels.of(rng.normal(100, 2.5, 14)), 0.0, 1).candidate for _ in range(8_000)]
    rises = sum(each is not None and each.delta > 0 for each in found)
    falls = sum(each is not None and each.delta < 0 for each in found)
    assert rises + falls > 50
    assert abs(rises - falls) <= 3 * math.sqrt(rises + falls)


@pytest.mark.parametrize("n", range(10, 60))
def test_a_perfect_step_is_reported_alone_at_every_length(n: int) -> None:
    values = [100 + at / 1000 for at in range(n // 2)] + [130 + at / 1000 for at in range(n - n // 2)]
    candidate = detect(Levels.of(values), 0.0, 1).candidate
    assert candidate is not None
    assert candidate.method == "step"


def test_the_reach_of_a_perfect_step_grows_with_the_series() -> None:
    """The largest family that reports it; the bound's weight shows only where the exact null hands over."""

    def reach(n: int) -> float:
        values = [100 + at / 1000 for at in range(n // 2)] + [130 + at / 1000 for at in range(n - n // 2)]
        candidate = detect(Levels.of(values), 0.0, 10**9 if n < 19 else 1).candidate
        return 0.0 if candidate is None else min(0.10 / candidate.chance, 1e12)

    reaches = {n: reach(n) for n in range(10, 61)}
    assert {n: int(reaches[n]) for n in (10, 12, 14, 16, 18, 20)} == {
        10: 6,
        12: 23,
        14: 85,
        16: 321,
        18: 1_215,
        20: 4_618,
    }
    by_bound = {at: reaches[at] for at in (21, 22, 24, 26, 28, 30)}
    assert by_bound == pytest.approx(
        {21: 3_695, 22: 14_100, 24: 54_000, 26: 208_000, 28: 802_000, 30: 3.1e6}, rel=0.005
    )
    lengths = sorted(reaches)
    for before, after in pairwise(lengths):
        weight = policy.BOUND_WEIGHT if before == 20 else 1.0
        assert reaches[after] >= weight * reaches[before] * (1 - 1e-9)


def ar1(rng: np.random.Generator, n: int, phi: float) -> Floats:
    noise = rng.normal(size=n)
    values = np.empty(n)
    values[0] = noise[0]
    for at in range(1, n):
        values[at] = phi * values[at - 1] + noise[at] * math.sqrt(1 - phi**2)
    return 100 * (1 + 0.025 * values)


def test_dependent_noise_is_marked_and_independent_noise_is_not() -> None:
    rng = np.random.default_rng(12)
    marks = {0.0: [0, 0], 0.7: [0, 0]}
    for phi, count in marks.items():
        for _ in range(400):
            values = ar1(rng, 30, phi)
            candidate = detect(Levels.of(values), 0.0, 1).candidate
            if candidate is not None:
                count[0] += 1
                count[1] += candidate.serial.dependent
    found, marked = marks[0.7]
    assert found > 50
    assert marked > found / 5
    assert marks[0.0][1] <= 2
    step = np.concatenate([np.full(15, 100.0), np.full(15, 130.0)]) + rng.normal(0, 2, 30)
    candidate = detect(Levels.of(step), 0.0, 1).candidate
    assert candidate is not None
    assert not candidate.serial.dependent


def test_alternating_residuals_are_no_reason_for_a_note() -> None:
    serial = serial_dependence(np.array([1.0, -1.0] * 20), 1e-4, 1e-3)
    assert serial.lag1 < -0.9
    assert not serial.dependent
