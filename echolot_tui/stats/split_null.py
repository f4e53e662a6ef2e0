"""How often chance alone gives a winning split at least this extreme: exactly, over every ordering of a series.

The scan and the rank test see a prefix only through its size and rank sum, so an ordering is a path through
multisets of ranks: how many points of each tied group are already placed. For a winning split with |U| = c the
prefix must have stayed strictly below c before it and the rest must never exceed c after it (the first maximum
wins). Both shares follow one recurrence, since |U| of the points still to come equals |U| of those placed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from echolot_tui.stats.rank_sum import SLACK, RankSums, sums_of, untied_sums
from echolot_tui.stats.ranks import Floats, Ints

MOST_STATES: Final = 2**20
"""Multisets of ranks looked at: every ordering of 20 different values, or of many more tied ones."""

_ROWS: Final = 4096
"""Rows of a layer worked on at once, so that they stay in the processor's cache."""

_COLUMNS: Final = 24
"""Heights of |U| worked on at once."""

_TABLE_UP_TO: Final = 0.05
"""Largest p the shared table of untied series is asked for: nothing at or above it is ever a candidate."""


@dataclass(frozen=True, slots=True)
class _Layer:
    """Every multiset of one size."""

    height: Ints
    """|U|, doubled."""
    chance: Floats
    """That the first points of a random ordering are this multiset."""
    parents: NDArray[np.int32]
    """Row in the layer before, one column a group that can have come last; 0 where there is none."""
    weights: Floats
    """Chance that it did; 0 where there is none."""
    complement: NDArray[np.int32]
    """Row of the remaining points in the layer of their number."""
    p: Floats
    """Rank-test p of a split here; 1 where a side is too short."""


def tractable(ranks: Ints) -> bool:
    """Whether the exact null is computed for these ranks: at most 2^20 multisets."""
    _, groups = np.unique(ranks, return_counts=True)
    states = 1
    for size in groups.tolist():
        states *= size + 1
    return states <= MOST_STATES


def exact_chance(ranks: Ints, p: float, *, least_side: int, enough: float) -> float:
    """Share of all orderings whose winning split has a rank-test p at most ``p``.

    A winner that leaves fewer than ``least_side`` points on a side counts as no evidence.

    Args:
        ranks: Doubled mid-ranks, :func:`tractable`.
        p: Of the observed winning split.
        least_side: Fewest points of a side.
        enough: The result may stop growing once it has reached this level.
    """
    n = len(ranks)
    if len(np.unique(ranks)) == n and p < _TABLE_UP_TO:
        levels, chances = _untied_table(n, least_side)
        at = int(np.searchsorted(levels, p * (1 + SLACK), side="right"))
        return float(chances[at - 1]) if at else 0.0
    return float(sum_until(_masses(_layers(ranks, sums_of(ranks), least_side), p * (1 + SLACK)), enough))


def sum_until(parts: object, enough: float) -> float:
    """Add up until ``enough`` is reached."""
    total = 0.0
    for _, mass in parts:  # type: ignore[attr-defined]
        total += mass
        if total >= enough:
            break
    return total
