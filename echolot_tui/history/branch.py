"""Is the analysed commit outside everything its base recently measured, and by enough to matter?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from echolot_tui.history import policy
from echolot_tui.history.ladder import Gate, Ladder
from echolot_tui.history.levels import Levels, relative_move
from echolot_tui.history.regime import Regime, current_regime
from echolot_tui.stats.ranks import Floats

GATES: Final = ("outside", "relative", "absolute", "interval", "half-width")


@dataclass(frozen=True, slots=True)
class Excursion:
    """A value beyond a range, past every gate."""

    edge: float
    """The nearest end of the observed range."""
    excess: float
    """Signed distance beyond it."""

    @property
    def relative(self) -> float:
        """The excess as a share of the edge."""
        return relative_move(self.excess, self.edge)


@dataclass(frozen=True, slots=True)
class BranchReading:
    """One series of a branch report."""

    regime: Regime
    low: float
    high: float
    references: int
    """Base levels in the current stretch."""
    excursion: Excursion | None
    matches_previous: bool
    """The value lies inside the range of the stretch before."""
    gates: tuple[Gate, ...]


def read_branch(base: Levels, context: Levels, floor: float) -> BranchReading:
    """Compare one value with the current stretch of its base.

    Args:
        base: Newest base levels, oldest first; at least ten.
        context: The analysed commit's level, one value.
        floor: Least absolute move of the metric.
    """
    regime = current_regime(base.values, floor)
    ladder = Ladder()
    if regime.unresolved:
        ladder.check(
            "base", "regime", passed=False, note="the newest base commits stand apart, too few to judge by"
        )
    current = base.part(regime.start)
    excursion = None
    if not regime.unresolved:
        excursion = excursion_of(current, context, floor, ladder)
        ladder.rest("branch", GATES)
    value = float(context.values[0])
    return BranchReading(
        regime=regime,
        low=float(current.values.min()),
        high=float(current.values.max()),
        references=len(current.values),
        excursion=excursion,
        matches_previous=_inside_previous(base.values, regime, value),
        gates=tuple(ladder.gates),
    )


def excursion_of(references: Levels, candidate: Levels, floor: float, ladder: Ladder) -> Excursion | None:
    """The candidate's excursion beyond all references, or ``None`` at the first gate that declines it."""
    value = float(candidate.values[0])
    low, high = float(references.values.min()), float(references.values.max())
    edge = high if value > high else low
    excess = value - edge
    outside = value > high or value < low
    if not ladder.check("branch", "outside", passed=outside, demand=edge, computed=value):
        return None
    found = Excursion(edge, excess)
    relative = abs(found.relative)
    large = ladder.check(
        "branch",
        "relative",
        passed=relative >= policy.BRANCH_FLOOR,
        demand=policy.BRANCH_FLOOR,
        computed=relative,
    ) and ladder.check("branch", "absolute", passed=abs(excess) >= floor, demand=floor, computed=abs(excess))
    return found if large and _beyond_intervals(references, candidate, excess, ladder) else None


def _beyond_intervals(references: Levels, candidate: Levels, excess: float, ladder: Ladder) -> bool:
    low, high = float(candidate.low[0]), float(candidate.high[0])
    held = ~np.isnan(references.low)
    if np.isnan(low) or not held.any():
        ladder.skip("branch", "interval", "no interval on both sides")
    else:
        gap = (
            low - float(references.high[held].max())
            if excess > 0
            else float(references.low[held].min()) - high
        )
        if not ladder.check("branch", "interval", passed=gap > 0, demand=0.0, computed=gap):
            return False
    half = _joined(references, candidate).half_width()
    if half is None:
        ladder.skip("branch", "half-width", "no intervals")
        return True
    demand = policy.HALF_WIDTHS * half
    return ladder.check(
        "branch", "half-width", passed=abs(excess) > demand, demand=demand, computed=abs(excess)
    )


def _joined(first: Levels, second: Levels) -> Levels:
    return Levels(
        np.concatenate([first.values, second.values]),
        np.concatenate([first.low, second.low]),
        np.concatenate([first.high, second.high]),
    )


def without(levels: Levels, at: int, more: Levels) -> Levels:
    """The levels with the one at ``at`` taken out and ``more`` added."""
    return _joined(_joined(levels.part(0, at), levels.part(at + 1)), more)


def _inside_previous(base: Floats, regime: Regime, value: float) -> bool:
    if regime.previous is None:
        return False
    before = base[slice(*regime.previous)]
    return bool(before.min() <= value <= before.max())
