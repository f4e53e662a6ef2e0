"""The window before and after, and rows as shares of it."""

from __future__ import annotations

from statistics import median

from echolot_tui.compare.inputs import CompareOptions
from echolot_tui.compare.model import ShareShift, Shift, Verdict, WindowMove
from echolot_tui.compare.moves import Move, holds, own_shift
from echolot_tui.compare.sides import LoadedSide, PerTrace
from echolot_tui.units import ratio, round2


def window_move(before: LoadedSide, after: LoadedSide, options: CompareOptions) -> WindowMove:
    """Compare the windows. Asked before looking, so it keeps its own range."""
    old_values, new_values = window_values(before), window_values(after)
    old_ms, new_ms = window_ms(before), window_ms(after)
    delta = round2(new_ms - old_ms) if old_ms is not None and new_ms is not None else None
    move = own_shift(known(old_values), known(new_values))
    return WindowMove(
        before_ms=old_ms,
        after_ms=new_ms,
        delta_ms=delta,
        ratio=ratio(new_ms, old_ms) if old_ms is not None and new_ms is not None else None,
        shift=move,
        holds=holds(move),
        verdict=own_verdict(move, delta, options.floor(old_ms or 0.0)),
        before_values=old_values or (),
        after_values=new_values or (),
    )


def own_verdict(move: Shift | None, delta: float | None, floor: float) -> Verdict | None:
    """The verdict on a number that is judged by its own range alone; None with too few runs.

    Args:
        move: Its range.
        delta: The difference of the medians.
        floor: What counts as a move at all.
    """
    if move is None or delta is None:
        return None
    if holds(move) and abs(delta) > floor:
        return "slower" if delta > 0 else "faster"
    if holds(move) or move.resolves_ms <= floor:
        return "no change"
    return "can't tell"


def window_ms(side: LoadedSide) -> float | None:
    """The window's length over the side: the report's, or the median over traces of several occurrences."""
    values = known(window_values(side))
    if side.folded and values:
        return round2(median(values))
    return side.report.window.duration_ms


def window_values(side: LoadedSide) -> PerTrace | None:
    """The window's length per trace; None when the report does not keep it."""
    return side.per_trace(side.report.window.values)


def known(values: PerTrace | None) -> tuple[float, ...]:
    """The values that are there."""
    return tuple(value for value in values or () if value is not None)


def share_of_window(move: Move, before: LoadedSide, after: LoadedSide) -> ShareShift | None:
    """The row as share of its run's window on each side, with the range of the difference.

    Null where a side has no window, or 0 ms of it.
    """
    old = _shares(move.before.by_run, window_values(before))
    new = _shares(move.after.by_run, window_values(after))
    old_pct, new_pct = _middle(old, move.before_ms, before), _middle(new, move.after_ms, after)
    if old_pct is None or new_pct is None:
        return None
    range_ = own_shift(old, new)
    return ShareShift(
        before_pct=round2(old_pct),
        after_pct=round2(new_pct),
        delta_pct=round2(new_pct - old_pct),
        low_pct=range_.low_ms if range_ else None,
        high_pct=range_.high_ms if range_ else None,
    )


def _shares(row: PerTrace | None, window: PerTrace | None) -> tuple[float, ...]:
    """Percent of the window per trace, where both are known."""
    if row is None or window is None:
        return ()
    pairs = zip(row, window, strict=True)
    return tuple(100 * part / whole for part, whole in pairs if part is not None and whole)


def _middle(shares: tuple[float, ...], value: float, side: LoadedSide) -> float | None:
    if shares:
        return median(shares)
    whole = window_ms(side)
    return 100 * value / whole if whole else None
