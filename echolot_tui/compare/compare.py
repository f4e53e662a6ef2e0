"""Reports side by side: one table of every row that moved, and whether each move is real."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from echolot_tui.compare.also import small_tables
from echolot_tui.compare.family import judge
from echolot_tui.compare.inputs import CompareOptions, SideInput
from echolot_tui.compare.model import Comparison, NoiseFloor, Row, StateChange, Summary
from echolot_tui.compare.moves import moves_of, state_of
from echolot_tui.compare.rows import finish_row, series_of
from echolot_tui.compare.sides import LoadedSide, load_sides
from echolot_tui.compare.suspects import rename_suspects
from echolot_tui.compare.view import VERDICTS
from echolot_tui.compare.warnings import comparable, warnings_of
from echolot_tui.compare.whole_run import find_whole_run, whole_run_text
from echolot_tui.compare.window import window_move
from echolot_tui.errors import EcholotError
from echolot_tui.text import visible


class IncomparableError(EcholotError):
    """Sides that may not be compared at all."""


def compare_reports(before: SideInput, after: SideInput, options: CompareOptions | None = None) -> Comparison:
    """Compare two reports.

    Raises:
        IncomparableError: The reports name two different scenarios.
    """
    return compare_sides((before, after), options)


def compare_sides(sides: Sequence[SideInput], options: CompareOptions | None = None) -> Comparison:
    """Compare the first report with each of the others.

    Returns:
        The comparison of the first two sides; those with further sides in its ``others``. Each is a
        table of its own, corrected for its own rows.

    Raises:
        IncomparableError: Fewer than two sides, two that name different scenarios, or numbers so large that
            their differences overflow.
    """
    options = options or CompareOptions()
    if len(sides) < 2:
        raise IncomparableError("a comparison needs two sides", todo="name a report or traces for each")
    base, *others = load_sides(sides, options)
    for other in others:
        _refuse_other_scenario(base, other)
    try:
        with np.errstate(over="raise", invalid="raise"):
            first, *further = (_compare(base, other, options) for other in others)
    except (FloatingPointError, OverflowError) as error:
        raise IncomparableError(
            f"a number in {' or '.join(visible(side.path, 120) for side in sides)} is too large to compare",
            todo="measure the traces again",
        ) from error
    return replace(first, others=tuple(further))


def _refuse_other_scenario(before: LoadedSide, after: LoadedSide) -> None:
    old, new = before.report.scenario, after.report.scenario
    if old and new and old != new:
        raise IncomparableError(
            f"{before.name} measured the scenario {visible(old, 60)}, {after.name} measured "
            f"{visible(new, 60)}: every row would differ and mean nothing",
            todo="compare reports of one scenario",
        )


def _compare(before: LoadedSide, after: LoadedSide, options: CompareOptions) -> Comparison:
    window = window_move(before, after, options)
    every = moves_of(before, after, options)
    figures, family = judge([series_of(move) for move in every], (before.runs, after.runs), options)
    listed = [(move, figure) for move, figure in zip(every, figures, strict=True) if move.pair.listed]
    moves = [move for move, _ in listed]
    whole = find_whole_run(moves, window, options)
    rows = [
        finish_row(
            move, figure, window=window, whole=whole, sides=(before, after), family=family, options=options
        )
        for move, figure in listed
    ]
    rows.sort(key=lambda row: -abs(row.delta_ms))
    return Comparison(
        generated_at=options.generated_at,
        comparable=comparable(before, after),
        warnings=warnings_of(before, after, rows, options),
        before=before.side,
        after=after.side,
        window=window,
        noise_floor=NoiseFloor(abs_ms=options.floor_ms, ratio=options.ratio),
        summary=_summary(before, after, rows),
        family=family,
        whole_run=whole_run_text(whole, window, before.name, after.name) if whole else None,
        rows=tuple(rows),
        suspects=rename_suspects(moves, options),
        also=small_tables(before, after, options),
    )


def _summary(before: LoadedSide, after: LoadedSide, rows: Sequence[Row]) -> Summary:
    changes = Counter(row.change for row in rows)
    verdicts = Counter(row.verdict for row in rows)
    old, new = _states(before), _states(after)
    both = [name for name in old if name in new]
    return Summary(
        moved=changes["grew"] + changes["shrank"],
        appeared=changes["appeared"],
        vanished=changes["vanished"],
        steady=changes["steady"],
        fired_before=_fired(before),
        fired_after=_fired(after),
        state_changed=tuple(
            StateChange(id=name, before=old[name], after=new[name])
            for name in both
            if old[name] != new[name] and not (_fires(old[name]) and _fires(new[name]))
        ),
        silent_both=tuple(name for name in both if old[name] == new[name] == "silent"),
        no_data_both=tuple(name for name in both if old[name] == new[name] == "no data"),
        verdicts={word: verdicts[word] for word in VERDICTS if verdicts[word]},
    )


def _states(side: LoadedSide) -> Mapping[str, str]:
    """Per detector ``silent``, ``no data``, ``failed`` or how many rows it lists."""
    states: dict[str, str] = {}
    for name, detector in side.detectors.items():
        state = state_of(detector)
        listed = sum(row.passed for row in detector.rows)
        states[name] = f"{listed} row(s)" if state == "fired" else state
    return states


def _fires(state: str) -> bool:
    return state.endswith("row(s)")


def _fired(side: LoadedSide) -> tuple[str, ...]:
    return tuple(name for name, detector in side.detectors.items() if state_of(detector) == "fired")
