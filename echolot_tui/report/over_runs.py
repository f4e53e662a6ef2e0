"""One number over the runs of a set: median, spread, and in how many runs it was seen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean, median
from typing import TypeVar

from echolot_tui.report.model import Count, Spread
from echolot_tui.stats.shift import resolves
from echolot_tui.units import percent, round1, round2

T = TypeVar("T")

Values = Sequence[float | None]
"""One value per run, ``None`` where the run has none."""


def present(values: Iterable[T | None]) -> list[T]:
    """The values that are there, in order."""
    return [value for value in values if value is not None]


def median_ms(values: Iterable[float | None]) -> float | None:
    """Median of the values that are there, to 2 decimals; ``None`` without any."""
    found = present(values)
    return round2(median(found)) if found else None


def median_tenths(values: Iterable[float | None]) -> float | None:
    """Median of the values that are there, to 1 decimal; ``None`` without any."""
    found = present(values)
    return round1(median(found)) if found else None


def median_count(values: Iterable[Count | None]) -> Count | None:
    """Median of counts: whole where it is whole, else ``x.5``; ``None`` without any."""
    found = present(values)
    if not found:
        return None
    middle = median(found)
    return int(middle) if middle == int(middle) else round1(middle)


def spread(values: Values, traces: Sequence[int]) -> Spread | None:
    """Smallest, largest and every value of the runs that have one; ``None`` when no run does.

    Args:
        values: One per run.
        traces: Which trace each run comes from.
    """
    found = present(values)
    if not found:
        return None
    resolution = resolution_ms(values, traces)
    return Spread(
        min=min(found),
        max=max(found),
        values=tuple(found),
        resolves_ms=resolution,
        resolves_pct=None if resolution is None else percent(resolution, median(found)),
    )


def resolution_ms(values: Values, traces: Sequence[int]) -> float | None:
    """Smallest move a comparison against as many traces, spread the same way, could call real.

    Runs of one trace are not independent: they count as one, with their mean. ``None`` below 4 traces.

    Args:
        values: One per run, in milliseconds.
        traces: Which trace each run comes from.
    """
    together: dict[int, list[float]] = {}
    for value, trace in zip(values, traces, strict=True):
        if value is not None:
            together.setdefault(trace, []).append(value)
    return resolves([fmean(found) for found in together.values()])


def of_runs(seen: int, runs: int) -> str | None:
    """``k/n``; ``None`` for a single run, of which there is nothing to count."""
    return f"{seen}/{runs}" if runs > 1 else None
