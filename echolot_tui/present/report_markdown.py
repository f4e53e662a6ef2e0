"""``report.md``: the whole report as Markdown that a pull request can show."""

from __future__ import annotations

from collections.abc import Iterable

from echolot_tui.present.numbers import plural
from echolot_tui.present.report_facts import header_statements
from echolot_tui.present.report_rows import markers_table, rows_table, thresholds, trouble, under_the_bar
from echolot_tui.present.statement import markdown_statements, warning, without_double_blanks
from echolot_tui.present.table import markdown_table
from echolot_tui.report.model import DetectorReport, MarkersReport, Report, Row
from echolot_tui.text import escape_cell, visible

ROWS_SHOWN = 20
"""Rows of one table; the report file has all."""

_TEXT_LIMIT = 600


def report_markdown(report: Report) -> str:
    """The report as Markdown, with a line end at its end."""
    fired = [detector for detector in report.detectors if detector.rows]
    blocks = [
        ["# Marker Report", "", *markdown_statements(header_statements(report))],
        _markers(report.markers),
        markdown_statements(
            warning(f"{detector.id} ", text)
            for detector in report.detectors
            if detector.state != "no data" and (text := trouble(detector))
        ),
        [] if fired else ["_No detector fired._ " + _advice(report)],
        *(_section(detector) for detector in fired),
        _no_data(report.detectors),
        _silent(report.detectors),
        [f"<sub>{_engine(report)}</sub>"],
    ]
    return "\n".join(without_double_blanks(text for block in blocks for text in ("", *block))) + "\n"


def report_row_markdown(row: Row, detector: DetectorReport) -> str:
    """One row for pasting: its table line under the header, and which detector it is of."""
    lines = markdown_table(rows_table([row]))
    return "\n".join([*lines, "", _text(f"{detector.title or detector.id} ({detector.id})")]) + "\n"


def _markers(markers: MarkersReport) -> list[str]:
    if not markers.rows and not markers.absent:
        return []
    lines = ["## Markers", ""]
    if markers.rows:
        lines += markdown_table(markers_table(markers.rows[:ROWS_SHOWN]))
        lines += _more(len(markers.rows))
    if markers.absent:
        names = ", ".join(_text(name) for name in markers.absent)
        lines += ["", f"Configured, but in no run: {names}"]
    return lines


def _section(detector: DetectorReport) -> list[str]:
    lines = [f"## {_text(detector.title or detector.id)}", ""]
    if detector.why:
        lines += [f"_{_text(detector.why)}_", ""]
    lines += markdown_table(rows_table(detector.rows[:ROWS_SHOWN]))
    lines += _more(len(detector.rows))
    about = [f"detector {_text(detector.id)}", _text(thresholds(detector)), under_the_bar(detector)]
    return [*lines, "", f"<sub>{' · '.join(part for part in about if part)}</sub>"]


def _more(rows: int) -> list[str]:
    hidden = rows - ROWS_SHOWN
    return ["", f"… and {plural(hidden, 'row')} more in `report.json`."] if hidden > 0 else []


def _no_data(detectors: Iterable[DetectorReport]) -> list[str]:
    blind = [detector for detector in detectors if detector.state == "no data"]
    if not blind:
        return []
    return [
        "**No data**, so nothing is known:",
        "",
        *(
            f"- {_text(detector.id)}: {_text(detector.no_data or 'its source is missing')}"
            for detector in blind
        ),
    ]


def _silent(detectors: Iterable[DetectorReport]) -> list[str]:
    silent = [_text(detector.id) for detector in detectors if detector.state == "silent"]
    return [f"**Silent** (looked, found nothing over the bar): {', '.join(silent)}"] if silent else []


def _advice(report: Report) -> str:
    measured = sum(detector.rows_measured or 0 for detector in report.detectors)
    if measured:
        under = f"{plural(measured, 'row was', 'rows were')} measured under the bar"
        return f"{under}: lower a threshold with `--set`, or calibrate."
    return "Nothing was measured in the window: check process, anchors and what was recorded."


def _engine(report: Report) -> str:
    tools = report.toolchain
    version = (
        f"trace_processor {tools.trace_processor}"
        if tools.trace_processor
        else "trace_processor, version not recorded"
    )
    binary = f" ({tools.source}: {tools.binary})" if tools.binary else ""
    return _text(f"{version}{binary}")


def _text(text: str) -> str:
    return escape_cell(visible(text, _TEXT_LIMIT))
