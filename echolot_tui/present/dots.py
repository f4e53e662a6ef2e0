"""One dot a run on a character grid: histograms of a few values, strips and sparklines."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

from echolot_tui.frozen import Frozen
from echolot_tui.present.glyphs import Glyphs
from echolot_tui.present.spans import Line, Role, Span

NOT_MEASURED: Final = "?"

_BRAILLE_BASE: Final = 0x2800
_BRAILLE_DOTS: Final = ((0x40, 0x04, 0x02, 0x01), (0x80, 0x20, 0x10, 0x08))
"""Bits of the two columns of a braille cell, from the bottom up."""


class Axis(Frozen, frozen=True, kw_only=True):
    """A range of values laid over terminal columns."""

    low: float
    high: float
    width: int

    @classmethod
    def over(cls, values: Iterable[float], width: int) -> Axis:
        """The axis that holds all ``values``."""
        known = list(values)
        return cls(low=min(known), high=max(known), width=width)

    def column(self, value: float, *, parts: int = 1) -> int:
        """The column of a value, counted from 0; with ``parts`` columns to each terminal column."""
        last = self.width * parts - 1
        if self.high == self.low:
            return last // 2
        place = (value - self.low) / (self.high - self.low)
        return min(max(math.floor(place * last + 0.5), 0), last)


def dot_lines(
    values: Sequence[float | None], axis: Axis, *, glyphs: Glyphs, height: int, role: Role, upward: bool
) -> list[Line]:
    """Dots stacked on an axis, as many lines as the highest stack needs, at most ``height``.

    A stack that is higher shows how many dots it has at its end.

    Args:
        values: One per run; ``None`` where it was not measured.
        axis: Where they go.
        glyphs: The signs; ``braille`` places two columns and four dots a cell.
        height: Lines at most.
        role: Of the dots.
        upward: The axis is below the dots; else above.
    """
    known = [value for value in values if value is not None]
    if not known:
        return []
    rows = (
        _braille(known, axis, height) if glyphs.level == "braille" else _stacks(known, axis, glyphs, height)
    )
    lines: list[Line] = [(Span("".join(row), role),) for row in rows]
    return lines[::-1] if upward else lines


def _stacks(values: Sequence[float], axis: Axis, glyphs: Glyphs, height: int) -> list[list[str]]:
    """Rows of signs from the axis outwards."""
    counts = [0] * axis.width
    zeros = [False] * axis.width
    for value in values:
        counts[axis.column(value)] += 1
        zeros[axis.column(value)] |= value == 0
    rows = [[" "] * axis.width for _ in range(min(max(counts), height))]
    for at, count in enumerate(counts):
        for level in range(min(count, height)):
            rows[level][at] = glyphs.zero_dot if zeros[at] else glyphs.dot
        if count > height:
            rows[-1][at] = str(count) if count <= 9 else "+"
    return rows


def _braille(values: Sequence[float], axis: Axis, height: int) -> list[list[str]]:
    counts = [0] * (axis.width * 2)
    for value in values:
        counts[axis.column(value, parts=2)] += 1
    lines = min(-(-max(counts) // 4), height)
    cells = [[0] * axis.width for _ in range(lines)]
    for at, count in enumerate(counts):
        for dot in range(min(count, lines * 4)):
            cells[dot // 4][at // 2] |= _BRAILLE_DOTS[at % 2][dot % 4]
    return [[chr(_BRAILLE_BASE + cell) if cell else " " for cell in row] for row in cells]


def sparkline(values: Sequence[float | None], *, glyphs: Glyphs, most: int = 40) -> str:
    """One sign a value, from the lowest to the highest; the last ``most`` of them.

    ``?`` where a value is missing; values that are all the same are drawn in the middle.
    """
    shown = values[-most:]
    known = [value for value in shown if value is not None]
    if not known:
        return NOT_MEASURED * len(shown)
    axis = Axis(low=min(known), high=max(known), width=len(glyphs.levels))
    return "".join(NOT_MEASURED if value is None else glyphs.levels[axis.column(value)] for value in shown)


def strip(values: Sequence[float | None], axis: Axis, *, glyphs: Glyphs, role: Role) -> Line:
    """All runs on one line of the axis: a dot, or how many lie on one column."""
    lines = dot_lines(values, axis, glyphs=glyphs, height=1, role=role, upward=True)
    return lines[0] if lines else ()
