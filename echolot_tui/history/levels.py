"""What the detectors look at: one value a position, oldest first, and its interval where it has one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from echolot_tui.stats.ranks import Floats


@dataclass(frozen=True, slots=True)
class Levels:
    """A series of levels."""

    values: Floats
    low: Floats
    """Lower end of each value's own interval; NaN where it has none."""
    high: Floats

    @staticmethod
    def of(values: Sequence[float] | Floats, intervals: Sequence[tuple[float, float] | None] = ()) -> Levels:
        """Levels from plain numbers; without ``intervals`` no value has one."""
        ends = [each or (math.nan, math.nan) for each in intervals] or [(math.nan, math.nan)] * len(values)
        low, high = np.array(ends, dtype=np.float64).reshape(-1, 2).T
        return Levels(np.asarray(values, dtype=np.float64), low, high)

    def part(self, start: int, stop: int | None = None) -> Levels:
        """The levels from ``start`` up to ``stop``."""
        chosen = slice(start, stop)
        return Levels(self.values[chosen], self.low[chosen], self.high[chosen])

    def half_width(self) -> float | None:
        """Median half-width of the values that have an interval; ``None`` when none has."""
        widths = (self.high - self.low)[~np.isnan(self.low)] / 2
        return float(np.median(widths)) if len(widths) else None

    def band(self) -> tuple[float, float] | None:
        """Median lower and median upper end; ``None`` when no value has an interval."""
        held = ~np.isnan(self.low)
        if not held.any():
            return None
        return float(np.median(self.low[held])), float(np.median(self.high[held]))


def relative_move(delta: float, baseline: float) -> float:
    """``delta / baseline``; plus or minus 1 from a baseline of nothing."""
    if abs(baseline) <= np.finfo(np.float64).eps:
        return math.copysign(1.0, delta)
    return delta / abs(baseline)
