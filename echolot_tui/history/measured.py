"""What one report, or one result of another tool, says about a commit."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from echolot_tui.frozen import Frozen
from echolot_tui.history.series import Better, SetName


class Measured(Frozen, frozen=True, kw_only=True):
    """One metric of one identity."""

    segments: tuple[str, ...]
    metric: str
    unit: str | None
    better: Better = "lower"
    value: float
    values: tuple[float, ...]
    """Of the runs."""
    listed: bool = True
    """Over its detector's bar; rows under it only fill the gaps of series that were listed elsewhere."""


class Run(Frozen, frozen=True, kw_only=True):
    """Everything measured at once, before it is known at which commit."""

    set: SetName
    measured: tuple[Measured, ...]
    commit: str | None = None
    """What the file itself says."""


def measured(
    segments: Sequence[str],
    metric: str,
    unit: str | None,
    values: Sequence[float],
    *,
    value: float | None = None,
    better: Better = "lower",
    listed: bool = True,
) -> Measured:
    """One metric with its runs; ``value`` is their median where nothing else says it."""
    return Measured(
        segments=tuple(segments),
        metric=metric,
        unit=unit,
        better=better,
        value=float(median(values)) if value is None else value,
        values=tuple(map(float, values)),
        listed=listed,
    )
