"""The report on a terminal: overview, one detector, the window, the markers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from echolot_tui.present.numbers import ms, plural
from echolot_tui.present.report_facts import header_statements
from echolot_tui.present.report_rows import (
    chosen_detectors,
    markers_table,
    rows_table,
    thresholds,
    trouble,
    under_the_bar,
)
from echolot_tui.present.spans import Line, Role, Span, line, wrapped
from echolot_tui.present.statement import Statement, fact, text_statements
from echolot_tui.present.table import Cell, Column, Table, cell, text_table
from echolot_tui.report.model import DetectorReport, Report
from echolot_tui.text import visible

ROWS_SHOWN = 5
MARKERS_SHOWN = 15

_TOP_ROW_LIMIT = 48
_LOCATION_LIMIT = 60
_EVIDENCE_LIMIT = 100
_UNCUT = 1_000_000


def report_overview(report: Report, width: int) -> list[Line]:
    """The header, and one line a detector: its state, thresholds and top row."""
    return [
        *text_statements([*header_statements(report), *_markers_count(report)], width),
        (),
        *text_table(_detectors_table(report.detectors), width),
    ]


def report_full(report: Report, width: int, *, top: int = ROWS_SHOWN) -> list[Line]:
    """The header, the rows of every detector that fired, and what the others have to say."""
    fired = [detector for detector in report.detectors if detector.rows]
    quiet = [detector for detector in report.detectors if not detector.rows]
    lines = text_statements(header_statements(report), width)
    for detector in fired:
        lines += [(), *_detector(detector, width, top=top, wide=False)]
    for detector in quiet:
        if (text := trouble(detector)) is not None:
            role: Role = "error" if detector.state == "failed" else "muted"
            parts = line(Span(detector.id, "strong"), " ", Span(visible(text, 400), role))
            lines += [(), *wrapped(parts, width, indent=2)]
    silent = [detector.id for detector in quiet if detector.state == "silent"]
    if silent:
        lines += [(), *wrapped(line(Span("Silent: ", "muted"), ", ".join(silent)), width, indent=2)]
    return lines


def report_detectors(
    report: Report, ids: Sequence[str], width: int, *, top: int = ROWS_SHOWN, wide: bool = False
) -> list[Line]:
    """The rows of the named detectors, at most ``top`` each; ``wide`` cuts no name and no evidence.

    Raises:
        EcholotError: The report has no detector of that name.
    """
    lines: list[Line] = []
    for detector in chosen_detectors(report, ids):
        lines += [*([()] if lines else []), *_detector(detector, width, top=top, wide=wide)]
    return lines


def report_window(report: Report, width: int) -> list[Line]:
    """The facts around the rows, and each run's window."""
    return [*text_statements(header_statements(report), width), (), *text_table(_runs_table(report), width)]


def report_markers(report: Report, width: int, *, top: int = MARKERS_SHOWN) -> list[Line]:
    """The markers table, at most ``top`` rows, and which configured names no run has."""
    rows = report.markers.rows
    lines = (
        text_table(markers_table(rows[:top]), width)
        if rows
        else wrapped(line("No markers in the window."), width)
    )
    lines += _more(len(rows) - top, "marker", width)
    if report.markers.absent:
        lines += wrapped(
            line(Span("In no run: ", "muted"), ", ".join(report.markers.absent)), width, indent=2
        )
    return lines


def _detector(detector: DetectorReport, width: int, *, top: int, wide: bool) -> list[Line]:
    lines = wrapped(line(Span(detector.title or detector.id, "heading")), width, indent=2)
    if detector.why:
        lines += wrapped(line(Span(detector.why, "muted")), width, indent=2)
    if (text := trouble(detector)) is not None:
        lines += wrapped(line(Span("! ", "warning"), visible(text, 400)), width, indent=2)
    if detector.rows:
        location, evidence = (_UNCUT, _UNCUT) if wide else (_LOCATION_LIMIT, _EVIDENCE_LIMIT)
        table = rows_table(detector.rows[:top], location_limit=location, evidence_limit=evidence)
        lines += text_table(table, _UNCUT if wide else width)
        lines += _more(len(detector.rows) - top, "row", width)
    elif text is None:
        lines += wrapped(line(Span("Silent: looked, found nothing over the bar.", "muted")), width, indent=2)
    about = [detector.id, thresholds(detector), under_the_bar(detector)]
    return [
        *lines,
        *wrapped(line(Span(" · ".join(part for part in about if part), "muted")), width, indent=2),
    ]


def _markers_count(report: Report) -> list[Statement]:
    markers = report.markers
    absent = f", {len(markers.absent)} configured but absent" if markers.absent else ""
    return [fact("Markers", f"{len(markers.rows)}{absent}")] if markers.rows or absent else []


def _more(hidden: int, what: str, width: int) -> list[Line]:
    return wrapped(line(Span(f"… and {plural(hidden, what)} more", "muted")), width) if hidden > 0 else []


def _detectors_table(detectors: Iterable[DetectorReport]) -> Table:
    columns = (
        Column(title="Detector"),
        Column(title="Rows", align="right"),
        Column(title="Top row", shrink_to=12, limit=_TOP_ROW_LIMIT),
        Column(title="ms", align="right", drop=1),
        Column(title="Thresholds", shrink_to=12, drop=2),
    )
    return Table(columns=columns, rows=tuple(map(_detector_row, detectors)))


def _detector_row(detector: DetectorReport) -> tuple[Cell | None, ...]:
    top = detector.rows[0] if detector.rows else None
    value = (top.value(detector.rank) if detector.rank else None) if top else None
    if top is not None and value is None:
        value = top.total_ms if top.self_ms is None else top.self_ms
    return (
        cell(detector.id, "name"),
        Cell(text=f"{len(detector.rows)}") if top else Cell(text=detector.state or "silent", role="muted"),
        cell(top.location or "(no name)", "name") if top else None,
        None if value is None else cell(ms(value), "number"),
        cell(thresholds(detector) or None, "muted"),
    )


def _runs_table(report: Report) -> Table:
    columns = (
        Column(title="Run"),
        Column(title="Window", align="right"),
        Column(title="Clock", align="right", drop=1),
        Column(title="Recording", drop=2),
        Column(title="Trace", shrink_to=12, drop=3),
    )
    rows = tuple(
        (
            cell(repeat.label),
            None if repeat.window_ms is None else cell(f"{ms(repeat.window_ms)} ms", "number"),
            None if repeat.cpu_mhz is None else cell(f"{repeat.cpu_mhz:.0f} MHz", "number"),
            cell(repeat.health.state, "warning" if repeat.health.state == "lossy" else "ok"),
            cell(repeat.trace, "name"),
        )
        for repeat in report.repeats
    )
    return Table(columns=columns, rows=rows)
