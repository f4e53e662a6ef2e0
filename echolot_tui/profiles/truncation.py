"""Stacks that were cut: on one side more than on the other, the same code stands at another depth.

Two marks. Samples whose outermost frame is otherwise an inner one lost their callers. And where the nodes at
one side's greatest depth hold themselves what the other side has in their callees, those callees were cut
off. A new path that is merely deeper than the others leaves neither.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from echolot_tui.profiles.stacks import Floats
from echolot_tui.profiles.union import UnionTree

_INNER: Final = 0.9
"""Part of a function's samples that must have it under a caller, for it to count as an inner one."""

_ORPHANS: Final = 0.02
"""Difference in the share of samples without their callers that makes every level doubtful."""

_PILE: Final = 0.02
"""Share of samples one side has deeper than the other goes, for a cut."""

_SAME_WHOLE: Final = 0.25
"""How far a node's share with callees may differ when it holds what on the other side is below it."""

_MOST: Final = 0.8
"""Part of the deeper samples that must be held so."""

_SEVERAL: Final = 3
"""Nodes that must hold them: a single one is an inlining."""


@dataclass(frozen=True, slots=True, eq=False)
class Depths:
    """How deep the stacks of both sides go; every pair is before, after.

    Attributes:
        median: Of samples.
        most: Greatest depth.
        distance: Largest difference of the shares of samples up to a depth (Kolmogorov-Smirnov).
        orphans: Share of samples without their callers.
        unresolved: Share of frames, as often as they were sampled, that name no function.
        cut_at: Depth below which one side's stacks are cut and the other's are not; None without.
    """

    median: tuple[float, float]
    most: tuple[int, int]
    distance: float
    orphans: tuple[float, float]
    unresolved: tuple[float, float]
    cut_at: int | None


def depths(tree: UnionTree, own: Floats, total: Floats) -> Depths:
    """Look at the depths of both sides.

    Args:
        tree: The union.
        own: Nodes x 2, samples taken in each node.
        total: The same with callees.
    """
    levels = int(tree.depth.max()) + 1
    by_depth = np.stack([np.bincount(tree.depth, weights=own[:, side], minlength=levels) for side in (0, 1)])
    share = by_depth / np.maximum(by_depth.sum(axis=1, keepdims=True), 1e-300)
    reached = np.cumsum(share, axis=1)
    most = [int(np.flatnonzero(one).max(initial=0)) for one in share]
    orphans = _orphans(tree, total)
    nameless = ~np.array(tree.resolved, dtype=bool)[tree.label]
    frames = np.maximum(total[1:].sum(axis=0), 1e-300)
    unresolved = total[nameless].sum(axis=0) / frames
    return Depths(
        median=tuple(float(np.searchsorted(one, 0.5)) for one in reached),  # type: ignore[arg-type]
        most=(most[0], most[1]),
        distance=float(np.abs(reached[0] - reached[1]).max()),
        orphans=(float(orphans[0]), float(orphans[1])),
        unresolved=(float(unresolved[0]), float(unresolved[1])),
        cut_at=_cut_at(tree, own, total, most, orphans),
    )


def _orphans(tree: UnionTree, total: Floats) -> Floats:
    """Per side the share of samples whose outermost frame is an inner one on either side."""
    outermost = tree.depth == 1
    inner = np.zeros(len(tree.labels), dtype=bool)
    roots = []
    for side in (0, 1):
        whole = max(float(total[0, side]), 1e-300)
        as_root = np.bincount(
            tree.label[outermost], weights=total[outermost, side] / whole, minlength=len(tree.labels)
        )
        below = np.bincount(
            tree.label[tree.depth > 1],
            weights=total[tree.depth > 1, side] / whole,
            minlength=len(tree.labels),
        )
        inner |= (below > 0) & (below >= _INNER * (below + as_root))
        roots.append(as_root)
    inner &= np.array(tree.resolved, dtype=bool)
    return np.array([float(as_root[inner].sum()) for as_root in roots])


def _cut_at(tree: UnionTree, own: Floats, total: Floats, most: list[int], orphans: Floats) -> int | None:
    if abs(orphans[0] - orphans[1]) > _ORPHANS:
        return 0
    shallow = 0 if most[0] <= most[1] else 1
    depth = most[shallow]
    return depth if _absorbs(tree, own, total, shallow, depth) else None


def _absorbs(tree: UnionTree, own: Floats, total: Floats, shallow: int, depth: int) -> bool:
    """Whether one side's nodes at its greatest depth hold what the other side has in their callees."""
    here = tree.depth == depth
    whole = np.maximum(total[0], 1e-300)
    mine, inside = total[here] / whole, own[here] / whole
    below = mine[:, 1 - shallow] - inside[:, 1 - shallow]
    same = np.abs(mine[:, 0] - mine[:, 1]) <= _SAME_WHOLE * mine.max(axis=1)
    cut = (below > 0) & same & (inside[:, shallow] >= _SAME_WHOLE * mine[:, shallow])
    deeper = float(below.sum())
    return deeper > _PILE and cut.sum() >= _SEVERAL and float(below[cut].sum()) >= _MOST * deeper
