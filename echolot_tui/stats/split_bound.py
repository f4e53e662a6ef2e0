"""The chance of a winning split this extreme, bounded over every split there is."""

from __future__ import annotations

from echolot_tui.stats.rank_sum import RankSums


def bound_over_splits(sums: RankSums, p: float, *, least_side: int) -> float:
    """Bonferroni over all splits with two full sides, each with the level it can attain (Tarone 1990).

    A side of ``k`` points is a prefix or a suffix, so every size counts twice, the balanced split of an even
    length once. A size at which no rank sum is as extreme as ``p`` costs nothing.
    """
    total = 0.0
    for size in range(least_side, sums.n // 2 + 1):
        total += (1 if 2 * size == sums.n else 2) * sums.mass(size, p)
        if total >= 1:
            return 1.0
    return total
