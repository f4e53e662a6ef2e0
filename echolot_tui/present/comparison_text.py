"""The comparison on a terminal, as wide as the terminal is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from echolot_tui.compare.model import Comparison, Row, SmallTable
from echolot_tui.compare.view import Chip, View, ViewOptions, view
from echolot_tui.present.comparison_cells import small_cells
from echolot_tui.present.comparison_facts import (
    side_statements,
    steady_names,
    summary_statements,
    suspect_line,
    warning_statements,
)
from echolot_tui.present.comparison_table import ComparisonTable
from echolot_tui.present.numbers import plural
from echolot_tui.present.spans import Line, Span, line, wrapped
from echolot_tui.present.statement import name, text_statements
from echolot_tui.present.table import Column, Table, text_table, without_empty_columns
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
        for table in other.also:
            lines += [(), *_small(table, width)]
    return lines


def _tables(comparison: Comparison, seen: View, width: int) -> list[Line]:
    """The table, or one a cause when some rows only follow the whole run."""
    if seen.empty is not None:
        return [line(Span(text_line, "muted")) for text_line in [seen.empty]]
    table = ComparisonTable(comparison).table
    if len(seen.groups) == 1 and seen.groups[0].cause is None:
        lines = text_table(table(seen.rows), width)
    else:
        lines = []
        for group in seen.groups:
            title = line(Span(f"{group.title} ({len(group.rows)})", "heading"))
            lines += [*wrapped(title, width), *text_table(table(group.rows), width), ()]
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
    """Steady rows on one line, detectors that changed state, and those with nothing to say on both sides."""
    summary = comparison.summary
    lines: list[Line] = []
    for change in summary.state_changed:
        text = line(name(change.id), f": {change.before} → {change.after}")
        lines += wrapped(line(Span("Changed state: ", "muted"), *text), width, indent=2)
    names, rest = steady_names(comparison.rows, _STEADY_SHOWN)
    if names and not options.steady:
        parts: list[str | Span] = [Span("Steady: ", "muted"), " · ".join(name(one).text for one in names)]
        lines += wrapped(line(*parts, f" · and {rest} more" if rest else ""), width, indent=2)
    for what, ids in (("Silent", summary.silent_both), ("No data", summary.no_data_both)):
        if ids:
            named = ", ".join(name(one).text for one in ids)
            lines += wrapped(line(Span(f"{what} in both: ", "muted"), named), width, indent=2)
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
    shown = Table(columns=columns, rows=small_cells(table))
    return text_table(without_empty_columns(shown), width)
