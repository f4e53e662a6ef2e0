"""The verdict on a row: what its runs, and the table it stands in, allow to say."""

from __future__ import annotations

from echolot_tui.compare.family import Figures
from echolot_tui.compare.inputs import CompareOptions
from echolot_tui.compare.model import Shift, Verdict
from echolot_tui.compare.moves import Move, own_shift
from echolot_tui.compare.window import own_verdict


def table_verdict(move: Move, figures: Figures | None, options: CompareOptions) -> Verdict:
    """The verdict of a row on the table's bar.

    ``slower`` or ``faster`` (``new``, ``gone``) when the family-wise p is at most 5 % and the row moved
    over the floor. ``no change`` when it is significant but under the floor, when these runs would have
    resolved a move as large as the floor, or when no order of the runs could have cleared the floor.
    Else ``can't tell``; also for rows whose missing side did not look, or whose values are not known.

    Args:
        move: The row.
        figures: The table's figures; None when the row could not be tested.
        options: The floor.
    """
    if move.blind is not None or figures is None:
        return "can't tell"
    if figures.test is None:
        return "can't tell" if move.one_sided else "no change"
    floor = options.floor(move.before_ms)
    if move.one_sided:
        real = figures.significant and abs(move.delta_ms) > options.floor_ms
        return ("new" if move.change == "appeared" else "gone") if real else "can't tell"
    if figures.significant and abs(move.delta_ms) > floor:
        if move.delta_ms * figures.direction < 0:
            return "can't tell"
        return "slower" if move.delta_ms > 0 else "faster"
    return "no change" if figures.significant or figures.would_see(floor) else "can't tell"


def pinned_range(move: Move) -> Shift | None:
    """The range a pinned row is judged by: its own; on one side only, against runs of 0 ms."""
    if move.shift is not None:
        return move.shift
    if move.one_sided and move.blind is None:
        return own_shift(move.before.with_zeros(), move.after.with_zeros())
    return None


def pinned_verdict(move: Move, options: CompareOptions) -> Verdict | None:
    """The verdict of a row named before looking: by its own range, whatever else the table holds."""
    if move.blind is not None:
        return "can't tell"
    floor = options.floor_ms if move.one_sided else options.floor(move.before_ms)
    found = own_verdict(pinned_range(move), move.delta_ms, floor)
    if not move.one_sided or found is None:
        return found
    if found not in {"slower", "faster"}:
        return "can't tell"
    return "new" if move.change == "appeared" else "gone"
