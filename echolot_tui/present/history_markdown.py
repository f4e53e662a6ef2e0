"""A history report as Markdown: whole, or as a summary of its ten largest findings."""

from __future__ import annotations

from typing import Final

from echolot_tui.history.model import Finding, HistoryReport
from echolot_tui.present.glyphs import GLYPHS
from echolot_tui.present.history_chart import history_sparkline
from echolot_tui.present.history_words import (
    commit_words,
    finding_line,
    finding_notes,
    head_statements,
    tally_statements,
)
from echolot_tui.present.numbers import plural
from echolot_tui.present.statement import markdown_spans, markdown_statements, without_double_blanks
from echolot_tui.text import escape_cell, visible

SUMMARY: Final = 10
_CHART: Final = 60
_NAME: Final = 160


def history_markdown(report: HistoryReport, *, most: int | None = None) -> str:
    """The report as Markdown, with a line end at its end.

    Args:
        report: What to write.
        most: At most this many findings, the largest; ``None`` writes all.
    """
    shown = report.findings[:most]
    lines = ["# History", "", *markdown_statements(head_statements(report)), ""]
    lines += [*markdown_statements(tally_statements(report)), ""]
    for group in report.groups:
        after, first = (escape_cell(commit_words(each, title=False)) for each in (group.after, group.first))
        together = f"{plural(group.findings, 'step')} may have begun together"
        lines.append(f"- Group {group.number}: {together}, after {after}, by {first}")
    for finding in shown:
        lines += ["", *_finding(finding)]
    if len(shown) < len(report.findings):
        lines += ["", f"{plural(len(report.findings) - len(shown), 'more finding')} in the whole report."]
    return "\n".join(without_double_blanks(lines)) + "\n"


def _finding(finding: Finding) -> list[str]:
    heading = f"{escape_cell(visible(finding.name, _NAME))} · {escape_cell(visible(finding.metric, _NAME))}"
    chart = history_sparkline(finding.points, _CHART, GLYPHS["blocks"])
    return [
        f"### {heading}",
        "",
        markdown_spans(finding_line(finding)),
        "",
        *(f"- {markdown_spans(note)}" for note in finding_notes(finding)),
        "",
        "```text",
        chart,
        "```",
    ]
