"""Parts of the tree that answer for the move, chosen by search; the search is paid for by relabelling.

A part is split in two where that shows more than the whole did: either the change sits in the smaller
part, or that part is only noise. Whoever looks at every subtree finds something in most unchanged pairs, so
the same search is made on relabelled runs, and only what beats those counts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from echolot_tui.profiles.split_statistic import SplitStatistic
from echolot_tui.profiles.stacks import Floats, Ints
from echolot_tui.stats.labels import Relabellings

MOST_SPLITS: Final = 12
_REACHES: Final = 1e-9
_AS_CLEAR: Final = 0.8
"""Part of the clearest statistic from which another one counts as about as clear."""

_SECOND_LOOK: Final = 400
"""Labellings the whole search is repeated on at most, of those in which it would split at all."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A subtree without the subtrees that are parts of their own.

    Attributes:
        root: Its uppermost node.
        without: Uppermost nodes of the parts inside it.
        row: Per run.
        t: Under the labelling that was searched.
        error: Standard error it was read with.
    """

    root: int
    without: tuple[int, ...]
    row: Floats
    t: float
    error: float


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """Parts that together are the whole.

    Attributes:
        parts: The whole's remainder first.
        gain_bar: A split had to gain more.
        bar: A part moved when the size of its statistic is over this; infinite when too few labellings exist.
    """

    parts: tuple[Part, ...]
    gain_bar: float
    bar: float


@dataclass(frozen=True, slots=True, eq=False)
class BucketSearch:
    """The greedy search over one tree.

    Attributes:
        parent: Per node its caller, -1 for the root, which is node 0; callers stand first.
        total: Nodes x runs, amounts with callees, runs before standing first.
        adjusted: Whether what all of a run has in common is taken out for the verdict.
    """

    parent: Ints
    total: Floats
    adjusted: bool = True

    def calibrated(self, labels: Relabellings) -> Partition:
        """Search the observed labelling with bars from the others.

        Args:
            labels: The last one is the observed.
        """
        if not labels.allowed:
            return self.searched(labels.after[-1:], gain_bar=math.inf, bar=math.inf)
        gains, largest = self._first_gains(labels.after)
        gain_bar = _bar(gains, labels.allowed)
        split = np.flatnonzero(gains > gain_bar)
        for at in split[:: max(1, math.ceil(len(split) / _SECOND_LOOK))].tolist():
            found = self.searched(labels.after[at : at + 1], gain_bar=gain_bar, bar=0.0)
            largest[at] = max(abs(part.t) for part in found.parts)
        partition = self.searched(labels.after[-1:], gain_bar=gain_bar, bar=_bar(largest, labels.allowed))
        return self.settled(partition, labels.after[-1:]) if self.adjusted else partition

    def settled(self, partition: Partition, label: Floats) -> Partition:
        """Read the parts again beside what did not move.

        Beside a part that fell, everything else seems to rise. So the clearest part is taken as moved, and
        what is left is read beside the rest without it, until nothing passes. Of two parts that are about as
        clear the lighter one is taken: all the others having moved together is the odder story.
        """
        parts = {part.root: part for part in partition.parts}
        moved: dict[int, Part] = {}
        while True:
            still = self.total[0] - sum((part.row for part in moved.values()), np.zeros(self.total.shape[1]))
            left = [self._read_beside(parts[root], still, label) for root in parts if root not in moved]
            clear = [part for part in left if abs(part.t) > partition.bar]
            if not clear:
                found = {part.root: part for part in (*left, *moved.values())}
                return replace(partition, parts=tuple(found[root] for root in parts))
            least = _AS_CLEAR * max(abs(part.t) for part in clear)
            chosen = min((part for part in clear if abs(part.t) >= least), key=lambda part: part.row.mean())
            moved[chosen.root] = chosen

    def _read_beside(self, part: Part, whole: Floats, label: Floats) -> Part:
        reading = SplitStatistic(whole, adjusted=True).read(part.row[None, :], label)
        return replace(part, t=float(reading.t[0, 0]), error=float(reading.error[0, 0]))

    def searched(self, label: Floats, *, gain_bar: float, bar: float) -> Partition:
        """The greedy search under one labelling.

        Args:
            label: 1 x runs.
            gain_bar: A split has to gain more.
            bar: Carried into the result.
        """
        owner = np.zeros(len(self.parent), dtype=np.int64)
        parts = [self._part(0, (), self.total[0], label)]
        for _ in range(MOST_SPLITS):
            best = max((self._best_split(part, owner, label) for part in parts), key=lambda one: one[0])
            gain, node = best
            if not gain > gain_bar:
                break
            at = next(at for at, part in enumerate(parts) if part.root == owner[node])
            parts[at : at + 1] = self._split(parts[at], node, label)
            self._give(owner, node, parts[at].root)
        return Partition(tuple(parts), gain_bar, bar)

    def _statistic(self) -> SplitStatistic:
        return SplitStatistic(self.total[0], self.adjusted)

    def _part(self, root: int, without: tuple[int, ...], row: Floats, label: Floats) -> Part:
        reading = self._statistic().read(row[None, :], label)
        return Part(root, without, row, float(reading.t[0, 0]), float(reading.error[0, 0]))

    def _first_gains(self, labels: Floats) -> tuple[Floats, Floats]:
        """Per labelling the best gain of the first split, and the statistic of the whole."""
        statistic = self._statistic()
        whole = np.abs(statistic.read(self.total[:1], labels).t[0])
        best = np.zeros(len(labels))
        inner = self.total[1:]
        step = max(1, 2_000_000 // max(len(labels), 1))
        for start in range(0, len(inner), step):
            part = inner[start : start + step]
            for rows in (part, self.total[:1] - part):
                best = np.maximum(best, np.abs(statistic.read(rows, labels).t).max(axis=0))
        return _gain(best, whole), whole.copy()

    def _best_split(self, part: Part, owner: Ints, label: Floats) -> tuple[float, int]:
        """The largest gain any node of the part offers, and the node."""
        inside = np.flatnonzero(owner == part.root)
        inside = inside[inside != part.root]
        if not len(inside):
            return -math.inf, -1
        rows = self.total[inside].copy()
        for gone in part.without:
            holds = np.isin(inside, self._above(gone))
            rows[holds] -= self.total[gone]
        statistic = self._statistic()
        size = np.abs(statistic.read(np.vstack([rows, part.row - rows]), label).t[:, 0])
        gains = _gain(np.maximum(size[: len(rows)], size[len(rows) :]), np.abs(part.t))
        best = int(np.argmax(gains))
        return float(gains[best]), int(inside[best])

    def _split(self, part: Part, node: int, label: Floats) -> list[Part]:
        inside = tuple(gone for gone in part.without if node in self._above(gone))
        row = self.total[node] - sum((self.total[gone] for gone in inside), np.zeros_like(part.row))
        left = (*(gone for gone in part.without if gone not in inside), node)
        return [
            self._part(part.root, left, part.row - row, label),
            self._part(node, inside, row, label),
        ]

    def _give(self, owner: Ints, node: int, old: int) -> None:
        """Make the subtree of ``node`` its own, as far as it was the old part's."""
        mine = np.zeros(len(owner), dtype=bool)
        mine[node] = True
        for at in range(node + 1, len(owner)):
            mine[at] = mine[self.parent[at]]
        owner[mine & (owner == old)] = node

    def _above(self, node: int) -> list[int]:
        """Callers of a node, without itself."""
        found = []
        at = int(self.parent[node])
        while at >= 0:
            found.append(at)
            at = int(self.parent[at])
        return found


def _gain(best: Floats, whole: Floats | float) -> Floats:
    """What a split shows beyond the whole; nothing where the whole is already infinitely clear."""
    with np.errstate(invalid="ignore"):
        gain = best - whole
    return np.where(np.isnan(gain), 0.0, gain)


def _bar(values: Floats, allowed: int) -> float:
    """What at most ``allowed`` labellings are over."""
    return float(np.sort(values)[-1 - allowed]) * (1 + _REACHES)


def deltas_of(parts: Sequence[Part], label: Floats) -> list[tuple[float, float]]:
    """Mean before and after of each part, as they are, without any adjustment."""
    after = label[0] > 0
    return [(float(part.row[~after].mean()), float(part.row[after].mean())) for part in parts]
