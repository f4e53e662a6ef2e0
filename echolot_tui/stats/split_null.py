"""How often chance alone gives a winning split this extreme: exactly, over every ordering of a series.

The scan and the rank test see a prefix only through its size and rank sum, so an ordering is a path through
multisets of ranks: how many points of each tied group are already placed. For a winning split with |U| = c
the prefix must have stayed strictly below c before it, and the rest must never exceed c after it (the first
maximum wins). Both shares follow one recurrence, since |U| of the points still to come equals |U| of those
placed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from echolot_tui.stats.rank_sum import SLACK, RankSums, sums_of
from echolot_tui.stats.ranks import Floats, Ints

MOST_STATES: Final = 2**20
"""Multisets of ranks looked at: all orderings of 20 different values, or of many more tied ones."""

_ROWS: Final = 4096
"""Multisets worked on at once, so that they stay in the processor's cache."""

_CELLS: Final = 6_000_000
"""Shares of one layer worked on at once: its rows times two bars a height."""

_TABLE_UP_TO: Final = 0.025
"""Largest p the shared table of untied series answers; larger ones are hardly ever asked about."""


def tractable(ranks: Ints) -> bool:
    """Whether the exact null is computed for these ranks: at most 2^20 multisets."""
    _, groups = np.unique(ranks, return_counts=True)
    states = 1
    for size in groups.tolist():
        states *= size + 1
    return bool(states <= MOST_STATES)


def exact_chance(ranks: Ints, p: float, *, least_side: int, enough: float = 1.0) -> float:
    """Share of all orderings whose winning split has a rank-test p at most ``p``.

    A winner that leaves fewer than ``least_side`` points on a side counts as no evidence.

    Args:
        ranks: Doubled mid-ranks, :func:`tractable`.
        p: Of the observed winning split.
        least_side: Fewest points of a side.
        enough: Counting stops once the share has reached this; any larger share is as good.
    """
    n = len(ranks)
    if p < _TABLE_UP_TO and len(np.unique(ranks)) == n:
        levels, shares = _untied_table(n, least_side)
        at = int(np.searchsorted(levels, p * (1 + SLACK), side="right"))
        return float(shares[at - 1]) if at else 0.0
    total = 0.0
    for _, mass in _rejecting(ranks, sums_of(ranks), least_side, p * (1 + SLACK)):
        total += float(mass.sum())
        if total >= enough:
            break
    return min(total, 1.0)


@lru_cache(maxsize=64)
def _untied_table(n: int, least_side: int) -> tuple[Floats, Floats]:
    """Attainable p-values of winning splits of ``n`` different values, and the share at or below each."""
    ranks = 2 * np.arange(1, n + 1, dtype=np.int64)
    parts = list(_rejecting(ranks, sums_of(ranks), least_side, _TABLE_UP_TO))
    if not parts:
        return np.zeros(0), np.zeros(0)
    levels, masses = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(levels, kind="stable")
    return levels[order], np.cumsum(masses[order])


@dataclass(frozen=True, slots=True)
class _Layer:
    """The multisets of one size that matter: splits that reject, and what an ordering passes before them."""

    height: Ints
    """|U|, doubled."""
    parents: NDArray[np.int32]
    """Row in the layer before, a column for each group that can have come last; 0 where there is none."""
    weights: Floats
    """Chance that it did, 0 where there is none; one number where it is the same everywhere."""
    rows: NDArray[np.int32]
    """Rows whose split has a p at most the bar."""
    p: Floats
    """Theirs."""
    chance: Floats
    """Of those rows: that the first points of a random ordering are this multiset."""
    rest: NDArray[np.int32]
    """Of those rows: the remaining points' row in the layer of their number."""


