"""Ranks of a series, where its level most likely changed, and how cleanly the two sides part.

Doubled mid-ranks keep every sum whole: of equal values at sorted positions a+1..b each gets (a+1)+b.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def doubled_ranks(values: Floats) -> Ints:
    """Twice the mid-rank of every value."""
    ordered = np.sort(values)
    first = np.searchsorted(ordered, values, side="left")
    last = np.searchsorted(ordered, values, side="right")
    return (first + 1 + last).astype(np.int64)


def split_statistic(ranks: Ints) -> Ints:
    """Pettitt's U(t) for t = 1..n-1, doubled: rank sum of the first t points less its expectation.

    Pettitt 1979, Applied Statistics 28.
    """
    n = len(ranks)
    return np.cumsum(ranks[:-1]) - np.arange(1, n, dtype=np.int64) * (n + 1)


def locate(ranks: Ints) -> int:
    """Points before the most likely change: the first t with the largest |U(t)|; needs two points."""
    return int(np.argmax(np.abs(split_statistic(ranks)))) + 1


def superiority(before: Floats, after: Floats) -> float:
    """Share of pairs in which the later value is larger, ties one half (McGraw and Wong 1992)."""
    ordered = np.sort(before)
    below = np.searchsorted(ordered, after, side="left")
    up_to = np.searchsorted(ordered, after, side="right")
    return float((below + up_to).sum()) / (2 * len(before) * len(after))
