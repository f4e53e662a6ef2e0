"""The chance of a winning split this extreme, bounded over every split there is.

Bonferroni with the level each split can attain (Tarone 1990), less what neighbouring splits have in common
(Hunter 1976, Worsley 1982): when the first k points are extreme, the first k+1 often are as well.
"""

from __future__ import annotations

import numpy as np

from echolot_tui.stats.rank_sum import RankSums, Tail
from echolot_tui.stats.ranks import Ints


def bound_over_splits(sums: RankSums, p: float, *, least_side: int) -> float:
    """Upper bound of the chance that any split with two full sides has a rank-test p at most ``p``.

    A side of k points is a prefix or a suffix, so every size counts twice, the balanced split of an even
    length once. A size at which no rank sum is as extreme costs nothing.
    """
    most = sums.n // 2
    total = sum((1 if 2 * size == sums.n else 2) * sums.mass(size, p) for size in range(least_side, most + 1))
    if p >= 1 or not sums.counted(most):
        return min(total, 1.0)
    tails = {size: sums.tails(size, p) for size in range(least_side, most + 1)}
    shared = 2 * sum(
        _prefixes(sums.ranks, tails[size], tails[size + 1], size) for size in range(least_side, most)
    )
    if sums.n % 2:
        shared += _middle(sums.ranks, tails[most], most)
    return min(total - shared, 1.0)


def _prefixes(ranks: Ints, here: tuple[Tail, Tail], following: tuple[Tail, Tail], size: int) -> float:
    """Least chance that the first ``size`` points and the first ``size + 1`` are both low, or both high."""
    return sum(
        _both(ranks, tail, int(after.totals[-1]) - tail.totals, size, low=low)
        for low, tail, after in zip((True, False), here, following, strict=True)
        if len(tail.totals) and len(after.totals)
    )


def _middle(ranks: Ints, tails: tuple[Tail, Tail], size: int) -> float:
    """The same for the middle splits of an odd length: the first ``size`` low and the last ``size`` high."""
    low, high = tails
    if not len(low.totals) or not len(high.totals):
        return 0.0
    whole = int(ranks.sum())
    return sum(
        _both(ranks, tail, whole - int(other.totals[-1]) - tail.totals, size, low=is_low)
        for is_low, tail, other in ((True, low, high), (False, high, low))
    )


def _both(ranks: Ints, tail: Tail, limits: Ints, size: int, *, low: bool) -> float:
    """Chance of a tail's sums, each times the least chance that the next point's rank keeps to its limit.

    At most ``size`` of the ranks within the limit are already taken, so at least the others are still to
    come.
    """
    if low:
        within = np.searchsorted(ranks, limits, side="right")
    else:
        within = len(ranks) - np.searchsorted(ranks, limits, side="left")
    share = np.clip(within - size, 0, len(ranks) - size) / (len(ranks) - size)
    return float(np.diff(tail.chances, prepend=0.0) @ share)