def _rejecting(ranks: Ints, sums: RankSums, least_side: int, bar: float) -> Iterator[tuple[Floats, Floats]]:
    """The p-values of winning splits at most ``bar`` with their chances, highest |U| first."""
    layers = _States(ranks).layers(sums, least_side, bar)
    heights = np.unique(np.concatenate([layer.height[layer.rows] for layer in layers]))[::-1]
    many = max(_CELLS // (2 * max(1, *(len(layer.height) for layer in layers))), 1)
    for start in range(0, len(heights), many):
        yield _masses(layers, heights[start : start + many], len(ranks))


def _masses(layers: list[_Layer], heights: Ints, n: int) -> tuple[Floats, Floats]:
    """The p and chance of every winning split whose |U| is one of ``heights``."""
    bars = np.unique(np.concatenate([heights, heights + 1]))
    chosen = [np.flatnonzero(np.isin(layer.height[layer.rows], heights)) for layer in layers]
    before: dict[int, Floats] = {}
    after: dict[int, Floats] = {}
    below = np.ones((1, len(bars)))
    for size in range(1, len(layers)):
        layer = layers[size]
        reached = _reached(layer, below)
        here = layer.rows[chosen[size]]
        before[size] = reached[here, np.searchsorted(bars, layer.height[here])]
        below = reached
        below *= layer.height[:, None] < bars
        if n - size < len(layers):
            other = layers[n - size]
            picked = chosen[n - size]
            column = np.searchsorted(bars, other.height[other.rows[picked]] + 1)
            after[n - size] = below[other.rest[picked], column]
    sizes = [size for size in before if size in after]
    p = [layers[size].p[chosen[size]] for size in sizes]
    mass = [layers[size].chance[chosen[size]] * before[size] * after[size] for size in sizes]
    return np.concatenate(p), np.concatenate(mass)


def _reached(layer: _Layer, below: Floats) -> Floats:
    """Share of orderings of each multiset whose every shorter prefix stays below each bar."""
    shares = np.zeros((len(layer.height), below.shape[1]))
    same = layer.weights.size == 1
    for start in range(0, len(shares), _ROWS):
        part = shares[start : start + _ROWS]
        parents = layer.parents[start : start + _ROWS]
        for at in range(parents.shape[1]):
            came = below[parents[:, at]]
            if not same:
                came *= layer.weights[start : start + _ROWS, at, None]
            part += came
        if same:
            part *= layer.weights
    return shares


class _States:
    """Every multiset of the ranks, numbered in mixed radix: how many points of each tied group it holds."""

    def __init__(self, ranks: Ints) -> None:
        values, self._groups = np.unique(ranks, return_counts=True)
        self._n = len(ranks)
        self._strides = np.concatenate([[1], np.cumprod(self._groups[:-1] + 1)])
        totals, sizes = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int16)
        for value, many in zip(values.tolist(), self._groups.tolist(), strict=True):
            placed = np.arange(many + 1)[:, None]
            totals = (totals + placed * value).ravel()
            sizes = (sizes + placed.astype(np.int16)).ravel()
        self._totals = totals
        order = np.argsort(sizes, kind="stable")
        self._by_size = np.split(order, np.searchsorted(sizes[order], np.arange(1, self._n + 1)))
        self._last = len(totals) - 1

    def layers(self, sums: RankSums, least_side: int, bar: float) -> list[_Layer]:
        """What matters for splits with a p at most ``bar``, as long as a full side is left."""
        splits = [self._splits(size, sums, least_side, bar) for size in range(self._n - least_side + 1)]
        needed = self._needed([numbers for numbers, _ in splits])
        row_of = np.zeros(self._last + 1, dtype=np.int32)
        for numbers in needed:
            row_of[numbers] = np.arange(len(numbers))
        return [
            self._layer(size, numbers, *splits[size], row_of=row_of) for size, numbers in enumerate(needed)
        ]

    def _splits(self, size: int, sums: RankSums, least_side: int, bar: float) -> tuple[Ints, Floats]:
        """Multisets of one size that reject, with their p."""
        if min(size, self._n - size) < least_side:
            return np.zeros(0, dtype=np.int64), np.zeros(0)
        numbers = self._by_size[size]
        totals = self._totals[numbers]
        if 2 * size <= self._n:
            p = sums.p_of(size, totals)
        else:
            p = sums.p_of(self._n - size, self._n * (self._n + 1) - totals)
        kept = p <= bar
        return numbers[kept], p[kept]

    def _needed(self, splits: list[Ints]) -> list[Ints]:
        """Of each size: the splits, what is left after them, and what orderings of either go through."""
        marked = np.zeros(self._last + 1, dtype=bool)
        for numbers in splits:
            marked[numbers] = True
            marked[self._last - numbers] = True
        needed = []
        for size in range(len(splits) - 1, -1, -1):
            here = self._by_size[size]
            here = here[marked[here]]
            needed.append(here)
            for stride, placed in self._placed(here):
                marked[here[placed > 0] - stride] = True
        return needed[::-1]

    def _placed(self, numbers: Ints) -> Iterator[tuple[int, Ints]]:
        """How many points of each group the multisets hold, with the group's stride."""
        for stride, many in zip(self._strides.tolist(), self._groups.tolist(), strict=True):
            yield stride, numbers // stride % (many + 1)

    def _layer(
        self, size: int, numbers: Ints, splits: Ints, p: Floats, *, row_of: NDArray[np.int32]
    ) -> _Layer:
        placed = np.stack([column for _, column in self._placed(numbers)], axis=1)
        parents, weights = self._parents(numbers, placed, row_of, max(size, 1))
        rows = row_of[splits]
        return _Layer(
            height=np.abs(self._totals[numbers] - size * (self._n + 1)),
            parents=parents,
            weights=weights,
            rows=rows,
            p=p,
            chance=_chance(placed[rows], self._groups),
            rest=row_of[self._last - splits],
        )

    def _parents(
        self, numbers: Ints, placed: Ints, row_of: NDArray[np.int32], size: int
    ) -> tuple[NDArray[np.int32], Floats]:
        """Where each multiset can have come from; see :class:`_Layer`."""
        row, group = np.nonzero(placed)
        many = np.count_nonzero(placed, axis=1)
        slot = np.arange(len(row)) - np.repeat(np.cumsum(many) - many, many)
        parents = np.zeros((len(placed), int(many.max(initial=0))), dtype=np.int32)
        parents[row, slot] = row_of[numbers[row] - self._strides[group]]
        if len(self._groups) == self._n:
            return parents, np.full((1, 1), 1 / size)
        weights = np.zeros(parents.shape)
        weights[row, slot] = placed[row, group] / size
        return parents, weights


def _chance(placed: Ints, groups: Ints) -> Floats:
    """Chance that a random subset of this size is this multiset (multivariate hypergeometric)."""
    ways = np.ones(len(placed))
    for at, size in enumerate(groups.tolist()):
        ways *= _choose(size)[placed[:, at]]
    chance: Floats = ways / _choose(int(groups.sum()))[placed.sum(axis=1)]
    return chance


def _choose(n: int) -> Floats:
    return np.array([float(math.comb(n, k)) for k in range(n + 1)])
