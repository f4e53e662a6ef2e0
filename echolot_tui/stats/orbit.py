"""A fixed group of rearrangements, gone through completely: an exact randomisation test, no sampling.

With no change, the order of a series is exchangeable over any group that holds the identity, so the share of
members whose winning split is at least as extreme is a valid p (Hoeffding 1952; Lehmann and Romano 2005,
ch. 15). The group depends only on the length: symmetric groups act on the digits of a mixed-radix grid
whose cells are spread evenly over the series.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import permutations, product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from echolot_tui.stats.rank_sum import SLACK, RankSums
from echolot_tui.stats.ranks import Ints

BUDGET: Final = 259_200
"""Most members of a group."""

_FIRST: Final = 2_000
_CELLS: Final = 2_000_000
"""Ranks looked at in one go."""

_GOLDEN: Final = 0x9E3779B97F4A7C15
_MASK: Final = 2**64 - 1


def orbit_share(ranks: Ints, p: float, sums: RankSums, *, least_side: int, enough: float) -> float:
    """Share of the group whose winning split has a rank-test p at most ``p``.

    Args:
        ranks: Doubled mid-ranks in time order.
        p: Of the observed winning split.
        sums: The distribution of these ranks.
        least_side: A winner with a shorter side is no evidence, but stays in the denominator.
        enough: Going on stops once this share is reached; the share so far is returned.
    """
    group = members(len(ranks))
    found, start, size = 0, 0, _FIRST
    while start < len(group):
        found += _as_extreme(ranks, group[start : start + size], p, sums, least_side)
        if found / len(group) >= enough:
            break
        start, size = start + size, max(_CELLS // len(ranks), 1)
    return found / len(group)


def _as_extreme(ranks: Ints, group: NDArray[np.int16], p: float, sums: RankSums, least_side: int) -> int:
    n = len(ranks)
    moved = moved_positions(n)
    rows = np.tile(ranks.astype(np.int32), (len(group), 1))
    rows[:, moved] = ranks[moved].astype(np.int32)[group]
    prefix = np.cumsum(rows[:, :-1], axis=1)
    splits = np.arange(1, n, dtype=np.int32)
    at = np.argmax(np.abs(prefix - splits * (n + 1)), axis=1)
    total = prefix[np.arange(len(rows)), at].astype(np.int64)
    first = at + 1
    sizes = np.minimum(first, n - first)
    total = np.where(first <= n - first, total, n * (n + 1) - total)
    bar = p * (1 + SLACK)
    return sum(
        int(np.count_nonzero(sums.p_of(size, total[sizes == size]) <= bar))
        for size in np.unique(sizes[sizes >= least_side]).tolist()
    )


@lru_cache(maxsize=4)
def members(n: int) -> NDArray[np.int16]:
    """Every member of the group: which moved position each moved position's value comes from."""
    factors = grid(n)
    parts = [list(permutations(range(factor))) for factor in factors]
    cells = np.arange(math.prod(factors))
    digits = np.unravel_index(cells, factors)
    group = np.zeros((math.prod(map(len, parts)), len(cells)), dtype=np.int16)
    for row, chosen in enumerate(product(*map(range, map(len, parts)))):
        images = [np.asarray(parts[at][pick])[digits[at]] for at, pick in enumerate(chosen)]
        group[row] = np.ravel_multi_index(images, factors)
    return group


@lru_cache(maxsize=64)
def moved_positions(n: int) -> Ints:
    """Position of each grid cell in the series: spread evenly, in a scrambled order.

    Without the scrambling the group would line up with contiguous stretches of the series.
    """
    cells = math.prod(grid(n))
    order = sorted(range(cells), key=_scrambled)
    positions = np.empty(cells, dtype=np.int64)
    positions[order] = np.arange(cells) * n // cells
    return positions


@lru_cache(maxsize=64)
def grid(n: int) -> tuple[int, ...]:
    """Factors of the grid: largest group within the budget, then most positions moved, of at most ``n``."""
    best: tuple[int, int, tuple[int, ...]] = (1, 1, (1,))

    def extend(factors: tuple[int, ...], order: int, cells: int, most: int) -> None:
        nonlocal best
        if factors:
            best = max(best, (order, cells, factors))
        for factor in range(2, most + 1):
            if cells * factor <= n and order * math.factorial(factor) <= BUDGET:
                extend((*factors, factor), order * math.factorial(factor), cells * factor, factor)

    extend((), 1, 1, n)
    return best[2]


def _scrambled(cell: int) -> int:
    """SplitMix64's finaliser (Steele, Lea and Flood 2014)."""
    mixed = (cell + 1) * _GOLDEN & _MASK
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB & _MASK
    return mixed ^ (mixed >> 31)
