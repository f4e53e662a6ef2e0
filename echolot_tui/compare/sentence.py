"""One row in words, with the sides' names: what happened, whether it is real, what it would save."""

from __future__ import annotations

from echolot_tui.compare.model import FamilyTest, Row, WindowMove
from echolot_tui.text import visible

_NAME_LIMIT = 80
_LEAST_PERCENT = 0.05


def sentence(
    row: Row, window: WindowMove, before: str, after: str, *, blind: str | None, family: FamilyTest | None
) -> str:
    """The row in words.

    Args:
        row: The finished row.
        window: For the share a side would save.
        before: Name of the first side.
        after: Name of the other side.
        blind: Why the missing side of a one-sided row says nothing.
        family: How the table was tested, for what more runs would bring.
    """
    parts = [_what(row, before, after), _whether(row, blind, family), _catch_up(row, window, before, after)]
    return " ".join(part for part in parts if part)


def _what(row: Row, before: str, after: str) -> str:
    name = visible(row.location, _NAME_LIMIT)
    if row.change == "appeared":
        absent = "is not listed" if row.before is None else "took no time"
        return f"{name} takes {row.delta_ms:.2f} ms in {after} and {absent} in {before}."
    if row.change == "vanished":
        absent = "is not listed" if row.after is None else "takes no time"
        return f"{name} took {-row.delta_ms:.2f} ms in {before} and {absent} in {after} (−100 %)."
    if row.delta_ms == 0:
        return f"{name} takes as long in {after} as in {before}."
    times = f" (×{row.ratio:.2f})" if row.ratio is not None else ""
    direction = "longer" if row.delta_ms > 0 else "less"
    zeros = _zeros(row, before, after)
    return f"{name} takes {abs(row.delta_ms):.2f} ms {direction} in {after} than in {before}{times}{zeros}."


def _zeros(row: Row, before: str, after: str) -> str:
    """Why the move is not how far the two medians of the table are apart."""
    known = all(face is not None and face.values for face in (row.before, row.after))
    if row.shares is None or not known:
        return ""
    having = f"{row.shares.before} runs of {before} and {row.shares.after} of {after} have it"
    return f", runs without it counting as 0 ms: {having}"


def _whether(row: Row, blind: str | None, family: FamilyTest | None) -> str:
    if blind is not None:
        return f"Whether that is real can't be told: {blind}."
    match row.verdict:
        case None:
            return "There are too few runs to say whether that is real."
        case "slower" | "faster" | "new" | "gone":
            bar = "on its own range" if row.pinned else "against the whole table"
            follows = ", and it only follows the whole run" if row.follows else ""
            return f"That is real {bar}{_range(row)}{follows}."
        case "no change":
            return _no_change(row)
        case _:
            return f"{_unsettled(row)}{_range(row)}: these runs can't tell{_more(row, family)}."


def _no_change(row: Row) -> str:
    if row.resolves_ms is None:
        return "No order of these runs would make it a move over the floor."
    if row.change != "steady":
        return (
            "The medians lie apart, the runs as a whole do not: "
            f"these runs would have shown a move of {row.resolves_ms:.2f} ms."
        )
    return f"No change worth the floor: these runs resolve {row.resolves_ms:.2f} ms."


def _unsettled(row: Row) -> str:
    if row.change in {"appeared", "vanished"}:
        return "Whether that is real is open"
    if row.holds and not row.pinned:
        return "Its own runs lie apart, against the whole table that is not enough"
    return "No move shown"


def _range(row: Row) -> str:
    if row.shift is None:
        return ""
    return f" (95 % range {_signed(row.shift.low_ms)} … {_signed(row.shift.high_ms)} ms)"


def _signed(value: float) -> str:
    """With the sign a table shows: a hyphen would read as a dash beside the ellipsis."""
    return f"{value:+.2f}".replace("-", "−")


def _more(row: Row, family: FamilyTest | None) -> str:
    if row.runs_needed is not None:
        return f", about {row.runs_needed} runs a side would"
    if family is not None and family.note:
        return f"; {family.note}"
    return ", and more runs like these will not settle it"


def _catch_up(row: Row, window: WindowMove, before: str, after: str) -> str:
    """Always the slower side catching up, as a share of that side's own window."""
    if row.verdict not in {None, "slower", "faster", "new", "gone"} or row.change == "steady":
        return ""
    slower, faster, whole = after, before, window.after_ms
    if row.delta_ms < 0:
        slower, faster, whole = before, after, window.before_ms
    if not whole or whole <= 0:
        return ""
    saved = abs(row.delta_ms)
    return (
        f"If {slower} were as fast as {faster} here, it would spend {saved:.2f} ms less, "
        f"{_percent(100 * saved / whole)} of its window."
    )


def _percent(value: float) -> str:
    """To a tenth; what would print as nothing is said to be little."""
    return f"{value:.1f} %" if value >= _LEAST_PERCENT else "under 0.1 %"
