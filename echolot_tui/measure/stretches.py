"""Nested stretches of time, each reduced to the part in which it is the innermost one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


def own_time(ts: Ints, dur: Ints, parent: Ints) -> tuple[Ints, Ints, Ints]:
    """Cut nested stretches so that every moment belongs to the innermost one.

    Between two children, and around them, the parent is the innermost: the piece before a child begins
    where the child before it ended, or with the parent; the piece after the last child ends with the parent.

    Args:
        ts: Starts, shape ``(stretches,)``; the children of one parent are in order.
        dur: Lengths.
        parent: Index of the stretch each one lies in, -1 for the outermost.

    Returns:
        Per piece the index of the stretch it belongs to, its start and its length; in no order.
    """
    end = ts + dur
    inner = np.flatnonzero(parent >= 0)
    inner = inner[np.argsort(parent[inner], kind="stable")]
    outer = parent[inner]
    turn = np.ones(len(outer) + 1, dtype=bool)
    np.not_equal(outer[1:], outer[:-1], out=turn[1:-1])
    is_first, is_last = turn[:-1], turn[1:]
    before = np.where(is_first, ts[outer], end[np.roll(inner, 1)])
    is_leaf = np.ones(len(ts), dtype=bool)
    is_leaf[outer] = False
    leaf = np.flatnonzero(is_leaf)
    owner = np.concatenate((outer, outer[is_last], leaf))
    begins = np.concatenate((before, end[inner][is_last], ts[leaf]))
    ends = np.concatenate((ts[inner], end[outer[is_last]], end[leaf]))
    real = ends > begins
    return owner[real], begins[real], (ends - begins)[real]


def nesting(ts: Ints, dur: Ints) -> Ints:
    """Which of some properly nested stretches each one lies in.

    In order of start, outer before inner, the number of stretches still open at a start is the number of
    starts so far less that of the ends passed: its depth. The parent is the latest stretch one level up.

    Args:
        ts: Starts, shape ``(stretches,)``.
        dur: Lengths, all positive. Of two equal stretches the later in the arrays is the inner one.

    Returns:
        Index of the innermost stretch around each, -1 for none.
    """
    count = len(ts)
    end = ts + dur
    order = np.lexsort((np.arange(count), -end, ts))
    places = np.arange(count)
    depth = places - np.searchsorted(np.sort(end), ts[order], side="right")
    by_depth = np.argsort(depth, kind="stable")
    key = depth[by_depth] * count + by_depth
    above = np.searchsorted(key, (depth - 1) * count + places) - 1
    parent = np.empty(count, dtype=np.int64)
    parent[order] = np.where(depth > 0, order[by_depth[np.maximum(above, 0)]], -1)
    return parent
