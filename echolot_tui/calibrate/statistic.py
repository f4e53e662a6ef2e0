"""The statistic of one run, and rounding of what becomes a threshold."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from echolot_tui.frozen import Cell
from echolot_tui.measure.detector_file import CalibrateRule
from echolot_tui.units import round1

Number = int | float

SMALLEST = 1.0
"""A threshold below this means "report everything", which is none."""


def sorted_numbers(cells: Iterable[Cell]) -> list[float]:
    """The numbers among the cells, largest first."""
    return sorted((float(cell) for cell in cells if isinstance(cell, int | float)), reverse=True)


def top(values: Sequence[float], rank: int) -> float:
    """The ``rank``-th largest, counted from 1, of values sorted from large to small."""
    return values[rank - 1]


def percentile(values: Sequence[float], share: float) -> float:
    """Percentile with linear interpolation between neighbours (the method numpy calls ``linear``).

    Args:
        values: Sorted from large to small; at least one.
        share: From 0 to 100.
    """
    place = (len(values) - 1) * (1 - share / 100)
    above, part = math.floor(place), place % 1
    if not part:
        return values[above]
    return values[above] + (values[above + 1] - values[above]) * part


def statistic(values: Sequence[float], rule: CalibrateRule) -> float:
    """The rule's statistic of one run's values, sorted from large to small; long enough for it."""
    if rule.top is not None:
        return top(values, rule.top)
    assert rule.percentile is not None
    return percentile(values, rule.percentile)


def needed(rule: CalibrateRule, min_sample: int) -> int:
    """Fewest rows of a run the statistic is taken from."""
    return max(min_sample, rule.top or 1)


def rounded(value: float, column: str) -> Number:
    """A threshold as it is written: 1 decimal; a count is whole, and the next one up lists the same rows."""
    return math.ceil(round(value, 6)) if column == "count" else round1(value)


def just_over(value: float, column: str) -> Number:
    """The smallest threshold, as it is written, that a row of ``value`` does not reach."""
    if column == "count":
        return math.floor(round(value, 6)) + 1
    return round1((math.floor(round(value * 10, 6)) + 1) / 10)
