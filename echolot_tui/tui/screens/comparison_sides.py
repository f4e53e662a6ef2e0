"""The sides of a comparison: their names, the other way round, their profiles."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from echolot_tui.compare.model import Comparison, Row
from echolot_tui.tui.profile_sides import profile_ask
from echolot_tui.tui.store import ComparisonAsk, ProfileAsk, ShownComparison


def side_names(comparison: Comparison) -> Sequence[str]:
    """What every side is called, the base first."""
    others = (comparison, *comparison.others)
    return [comparison.before.name, *(each.after.name for each in others)]


def swapped(shown: ShownComparison) -> ComparisonAsk:
    """The sides the other way round; names that say which is which do not move with them."""
    names = side_names(shown.comparison)[:2]
    kept = () if names == ["before", "after"] else tuple(names[::-1])
    return replace(shown.ask, sides=shown.ask.sides[::-1], names=kept)


def comparison_profile(shown: ShownComparison, row: Row) -> ProfileAsk | str:
    """The two sides' traces, of a row's thread; why not, where they are not known."""
    comparison = shown.comparison
    before, after = ([one.trace for one in side.repeats] for side in (comparison.before, comparison.after))
    folder = None if shown.ask.folder is None else Path(shown.ask.folder)
    names = (comparison.before.name, comparison.after.name)
    return profile_ask(before, after, names=names, thread=row.thread, folder=folder)
