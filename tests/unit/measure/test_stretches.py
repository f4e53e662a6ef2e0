"""Own time of nested stretches, against painting every moment one by one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from echolot_tui.measure.stretches import nesting, own_time

Tree = list[tuple[int, int]]


@st.composite
def nested(draw: st.DrawFn) -> Tree:
    """Properly nested, non-empty intervals: outer before inner, siblings in order."""
    found: Tree = []

    def fill(start: int, end: int, depth: int) -> None:
        at = start
        while at < end and len(found) < 40 and depth < 5:
            begin = draw(st.integers(at, end - 1))
            stop = draw(st.integers(begin + 1, end))
            found.append((begin, stop))
            fill(begin, stop, depth + 1)
            at = stop
            if draw(st.booleans()):
                return

    fill(0, 30, 0)
    return found


def arrays(tree: Tree) -> tuple[np.ndarray, np.ndarray]:
    ts = np.array([start for start, _ in tree], dtype=np.int64)
    return ts, np.array([end - start for start, end in tree], dtype=np.int64)


def painted(tree: Tree) -> list[int]:
    """Innermost interval at each moment: whoever is painted last, outer ones first."""
    moments = [-1] * 30
    for number, (start, end) in enumerate(tree):
        moments[start:end] = [number] * (end - start)
    return moments


@given(nested())
def test_own_time_against_painting(tree: Tree) -> None:
    ts, dur = arrays(tree)
    owner, begins, lengths = own_time(ts, dur, nesting(ts, dur))
    moments = [-1] * 30
    for number, start, length in zip(owner.tolist(), begins.tolist(), lengths.tolist(), strict=True):
        assert length > 0
        assert moments[start : start + length] == [-1] * length, "a moment belongs to two stretches"
        moments[start : start + length] = [number] * length
    assert moments == painted(tree)


@given(nested(), st.randoms(use_true_random=False))
def test_nesting_does_not_depend_on_order(tree: Tree, shuffle: object) -> None:
    distinct = list(dict.fromkeys(tree))
    parents = parents_of(distinct)
    mixed = distinct.copy()
    shuffle.shuffle(mixed)  # type: ignore[attr-defined]
    assert parents_of(mixed) == parents


def parents_of(tree: Tree) -> dict[tuple[int, int], tuple[int, int] | None]:
    parent = nesting(*arrays(tree)).tolist()
    return {one: tree[at] if at >= 0 else None for one, at in zip(tree, parent, strict=True)}


@given(nested())
def test_parent_is_the_smallest_around(tree: Tree) -> None:
    distinct = list(dict.fromkeys(tree))
    for (start, end), parent in parents_of(distinct).items():
        around = [one for one in distinct if one[0] <= start and one[1] >= end and one != (start, end)]
        assert parent == min(around, key=lambda one: one[1] - one[0], default=None)


def test_equal_stretches_the_later_is_inner() -> None:
    ts, dur = arrays([(0, 10), (0, 10), (2, 4)])
    parent = nesting(ts, dur)
    assert parent.tolist() == [-1, 0, 1]
    owner, begins, lengths = own_time(ts, dur, parent)
    assert sorted(zip(owner.tolist(), begins.tolist(), lengths.tolist(), strict=True)) == [
        (1, 0, 2),
        (1, 4, 6),
        (2, 2, 2),
    ]


def test_nothing() -> None:
    empty = np.empty(0, dtype=np.int64)
    assert [len(part) for part in own_time(empty, empty, nesting(empty, empty))] == [0, 0, 0]
