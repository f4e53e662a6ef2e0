"""What Home would compare: the reports that are marked, else the hunt's rounds; or why that cannot be."""

from __future__ import annotations

from collections.abc import Sequence

from echolot_tui.tui.screens.home_spot import Spot
from echolot_tui.tui.store import ComparisonAsk


def comparison_ask(spot: Spot, marked: Sequence[str]) -> ComparisonAsk | str:
    """What to ask for, or why there is nothing to compare.

    Args:
        spot: Where the cursor is.
        marked: Reports that are marked, the base first.
    """
    if len(marked) > 1:
        return ComparisonAsk(sides=tuple(marked), names=_names(spot, marked))
    hunt = spot.hunt
    if hunt is None:
        return "mark two reports first: the first one marked is the base"
    if len(hunt.measured) < 2:
        return "a comparison needs two rounds with a report"
    flags = () if hunt.current else ("--hunt", str(hunt.n))
    return ComparisonAsk(sides=(), first_flags=flags, folder=str(spot.root / ".echolot" / "out"))


def _names(spot: Spot, marked: Sequence[str]) -> tuple[str, ...]:
    """What the marked sides are called, where every one is a round of the hunt that is shown."""
    hunt = spot.hunt
    named = dict(zip(spot.round_paths, hunt.rounds if hunt is not None else (), strict=True))
    called = [named[path].name.replace(",", " ") for path in marked if path in named]
    return tuple(called) if len(set(called)) == len(marked) else ()
