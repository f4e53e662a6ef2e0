"""A drift: nothing moved much at any one commit, but the series slides one way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from echolot_tui.history import policy
from echolot_tui.history.ladder import Ladder
from echolot_tui.history.levels import Levels
from echolot_tui.history.size import large_enough
from echolot_tui.stats.kendall import robust_line, trend_p
from echolot_tui.stats.ranks import Floats

GATES: Final = (
    "points",
    "trend",
    "move",
    "relative",
    "absolute",
    "residual",
    "interval",
    "current level",
)


@dataclass(frozen=True, slots=True)
class Drift:
    """A line that passed every gate of its own."""

    intercept: float
    slope: float
    points: int
    p: float
    """Of the trend, not doubled."""
    residual: float
    """Median distance of a point from the line."""

    @property
    def end(self) -> float:
        """The line at the newest point."""
        return self.intercept + self.delta

    @property
    def delta(self) -> float:
        """What the line moves over the whole window."""
        return self.slope * (self.points - 1)

    def residuals(self, values: Floats) -> Floats:
        """Each point's signed distance from the line."""
        fitted: Floats = values - (self.intercept + self.slope * np.arange(len(values)))
        return fitted


def find_drift(levels: Levels, floor: float, ladder: Ladder) -> Drift | None:
    """The drift over the whole window, or ``None`` at the first gate that declines it."""
    drift = _gated(levels, floor, ladder)
    ladder.rest("drift", GATES)
    return drift


def _gated(levels: Levels, floor: float, ladder: Ladder) -> Drift | None:
    values = levels.values
    enough = len(values) >= policy.LEAST_EVIDENCE
    if not ladder.check("drift", "points", passed=enough, demand=policy.LEAST_EVIDENCE, computed=len(values)):
        return None
    p = trend_p(values)
    doubled = min(1.0, policy.DETECTORS * p)
    if not ladder.check(
        "drift", "trend", passed=doubled < policy.CHANCE_GATE, demand=policy.CHANCE_GATE, computed=doubled
    ):
        return None
    slope, intercept = robust_line(values)
    fitted = intercept + slope * np.arange(len(values))
    drift = Drift(intercept, slope, len(values), p, float(np.median(np.abs(values - fitted))))
    if not large_enough(
        ladder, "drift", delta=drift.delta, baseline=drift.intercept, residual=drift.residual, floor=floor
    ):
        return None
    return drift if _clear(levels, drift, ladder) else None


def _clear(levels: Levels, drift: Drift, ladder: Ladder) -> bool:
    half = levels.half_width()
    if half is None:
        ladder.skip("drift", "interval", "no intervals")
    elif not ladder.check(
        "drift",
        "interval",
        passed=abs(drift.delta) > policy.HALF_WIDTHS * half,
        demand=policy.HALF_WIDTHS * half,
        computed=abs(drift.delta),
    ):
        return False
    # Nearer to where the line ends than to where it starts; else the drift is a stretch that came back.
    moved = (float(np.median(levels.values[-policy.LEAST_REGIME :])) - drift.intercept) / drift.delta
    there = moved > policy.STILL_MOVED
    return ladder.check(
        "drift",
        "current level",
        passed=there,
        demand=policy.STILL_MOVED,
        computed=moved,
        note="" if there else "returned",
    )
