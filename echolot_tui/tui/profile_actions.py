"""Actions of the profile diff."""

from __future__ import annotations

from typing import Final

from echolot_tui.tui.action import Action, on

_HERE: Final = on("profile")

PROFILE_ACTIONS: Final[tuple[Action, ...]] = (
    Action(
        id="profile",
        keys=("p",),
        words="profile",
        help="Sampled stacks of the two sides, frame by frame",
        where=on("comparison"),
        footer=False,
    ),
    Action(
        id="fold",
        keys=("enter", "space"),
        words="fold",
        help="Fold what a frame calls, or show it",
        where=_HERE,
    ),
    Action(
        id="open_frame",
        keys=("right",),
        words="open",
        help="Show what a frame calls; where that is shown, go to the first of it",
        where=_HERE,
        footer=False,
    ),
    Action(
        id="close_frame",
        keys=("left",),
        words="close",
        help="Fold what a frame calls; where that is folded, go to its caller",
        where=_HERE,
        footer=False,
    ),
    Action(
        id="descend",
        keys=("f",),
        words="largest rise",
        help="Follow the largest rise to the deepest frame that explains it",
        where=_HERE,
    ),
    Action(
        id="absolute", keys=("n",), words="share/amount", help="Shares of the run, or amounts", where=_HERE
    ),
    Action(
        id="filter", keys=("slash",), words="filter", help="Only frames whose name holds a text", where=_HERE
    ),
    Action(
        id="also",
        keys=("a",),
        words="findings",
        help="Findings, renames and inlining, late against early, parts; or back to the tree",
        where=_HERE,
    ),
    Action(
        id="warnings",
        keys=("w",),
        words="preconditions",
        help="What the figures rest on and every precondition in full, or a line each",
        where=_HERE,
        footer=False,
    ),
    Action(
        id="export",
        keys=("e",),
        words="export",
        help="Write profile.md, profile.json and flame.svg and say where",
        where=_HERE,
    ),
    Action(
        id="copy", keys=("y",), words="copy frame", help="Copy the frame, through the terminal", where=_HERE
    ),
    Action(
        id="reload", keys=("r",), words="again", help="Compare the two sides again", where=_HERE, footer=False
    ),
)
