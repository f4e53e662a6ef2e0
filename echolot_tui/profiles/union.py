"""One tree over the stacks of all recordings: every node any of them has, zero where one lacks it.

All nodes of all recordings are merged level by level, so the work is a few sorts however many recordings
there are. A function that calls itself directly is one node, not a chain of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import numpy as np

from echolot_tui.profiles.identity import label_of
from echolot_tui.profiles.stacks import Floats, Frame, Ints, Recording

ROOT: Final = "(all)"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class UnionTree:
    """The nodes, level by level from the root, children of one node side by side, sorted by label.

    Attributes:
        labels: Every label once; the first is the root's.
        resolved: Per label whether it names a function.
        folded: Frames in whose names something run-specific was folded.
        label: Per node, position in ``labels``.
        parent: Per node its parent, -1 for the root, which is node 0.
        depth: Per node, 0 for the root.
        recordings: What was merged.
        node_of: Per recording, the tree's node of each of its own nodes.
    """

    labels: tuple[str, ...]
    resolved: tuple[bool, ...]
    folded: int
    label: Ints
    parent: Ints
    depth: Ints
    recordings: tuple[Recording, ...]
    node_of: tuple[Ints, ...]

    @property
    def nodes(self) -> int:
        """How many."""
        return len(self.label)

    def own(self, columns_of: Sequence[Ints | int], columns: int, *, counts: bool = False) -> Floats:
        """Weight of the samples taken in each node itself.

        Args:
            columns_of: Per recording the column its samples go to, one for all or one each; -1 is nowhere.
            columns: How many there are.
            counts: Numbers of samples instead of weights.

        Returns:
            Nodes x columns.
        """
        total = np.zeros((self.nodes, columns))
        for recording, node_of, column in zip(self.recordings, self.node_of, columns_of, strict=True):
            node, weight = node_of[recording.leaf], recording.count if counts else recording.weight
            if not isinstance(column, int):
                kept = column >= 0
                np.add.at(total, (node[kept], column[kept]), weight[kept])
            elif column >= 0:
                total[:, column] += np.bincount(node, weights=weight, minlength=self.nodes)
        return total

    def with_callees(self, own: Floats) -> Floats:
        """Each node's own amount and that of everything below it.

        Args:
            own: Nodes x columns.
        """
        total = own.copy()
        starts = np.searchsorted(self.depth, np.arange(self.depth[-1] + 2))
        for level in range(len(starts) - 2, 0, -1):
            low, high = starts[level], starts[level + 1]
            parents = self.parent[low:high]
            first = np.flatnonzero(np.concatenate(([True], parents[1:] != parents[:-1])))
            total[parents[first]] += np.add.reduceat(total[low:high], first, axis=0)
        return total

    def path(self, node: int) -> list[int]:
        """Nodes from below the root to ``node``."""
        found = []
        while node > 0:
            found.append(node)
            node = int(self.parent[node])
        return found[::-1]

    def name(self, node: int) -> str:
        """The node's label."""
        return self.labels[int(self.label[node])]


def unite(recordings: Sequence[Recording], *, modules: bool = True, collapse: bool = True) -> UnionTree:
    """Merge the call trees of all recordings.

    Args:
        recordings: Of all sides.
        modules: Whether a frame's file is part of what it is known by.
        collapse: Whether direct recursion becomes one node.
    """
    labels: dict[str, int] = {ROOT: 0}
    resolved, folded = [True], 0
    of_frame: dict[Frame, int] = {}
    label_of_node = []
    for recording in recordings:
        for frame in recording.frames:
            if frame not in of_frame:
                label = label_of(frame, modules=modules)
                of_frame[frame] = labels.setdefault(label.text, len(labels))
                folded += label.folded
                if len(labels) > len(resolved):
                    resolved.append(label.resolved)
        known = np.array([of_frame[frame] for frame in recording.frames], dtype=np.int64)
        label_of_node.append(known[recording.frame])
    forest = _Forest.of(recordings, label_of_node)
    merged = _merge(forest, len(labels), collapse=collapse)
    tree = _in_order(merged, tuple(labels), tuple(resolved), tuple(recordings))
    return replace(tree, folded=folded)


