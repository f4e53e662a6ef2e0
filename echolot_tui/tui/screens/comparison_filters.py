"""What a key or a chip makes of a comparison's filters and its order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeVar, get_args

from msgspec.structs import replace

from echolot_tui.compare.view import IMPACTS, VERDICTS, Chip, Direction, SortBy, ViewOptions

T = TypeVar("T")
Filter = Literal["direction", "verdict", "detector", "min_impact", "sort"]

_DIRECTIONS: Final[tuple[Direction, ...]] = get_args(Direction)
_ORDERS: Final[tuple[SortBy, ...]] = get_args(SortBy)


def next_choice(filter_by: Filter, options: ViewOptions, chips: Sequence[Chip]) -> ViewOptions:
    """With the next choice of a filter or the order; of verdicts and detectors those with rows, then all.

    Args:
        filter_by: Which.
        options: What is chosen.
        chips: What can be chosen, with counts.
    """
    if filter_by == "direction":
        return replace(options, direction=_after(_DIRECTIONS, options.direction))
    if filter_by == "min_impact":
        return replace(options, min_impact=_after(tuple(IMPACTS), options.min_impact))
    if filter_by == "sort":
        return replace(options, sort=_after(_ORDERS, options.sort))
    offered = [chip.value for chip in chips if chip.filter == filter_by and (chip.count or chip.active)]
    if filter_by == "verdict":
        words = [word for word in VERDICTS if word in offered]
        return replace(options, verdicts=_next_alone(words, options.verdicts))
    return replace(options, detectors=_next_alone(offered, options.detectors))


def unfiltered(options: ViewOptions) -> ViewOptions:
    """All rows that moved; the order and the steady rows stay as they are."""
    return ViewOptions(sort=options.sort, steady=options.steady, top=options.top)


def toggled(options: ViewOptions, chip: Chip) -> ViewOptions:
    """With a choice taken or given back: one direction and step, any verdicts and detectors."""
    if chip.filter == "direction":
        return replace(options, direction="both" if chip.active else chip.value)
    if chip.filter == "min_impact":
        return replace(options, min_impact="any" if chip.active else chip.value)
    field = "verdicts" if chip.filter == "verdict" else "detectors"
    chosen: tuple[str, ...] = getattr(options, field)
    kept = tuple(value for value in chosen if value != chip.value)
    return replace(options, **{field: kept if chip.active else (*kept, chip.value)})


def _next_alone(offered: Sequence[T], chosen: Sequence[T]) -> tuple[T, ...]:
    """The one after the one that is chosen; none after the last."""
    following = _after((None, *offered), chosen[0] if len(chosen) == 1 else None)
    return () if following is None else (following,)


def _after(choices: Sequence[T], current: T) -> T:
    """The choice after the current one; the first after the last."""
    at = choices.index(current) if current in choices else -1
    return choices[(at + 1) % len(choices)]
