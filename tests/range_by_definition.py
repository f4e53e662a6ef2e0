"""One row's own range once more, pair by pair in plain Python, from its definition alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from statistics import median

Row = Sequence[float]


@cache
def orderings(n: int, m: int, u: int) -> int:
    """Orderings of n and m runs with exactly u inversions: the last one is of either side."""
    if u < 0:
        return 0
    if n == 0 or m == 0:
        return int(u == 0)
    return orderings(n - 1, m, u - m) + orderings(n, m - 1, u)


def trimmed(n: int, m: int) -> int | None:
    """Largest u with P(U <= u) <= 2.5 %."""
    best, below = None, 0
    for u in range(n * m + 1):
        below += orderings(n, m, u)
        if below * 40 > math.comb(n + m, n):
            return best
        best = u
    return best


def cents(value: float) -> float:
    return round(value, 2) + 0.0


def own_range(old: Row, new: Row) -> tuple[float, float, float, float, int | None] | None:
    k = trimmed(len(old), len(new))
    if k is None:
        return None
    pairs = sorted(b - a for a in old for b in new)
    strays = sorted((b - median(new)) - (a - median(old)) for a in old for b in new)
    ms, low, high = cents(median(pairs)), cents(pairs[k]), cents(pairs[-1 - k])
    resolves = cents(max(strays[-1 - k] if ms < 0 else -strays[k], 0.0))
    needed = None
    if not (low > 0 or high < 0) and ms != 0 and resolves > abs(ms):
        runs = 2 * len(old) * len(new) / (len(old) + len(new))
        needed = max(math.floor(runs) + 1, math.ceil(runs * (resolves / abs(ms)) ** 2))
    return ms, low, high, resolves, needed
