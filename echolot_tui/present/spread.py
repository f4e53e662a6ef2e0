"""The spread of one row: every run of both sides on one axis, and the move's range against zero.

Places values on a character grid; every number shown is a field of the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from echolot_tui.compare.model import Comparison, Face, Row
from echolot_tui.present.comparison_cells import VERDICT_ROLES, face_ms, signed
from echolot_tui.present.dots import Axis, dot_lines
from echolot_tui.present.glyphs import Glyphs
from echolot_tui.present.numbers import ms, plural
from echolot_tui.present.spans import Line, Role, Span, columns, cut, cut_line, line, pad
from echolot_tui.text import visible

_NAME_LIMIT: Final = 24
_NARROWEST: Final = 16


def side_values(face: Face | None) -> tuple[float | None, ...]:
    """A side's value of every run, 0 where a run lacks the row; empty where the side has nothing."""
    if face is None:
        return ()
    return face.by_run if face.by_run is not None else face.values or (face_ms(face),)


def spread_lines(
    row: Row, comparison: Comparison, width: int, *, glyphs: Glyphs, height: int = 3, compact: bool = False
) -> list[Line]:
    """Two dot histograms on one axis and the range of the move under them.

    Args:
        row: The row.
        comparison: Whose row it is: names of the sides and the floor.
        width: Terminal columns.
        glyphs: The signs to draw with.
        height: Lines of dots a side may take at most; what is higher is written as a number.
        compact: Leave out the ends of the axes.
    """
    width = max(width, _NARROWEST)
    before, after = side_values(row.before), side_values(row.after)
    known = [value for value in (*before, *after) if value is not None]
    lines = [_side_line(comparison.before.name, row.before, before, width)]
    if known:
        axis = Axis.over(known, width)
        lines += dot_lines(before, axis, glyphs=glyphs, height=height, role="faster", upward=True)
        lines.append(_axis_line(row, axis, glyphs))
        lines += dot_lines(after, axis, glyphs=glyphs, height=height, role="slower", upward=False)
    lines.append(_side_line(comparison.after.name, row.after, after, width))
    if known and not compact:
        lines.append(_ends(f"{ms(axis.low)} ms", ms(axis.high), width))
    if row.shift is not None:
        moved = range_lines(row, comparison, width, glyphs=glyphs)
        lines += moved[:2] if compact else [(), *moved]
    return lines


def range_lines(row: Row, comparison: Comparison, width: int, *, glyphs: Glyphs) -> list[Line]:
    """The move's 95 % range as a bar against zero and the floor band, with its ends below."""
    if row.shift is None:
        return []
    before = 0.0 if row.before is None else face_ms(row.before)
    floor = max(comparison.noise_floor.abs_ms, comparison.noise_floor.ratio * before)
    low, high = row.shift.low_ms, row.shift.high_ms
    axis = Axis.over((low, high, -floor, floor, 0.0), width)
    signs: list[tuple[str, Role]] = [(" ", "plain")] * width
    for at in range(axis.column(-floor), axis.column(floor) + 1):
        signs[at] = (glyphs.band, "muted")
    for at in range(axis.column(low), axis.column(high) + 1):
        signs[at] = (glyphs.span, VERDICT_ROLES.get(row.verdict or "", "strong"))
    signs[axis.column(0.0)] = (glyphs.zero, "strong")
    signs[axis.column(row.shift.ms)] = (glyphs.estimate, "strong")
    head = line(
        Span("move ", "muted"),
        Span(f"{signed(row.shift.ms)} ms", "strong"),
        Span(f"  95 % range {signed(low)} … {signed(high)}", "muted"),
    )
    return [
        cut_line(head, width),
        merged(signs),
        _ends(signed(axis.low), signed(axis.high), width, middle=(axis.column(0.0), "0")),
    ]


def merged(signs: Sequence[tuple[str, Role]]) -> Line:
    """Neighbouring signs of one role as one span."""
    spans: list[Span] = []
    for sign, role in signs:
        if spans and spans[-1].role == role:
            spans[-1] = Span(spans[-1].text + sign, role)
        else:
            spans.append(Span(sign, role))
    return tuple(spans)


def _side_line(name: str, face: Face | None, values: Sequence[float | None], width: int) -> Line:
    shown = visible(name, _NAME_LIMIT)
    known = [value for value in values if value is not None]
    if face is None or not known:
        text = "in no run" if face is None else "not measured"
    else:
        lost = len(values) - len(known)
        text = f"{plural(len(known), 'run')} · median {ms(face_ms(face))} ms"
        text += f" · {lost} not measured" if lost else ""
        absent = sum(value == 0 for value in known)
        text += f" · {absent} without the row" if absent else ""
    return line(
        Span(cut(shown, width), "strong"), Span(cut(f"  {text}", max(width - columns(shown), 0)), "muted")
    )


def _axis_line(row: Row, axis: Axis, glyphs: Glyphs) -> Line:
    signs: list[tuple[str, Role]] = [(glyphs.axis, "muted")] * axis.width
    before = None if row.before is None else axis.column(face_ms(row.before))
    after = None if row.after is None else axis.column(face_ms(row.after))
    if before is not None:
        signs[before] = (glyphs.median_above, "faster")
    if after is not None:
        signs[after] = (glyphs.median_below, "slower")
    if before is not None and before == after:
        signs[before] = (glyphs.median_both, "strong")
    return merged(signs)


def _ends(low: str, high: str, width: int, *, middle: tuple[int, str] | None = None) -> Line:
    """Labels at both ends of an axis, and one in between where there is room."""
    text = pad(low, width - columns(high)) + high
    if middle is not None:
        at, label = middle
        if columns(low) < at and at + len(label) < width - columns(high):
            text = text[:at] + label + text[at + len(label) :]
    return line(Span(cut(text, width), "muted"))
