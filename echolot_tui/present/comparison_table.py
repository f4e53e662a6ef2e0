"""The comparison's table: its columns, and the cells of one row at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from echolot_tui.compare.model import Comparison, Row
from echolot_tui.compare.view import SortBy, key_of
from echolot_tui.present.comparison_cells import (
    count_cell,
    evidence_cell,
    face_cell,
    impact_cell,
    move_cell,
    q_cell,
    range_cell,
    runs_needed_cell,
    verdict_cell,
    where_cell,
)
from echolot_tui.present.table import Cell, Column, Table, without_empty_columns
from echolot_tui.text import visible

RowKey = tuple[str, str, str, str]
Cells = tuple[Cell | None, ...]

_CELL_LIMIT: Final = 120

_SORTED_COLUMN: Final[dict[SortBy, str]] = {
    "move": "Δ",
    "ratio": "Δ",
    "share": "Impact",
    "verdict": "Verdict",
    "name": "Where",
    "detector": "Detector",
}


class ComparisonTable:
    """Columns and cells of one comparison; with further sides, of all of them against the base."""

    def __init__(self, comparison: Comparison) -> None:
        """Look up the further sides' rows once."""
        self._others: tuple[Mapping[RowKey, Row], ...] = tuple(
            {key_of(row): row for row in one.rows} for one in (comparison, *comparison.others)
        )
        self._many = bool(comparison.others)
        self.columns: tuple[Column, ...] = (
            _sides_columns(comparison) if self._many else _rows_columns(comparison)
        )

    def cells(self, row: Row) -> Cells:
        """The cells of one row of the first comparison."""
        if not self._many:
            return _row_cells(row)
        return (
            where_cell(row),
            Cell(text=row.detector, role="muted"),
            face_cell(row.before),
            *(part for known in self._others for part in _move_and_verdict(known.get(key_of(row)))),
        )

    def table(self, rows: Sequence[Row]) -> Table:
        """All of ``rows`` at once, without the columns in which no row has a value."""
        return without_empty_columns(Table(columns=self.columns, rows=tuple(map(self.cells, rows))))

    def sorted_column(self, sort: SortBy) -> int | None:
        """Which column an order is by, or ``None`` where no column shows it."""
        titles = [column.title.split(" ")[0] for column in self.columns]
        wanted = _SORTED_COLUMN[sort]
        return titles.index(wanted) if wanted in titles else None


def _rows_columns(comparison: Comparison) -> tuple[Column, ...]:
    """Where the table is too wide, Where, Δ and Verdict stay last."""
    return (
        Column(title="Where", shrink_to=24, limit=_CELL_LIMIT),
        Column(title="Evidence", drop=9, shrink_to=10, limit=_CELL_LIMIT),
        Column(title="Detector", drop=5, shrink_to=8),
        Column(title=visible(comparison.before.name, 16), align="right", drop=2),
        Column(title=visible(comparison.after.name, 16), align="right", drop=2),
        Column(title="Δ", align="right"),
        Column(title="Impact", align="right", drop=6),
        Column(title="N", align="right", drop=7),
        Column(title="Range 95 %", drop=3),
        Column(title="q", align="right", drop=8),
        Column(title="Runs needed", drop=4),
        Column(title="Verdict"),
    )


def _row_cells(row: Row) -> Cells:
    return (
        where_cell(row),
        evidence_cell(row),
        Cell(text=row.detector, role="muted"),
        face_cell(row.before),
        face_cell(row.after),
        move_cell(row),
        impact_cell(row),
        count_cell(row),
        range_cell(row),
        q_cell(row),
        runs_needed_cell(row),
        verdict_cell(row),
    )


def _sides_columns(comparison: Comparison) -> tuple[Column, ...]:
    """The base, then move and verdict of each other side."""
    columns = [
        Column(title="Where", shrink_to=24, limit=_CELL_LIMIT),
        Column(title="Detector", drop=3, shrink_to=8),
        Column(title=visible(comparison.before.name, 16), align="right", drop=2),
    ]
    for other in (comparison, *comparison.others):
        columns += [
            Column(title=f"Δ {visible(other.after.name, 14)}", align="right"),
            Column(title="Verdict"),
        ]
    return tuple(columns)


def _move_and_verdict(row: Row | None) -> tuple[Cell | None, Cell | None]:
    return (None, None) if row is None else (move_cell(row), verdict_cell(row))
