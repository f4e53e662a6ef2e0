"""The signs plots are drawn with, in three levels, and text for terminals that only show ASCII."""

from __future__ import annotations

import unicodedata
from typing import Final, Literal

from echolot_tui.frozen import Frozen
from echolot_tui.present.spans import Line, Span, columns

Level = Literal["ascii", "blocks", "braille"]
LEVELS: Final[tuple[Level, ...]] = ("ascii", "blocks", "braille")


class Glyphs(Frozen, frozen=True, kw_only=True):
    """One set of signs; each takes one terminal column."""

    level: Level
    dot: str
    """One run."""
    zero_dot: str
    """A run in which the row is not there."""
    axis: str
    median_above: str
    median_below: str
    median_both: str
    band: str
    """The floor: moves inside it do not count."""
    span: str
    """The range of a move."""
    estimate: str
    zero: str
    levels: str
    """From low to high, for strips and sparklines."""
    open_sign: str
    closed_sign: str
    cursor: str
    bar: str


_BLOCKS: Final = Glyphs(
    level="blocks",
    dot="●",
    zero_dot="○",
    axis="─",
    median_above="▲",
    median_below="▼",
    median_both="◆",
    band="░",
    span="━",
    estimate="◆",
    zero="│",
    levels="▁▂▃▄▅▆▇█",
    open_sign="▾",
    closed_sign="▸",
    cursor="▌",
    bar="█",
)

_ASCII: Final = Glyphs(
    level="ascii",
    dot="o",
    zero_dot=".",
    axis="-",
    median_above="^",
    median_below="v",
    median_both="X",
    band=":",
    span="=",
    estimate="#",
    zero="|",
    levels="_.-~+=*#",
    open_sign="v",
    closed_sign=">",
    cursor=">",
    bar="#",
)

GLYPHS: Final[dict[Level, Glyphs]] = {
    "ascii": _ASCII,
    "blocks": _BLOCKS,
    "braille": Glyphs(
        **{**{name: getattr(_BLOCKS, name) for name in Glyphs.__struct_fields__}, "level": "braille"}
    ),
}

_ASCII_SIGNS: Final = str.maketrans(
    {
        "→": ">",
        "←": "<",
        "−": "-",
        "–": "-",
        "—": "-",
        "…": "~",
        "·": ".",
        "×": "x",
        "±": "~",
        "Δ": "d",
        "≥": ">",
        "≤": "<",
        "≠": "!",
        "°": "'",
        "“": '"',
        "”": '"',
        "’": "'",
        "▸": ">",
        "▾": "v",
        "▌": ">",
        "●": "o",
        "○": ".",
        "▲": "^",
        "▼": "v",
        "◆": "#",
        "│": "|",
        "─": "-",
        "━": "=",
        "█": "#",
        "░": ":",
        "✓": "+",
        "✗": "x",
        "⚠": "!",
        "↑": "^",
        "↓": "v",
    }
)


def ascii_text(text: str) -> str:
    """``text`` in ASCII, as many terminal columns wide.

    Our signs become their likes, letters lose their marks, everything else is ``?``.
    """
    if text.isascii():
        return text
    signs = text.translate(_ASCII_SIGNS)
    return signs if signs.isascii() else "".join(map(_ascii_char, signs))


def ascii_line(spans: Line) -> Line:
    """A line in ASCII."""
    return tuple(Span(ascii_text(span.text), span.role) for span in spans)


def _ascii_char(char: str) -> str:
    if char.isascii():
        return char
    base = unicodedata.normalize("NFKD", char)[0]
    width = columns(char)
    return base if base.isascii() and base.isprintable() and width == 1 else "?" * width
