"""A differential flame graph as one SVG file: no network, no fonts, readable without its script.

Both sides lie on one layout: a frame is as wide as the mean of its two shares, so what is gone and what is
new keep their places, and callees always fit under their caller. Frames of at least a pixel are in the file
as shapes; the script draws the smaller ones when one zooms in.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import escape
from typing import Final, NamedTuple

from echolot_tui.present.flame_script import SCRIPT
from echolot_tui.profiles.model import Node, ProfileDiff, State
from echolot_tui.text import visible

WIDTH: Final = 1200
_ROW: Final = 17
_TOP: Final = 74
_LETTER: Final = 6.6
"""Pixels a letter of the 11-pixel typeface takes."""

_STRONGEST: Final = 5.0
"""Percentage points from which a colour gets no stronger."""

_LEAST_PIXELS: Final = 1.0
_LABEL: Final = 300
_STATES: Final[tuple[State, ...]] = ("grew", "shrank", "quiet", "unresolved", "withheld")
_STYLE: Final = """
text{font:11px monospace;fill:#222}.h{font-weight:bold;font-size:14px}.m{fill:#666}
.b{cursor:pointer;fill:#06c}g.n{cursor:pointer}rect{stroke:#fff;stroke-width:.5}
.u rect{stroke:#999;stroke-dasharray:2 2}.f rect{stroke:#000;stroke-width:1.5}
"""


class Box(NamedTuple):
    """One frame's place: ``left`` and ``width`` in percent of the whole."""

    node: Node
    left: float
    width: float


def boxes(profile: ProfileDiff) -> list[Box]:
    """Every listed frame's place, callers first.

    Width is the mean of the two shares; callees stand from their caller's left edge in the order of their
    names, and what is left at the right is the caller's own time and its folded callees.
    """
    found: list[Box] = []
    cursor: list[float] = []
    for node in profile.nodes:
        width = (node.before.share + node.after.share) / 2
        left = 0.0 if node.parent is None else cursor[node.parent]
        if node.parent is not None:
            cursor[node.parent] += width
        found.append(Box(node, left, width))
        cursor.append(left)
    return found


def flame_svg(profile: ProfileDiff, *, title: str = "") -> str:
    """The graph as a file's text.

    Args:
        profile: The comparison.
        title: Heading; the sides' names when empty.
    """
    placed = boxes(profile)
    deepest = max(box.node.depth for box in placed)
    height = _TOP + (deepest + 1) * _ROW + 10
    size = f'width="{WIDTH}" height="{height}"'
    heading = title or f"{profile.before.name} → {profile.after.name}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {WIDTH} {height}">',
        f"<title>{_text(heading)}</title>",
        f"<style>{_STYLE}</style>",
        f'<rect {size} fill="#fff" style="stroke:none"/>',
        *_head(profile, heading),
        '<g id="frames">',
        *_shapes(placed),
        "</g>",
        f"<script><![CDATA[const DATA={_data(placed)};\n{SCRIPT}]]></script>",
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def colour(state: State, delta: float) -> str:
    """Red grows, blue shrinks, stronger with the move; grey is quiet, nearly white unresolved."""
    if state in ("unresolved", "withheld"):
        return "#f4f4f4"
    if state == "quiet":
        return "#dcdcdc"
    faded = round(205 * (1 - min(abs(delta) / _STRONGEST, 1.0)))
    return f"rgb(235,{faded},{faded})" if state == "grew" else f"rgb({faded},{faded},235)"


def caption(node: Node) -> str:
    """A frame's name with its move as a signed number."""
    return f"{visible(node.label, _LABEL)} {node.delta_share:+.2f}"


def explanation(node: Node) -> str:
    """All of a frame in one line."""
    suspect = f", perhaps {node.suspect}" if node.suspect else ""
    return (
        f"{caption(node)} points: {node.before.share:.2f} % → {node.after.share:.2f} %, "
        f"{node.before.count:.0f} → {node.after.count:.0f} samples, {node.share.state}{suspect}"
    )


def _head(profile: ProfileDiff, heading: str) -> Iterator[str]:
    totals = profile.totals
    change = "" if totals.ratio is None else f" ({100 * (totals.ratio - 1):+.1f} %)"
    state = ", ".join(f"{one.name} {one.status}" for one in profile.preconditions)
    floor = f"{profile.count_floor:g} samples" if profile.count_floor else "0.05 %"
    told = (
        "Width: mean of both shares. Red grew, blue shrank (points of share), grey is quiet, dashed "
        f"unresolved. Under {floor}: folded into the caller."
    )
    lines = (
        ("h", f"{heading}: {totals.before:g} → {totals.after:g} {profile.unit}{change}"),
        ("m", told),
        ("m", f"Preconditions: {state}."),
    )
    for at, (kind, text) in enumerate(lines):
        yield f'<text class="{kind}" x="8" y="{18 + at * 15}">{_text(text[:400])}</text>'
    yield f'<text class="b" id="search" x="{WIDTH - 150}" y="18">search</text>'
    yield f'<text class="b" id="reset" x="{WIDTH - 90}" y="18">whole graph</text>'
    yield f'<text id="told" x="8" y="{_TOP - 8}"></text>'


def _shapes(placed: list[Box]) -> Iterator[str]:
    scale = WIDTH / 100
    for box in placed:
        pixels = box.width * scale
        if pixels < _LEAST_PIXELS:
            continue
        node, x, y = box.node, box.left * scale, _TOP + box.node.depth * _ROW
        fill = colour(node.share.state, node.delta_share)
        kind = "n u" if node.share.state in ("unresolved", "withheld") else "n"
        letters = int((pixels - 4) / _LETTER)
        text = _shortened(caption(node), letters)
        shown = f'<text x="{x + 2:.1f}" y="{y + 12}">{_text(text)}</text>' if text else ""
        yield (
            f'<g class="{kind}"><title>{_text(explanation(node))}</title>'
            f'<rect x="{x:.2f}" y="{y}" width="{pixels:.2f}" height="{_ROW - 1}" fill="{fill}"/>{shown}</g>'
        )


def _shortened(text: str, letters: int) -> str:
    """As much of a name as fits, the number at its end kept as long as it can be."""
    if letters >= len(text):
        return text
    number = text.rpartition(" ")[2]
    if letters > len(number) + 3:
        return f"{text[: letters - len(number) - 2]}… {number}"
    return number if letters >= len(number) else ""


def _data(placed: list[Box]) -> str:
    """Names once, and a row of numbers a frame."""
    names: dict[str, int] = {}
    rows = [
        [
            box.node.depth,
            -1 if box.node.parent is None else box.node.parent,
            round(box.left, 5),
            round(box.width, 5),
            names.setdefault(visible(box.node.label, _LABEL), len(names)),
            round(box.node.before.share, 3),
            round(box.node.after.share, 3),
            box.node.delta_share,
            _STATES.index(box.node.share.state),
            round(box.node.before.count),
            round(box.node.after.count),
        ]
        for box in placed
    ]
    text = json.dumps({"names": list(names), "rows": rows}, ensure_ascii=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _text(text: str) -> str:
    return escape(visible(text), quote=True)
