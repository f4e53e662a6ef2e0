"""One step in a series: where, how large, and the gates that need no probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from echolot_tui.history import policy
from echolot_tui.history.ladder import Ladder
from echolot_tui.history.levels import Levels, relative_move
from echolot_tui.history.size import large_enough
from echolot_tui.stats.ranks import Floats, Ints, doubled_ranks, locate, superiority

GATES: Final = (
    "split",
    "regime",
    "move",
    "relative",
    "absolute",
    "residual",
    "agreement",
    "interval",
    "current level",
)


@dataclass(frozen=True, slots=True)
class Step:
    """A split whose two levels passed every gate but chance."""

    at: int
    """Points before it."""
    before: float
    after: float
    residual: float
    """Median distance of a point from its own side's level."""
    ranks: Ints
    """Doubled, in time order."""

    @property
    def delta(self) -> float:
        """The move."""
        return self.after - self.before

    def residuals(self, values: Floats) -> Floats:
        """Each point's signed distance from its side's level."""
        return values - np.where(np.arange(len(values)) < self.at, self.before, self.after)


def find_step(levels: Levels, floor: float, ladder: Ladder) -> Step | None:
    """The most likely step, or ``None`` at the first gate that declines it.

    Args:
        levels: At least one value.
        floor: Least absolute move of the metric.
        ladder: Gets every gate met.
    """
    step = _gated(levels, floor, ladder)
    ladder.rest("step", GATES)
    return step


def _gated(levels: Levels, floor: float, ladder: Ladder) -> Step | None:
    values = levels.values
    if not ladder.check("step", "split", passed=len(values) >= 2, demand=2, computed=len(values)):
        return None
    ranks = doubled_ranks(values)
    at = locate(ranks)
    side = min(at, len(values) - at)
    if not ladder.check(
        "step", "regime", passed=side >= policy.LEAST_REGIME, demand=policy.LEAST_REGIME, computed=side
    ):
        return None
    before, after = float(np.median(values[:at])), float(np.median(values[at:]))
    step = Step(at, before, after, _residual(values, at, before, after), ranks)
    if not large_enough(
        ladder, "step", delta=step.delta, baseline=step.before, residual=step.residual, floor=floor
    ):
        return None
    agreement = oriented_agreement(values[:at], values[at:], step.delta)
    agrees = agreement >= policy.AGREEMENT
    if not ladder.check(
        "step", "agreement", passed=agrees, demand=policy.AGREEMENT, computed=agreement
    ) or not _intervals_apart(levels, at, ladder):
        return None
    return step if _still_there(values, step, floor, ladder) else None


def oriented_agreement(before: Floats, after: Floats, delta: float) -> float:
    """Share of pairs that agree with a move of this sign, ties one half."""
    share = superiority(before, after)
    return share if delta > 0 else 1 - share


def _residual(values: Floats, at: int, before: float, after: float) -> float:
    return float(np.median(np.concatenate([np.abs(values[:at] - before), np.abs(values[at:] - after)])))


def _intervals_apart(levels: Levels, at: int, ladder: Ladder) -> bool:
    """The bands of the two sides do not overlap; no interval on a side asks for nothing."""
    first, second = levels.part(0, at).band(), levels.part(at).band()
    if first is None or second is None:
        ladder.skip("step", "interval", "no interval on both sides")
        return True
    gap = max(second[0] - first[1], first[0] - second[1])
    return ladder.check("step", "interval", passed=gap > 0, demand=0.0, computed=gap)


def _still_there(values: Floats, step: Step, floor: float, ladder: Ladder) -> bool:
    """The newest points still differ from the old level: an excursion that came back is no present change."""
    newest = values[-policy.LEAST_REGIME :]
    moved = float(np.median(newest)) - step.before
    agreement = oriented_agreement(values[: step.at], newest, step.delta)
    there = (
        moved / step.delta > policy.STILL_MOVED
        and abs(relative_move(moved, step.before)) >= policy.HISTORY_FLOOR
        and abs(moved) >= floor
        and agreement >= policy.AGREEMENT
    )
    return ladder.check(
        "step",
        "current level",
        passed=there,
        demand=policy.AGREEMENT,
        computed=agreement,
        note="" if there else "returned",
    )
