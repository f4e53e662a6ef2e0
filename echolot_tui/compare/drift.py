"""Whether a set drifted while it was recorded: a trend of one number over run order.

Kendall's S against run order (Mann, 1945). Its exact distribution, ties included, follows from the
inversions of a multiset, whose generating function is a Gaussian multinomial coefficient.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from statistics import NormalDist, median
from typing import Final

from echolot_tui.frozen import Frozen
from echolot_tui.units import round2

_EXACT_RUNS: Final = 40
"""Above this many runs the distribution of S is taken as normal."""


class Trend(Frozen, frozen=True, kw_only=True):
    """How a number went over run order."""

    total: float
    """From the first run to the last along the middle slope, in the number's own unit, 2 decimals."""
    p: float
    """Chance that runs in random order show a trend as clear, either way."""


def trend(values: Sequence[float | None]) -> Trend | None:
    """Trend over run order.

    Args:
        values: One per run, in the order they were recorded; runs without a value keep their place.

    Returns:
        Slope (Theil and Sen) times the way from first to last run, and the two-sided p; None below
        three values, or when all are equal.
    """
    points = [(at, value) for at, value in enumerate(values) if value is not None]
    if len(points) < 3 or len({value for _, value in points}) == 1:
        return None
    pairs = list(combinations(points, 2))
    score = sum((later > earlier) - (later < earlier) for (_, earlier), (_, later) in pairs)
    slopes = [(later - earlier) / (then - first) for (first, earlier), (then, later) in pairs]
    sizes = tuple(Counter(value for _, value in points).values())
    way = points[-1][0] - points[0][0]
    return Trend(total=round2(median(slopes) * way), p=_p_value(abs(score), sizes))


def _p_value(score: int, sizes: tuple[int, ...]) -> float:
    """Two-sided p of ``|S| >= score`` when ``sizes`` runs share each distinct value."""
    runs = sum(sizes)
    pairs = math.comb(runs, 2) - sum(math.comb(size, 2) for size in sizes)
    if runs > _EXACT_RUNS:
        ties = sum(size * (size - 1) * (2 * size + 5) for size in sizes)
        spread = math.sqrt((runs * (runs - 1) * (2 * runs + 5) - ties) / 18)
        return min(1.0, 2 * NormalDist().cdf(-(score - 1) / spread)) if score else 1.0
    orders = _orders_by_inversions(sizes)
    extreme = sum(count for inversions, count in enumerate(orders) if abs(pairs - 2 * inversions) >= score)
    return extreme / sum(orders)


def _orders_by_inversions(sizes: tuple[int, ...]) -> list[int]:
    """How many distinct orders have 0, 1, 2 … inversions: the Gaussian multinomial's coefficients."""
    orders, placed = [1], 0
    for size in sizes:
        placed += size
        for factor in range(1, size + 1):
            orders = _divide(_multiply(orders, placed - size + factor), factor)
    return orders


def _multiply(polynomial: list[int], power: int) -> list[int]:
    """Times ``1 - q^power``."""
    product = polynomial + [0] * power
    for at, coefficient in enumerate(polynomial):
        product[at + power] -= coefficient
    return product


def _divide(polynomial: list[int], power: int) -> list[int]:
    """By ``1 - q^power``, which leaves no rest."""
    quotient = polynomial[: len(polynomial) - power]
    for at in range(power, len(quotient)):
        quotient[at] += quotient[at - power]
    return quotient
