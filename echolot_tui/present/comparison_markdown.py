"""``comparison.md``: the comparison as Markdown that a pull request can show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from echolot_tui.compare.model import Comparison, Row, SmallTable
from echolot_tui.compare.view import ViewOptions, view
from echolot_tui.present.comparison_cells import (
    count_cell,
    evidence_cell,
    face_cell,
    holds_cell,
    move_cell,
    q_cell,
    runs_needed_cell,
    small_cells,
    verdict_cell,
    where_cell,
)
from echolot_tui.present.comparison_facts import (
    legend,
    side_statements,
    steady_names,
    summary_statements,
    suspect_line,
    warning_statements,
)
from echolot_tui.present.numbers import plural
from echolot_tui.present.statement import markdown_spans, markdown_statements, without_double_blanks
from echolot_tui.present.table import Cell, Column, Table, markdown_table, without_empty_columns
from echolot_tui.text import escape_cell, visible

ROWS_SHOWN: Final = 60
"""Rows of the table; a comment on a pull request holds 65,536 characters, the JSON file has all."""

_SENTENCES = 3
_STEADY_SHOWN = 8
_CELL_LIMIT = 120
_SMALL_ROWS = 20


def comparison_markdown(comparison: Comparison) -> str:
    """The comparison as Markdown, with a line end at its end."""
    blocks = [
        ["# Comparison", "", *markdown_statements(side_statements(comparison))],
        markdown_statements(summary_statements(comparison)),
        markdown_statements(warning_statements(comparison)),
        *_table(comparison, "What moved"),
        *(
            block
            for other in comparison.others
            for block in (*_other_head(other), *_table(other, f"What moved in {_text(other.after.name)}"))
        ),
        _suspects(comparison),
        _states(comparison),
        _steady(comparison),
        _silent(comparison),
        *(
            _small(table, one, named=bool(comparison.others))
            for one in (comparison, *comparison.others)
            for table in one.also
        ),
    ]
    return "\n".join(without_double_blanks(text for block in blocks for text in ("", *block))) + "\n"


def row_markdown(row: Row, comparison: Comparison) -> str:
    """One row for pasting: its table line under the header, and its sentence."""
    lines = markdown_table(_rows_table([row], comparison))
    return "\n".join([*lines, "", _text(row.sentence or "")]) + "\n"


def rows_markdown(rows: Sequence[Row], comparison: Comparison) -> str:
    """Rows for pasting: their table and what its columns mean."""
    lines = markdown_table(_rows_table(rows, comparison))
    return "\n".join([*lines, "", f"<sub>{_text(legend(comparison), 600)}</sub>"]) + "\n"


def _table(comparison: Comparison, title: str) -> list[list[str]]:
    shown = view(comparison, ViewOptions(top=ROWS_SHOWN))
    if not shown.rows:
        return [["## Nothing moved", "", _text(shown.empty or "")]]
    sentences = [row.sentence for row in shown.rows[:_SENTENCES] if row.sentence]
    more = [f"… and {plural(shown.cut, 'row')} more in `comparison.json`."] if shown.cut else []
    return [
        [f"## {title}", "", *(f"- {_text(text, 600)}" for text in sentences)],
        markdown_table(_rows_table(shown.rows, comparison)),
        more,
        [f"<sub>{_text(legend(comparison), 600)}</sub>"],
    ]


def _rows_table(rows: Sequence[Row], comparison: Comparison) -> Table:
    columns = (
        Column(title="Where", limit=_CELL_LIMIT),
        Column(title="Evidence", limit=_CELL_LIMIT),
        Column(title="Detector", limit=_CELL_LIMIT),
        Column(title=_title(comparison.before.name, "before"), align="right"),
        Column(title=_title(comparison.after.name, "after"), align="right"),
        Column(title="Δ", align="right"),
        Column(title="N", align="right"),
        Column(title="Holds"),
        Column(title="Verdict"),
        Column(title="q", align="right"),
        Column(title="Runs needed", align="right"),
    )
    return without_empty_columns(Table(columns=columns, rows=tuple(map(_row_cells, rows))))


def _title(side_name: str, default: str) -> str:
    return default.capitalize() if side_name == default else visible(side_name, 40)


def _row_cells(row: Row) -> tuple[Cell | None, ...]:
    return (
        where_cell(row),
        evidence_cell(row),
        Cell(text=row.detector),
        face_cell(row.before),
        face_cell(row.after),
        move_cell(row),
        count_cell(row),
        holds_cell(row),
        verdict_cell(row),
        q_cell(row),
        runs_needed_cell(row),
    )


def _other_head(other: Comparison) -> list[list[str]]:
    """Window, counts and warnings of a further side against the base."""
    return [
        [f"# {_text(other.before.name)} against {_text(other.after.name)}"],
        markdown_statements(summary_statements(other)),
        markdown_statements(warning_statements(other)),
    ]


def _suspects(comparison: Comparison) -> list[str]:
    if not comparison.suspects:
        return []
    lines = [f"- {markdown_spans(suspect_line(suspect))}" for suspect in comparison.suspects[:_SMALL_ROWS]]
    return ["## Perhaps the same work under another name", "", *lines]


def _states(comparison: Comparison) -> list[str]:
    changes = comparison.summary.state_changed
    if not changes:
        return []
    lines = [f"- {_text(one.id)}: {_text(one.before)} → {_text(one.after)}" for one in changes]
    return ["## Detectors that changed state", "", *lines]


def _steady(comparison: Comparison) -> list[str]:
    names, rest = steady_names(comparison.rows, _STEADY_SHOWN)
    if not names:
        return []
    more = f" · and {rest} more" if rest else ""
    return ["## Steady", "", " · ".join(map(_text, names)) + more]


def _silent(comparison: Comparison) -> list[str]:
    summary = comparison.summary
    both = (("Silent", summary.silent_both), ("No data", summary.no_data_both))
    said = [f"**{what} in both:** {', '.join(map(_text, ids))}" for what, ids in both if ids]
    return ["  \n".join(said)] if said else []


def _small(table: SmallTable, comparison: Comparison, *, named: bool) -> list[str]:
    """A short table, folded away until somebody opens it; ``named`` says which sides it compares."""
    columns = (
        Column(title="What", limit=_CELL_LIMIT),
        Column(title="Before", align="right"),
        Column(title="After", align="right"),
        Column(title="Δ", align="right"),
        Column(title="Range 95 %"),
        Column(title="Verdict"),
    )
    shown = Table(columns=columns, rows=small_cells(table, _SMALL_ROWS))
    rest = len(table.rows) - _SMALL_ROWS
    more = ["", f"… and {plural(rest, 'row')} more in `comparison.json`."] if rest > 0 else []
    sides = f": {comparison.before.name} against {comparison.after.name}" if named else ""
    summary = f"<details><summary>{_text(table.title + sides, 200)}</summary>"
    return [summary, "", *markdown_table(without_empty_columns(shown)), *more, "", "</details>"]


def _text(text: str, limit: int = _CELL_LIMIT) -> str:
    return escape_cell(visible(text, limit))
