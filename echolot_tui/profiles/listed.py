"""The nodes that are heavy enough to be listed; what is lighter is folded into its caller, never dropped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from echolot_tui.profiles.stacks import Floats, Ints
from echolot_tui.profiles.union import UnionTree


@dataclass(frozen=True, eq=False, kw_only=True)
class Listed:
    """Listed nodes in the tree's order, numbered from 0; pairs of columns are before, after.

    Attributes:
        tree: All nodes.
        node: Per listed node its number in the tree.
        parent: Per listed node the number of its caller here, -1 for the root.
        own: Nodes x 2, amounts per run taken in the node itself.
        total: The same with callees.
        own_count: Nodes x 2, samples.
        total_count: The same with callees.
        hidden: Per listed node how many callees were folded into it.
    """

    tree: UnionTree
    node: Ints
    parent: Ints
    own: Floats
    total: Floats
    own_count: Floats
    total_count: Floats
    hidden: Ints

    @cached_property
    def label(self) -> list[str]:
        """Per node."""
        return [self.tree.labels[at] for at in self.tree.label[self.node].tolist()]

    @cached_property
    def depth(self) -> Ints:
        """Per node, 0 for the root."""
        depth: Ints = self.tree.depth[self.node]
        return depth

    @cached_property
    def children(self) -> list[list[int]]:
        """Per node, in the order of their labels."""
        found: list[list[int]] = [[] for _ in self.node]
        for at, parent in enumerate(self.parent.tolist()):
            if parent >= 0:
                found[parent].append(at)
        return found

    @cached_property
    def folded(self) -> Floats:
        """Nodes x 2, amounts of the callees that are not listed."""
        below = np.zeros_like(self.total)
        np.add.at(below, self.parent[1:], self.total[1:])
        left: Floats = self.total - self.own - below
        return np.where(np.abs(left) < 1e-9 * self.total[0].max(), 0.0, left)

    @cached_property
    def share(self) -> Floats:
        """Nodes x 2, parts of the side's whole, with callees."""
        return self.total / _whole(self.total)

    @cached_property
    def own_share(self) -> Floats:
        """Nodes x 2, parts of the side's whole."""
        return self.own / _whole(self.total)

    def above(self, node: int) -> Iterator[int]:
        """Callers of a node, innermost first, without the root."""
        at = int(self.parent[node])
        while at > 0:
            yield at
            at = int(self.parent[at])

    def path(self, node: int) -> tuple[str, ...]:
        """Labels of what contains a node, outermost first."""
        return tuple(self.label[at] for at in reversed(list(self.above(node))))


def list_nodes(
    tree: UnionTree,
    amounts: tuple[Floats, Floats],
    counts: tuple[Floats, Floats],
    weighed: Floats,
    floor: float,
) -> Listed:
    """The nodes that weigh at least ``floor`` on either side, and the root.

    Args:
        tree: All nodes.
        amounts: Own and with callees, nodes x 2, per run.
        counts: The same in samples.
        weighed: Nodes x 2, what the floor is held against.
        floor: The least.
    """
    kept = weighed.max(axis=1) >= floor
    kept[0] = True
    node = np.flatnonzero(kept)
    number = np.cumsum(kept) - 1
    parent = tree.parent[node]
    return Listed(
        tree=tree,
        node=node,
        parent=np.where(parent < 0, -1, number[np.maximum(parent, 0)]),
        own=amounts[0][node],
        total=amounts[1][node],
        own_count=counts[0][node],
        total_count=counts[1][node],
        hidden=_hidden(tree, kept, number)[: len(node)],
    )


def _hidden(tree: UnionTree, kept: npt.NDArray[np.bool_], number: Ints) -> Ints:
    """Per listed node how many nodes have it as their nearest listed caller."""
    nearest = np.where(kept, number, -1)
    starts = np.searchsorted(tree.depth, np.arange(1, int(tree.depth[-1]) + 2))
    for low, high in zip(starts.tolist(), starts.tolist()[1:], strict=False):
        part = nearest[low:high]
        nearest[low:high] = np.where(part < 0, nearest[tree.parent[low:high]], part)
    counts: Ints = np.bincount(nearest[~kept], minlength=int(kept.sum())).astype(np.int64)
    return counts


def _whole(total: Floats) -> Floats:
    whole: Floats = np.where(total[0] > 0, total[0], 1.0)
    return whole
