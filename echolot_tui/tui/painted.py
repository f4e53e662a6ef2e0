"""What is on the terminal, cell by cell, so that only what differs is written to it.

Textual paints a part of a widget from the widget's left edge, every change of colour with all codes of
both colours, and the whole screen several times while another opens. Over ssh each of these bytes is
waited for. Here a painted text is compared with the cells it falls on: what is there already is left
out, and of the codes only those that change something are kept.

What is not known is never left out. Nothing is known at the start, of a terminal of another size, after
a sequence other than "go there", "look so" and text, and of a line from where a text stands with
characters that are not one column wide, because terminals differ in how wide they draw those.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby
from operator import ne
from typing import Final, NamedTuple

from rich.cells import cell_len

from echolot_tui.present.spans import columns

_PART: Final = re.compile(
    r"\x1b\[(?P<row>\d+);(?P<column>\d+)H|\x1b\[(?P<codes>[\d;]*)m|(?P<text>[^\x00-\x1f\x7f-\x9f]+)|\r?\n"
)
"""A line feed moves nothing that the next "go there" does not move again."""

_PAINTS: Final = re.compile(r"\x1b\[\d+;\d+H")
_BEGIN: Final = "\x1b[?2026h"
_END: Final = "\x1b[?2026l"
"""Around an update, where the terminal knows synchronized output."""

_PAINTS_NOTHING: Final = re.compile(r"\x1b\](22|52);[^\x07\x1b]*\x07")
"""Shape of the pointer, the clipboard."""

_SHORT: Final = 4
"""So many characters are written again rather than stepped over, which takes four bytes too."""

_SEEN_ON_BLANKS: Final = frozenset({"4", "7", "9"})
"""Underline, reverse, strike."""

_ENDS: Final = {"1": "22", "2": "22", "3": "23", "4": "24", "5": "25", "7": "27", "9": "29"}
"""The code that ends each attribute; bold and dim have one between them."""

_COLOUR_LENGTH: Final = {"2": 5, "5": 3}
"""Codes of a colour: ``38;2;R;G;B`` and ``38;5;N``."""


class Look(NamedTuple):
    """How a character is drawn, in codes; an empty colour is the terminal's own."""

    attributes: frozenset[str] = frozenset()
    ink: str = ""
    ground: str = ""


PLAIN: Final = Look()


class Cell(NamedTuple):
    """What is in one column of a line."""

    character: str
    look: Look


class Painted:
    """What is known to be on the terminal."""

    def __init__(self) -> None:
        self._size = (0, 0)
        self._lines: list[list[Cell | None]] = []
        self._cursor: tuple[int, int] | None = None
        self._held = ""
        """The begin of an update of which nothing was written yet."""

    def forget(self) -> None:
        """Nothing is known any more: somebody else may have written there."""
        width, height = self._size
        self._lines = [[None] * width for _ in range(height)]
        self._cursor = None

    def difference(self, data: str, size: tuple[int, int]) -> str:
        """What has to be written so that the terminal looks as after ``data``.

        Args:
            data: What Textual writes: one update, or something that is no painting.
            size: Columns and lines the terminal has now; what would be painted beyond them is left out.
        """
        if size != self._size:
            self._size = size
            self.forget()
        if data == _BEGIN:
            self._held = data
            return ""
        if data == _END and self._held:
            self._held = ""
            return ""
        written = self._differing(data)
        if written:
            written, self._held = self._held + written, ""
        return written

    def _differing(self, data: str) -> str:
        if data == _END or _PAINTS_NOTHING.fullmatch(data):
            return data
        update = _Update(self._lines, self._size, self._cursor)
        if not _PAINTS.match(data) or not update.take(data):
            self.forget()
            return data
        self._cursor = update.cursor
        return "".join(update.written)


