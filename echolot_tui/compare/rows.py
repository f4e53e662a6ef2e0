"""A move and the table's figures become the finished row."""

from __future__ import annotations

from typing import Literal

from msgspec.structs import replace

from echolot_tui.compare.family import Figures, Series
from echolot_tui.compare.inputs import CompareOptions
from echolot_tui.compare.match import is_pinned
from echolot_tui.compare.model import FamilyTest, Row, ShareShift, Verdict, WindowMove
from echolot_tui.compare.moves import Move
from echolot_tui.compare.sentence import sentence
from echolot_tui.compare.sides import LoadedSide
from echolot_tui.compare.values import face
from echolot_tui.compare.verdict import pinned_range, pinned_verdict, table_verdict
from echolot_tui.compare.whole_run import WholeRun
from echolot_tui.compare.window import share_of_window
from echolot_tui.units import round2


def series_of(move: Move) -> Series | None:
    """What the family sees of a row; None where its values or one of its sides are not known."""
    if move.blind is not None or move.before.by_run is None or move.after.by_run is None:
        return None
    return Series(before=move.before.by_run, after=move.after.by_run)


def finish_row(
    move: Move,
    figures: Figures | None,
    *,
    window: WindowMove,
    whole: WholeRun | None,
    sides: tuple[LoadedSide, LoadedSide],
    family: FamilyTest | None,
    options: CompareOptions,
) -> Row:
    """Build the row of the table.

    Args:
        move: How the row moved by itself.
        figures: What the table says about it; None when it could not be tested.
        window: For the impact.
        whole: The move of the whole run, if there is one.
        sides: Both sides.
        family: How the table was tested; None or without a method with too few runs.
        options: Floors and pins.
    """
    before, after = sides
    share = share_of_window(move, before, after)
    pinned = is_pinned(move.pair.location, options.pinned)
    resolves, needed = _bar(move, figures, options, pinned=pinned)
    test = figures.test if figures else None
    row = Row(
        location=move.pair.location,
        detector=move.detector,
        metric=move.metric,
        change=move.change,
        matched_by=move.pair.matched_by,
        before=face(move.pair.before, move.before, move.metric) if move.pair.before else None,
        after=face(move.pair.after, move.after, move.metric) if move.pair.after else None,
        delta_ms=move.delta_ms,
        ratio=move.ratio,
        shift=move.shift,
        holds=move.holds,
        verdict=_verdict(move, figures, family, options, pinned=pinned),
        q=round(test.q, 6) if test else None,
        p_family=round(test.p_family, 6) if test else None,
        resolves_ms=resolves,
        runs_needed=needed,
        impact=round(move.delta_ms / window.before_ms, 6) + 0.0 if window.before_ms else None,
        share=share,
        follows=_follows(move, share, whole, options),
        pinned=pinned,
        tied=test.tied if test else False,
        thread=move.pair.thread,
        detail=move.pair.detail,
        code=_code(move),
        shares=move.shares,
    )
    words = sentence(row, window, before.name, after.name, blind=move.blind, family=family)
    return replace(row, sentence=words)


def _code(move: Move) -> str | None:
    """The newer side's words on where the row is in the code, else the older one's."""
    rows = (move.pair.after, move.pair.before)
    return next((row.code for row in rows if row is not None and row.code), None)


def _verdict(
    move: Move,
    figures: Figures | None,
    family: FamilyTest | None,
    options: CompareOptions,
    *,
    pinned: bool,
) -> Verdict | None:
    if pinned:
        return pinned_verdict(move, options)
    if family is None or family.method is None:
        return None
    return table_verdict(move, figures, options)


def _bar(
    move: Move, figures: Figures | None, options: CompareOptions, *, pinned: bool
) -> tuple[float | None, int | None]:
    """Resolution and runs needed on the bar that applies to the row."""
    if pinned:
        own = pinned_range(move)
        return (own.resolves_ms, own.runs_needed) if own else (None, None)
    if figures is None or figures.test is None:
        return None, None
    resolves = figures.test.resolves_ms
    needed = figures.settling_runs(move.delta_ms, options.floor(move.before_ms))
    return None if resolves is None else round2(resolves), needed


def _follows(
    move: Move, share: ShareShift | None, whole: WholeRun | None, options: CompareOptions
) -> Literal["window"] | None:
    if whole is None or move.change not in {"grew", "shrank"}:
        return None
    return "window" if whole.explains(move, share, options) else None
