"""The comparison on a terminal, as wide as the terminal is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from echolot_tui.compare.model import Comparison, Row, SmallTable
from echolot_tui.compare.view import Chip, View, ViewOptions, key_of, view
from echolot_tui.present.comparison_cells import (
    count_cell,
    evidence_cell,
    face_cell,
    impact_cell,
    move_cell,
    q_cell,
    range_cell,
    runs_needed_cell,
    small_cells,
    verdict_cell,
    where_cell,
)
from echolot_tui.present.comparison_facts import (
    side_statements,
    steady_names,
    summary_statements,
    suspect_line,
    warning_statements,
)
from echolot_tui.present.numbers import plural
from echolot_tui.present.spans import Line, Span, line, wrapped
from echolot_tui.present.statement import name, text_statements
from echolot_tui.present.table import Cell, Column, Table, text_table, without_empty_columns
from echolot_tui.text import visible

_SENTENCES: Final = 3
_STEADY_SHOWN: Final = 8
_CELL_LIMIT: Final = 120


def comparison_lines(comparison: Comparison, options: ViewOptions, width: int) -> list[Line]:
    """The whole comparison as lines of at most ``width`` terminal columns.

    Args:
        comparison: With further sides, their moves stand beside the first one's.
        options: Which rows to show, in which order.
        width: Terminal columns.
    """
    seen = view(comparison, options)
    lines = [
        *text_statements(side_statements(comparison), width),
        (),
        *text_statements(summary_statements(comparison), width),
        *text_statements(warning_statements(comparison), width),
        (),
        *_chips(seen.chips, options, width),
        *_tables(comparison, seen, width),
        *_sentences(seen.rows, width),
        *_suspects(comparison, width),
        *_rest(comparison, options, width),
    ]
    for table in comparison.also:
        lines += [(), *_small(table, width)]
    for other in comparison.others:
        title = f"{visible(other.before.name, 40)} against {visible(other.after.name, 40)}"
        lines += [(), line(Span(title, "heading")), *text_statements(summary_statements(other), width)]
        lines += text_statements(warning_statements(other), width)
    return lines


def rows_table(rows: Sequence[Row], comparison: Comparison) -> Table:
    """The table; where it is too wide, Where, Δ and Verdict stay last."""
    columns = (
        Column(title="Where", shrink_to=12, limit=_CELL_LIMIT),
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
    return without_empty_columns(Table(columns=columns, rows=tuple(map(_cells, rows))))


def _cells(row: Row) -> tuple[Cell | None, ...]:
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


def sides_table(rows: Sequence[Row], comparison: Comparison) -> Table:
    """With more than two sides: the base, then move and verdict of each other side."""
    others = (comparison, *comparison.others)
    columns = [
        Column(title="Where", shrink_to=12, limit=_CELL_LIMIT),
        Column(title="Detector", drop=3, shrink_to=8),
        Column(title=visible(comparison.before.name, 16), align="right", drop=2),
    ]
    for other in others:
        columns += [
            Column(title=f"Δ {visible(other.after.name, 14)}", align="right"),
            Column(title="Verdict"),
        ]
    found = [{key_of(row): row for row in other.rows} for other in others]
    cells = [
        (
            where_cell(row),
            Cell(text=row.detector, role="muted"),
            face_cell(row.before),
            *(part for known in found for part in _move_and_verdict(known.get(key_of(row)))),
        )
        for row in rows
    ]
    return Table(columns=tuple(columns), rows=tuple(cells))


def _move_and_verdict(row: Row | None) -> tuple[Cell | None, Cell | None]:
    return (None, None) if row is None else (move_cell(row), verdict_cell(row))


def _tables(comparison: Comparison, seen: View, width: int) -> list[Line]:
    """The table, or one a cause when some rows only follow the whole run."""
    if seen.empty is not None:
        return [line(Span(text_line, "muted")) for text_line in [seen.empty]]
    table = sides_table if comparison.others else rows_table
    if len(seen.groups) == 1 and seen.groups[0].cause is None:
        lines = text_table(table(seen.rows, comparison), width)
    else:
        lines = []
        for group in seen.groups:
            title = line(Span(f"{group.title} ({len(group.rows)})", "heading"))
            lines += [*wrapped(title, width), *text_table(table(group.rows, comparison), width), ()]
    if seen.cut:
        lines.append(line(Span(f"… and {plural(seen.cut, 'row')} more", "muted")))
    return lines


def _chips(chips: Sequence[Chip], options: ViewOptions, width: int) -> list[Line]:
    """Every choice of the filters that are set, with its count; nothing while none is."""
    unset = replace(ViewOptions(), sort=options.sort, top=options.top, steady=options.steady)
    if options == unset:
        return []
    lines: list[Line] = []
    for kind in ("direction", "verdict", "min_impact", "detector"):
        mine = [chip for chip in chips if chip.filter == kind and (chip.count or chip.active)]
        if not any(chip.active for chip in mine):
            continue
        parts: list[str | Span] = [Span(f"{kind.replace('_', ' ')}: ", "muted")]
        for chip in mine:
            text = f"{visible(chip.label, 60)} {chip.count}"
            parts += ["  ", Span(f"[{text}]", "strong") if chip.active else Span(text, "muted")]
        lines += wrapped(line(*parts), width, indent=2)
    return [*lines, ()]


def _sentences(rows: Sequence[Row], width: int) -> list[Line]:
    sentences = [row.sentence for row in rows[:_SENTENCES] if row.sentence]
    lines: list[Line] = [()] if sentences else []
    for text in sentences:
        lines += wrapped(line(Span("· ", "muted"), text), width, indent=2)
    return lines


def _suspects(comparison: Comparison, width: int) -> list[Line]:
    if not comparison.suspects:
        return []
    lines: list[Line] = [(), line(Span("Perhaps the same work under another name", "heading"))]
    for suspect in comparison.suspects:
        lines += wrapped(line("· ", *suspect_line(suspect)), width, indent=2)
    return lines


def _rest(comparison: Comparison, options: ViewOptions, width: int) -> list[Line]:
    """Steady rows on one line, detectors that changed state, and those silent on both sides."""
    summary = comparison.summary
    lines: list[Line] = []
    for change in summary.state_changed:
        text = line(name(change.id), f": {change.before} → {change.after}")
        lines += wrapped(line(Span("Changed state: ", "muted"), *text), width, indent=2)
    names, rest = steady_names(comparison.rows, _STEADY_SHOWN)
    if names and not options.steady:
        parts: list[str | Span] = [Span("Steady: ", "muted"), " · ".join(name(one).text for one in names)]
        lines += wrapped(line(*parts, f" · and {rest} more" if rest else ""), width, indent=2)
    if summary.silent_both:
        silent = ", ".join(name(one).text for one in summary.silent_both)
        lines += wrapped(line(Span("Silent in both: ", "muted"), silent), width, indent=2)
    return [(), *lines] if lines else []


def _small(table: SmallTable, width: int) -> list[Line]:
    columns = (
        Column(title=table.title, shrink_to=12, limit=_CELL_LIMIT),
        Column(title="Before", align="right", drop=2),
        Column(title="After", align="right", drop=2),
        Column(title="Δ", align="right"),
        Column(title="Range 95 %", drop=3),
        Column(title="Verdict"),
    )
    shown = Table(columns=columns, rows=tuple(map(small_cells, table.rows)))
    return text_table(without_empty_columns(shown), width)