class _Update:
    """One update on its way through: where it is, how it looks, and what is written of it."""

    def __init__(
        self, lines: list[list[Cell | None]], size: tuple[int, int], cursor: tuple[int, int] | None
    ) -> None:
        self.written: list[str] = []
        self.cursor = cursor
        """Where the terminal's cursor is: column, line."""
        self._lines = lines
        self._width, self._height = size
        self._worn = PLAIN

    def take(self, data: str) -> bool:
        """Go through an update; whether all of it was understood."""
        look, x, y, at = PLAIN, 0, 0, 0
        while at < len(data):
            part = _PART.match(data, at)
            if part is None:
                return False
            at = part.end()
            kind = part.lastgroup
            if kind == "text":
                x += self._text(part["text"], look, x, y)
            elif kind == "codes":
                known = looked(look, part["codes"])
                if known is None:
                    return False
                look = known
            elif kind == "column":
                x, y = int(part["column"]) - 1, int(part["row"]) - 1
        self._wear(PLAIN)
        self._go(x, y)
        return True

    def _text(self, text: str, look: Look, x: int, y: int) -> int:
        """Write what differs of a text; how many columns it takes."""
        if not 0 <= y < self._height or x >= self._width:
            return len(text)
        line = self._lines[y]
        if not _is_narrow(text):
            return self._wide(text, look, x, y)
        cells = _cells(text[: self._width - x], look)
        before = line[x : x + len(cells)]
        if before != cells:
            line[x : x + len(cells)] = cells
            at = 0
            for differs, run in groupby(map(ne, before, cells)):
                end = at + sum(1 for _ in run)
                if differs:
                    self._put(text[at:end], look, x + at, y)
                at = end
        return len(text)

    def _put(self, text: str, look: Look, x: int, y: int) -> None:
        """Write a text; where it is nothing but blanks, only its ground has to be right."""
        self._go(x, y)
        if text.strip(" ") or not _blank_as(self._worn, look):
            self._wear(look)
        self.written.append(text)
        self.cursor = (x + len(text), y)

    def _wide(self, text: str, look: Look, x: int, y: int) -> int:
        """Write a text of which terminals differ in how wide it is; how many columns Textual gave it.

        They are blanked first, and what follows begins with a "go there": where the terminal takes fewer
        or more columns nothing old is left between, and nothing after it is shifted.
        """
        start = max(x - 1, 0)  # a mark at its beginning may join the character before
        self._lines[y][start:] = [None] * (self._width - start)
        width = cell_len(text)
        self._go(x, y)
        self._wear(look)
        self.written.append(f"{' ' * width}\x1b[{y + 1};{x + 1}H{text}")
        self.cursor = None
        return width

    def _go(self, x: int, y: int) -> None:
        """Move the terminal's cursor, unless it is there."""
        if self.cursor == (x, y):
            return
        here = self.cursor
        if here is not None and here[1] == y and here[0] < x:
            passed = self._lines[y][here[0] : x]
            if len(passed) <= _SHORT and all(self._is_worn(cell) for cell in passed):
                self.written += [cell.character for cell in passed if cell is not None]
            else:
                self.written.append(f"\x1b[{len(passed)}C")
        else:
            self.written.append(f"\x1b[{y + 1};{x + 1}H")
        self.cursor = (x, y)

    def _is_worn(self, cell: Cell | None) -> bool:
        """Whether a cell can be written again without another code."""
        if cell is None:
            return False
        if cell.character == " ":
            return _blank_as(self._worn, cell.look)
        return cell.look == self._worn

    def _wear(self, look: Look) -> None:
        """Codes that lead from the look before to another."""
        if look != self._worn:
            self.written.append(_change(self._worn, look))
            self._worn = look


@lru_cache(maxsize=4096)
def looked(look: Look, codes: str) -> Look | None:
    """The look after some codes; ``None`` where one of them is not known here."""
    attributes, ink, ground = look
    rest = codes.split(";")
    while rest:
        code = rest.pop(0)
        if code in {"", "0"}:
            attributes, ink, ground = PLAIN
        elif code in {"38", "48"}:
            length = _COLOUR_LENGTH.get(rest[0] if rest else "", 0) - 1
            if not 0 < length <= len(rest):
                return None
            colour = ";".join([code, *rest[:length]])
            del rest[:length]
            ink, ground = (colour, ground) if code == "38" else (ink, colour)
        elif code in _ENDS:
            attributes |= {code}
        elif code in {"39", "49"}:
            ink, ground = ("", ground) if code == "39" else (ink, "")
        elif re.fullmatch(r"[39][0-7]", code):
            ink = code
        elif re.fullmatch(r"(4|10)[0-7]", code):
            ground = code
        else:
            return None
    return Look(attributes, ink, ground)


@lru_cache(maxsize=4096)
def _change(before: Look, after: Look) -> str:
    """The codes that lead from one look to another, no colour that stays among them."""
    if after == PLAIN:
        return "\x1b[0m"
    ended = {_ENDS[code] for code in before.attributes - after.attributes}
    kept = {code for code in before.attributes if _ENDS[code] not in ended}
    codes = [*sorted(ended), *sorted(after.attributes - kept)]
    codes += [after.ink or "39"] if after.ink != before.ink else []
    codes += [after.ground or "49"] if after.ground != before.ground else []
    return f"\x1b[{';'.join(codes)}m"


@lru_cache(maxsize=4096)
def _cells(text: str, look: Look) -> list[Cell]:
    """The cells of a text; of a blank only what is seen of it counts."""
    bare = look if look.attributes & _SEEN_ON_BLANKS else Look(ground=look.ground)
    blank = Cell(" ", bare)
    return [blank if character == " " else Cell(character, look) for character in text]


def _blank_as(worn: Look, look: Look) -> bool:
    """Whether a blank looks the same under both."""
    return worn.ground == look.ground and not (worn.attributes | look.attributes) & _SEEN_ON_BLANKS


@lru_cache(maxsize=4096)
def _is_narrow(text: str) -> bool:
    """Whether every character takes one column, by Textual's count and by ours."""
    return text.isascii() or all(cell_len(one) == columns(one) == 1 for one in text)
