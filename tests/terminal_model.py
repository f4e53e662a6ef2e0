"""A terminal as a grid of cells, as far as Textual uses one: an independent reading of what is written."""

from __future__ import annotations

import re
import unicodedata

_CONTROL = re.compile(r"\x1b\[([?>]?)([\d;]*)([@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.")

Cell = tuple[str, frozenset[str], str, str]
"""A character, its attributes, its ink and its ground."""

BLANK: Cell = (" ", frozenset(), "", "")


class TerminalModel:
    """Takes what a program writes; ``cells`` is what a person would see.

    Of a blank the ink is not seen, nor bold or dim, so two blanks that differ in nothing else are equal.
    """

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.cells = [[BLANK] * width for _ in range(height)]
        self._x = self._y = 0
        self._attributes: set[str] = set()
        self._ink = self._ground = ""

    @property
    def text(self) -> str:
        """The characters, line by line."""
        return "\n".join("".join(cell[0] for cell in line).rstrip() for line in self.cells)

    def feed(self, data: str) -> None:
        """Take what was written."""
        at = 0
        while at < len(data):
            control = _CONTROL.match(data, at)
            if control is not None:
                at = control.end()
                if control[3] is not None:
                    self._control(control[1], control[2], control[3])
            else:
                self._character(data[at])
                at += 1

    def _control(self, mark: str, values: str, name: str) -> None:
        numbers = [int(value or 0) for value in values.split(";")]
        if mark:
            if name == "h" and numbers == [1049]:
                self.cells = [[BLANK] * self.width for _ in range(self.height)]
        elif name == "H":
            self._y, self._x = max(numbers[0], 1) - 1, max(numbers[-1] if len(numbers) > 1 else 1, 1) - 1
        elif name == "C":
            self._x += max(numbers[0], 1)
        elif name == "m":
            self._codes(numbers)

    def _codes(self, numbers: list[int]) -> None:
        ends = {22: {"1", "2"}, 23: {"3"}, 24: {"4"}, 25: {"5"}, 27: {"7"}, 29: {"9"}}
        while numbers:
            number = numbers.pop(0)
            if number == 0:
                self._attributes, self._ink, self._ground = set(), "", ""
            elif number < 10:
                self._attributes.add(str(number))
            elif number in ends:
                self._attributes -= ends[number]
            elif number in {38, 48}:
                taken = 4 if numbers[0] == 2 else 2
                colour = ";".join(map(str, numbers[:taken]))
                del numbers[:taken]
                self._ink, self._ground = (colour, self._ground) if number == 38 else (self._ink, colour)
            elif 30 <= number <= 39 or 90 <= number <= 97:
                self._ink = "" if number == 39 else str(number)
            elif 40 <= number <= 49 or 100 <= number <= 107:
                self._ground = "" if number == 49 else str(number)
            else:
                raise AssertionError(f"no such look: {number}")

    def _character(self, character: str) -> None:
        if character == "\n":
            self._y += 1
        elif character == "\r":
            self._x = 0
        elif unicodedata.category(character)[0] == "C":
            pass
        else:
            self._draw(character)

    def _draw(self, character: str) -> None:
        if unicodedata.combining(character) or character == "\ufe0f":
            return
        line = self.cells[min(self._y, self.height - 1)]
        wide = unicodedata.east_asian_width(character) in "WF"
        for part in (character, "") if wide else (character,):
            line[min(self._x, self.width - 1)] = self._cell(part)
            self._x += 1

    def _cell(self, character: str) -> Cell:
        attributes = frozenset(self._attributes)
        if character == " " and not attributes & {"4", "7", "9"}:
            return (" ", frozenset(), "", self._ground)
        return (character, attributes, self._ink, self._ground)
