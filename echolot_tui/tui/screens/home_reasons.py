"""Why an action of Home cannot be done now: most need a round, a hunt or a config."""

from __future__ import annotations

from typing import Final

from echolot_tui.tui.screens.home_spot import Spot
from echolot_tui.tui.store import HomeView

_NEEDS_ITEM: Final = {"open", "mark", "detectors"}
_NEEDS_ROUND: Final = {"label", "perfetto", "calibrate"}
_NEEDS_TRACES: Final = {"perfetto", "calibrate"}
_NEEDS_HUNT: Final = {"note", "resume"}
_NEEDS_CONFIG: Final = {"collect", "calibrate", "conclude", "note", "resume", "label"}


def why_not(action_id: str, view: HomeView | None, spot: Spot, *, on_hunts: bool) -> str | None:
    """Why not; ``None`` when it can be done.

    Args:
        action_id: The action; those that compare two sides are ``home_sides``' matter.
        view: What Home shows.
        spot: Where the cursor is in the right table.
        on_hunts: The keys go to the hunts, not to that table.
    """
    if view is None:
        return "the project is still being looked at" if action_id in _NEEDS_ITEM | _NEEDS_CONFIG else None
    if action_id in _NEEDS_CONFIG and not view.has_config:
        return "there is no echolot.yml yet: n makes one"
    if action_id == "conclude" and not any(hunt.current for hunt in view.hunts):
        return "no hunt is current"
    if action_id == "other_list" and not view.hunts:
        return "there are no hunts yet"
    return _why_not_here(action_id, spot, on_hunts=on_hunts)


def _why_not_here(action_id: str, spot: Spot, *, on_hunts: bool) -> str | None:
    """What the cursor is not on."""
    if action_id in _NEEDS_HUNT and spot.hunt is None:
        return "the cursor is on no hunt"
    if action_id in _NEEDS_ROUND and spot.round is None:
        return "the cursor is on no round"
    if action_id in _NEEDS_TRACES and spot.round is not None and not spot.round.traces:
        return "this round has no traces"
    if action_id in _NEEDS_ITEM and not on_hunts and spot.path is None:
        return "this round has no report yet" if spot.round else "there is no report here yet"
    return None
