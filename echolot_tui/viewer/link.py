"""The address that makes the UI load the trace and look at the right place."""

from __future__ import annotations

import urllib.parse
from typing import Final

from echolot_tui.viewer.find import Place

TRACE: Final = "trace"
_ROOM: Final = 10
"""Around a slice, a tenth of its length on both sides."""


def link(base: str, name: str, place: Place | None) -> str:
    """The UI's address.

    Args:
        base: Where it is served, ending in a slash.
        name: The trace's file name, which the UI shows.
        place: Where to look; ``None`` shows all of it.
    """
    trace = f"{base}{TRACE}/{urllib.parse.quote(name, safe='')}"
    asked: dict[str, str | int] = {"url": trace}
    if place is not None:
        asked |= _look_at(place)
    return f"{base}#!/?{urllib.parse.urlencode(asked, quote_via=urllib.parse.quote)}"


def _look_at(place: Place) -> dict[str, str | int]:
    if place.slice_ns is None or place.slice_dur_ns is None:
        return {"visStart": place.start_ns, "visEnd": place.end_ns}
    length = max(place.slice_dur_ns, 1_000)
    return {
        "ts": place.slice_ns,
        "dur": place.slice_dur_ns,
        "visStart": max(place.slice_ns - length // _ROOM, 0),
        "visEnd": place.slice_ns + length + length // _ROOM,
    }
