"""Whether a set drifted while it was recorded: a trend of one number over run order.

Kendall's S against run order (Mann 1945), with the slope of Theil and Sen. Few runs get the exact
distribution of S over all orders of these values, ties included; many the normal one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from statistics import NormalDist, median
from typing import Final

from echolot_tui.frozen import Frozen
from echolot_tui.stats.counting import place_among
from echolot_tui.units import round2

_MOST_EXACT: Final = 50


class Trend(Frozen, frozen=True, kw_only=True):
    """How a number went over run order."""

    total: float
    """From the first run to the last along the middle slope, in the number's own unit, 2 decimals."""
    p: float
    """Chance that the same runs in random order show a trend as clear, up or down."""


def trend(values: Sequence[float | None]) -> Trend | None:
    """Trend over run order.

    Args:
        values: One per run in the order they were recorded; a run without a value keeps its place.

    Returns:
        None below three values, or when all are equal.
    """
    points = [(at, value) for at, value in enumerate(values) if value is not None]
    groups = Counter(value for _, value in points)
    if len(points) < 3 or len(groups) == 1:
        return None
    pairs = list(combinations(points, 2))
    score = sum((late > early) - (late < early) for (_, early), (_, late) in pairs)
    slope = median((late - early) / (then - first) for (first, early), (then, late) in pairs)
    total = slope * (points[-1][0] - points[0][0])
    return Trend(total=round2(total), p=_p_value(abs(score), list(groups.values())))


def _p_value(score: int, sizes: Sequence[int]) -> float:
    """Two-sided p of a score this far from 0, when ``sizes`` runs share each value."""
    runs = sum(sizes)
    if runs > _MOST_EXACT:
        return _normal_p(score, runs, sizes)
    unequal = math.comb(runs, 2) - sum(math.comb(size, 2) for size in sizes)
    orders, placed = [1] + [0] * unequal, 0
    for size in sizes:
        place_among(orders, placed, size)
        placed += size
    as_clear = sum(count for falls, count in enumerate(orders) if abs(unequal - 2 * falls) >= score)
    return as_clear / sum(orders)


def _normal_p(score: int, runs: int, sizes: Sequence[int]) -> float:
    """The normal distribution's p, corrected for ties and for S moving in steps of two."""
    ties = sum(size * (size - 1) * (2 * size + 5) for size in sizes)
    spread = math.sqrt((runs * (runs - 1) * (2 * runs + 5) - ties) / 18)
    return min(1.0, 2 * NormalDist().cdf((1 - score) / spread))
