"""Whether a set drifted while it was recorded: a trend of one number over run order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from statistics import median

import numpy as np

from echolot_tui.frozen import Frozen
from echolot_tui.stats.kendall import trend_p
from echolot_tui.units import round2


class Trend(Frozen, frozen=True, kw_only=True):
    """How a number went over run order."""

    total: float
    """From the first run to the last along the middle slope, in the number's own unit, 2 decimals."""
    p: float
    """Chance that the same runs in random order show a trend as clear, up or down."""


def trend(values: Sequence[float | None]) -> Trend | None:
    """Trend over run order: Kendall's S for the p, the slope of Theil and Sen for the size.

    Args:
        values: One per run in the order they were recorded; a run without a value keeps its place.

    Returns:
        None below three values, or when all are equal.
    """
    points = [(at, value) for at, value in enumerate(values) if value is not None]
    known = [value for _, value in points]
    if len(known) < 3 or len(set(known)) == 1:
        return None
    slope = median(
        (late - early) / (then - first) for (first, early), (then, late) in combinations(points, 2)
    )
    total = slope * (points[-1][0] - points[0][0])
    return Trend(total=round2(total), p=trend_p(np.array(known, dtype=np.float64)))
