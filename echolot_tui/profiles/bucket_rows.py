"""The chosen parts of the tree as rows that add up to the whole."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from echolot_tui.profiles.buckets import BucketSearch, Part, Partition, deltas_of
from echolot_tui.profiles.judge import SEED
from echolot_tui.profiles.model import Bucket, Buckets, BucketVerdict
from echolot_tui.profiles.sides import BothSides
from echolot_tui.profiles.stacks import Floats, Ints
from echolot_tui.stats.labels import relabellings

_LEAST_SHARE: Final = 0.005
"""Of either side: a lighter subtree stays in its caller's part."""

_MOST_NODES: Final = 1_000
_STEADY: Final = 0.02


def bucket_rows(both: BothSides) -> Buckets | None:
    """Choose the parts that answer for the move.

    Returns:
        None where there are no runs to relabel, or amounts of the two sides do not compare.
    """
    if both.cut is None or both.columns is None or not both.scale.comparable:
        return None
    heavy = _heavy(both)
    parent = both.listed.parent[heavy]
    number = np.full(len(both.listed.node), -1, dtype=np.int64)
    number[heavy] = np.arange(len(heavy))
    order = np.argsort(np.array(both.cut.after, dtype=np.int64), kind="stable")
    before = both.cut.after.count(False)
    labels = relabellings(before, both.cut.columns - before, SEED)
    search = BucketSearch(
        parent=np.where(parent < 0, -1, number[np.maximum(parent, 0)]),
        total=both.columns[heavy][:, order],
    )
    found = search.calibrated(labels)
    return _rows(both, heavy.tolist(), found, labels.after[-1:], labels.count)


def _heavy(both: BothSides) -> Ints:
    share = both.listed.share.max(axis=1)
    chosen = np.argsort(-share, kind="stable")[:_MOST_NODES]
    chosen = np.sort(chosen[(share[chosen] >= _LEAST_SHARE) | (chosen == 0)])
    known = set(chosen.tolist())
    whole = [node for node in chosen.tolist() if node == 0 or int(both.listed.parent[node]) in known]
    return np.array(whole, dtype=np.int64)


def _rows(both: BothSides, heavy: list[int], found: Partition, label: Floats, count: int) -> Buckets:
    amounts = deltas_of(found.parts, label)
    assert both.cut is not None
    assert both.columns is not None
    rows = [
        _row(both, heavy, part, amount, found.bar) for part, amount in zip(found.parts, amounts, strict=True)
    ]
    whole = both.columns[0]
    after = np.array(both.cut.after, dtype=bool)
    return Buckets(
        rows=tuple(sorted(rows, key=lambda row: (-abs(row.delta), row.node))),
        gain_bar=_finite(found.gain_bar),
        bar=_finite(found.bar),
        relabellings=count,
        sum_of_deltas=round(sum(new - old for old, new in amounts), 6) + 0.0,
        total_delta=round(float(whole[after].mean() - whole[~after].mean()), 6) + 0.0,
    )


def _row(both: BothSides, heavy: list[int], part: Part, amount: tuple[float, float], bar: float) -> Bucket:
    old, new = amount
    label = both.listed.label
    resolves = bar * part.error if math.isfinite(bar) else None
    verdict: BucketVerdict = "can't tell"
    if abs(part.t) > bar and part.t * (new - old) > 0:
        verdict = "slower" if part.t > 0 else "faster"
    elif resolves is not None and resolves <= _STEADY * old:
        verdict = "no change"
    return Bucket(
        node=heavy[part.root],
        label=label[heavy[part.root]],
        without=tuple(label[heavy[node]] for node in part.without),
        before=round(old, 2),
        after=round(new, 2),
        delta=round(new - old, 2) + 0.0,
        statistic=round(part.t, 3) if math.isfinite(part.t) else None,
        resolves=None if resolves is None else round(resolves, 2),
        verdict=verdict,
    )


def _finite(value: float) -> float | None:
    """JSON has no infinity: a bar that nothing can pass is null."""
    return round(value, 4) if math.isfinite(value) else None
