"""Every run behind one row of a comparison, each with the trace it comes from."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from echolot_tui.compare.model import Comparison, Face, Row, Side
from echolot_tui.compare.view import key_of
from echolot_tui.frozen import Frozen
from echolot_tui.present.glyphs import Glyphs
from echolot_tui.present.numbers import ms
from echolot_tui.present.table import Cell, Column, Table, cell, without_empty_columns
from echolot_tui.report.model import Repeat

_TRACE_LIMIT: Final = 120


class RowRun(Frozen, frozen=True, kw_only=True):
    """One trace of one side."""

    side: Side
    repeats: tuple[Repeat, ...]
    """Its measured occurrences: one, unless the scenario is measured each time it occurs."""
    face: Face | None
    """The side of the row; ``None`` where the side lacks it."""
    value: float | None
    """Of the row, the mean over the occurrences; 0 where the trace lacks the row, ``None`` where unknown."""


def paired_rows(row: Row, comparison: Comparison) -> list[tuple[Comparison, Row]]:
    """The row against every further side than its own: the first pair, then those of the other sides."""
    found = [(comparison, row)]
    for other in comparison.others:
        same = next((one for one in other.rows if key_of(one) == key_of(row)), None)
        found += [(other, same)] if same is not None else []
    return found


def runs_of(row: Row, comparison: Comparison) -> tuple[RowRun, ...]:
    """Every trace of every side, the base first."""
    sides = [(comparison.before, row.before)]
    sides += [(pair.after, same.after) for pair, same in paired_rows(row, comparison)]
    return tuple(run for side, face in sides for run in _runs(side, face))


def longest_run(runs: Sequence[RowRun]) -> int:
    """The run to look at first: where the row takes longest."""
    return max(range(len(runs)), key=lambda at: (runs[at].value or 0.0, -at), default=0)


def run_table(runs: Sequence[RowRun], chosen: int, *, glyphs: Glyphs) -> Table:
    """Side, value, window, clock, health and trace of every run; the chosen one is marked."""
    columns = (
        Column(title="Side", shrink_to=6, limit=24),
        Column(title="Run"),
        Column(title="ms", align="right"),
        Column(title="Window", align="right", drop=1),
        Column(title="Clock", align="right", drop=2),
        Column(title="Heat", drop=3),
        Column(title="Recording", drop=4),
        Column(title="Trace", shrink_to=12, limit=_TRACE_LIMIT),
    )
    rows = tuple(_cells(run, glyphs.cursor if at == chosen else " ") for at, run in enumerate(runs))
    return without_empty_columns(Table(columns=columns, rows=rows))


def _runs(side: Side, face: Face | None) -> list[RowRun]:
    """A side's values stand one a trace, in the order of the traces; its repeats one an occurrence."""
    values = (face.by_run if face is not None else None) or ()
    traces = [tuple(group) for _, group in groupby(side.repeats, key=lambda one: one.trace_index)]
    return [
        RowRun(side=side, repeats=repeats, face=face, value=values[at] if at < len(values) else None)
        for at, repeats in enumerate(traces)
    ]


def _cells(run: RowRun, mark: str) -> tuple[Cell | None, ...]:
    first, many = run.repeats[0], len(run.repeats)
    label = first.label.partition(".")[0] if many > 1 else first.label
    return (
        cell(run.side.name, "strong"),
        cell(
            f"{mark}{label}",
            "strong" if mark.strip() else "plain",
            note=f"mean of {many} windows" if many > 1 else "",
        ),
        _value(run),
        None if first.window_ms is None or many > 1 else cell(ms(first.window_ms), "number"),
        None if first.cpu_mhz is None else cell(f"{first.cpu_mhz:.0f} MHz", "number"),
        None if first.throttled is None else cell("throttled" if first.throttled else "cool", "muted"),
        cell(first.health.state, "warning" if first.health.state == "lossy" else "ok"),
        cell(first.trace, "name"),
    )


def _value(run: RowRun) -> Cell | None:
    """Its value, ``no such row``, or why there is none."""
    if run.face is None:
        return cell("no such row", "muted")
    if run.face.by_run is None:
        return cell("not kept", "muted")
    if run.value is None:
        return cell("not measured", "muted")
    return cell(ms(run.value), "number", note="no such row" if run.value == 0 else "")
