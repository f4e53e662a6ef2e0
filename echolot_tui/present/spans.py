"""Text with roles: what a line says, what each part means, and how many terminal columns it takes.

A renderer turns roles into colours or drops them; every role is also told by a word or a sign in the
text itself, so nothing is lost without colour.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from echolot_tui.text import visible

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
_PIECE = re.compile("( +)|([^ ]+)")
_MARKS_PER_COLUMN = 3
"""Combining marks kept for each column of a text that is cut: ten thousand of them are one column wide."""


class Span(NamedTuple):
    """A part of a line and its meaning; ``line`` makes the text harmless."""

    text: str
    role: Role = "plain"


Line = tuple[Span, ...]
"""One line without its line end."""


def line(*parts: str | Span) -> Line:
    """A line of spans, made harmless; plain strings become plain spans, empty parts are left out."""
    spans = (part if isinstance(part, Span) else Span(part) for part in parts)
    return tuple(Span(visible(span.text), span.role) for span in spans if span.text)


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
    kept = text[: width * (1 + _MARKS_PER_COLUMN)]
    return kept[: _head(kept, width - 1)] + ELLIPSIS


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


def wrapped(spans: Line, width: int, *, indent: int = 0) -> list[Line]:
    """The line broken at spaces into lines of at most ``width`` terminal columns.

    A word that is longer than a line is broken where the line ends.

    Args:
        spans: The line.
        width: Columns there are; where there are fewer, lines of 2 are made: any character has a place.
        indent: Spaces in front of every line but the first.
    """
    width = max(width, 2)
    page = _Page(width, min(indent, width - 2))
    for gap, word in _words(spans):
        page.make_room(gap, sum(columns(span.text) for span in word))
        for span in word:
            page.write(span)
    return [tuple(parts) for parts in page.lines]


class _Page:
    """Lines being filled."""

    def __init__(self, width: int, indent: int) -> None:
        self.lines: list[list[Span]] = [[]]
        self._width = width
        self._indent = indent
        self._used = 0

    def make_room(self, gap: int, size: int) -> None:
        """Go to the next line when a gap and a word of ``size`` do not fit, else write the gap."""
        if self._used + gap + size <= self._width:
            self._put(Span(" " * gap))
        elif self.lines[-1]:
            self._next_line()

    def write(self, span: Span) -> None:
        rest = span.text
        while rest:
            head = _head(rest, self._width - self._used)
            if head:
                self._put(Span(rest[:head], span.role))
                rest = rest[head:]
            if rest:
                self._next_line()

    def _next_line(self) -> None:
        self.lines.append([])
        self._used = 0
        self._put(Span(" " * self._indent))

    def _put(self, span: Span) -> None:
        if span.text:
            self.lines[-1].append(span)
            self._used += columns(span.text)


def _words(spans: Line) -> Iterator[tuple[int, list[Span]]]:
    """Words with the number of spaces before each; a word may change its role in the middle."""
    gap, word = 0, list[Span]()
    for span in spans:
        for spaces, text in _PIECE.findall(span.text):
            if text:
                word.append(Span(text, span.role))
                continue
            if word:
                yield gap, word
                gap, word = 0, []
            gap += len(spaces)
    if word:
        yield gap, word


def _head(text: str, width: int) -> int:
    """How many characters of ``text`` fit into ``width`` terminal columns."""
    used = 0
    for position, char in enumerate(text):
        used += _char_columns(char)
        if used > width:
            return position
    return len(text)
