"""A history report as lines for a terminal."""

from __future__ import annotations

from typing import Final

from echolot_tui.history.ladder import Gate
from echolot_tui.history.model import Finding, HistoryReport, SeriesState
from echolot_tui.present.glyphs import GLYPHS, Glyphs
from echolot_tui.present.history_chart import history_sparkline
from echolot_tui.present.history_words import (
    REASONS,
    commit_words,
    figure,
    finding_line,
    finding_notes,
    head_statements,
    tally_statements,
    title_line,
)
from echolot_tui.present.numbers import plural
from echolot_tui.present.spans import Line, Span, line, wrapped
from echolot_tui.present.statement import name, text_statements
from echolot_tui.present.table import Column, Table, cell, text_table

_CHART: Final = 80


def history_lines(report: HistoryReport, width: int, *, glyphs: Glyphs = GLYPHS["blocks"]) -> list[Line]:
    """Header, tally, findings with their charts; every series when the report lists them."""
    lines = text_statements([*head_statements(report), *tally_statements(report)], width)
    for group in report.groups:
        lines += wrapped(
            line(
                Span(f"Group {group.number}: ", "muted"),
                f"{plural(group.findings, 'step')} may have begun together, after ",
                name(commit_words(group.after, title=False)),
                ", by ",
                name(commit_words(group.first, title=False)),
            ),
            width,
            indent=2,
        )
    for finding in report.findings:
        lines += [(), *_finding(finding, width, glyphs)]
    lines += [()] if report.every else []
    for state in report.every:
        lines += series_lines(state, width)
    return lines


def _finding(finding: Finding, width: int, glyphs: Glyphs) -> list[Line]:
    lines = wrapped(title_line(finding), width, indent=4)
    lines += _indented(finding_line(finding), width)
    for note in finding_notes(finding):
        lines += _indented(note, width)
    chart = history_sparkline(finding.points, min(width - 2, _CHART), glyphs)
    return [*lines, (Span("  "), Span(chart, "muted"))]


def series_lines(state: SeriesState, width: int) -> list[Line]:
    """One series: judged or why not, and its gates."""
    head = line(name(state.name), Span(f"  {state.metric}  ", "muted"), verdict_words(state))
    return [*wrapped(head, width, indent=4), *(gate_lines(state.gates, width) if state.gates else ())]


def verdict_words(state: SeriesState) -> str:
    """Reported, or not and by which gate, or why it was not judged."""
    if state.reason is not None:
        return f"unjudged: {REASONS[state.reason]} ({state.points} here)"
    if state.found:
        return "reported"
    return "nothing reported" + (f"; declined by {state.declined_by}" if state.declined_by else "")


def gate_lines(gates: tuple[Gate, ...], width: int) -> list[Line]:
    """The ladder of gates as a table."""
    table = Table(
        columns=(
            Column(title="Stage"),
            Column(title="Gate"),
            Column(title="Demand", align="right"),
            Column(title="Computed", align="right"),
            Column(title="Verdict"),
            Column(title="Note", drop=1, shrink_to=10),
        ),
        rows=tuple(
            (
                cell(gate.stage),
                cell(gate.gate),
                cell(None if gate.demand is None else figure(gate.demand)),
                cell(None if gate.computed is None else figure(gate.computed)),
                cell(gate.verdict, "warning" if gate.verdict == "declined" else "plain"),
                cell(gate.note or None),
            )
            for gate in gates
        ),
    )
    return [(Span("  "), *row) for row in text_table(table, max(width - 2, 20))]


def _indented(spans: Line, width: int) -> list[Line]:
    return [(Span("  "), *part) for part in wrapped(spans, max(width - 2, 20), indent=2)]
