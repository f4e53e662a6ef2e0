"""A one-way trend in a series: Kendall's S against position, and the robust line through the points.

Mann 1945, Kendall 1975; slope and intercept after Theil 1950 and Sen 1968.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist
from typing import Final

import numpy as np

from echolot_tui.stats.counting import place_among
from echolot_tui.stats.ranks import Floats

EXACT_TO: Final = 50
"""Longest series whose S is judged by its exact distribution over all orders, ties included."""

_LEAST_P: Final = 1e-15


def kendall_score(values: Floats) -> int:
    """S: pairs that rise less pairs that fall."""
    later = np.sign(values[None, :] - values[:, None])
    return int(np.triu(later, 1).sum())


def trend_p(values: Floats) -> float:
    """Two-sided p of a trend over position; 1 below three points or when all are equal."""
    groups = np.unique(values, return_counts=True)[1]
    if len(values) < 3 or len(groups) == 1:
        return 1.0
    return kendall_p(abs(kendall_score(values)), tuple(sorted(groups.tolist())))


def kendall_p(score: int, sizes: tuple[int, ...]) -> float:
    """Two-sided p of an S this far from 0, when ``sizes`` points share each value; at least 1e-15."""
    exact = sum(sizes) <= EXACT_TO
    return max(_LEAST_P, _exact_tail(sizes)[score] if exact else normal_p(score, sizes))


def score_variance(sizes: tuple[int, ...]) -> float:
    """Variance of S over all orders."""
    n = sum(sizes)
    ties = sum(size * (size - 1) * (2 * size + 5) for size in sizes)
    return (n * (n - 1) * (2 * n + 5) - ties) / 18


def robust_line(values: Floats) -> tuple[float, float]:
    """Slope per position and intercept: the median of all pairwise slopes, and of what it leaves."""
    at = np.arange(len(values), dtype=np.float64)
    early, late = np.triu_indices(len(values), 1)
    slope = float(np.median((values[late] - values[early]) / (late - early)))
    return slope, float(np.median(values - slope * at))


def normal_p(score: int, sizes: tuple[int, ...]) -> float:
    """The normal form, corrected for ties and for S moving in steps of two."""
    spread = math.sqrt(score_variance(sizes))
    return min(1.0, 2 * NormalDist().cdf((1 - score) / spread)) if score else 1.0


@lru_cache(maxsize=512)
def _exact_tail(sizes: tuple[int, ...]) -> dict[int, float]:
    """The p of every attainable |S|, from the number of orders with each count of falls."""
    n = sum(sizes)
    unequal = math.comb(n, 2) - sum(math.comb(size, 2) for size in sizes)
    orders, placed = [1] + [0] * unequal, 0
    for size in sizes:
        place_among(orders, placed, size)
        placed += size
    whole, tail = sum(orders), {}
    as_clear = 0
    for falls in range(unequal // 2 + 1):
        score = unequal - 2 * falls
        as_clear += orders[falls] + (orders[unequal - falls] if score else 0)
        tail[score] = as_clear / whole
    return tail
