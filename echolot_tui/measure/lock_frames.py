"""The frames ART writes into the name of a slice that waits for a monitor. Pure."""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

_FRAME: Final = re.compile(
    r"(?P<said> at | blocking from |^blocking from )"
    r"(?P<frame>(?P<returns>\S+) (?P<owner>[^\s()]+)\.(?P<method>[^\s.()]+)\((?P<parameters>[^()]*)\)"
    r"\((?P<file>[^():]*|:[^ ()]+ \([^()]*\))(?::(?P<line>-?[0-9]+))?\))"
)


class LockFrame(NamedTuple):
    """One frame in such a name."""

    role: Literal["owner", "blocked"]
    """``owner`` holds the monitor, ``blocked`` waits for it."""
    start: int
    """Where the frame begins in the text: its return type."""
    end: int
    returns: str
    owner: str
    """Class."""
    method: str
    parameters: str
    file: str
    """As recorded: R8 may have replaced it by a word of its own, or by nothing."""
    line: int | None
    """``None`` in native code, or where the source has none."""


def lock_frames(text: str) -> tuple[LockFrame, ...]:
    """The frames in a slice's name or in evidence that quotes it, in order.

    Args:
        text: ``monitor contention with owner NAME (TID) at RETURNS OWNER.METHOD(PARAMETERS)(FILE:LINE)
            waiters=N blocking from …``; anything else has none.
    """
    return tuple(
        LockFrame(
            role="owner" if found["said"] == " at " else "blocked",
            start=found.start("frame"),
            end=found.end("frame"),
            returns=found["returns"],
            owner=found["owner"],
            method=found["method"],
            parameters=found["parameters"],
            file=found["file"],
            line=line if (line := int(found["line"] or 0)) > 0 else None,
        )
        for found in _FRAME.finditer(text)
    )