@dataclass(frozen=True, slots=True, eq=False)
class _Forest:
    """All nodes of all recordings in one row."""

    parent: Ints
    label: Ints
    depth: Ints
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, recordings: Sequence[Recording], labels: Sequence[Ints]) -> _Forest:
        sizes = tuple(len(recording.parent) for recording in recordings)
        starts = np.cumsum((0, *sizes[:-1]))
        parent = np.concatenate(
            [
                np.where(one.parent < 0, -1, one.parent + start)
                for one, start in zip(recordings, starts, strict=True)
            ]
        )
        return cls(parent=parent, label=np.concatenate(labels), depth=_depths(parent), sizes=sizes)


def _depths(parent: Ints) -> Ints:
    """Callers above each node, by doubling the jumps."""
    depth = (parent >= 0).astype(np.int64)
    jump = parent.copy()
    while (jump >= 0).any():
        above = np.where(jump >= 0, jump, 0)
        depth += np.where(jump >= 0, depth[above], 0)
        jump = np.where(jump >= 0, jump[above], -1)
    return depth


@dataclass(slots=True, eq=False)
class _Merged:
    """Nodes in the order they were met; the root is number 0."""

    label: Ints
    parent: Ints
    depth: Ints
    node_of: Ints
    """Per node of the forest."""
    sizes: tuple[int, ...]


def _merge(forest: _Forest, labels: int, *, collapse: bool) -> _Merged:
    label, parent, depth = np.zeros(1, np.int64), np.full(1, -1, np.int64), np.zeros(1, np.int64)
    node_of = np.zeros(len(forest.parent), dtype=np.int64)
    keys, numbers = np.zeros(0, np.int64), np.zeros(0, np.int64)
    by_depth = np.argsort(forest.depth, kind="stable")
    starts = np.searchsorted(forest.depth[by_depth], np.arange(forest.depth.max(initial=-1) + 2))
    for low, high in pairwise(starts.tolist()):
        here = by_depth[low:high]
        above = forest.parent[here]
        up = np.where(above >= 0, node_of[np.maximum(above, 0)], 0)
        own = forest.label[here]
        again = (label[up] == own) & (up > 0) if collapse else np.zeros(len(here), dtype=bool)
        node_of[here[again]] = up[again]
        wanted, which = np.unique(up[~again] * labels + own[~again], return_inverse=True)
        place = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
        known = keys[place] == wanted if len(keys) else np.zeros(len(wanted), dtype=bool)
        number = np.empty(len(wanted), dtype=np.int64)
        number[known] = numbers[place[known]] if len(keys) else 0
        fresh = wanted[~known]
        number[~known] = len(label) + np.arange(len(fresh))
        node_of[here[~again]] = number[which]
        label = np.concatenate([label, fresh % labels])
        parent = np.concatenate([parent, fresh // labels])
        depth = np.concatenate([depth, depth[fresh // labels] + 1])
        order = np.argsort(both := np.concatenate([keys, fresh]), kind="stable")
        keys, numbers = both[order], np.concatenate([numbers, number[~known]])[order]
    return _Merged(label=label, parent=parent, depth=depth, node_of=node_of, sizes=forest.sizes)


def _in_order(
    merged: _Merged,
    labels: tuple[str, ...],
    resolved: tuple[bool, ...],
    recordings: tuple[Recording, ...],
) -> UnionTree:
    """Number the nodes anew: by depth, then by parent, then by label in the order of the alphabet."""
    rank = np.empty(len(labels), dtype=np.int64)
    rank[np.argsort(np.array(labels, dtype=object), kind="stable")] = np.arange(len(labels))
    new = np.zeros(len(merged.label), dtype=np.int64)
    order = [np.zeros(1, dtype=np.int64)]
    done = 1
    by_depth = np.argsort(merged.depth, kind="stable")
    starts = np.searchsorted(merged.depth[by_depth], np.arange(1, merged.depth.max() + 2))
    for low, high in pairwise(starts.tolist()):
        here = by_depth[low:high]
        here = here[np.lexsort((rank[merged.label[here]], new[merged.parent[here]]))]
        new[here] = done + np.arange(len(here))
        done += len(here)
        order.append(here)
    placed = np.concatenate(order)
    parent = merged.parent[placed]
    node_of = np.split(new[merged.node_of], np.cumsum(merged.sizes)[:-1])
    return UnionTree(
        labels=labels,
        resolved=resolved,
        folded=0,
        label=merged.label[placed],
        parent=np.where(parent < 0, -1, new[parent]),
        depth=merged.depth[placed],
        recordings=recordings,
        node_of=tuple(node_of),
    )
