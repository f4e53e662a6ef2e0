"""What one report, or one result of another tool, says about a commit."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Final

from msgspec.structs import replace

from echolot_tui.frozen import Frozen
from echolot_tui.history.series import Better, SetName

_NANOSECONDS: Final = {"ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9}


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

    @property
    def name(self) -> str:
        """The identity's segments, joined."""
        return "/".join(self.segments)


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


def joined(found: Sequence[Measured]) -> tuple[Measured, ...]:
    """Every metric of an identity once: what is measured again is more runs of the same."""
    by_key: dict[tuple[tuple[str, ...], str], Measured] = {}
    for each in found:
        key = each.segments, each.metric
        first = by_key.get(key)
        if first is not None:
            runs = (*first.values, *each.values)
            each = replace(first, value=float(median(runs)), values=runs)  # noqa: PLW2901
        by_key[key] = each
    return tuple(by_key.values())


def in_unit(found: Measured, unit: str | None) -> Measured | None:
    """The same in the unit its series began with; ``None`` where no factor leads there."""
    if found.unit == unit:
        return found
    given, wanted = (_NANOSECONDS.get(each or "") for each in (found.unit, unit))
    if given is None or wanted is None:
        return None
    return replace(
        found,
        unit=unit,
        value=found.value * given / wanted,
        values=tuple(value * given / wanted for value in found.values),
    )
