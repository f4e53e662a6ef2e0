"""The level a base is at now: where its current stretch begins, and whether that can be told.

Base commits alternate between two lanes. Only selectors may place a boundary; reference values are kept for
the comparison of the whole report, so that no commit helps to choose the boundary it is later judged against.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from echolot_tui.history import policy
from echolot_tui.history.chance import chance_of
from echolot_tui.history.levels import relative_move
from echolot_tui.history.step import oriented_agreement
from echolot_tui.stats.ranks import Floats, doubled_ranks, locate


@dataclass(frozen=True, slots=True)
class Regime:
    """The current stretch of a base."""

    start: int
    """First base level that belongs to it."""
    previous: tuple[int, int] | None
    """The stretch before, as first and one past the last base level."""
    unresolved: bool
    """The newest values stand apart, but are too few to be a level."""


def current_regime(base: Floats, floor: float) -> Regime:
    """Find the current stretch; fewer than 20 base levels are one stretch.

    Args:
        base: One level a base commit, oldest first.
        floor: Least absolute move of the metric.
    """
    if len(base) < policy.REGIME_SEARCH:
        return Regime(0, None, unresolved=False)
    selectors = base[::2]
    boundaries = _boundaries(selectors, floor)
    newest = boundaries[-1] if boundaries else 0
    previous = None
    if boundaries:
        before = boundaries[-2] if len(boundaries) > 1 else 0
        # The reference value between the two selectors may lie on either side: neither gets it.
        previous = (2 * before, 2 * newest - 1)
    return Regime(2 * newest, previous, unresolved=_short_tail(selectors[newest:], floor))


def _boundaries(selectors: Floats, floor: float) -> list[int]:
    """Supported boundaries, ascending: by recursion, then by looking again at what follows the newest."""
    regimes = len(selectors) // policy.LEAST_REGIME
    # One search for every segmentation and every later look: together they share one budget.
    alpha = policy.BOUNDARY_BUDGET / max(1, regimes * (regimes - 1) // 2)
    found = set(_search(selectors, 0, floor, alpha))
    for _ in range(regimes - 1):
        if not found:
            break
        newest = max(found)
        found.update(_search(selectors[newest:], newest, floor, alpha))
        if max(found) == newest:
            break
    return sorted(found)


def _search(segment: Floats, offset: int, floor: float, alpha: float) -> list[int]:
    """Supported boundaries inside a segment; both sides are searched, supported or not."""
    if len(segment) < 2 * policy.LEAST_REGIME or np.ptp(segment) == 0:
        return []
    at = locate(doubled_ranks(segment))
    here = [offset + at] if _supported(segment, at, floor, alpha) else []
    left = _search(segment[:at], offset, floor, alpha)
    return left + here + _search(segment[at:], offset + at, floor, alpha)


def _supported(segment: Floats, at: int, floor: float, alpha: float) -> bool:
    if min(at, len(segment) - at) < policy.LEAST_REGIME:
        return False
    if not stands_apart(segment[:at], segment[at:], floor):
        return False
    return chance_of(doubled_ranks(segment), at, accept=alpha, reject=alpha).level < alpha


def stands_apart(before: Floats, after: Floats, floor: float) -> bool:
    """Two stretches differ by enough to matter and hardly overlap."""
    level = float(np.median(before))
    delta = float(np.median(after)) - level
    return (
        delta != 0
        and abs(relative_move(delta, level)) >= policy.BRANCH_FLOOR
        and abs(delta) >= floor
        and oriented_agreement(before, after, delta) >= policy.BOUNDARY_AGREEMENT
    )


def _short_tail(selectors: Floats, floor: float) -> bool:
    """Whether the newest two, three or four stand apart from the five just before them.

    Only neighbours are compared, so a smooth trend never does; nor does one odd value.
    """
    for tail in policy.SHORT_TAILS:
        neighbours = selectors[-tail - policy.LEAST_REGIME : -tail]
        if len(neighbours) == policy.LEAST_REGIME and stands_apart(neighbours, selectors[-tail:], floor):
            return True
    return False
