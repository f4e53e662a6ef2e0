"""Text with roles: what a line says, what each part means, and how many terminal columns it takes.

A renderer turns roles into colours or drops them; every role is also told by a word or a sign in the
text itself, so nothing is lost without colour.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Literal, NamedTuple

Role = Literal[
    "plain",
    "muted",
    "strong",
    "heading",
    "name",
    "number",
    "warning",
    "error",
    "ok",
    "slower",
    "faster",
    "unsure",
    "new",
    "gone",
]

ELLIPSIS = "…"

_ZERO_WIDTH = frozenset({"Mn", "Me", "Cf"})
_MARKS_PER_COLUMN = 3
"""Combining marks kept for each column of a text that is cut: ten thousand of them are one column wide."""


class Span(NamedTuple):
    """A part of a line: harmless text (already through ``visible``) and its meaning."""

    text: str
    role: Role = "plain"


Line = tuple[Span, ...]
"""One line without its line end."""


def line(*parts: str | Span) -> Line:
    """A line of spans; plain strings become plain spans, empty parts are left out."""
    spans = (part if isinstance(part, Span) else Span(part) for part in parts)
    return tuple(span for span in spans if span.text)


def plain(spans: Iterable[Span]) -> str:
    """The line's text without roles."""
    return "".join(span.text for span in spans)


def columns(text: str) -> int:
    """Terminal columns ``text`` takes: 2 for wide characters, 0 for combining ones (Unicode annex 11)."""
    if text.isascii():
        return len(text)
    return sum(map(_char_columns, text))


def _char_columns(char: str) -> int:
    if unicodedata.category(char) in _ZERO_WIDTH or "\u1160" <= char <= "\u11ff":
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def cut(text: str, width: int) -> str:
    """``text`` in at most ``width`` terminal columns, the last being an ellipsis when something was cut."""
    if len(text) <= width * (1 + _MARKS_PER_COLUMN) and columns(text) <= width:
        return text
    if width <= 0:
        return ""
    kept: list[str] = []
    used = 0
    for char in text[: width * (1 + _MARKS_PER_COLUMN)]:
        used += _char_columns(char)
        if used > width - 1:
            break
        kept.append(char)
    return "".join(kept) + ELLIPSIS


def pad(text: str, width: int, *, right: bool = False) -> str:
    """``text`` filled with spaces to ``width`` terminal columns, on its left when ``right``."""
    gap = " " * max(width - columns(text), 0)
    return gap + text if right else text + gap


def cut_line(spans: Line, width: int) -> Line:
    """The line in at most ``width`` terminal columns."""
    if columns(plain(spans)) <= width:
        return line(*spans)
    kept: list[Span] = []
    left = width
    for span in spans:
        size = columns(span.text)
        if size >= left:
            kept.append(Span(cut(span.text + ELLIPSIS, left), span.role))
            break
        kept.append(span)
        left -= size
    return line(*kept)
