"""The cells of a comparison's table, shared by Markdown, the printed view and the screens."""

from __future__ import annotations

from msgspec import UNSET

from echolot_tui.compare.model import Face, Row, SmallRow, SmallTable, WindowMove
from echolot_tui.present.numbers import ms, tenths, whole
from echolot_tui.present.spans import Role
from echolot_tui.present.startup_words import held_up_by
from echolot_tui.present.table import NOTHING, Cell, cell

VERDICT_ROLES: dict[str, Role] = {
    "slower": "slower",
    "faster": "faster",
    "new": "new",
    "gone": "gone",
    "can't tell": "unsure",
    "no change": "muted",
    "higher": "strong",
    "lower": "strong",
}

_BOLD_MS = 100
"""A row that grew by this much is set in bold."""

_TIMES_FROM = (0.67, 1.5)
"""A ratio between these says nothing the milliseconds do not."""


def signed(value: float) -> str:
    """A difference with its sign, to 1 decimal; further where that would turn it into 0."""
    sign = "+" if value > 0 else "−" if value < 0 else ""
    text = f"{abs(value):.1f}"
    if value and not float(text):
        text = f"{abs(value):.1g}"
    return sign + text


def times(value: float) -> str:
    """A ratio: ``×1.4``, ``×0.05``, ``×73``."""
    return f"×{value:.3g}" if value < 100 else f"×{value:.0f}"


def span_text(low: float, high: float) -> str:
    """A range of differences."""
    return f"{signed(low)} … {signed(high)}"


def face_ms(face: Face) -> float:
    """The side's figure, whichever metric the row has."""
    for value in (face.self_ms, face.total_ms):
        if value is not UNSET and isinstance(value, int | float):
            return value
    return 0.0


def where_cell(row: Row) -> Cell:
    """The row's name, folded where rows were matched by family."""
    notes = ["family"] if row.matched_by == "family" else []
    notes += ["pinned"] if row.pinned else []
    notes += ["follows the run"] if row.follows else []
    return Cell(text=row.location, role="name", note=", ".join(notes))


def evidence_cell(row: Row) -> Cell | None:
    """What tells rows of one name apart: thread and detail, where the identity holds them."""
    parts = [part for part in (row.thread, row.detail) if part]
    return cell(" · ".join(parts) or None, "muted")


def face_cell(face: Face | None) -> Cell | None:
    """``value ±off (k/n)``: off is the furthest run, the share only when some runs lack the row."""
    if face is None:
        return None
    value = face_ms(face)
    text = ms(value)
    if face.min is not None and face.max is not None and face.min != face.max:
        text += f" ±{max(value - face.min, face.max - value):.0f}"
    if face.runs and _short(face.runs):
        text += f" ({face.runs})"
    return Cell(text=text, role="number")


def move_cell(row: Row) -> Cell:
    """``new``, ``gone``, or the difference with the ratio where it says more."""
    if row.change == "appeared":
        return Cell(text=f"new {signed(row.delta_ms)}", role="new", strong=True)
    if row.change == "vanished":
        return Cell(text=f"gone {signed(row.delta_ms)}", role="gone", strong=True)
    text = signed(row.delta_ms)
    low, high = _TIMES_FROM
    if row.ratio is not None and (row.ratio >= high or row.ratio <= low):
        text += f" {times(row.ratio)}"
    role = VERDICT_ROLES.get(row.verdict or "", "plain")
    return Cell(text=text, role=role, strong=row.change == "grew" and row.delta_ms >= _BOLD_MS)


def count_cell(row: Row) -> Cell | None:
    """``9 → 9``: how often it ran on each side."""
    counts = [
        None if face is None or face.count is None else whole(face.count) for face in (row.before, row.after)
    ]
    if counts == [None, None]:
        return None
    return Cell(text=" → ".join(count or NOTHING for count in counts), role="number")


def holds_cell(row: Row) -> Cell | None:
    """``yes, +15.5 … +35``; ``no, −a … +b · ~N runs a side``; nothing without a range."""
    if row.shift is None or row.holds is None:
        return None
    span = span_text(row.shift.low_ms, row.shift.high_ms)
    if row.holds:
        return Cell(text=f"yes, {span}", role="strong")
    more = f" · ~{row.shift.runs_needed} runs a side" if row.shift.runs_needed is not None else ""
    return Cell(text=f"no, {span}{more}", role="muted")


def range_cell(row: Row) -> Cell | None:
    """The 95 % range alone."""
    if row.shift is None:
        return None
    return Cell(text=span_text(row.shift.low_ms, row.shift.high_ms), role="number")


def verdict_cell(row: Row) -> Cell | None:
    """The verdict, always as a word."""
    return None if row.verdict is None else Cell(text=row.verdict, role=VERDICT_ROLES[row.verdict])


def q_cell(row: Row) -> Cell | None:
    """Q to two significant digits."""
    return None if row.q is None else Cell(text=f"{row.q:.2g}", role="number")


def runs_needed_cell(row: Row) -> Cell | None:
    """What would settle an open row; nothing for one that is settled."""
    if row.verdict != "can't tell":
        return None
    if row.runs_needed is None:
        return Cell(text="more will not", role="muted")
    return Cell(text=f"~{row.runs_needed} a side", role="number")


def impact_cell(row: Row) -> Cell | None:
    """The move as part of the before window."""
    return None if row.impact is None else Cell(text=f"{signed(100 * row.impact)} %", role="number")


def small_cells(table: SmallTable, most: int | None = None) -> tuple[tuple[Cell | None, ...], ...]:
    """Name, before, after, difference with its range, verdict of the first ``most`` lines."""
    words = held_up_by if table.id == "startup" else str
    return tuple(_small_cells(row, words(row.name)) for row in table.rows[:most])


def _small_cells(row: SmallRow, name: str) -> tuple[Cell | None, ...]:
    return (
        Cell(text=name, role="name"),
        _with_unit(row.before, row.unit),
        _with_unit(row.after, row.unit),
        None if row.delta is None else Cell(text=signed(row.delta), role="number"),
        None
        if row.low is None or row.high is None
        else Cell(text=span_text(row.low, row.high), role="number"),
        None if row.verdict is None else Cell(text=row.verdict, role=VERDICT_ROLES[row.verdict]),
    )


def window_text(window: WindowMove) -> str | None:
    """``a → b ms  (+d, ×r)``; ``None`` without a window on either side."""
    if window.before_ms is None and window.after_ms is None:
        return None
    before, after = (_or_dash(value) for value in (window.before_ms, window.after_ms))
    text = f"{before} → {after} ms"
    if window.delta_ms is None:
        return text
    ratio = "" if window.ratio is None else f", {times(window.ratio)}"
    return f"{text}  ({signed(window.delta_ms)}{ratio})"


def _short(runs: str) -> bool:
    found, _, of = runs.partition("/")
    return found != of


def _with_unit(value: float | None, unit: str) -> Cell | None:
    if value is None:
        return None
    text = whole(value) if unit == "count" else f"{ms(value) if unit == 'ms' else tenths(value)} {unit}"
    return Cell(text=text, role="number")


def _or_dash(value: float | None) -> str:
    return NOTHING if value is None else ms(value)
