"""What costs more late in a run than early: caches that fill, heaps that grow, tables that lengthen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

import numpy as np

from echolot_tui.profiles.cuts import halves
from echolot_tui.profiles.listed import Listed
from echolot_tui.profiles.model import Drift, EarlyLate
from echolot_tui.profiles.noise import FLOOR_ERRORS, share_error
from echolot_tui.profiles.paired import FEWEST_PAIRS, paired_family
from echolot_tui.profiles.sides import BothSides, shares
from echolot_tui.profiles.stacks import Floats, Ints
from echolot_tui.stats.labels import ALPHA

FEWEST_SAMPLES: Final = 200
"""Samples each part must hold to say anything."""

_LISTED: Final = 20


def early_late(both: BothSides, side: Literal["before", "after"], boundary_ms: float | None) -> EarlyLate:
    """Late against early inside the runs of one side, run by run.

    Args:
        both: The sides.
        side: Which one.
        boundary_ms: Where early ends, after a run's first sample; None is its middle.
    """
    first = 0 if side == "before" else both.runs[0]
    mine = range(first, first + both.runs[0 if side == "before" else 1])
    parts = [halves(both.tree.recordings[at], boundary_ms) for at in mine]
    if any(part is None for part in parts):
        return EarlyLate(side=side, state="no moments", boundary_ms=boundary_ms)
    columns = _parts(both, mine, [part for part in parts if part is not None])
    counts = columns[0][0]
    early, late = float(counts[0::2].sum()), float(counts[1::2].sum())
    found = EarlyLate(
        side=side,
        state="ok" if min(early, late) >= FEWEST_SAMPLES else "too few",
        boundary_ms=boundary_ms,
        samples_early=early,
        samples_late=late,
        pairs=len(mine),
    )
    if found.state != "ok":
        return found
    return _judged(found, both.listed, columns[0])


def _parts(both: BothSides, mine: Sequence[int], parts: Sequence[Ints]) -> list[Floats]:
    """Listed nodes x (early, late of each run), samples with callees."""
    codes: list[Ints | int] = [-1] * len(both.tree.recordings)
    for number, (at, part) in enumerate(zip(mine, parts, strict=True)):
        codes[at] = part + 2 * number
    own = both.tree.own(codes, 2 * len(mine), counts=True)
    return [both.tree.with_callees(own)[both.listed.node]]


def _judged(found: EarlyLate, listed: Listed, columns: Floats) -> EarlyLate:
    early, late = columns[:, 0::2], columns[:, 1::2]
    old, new = early.sum(axis=1) / found.samples_early, late.sum(axis=1) / found.samples_late
    delta = new - old
    p = None
    if found.pairs >= FEWEST_PAIRS:
        p = paired_family(shares(late, late[0]) - shares(early, early[0]))
        moved = p <= ALPHA
    else:
        error = share_error(old, found.samples_early, new, found.samples_late)
        moved = np.abs(delta) > FLOOR_ERRORS * error
    moved[0] = False

    def drifts(sign: int) -> tuple[Drift, ...]:
        mine = {int(node) for node in np.flatnonzero(moved & (sign * delta > 0))}
        deepest = [node for node in mine if not mine.intersection(listed.children[node])]
        deepest.sort(key=lambda node: (-abs(float(delta[node])), node))
        return tuple(
            Drift(
                node=node,
                label=listed.label[node],
                path=listed.path(node),
                share_early=round(100 * float(old[node]), 3),
                share_late=round(100 * float(new[node]), 3),
                delta_share=round(100 * float(delta[node]), 3),
                p_family=None if p is None else float(p[node]),
            )
            for node in deepest[:_LISTED]
        )

    return EarlyLate(
        side=found.side,
        state="ok",
        boundary_ms=found.boundary_ms,
        samples_early=found.samples_early,
        samples_late=found.samples_late,
        pairs=found.pairs,
        judged_by="floor" if p is None else "runs",
        rises=drifts(1),
        falls=drifts(-1),
    )
