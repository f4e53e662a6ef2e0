"""What the report's screen says: head, one table for all detectors, and a row in full."""

from __future__ import annotations

from typing import Final

from echolot_tui.measure.plan import Decision
from echolot_tui.measure.sql import substitute
from echolot_tui.present.dots import Axis, sparkline, strip
from echolot_tui.present.glyphs import Glyphs
from echolot_tui.present.numbers import ms, plural, whole
from echolot_tui.present.report_facts import header_statements
from echolot_tui.present.report_rows import (
    markers_table,
    row_columns,
    thresholds,
    time_cell,
    trouble,
    under_the_bar,
)
from echolot_tui.present.spans import Line, Role, Span, cut_line, line, wrapped
from echolot_tui.present.stack_text import stack_lines
from echolot_tui.present.statement import Statement, fact, name, text_statements
from echolot_tui.present.table import Column, Table, cell, text_table
from echolot_tui.report.model import DetectorReport, MarkersReport, Report, Row
from echolot_tui.report.view import Section
from echolot_tui.text import visible

_TEXT_LIMIT: Final = 600

ROW_COLUMNS: Final = row_columns(location_limit=200, location_least=24)
"""Of every detector's rows; what only one detector has is in the row's own pane."""

_FIRST: Final = ("Scenario window", "Main thread", "Runs", "Process")

_METRICS: Final = {
    "self_ms": "self time",
    "total_ms": "total",
    "max_ms": "longest",
    "covered_ms": "instrumented",
    "full_ms": "whole slices",
}

_STATE_ROLES: Final[dict[str, Role]] = {
    "fired": "strong",
    "silent": "muted",
    "no data": "warning",
    "failed": "error",
    "off": "muted",
}


def head_lines(report: Report, path: str, width: int, *, most: int, opened: bool) -> list[Line]:
    """Facts and warnings: at most ``most`` lines, warnings early; ``opened`` in full, with the markers."""
    statements = [fact("Report", name(path)), *header_statements(report)]
    if opened:
        return [*text_statements(statements, width), *_markers(report.markers, width)]
    facts = [one for one in statements if not one.warning]
    warnings = [one for one in statements if one.warning]
    ordered = [*facts[:1], *warnings, *sorted(facts[1:], key=_tells_most)]
    shown = [_one_line(one, width) for one in ordered[:most]]
    rest = len(ordered) - len(shown)
    if rest > 0:
        shown[-1] = cut_line(line(Span(f"… {plural(rest + 1, 'more fact')} (w)", "muted")), width)
    return shown


def section_line(section: Section, *, opened: bool, glyphs: Glyphs) -> Line:
    """A detector's heading: title, state in words, thresholds."""
    detector = section.detector
    sign = glyphs.open_sign if opened else glyphs.closed_sign
    count = f"{plural(len(section.rows), 'row')}" if section.state == "fired" else section.state
    parts = [detector.id, thresholds(detector), under_the_bar(detector) or ""]
    reason = trouble(detector)
    says_state = reason is not None and reason.startswith(section.state)
    return line(
        Span(f"{sign if section.rows else '-'} ", "muted"),
        Span(visible(detector.title or detector.id, 80), "heading"),
        "  ",
        Span("" if says_state else count, _STATE_ROLES[section.state]),
        Span(f"{'' if says_state else '  '}{visible(reason, 200)}" if reason else "", "warning"),
        Span("  " + " · ".join(visible(part, 120) for part in parts if part), "muted"),
    )


def section_words(section: Section, width: int) -> list[Line]:
    """A detector in full: its question, state, thresholds."""
    detector = section.detector
    lines = wrapped(line(Span(visible(detector.title or detector.id, 200), "heading")), width, indent=2)
    lines += wrapped(line(Span(visible(detector.why, _TEXT_LIMIT), "muted")), width, indent=2)
    reason = trouble(detector)
    if reason:
        lines += wrapped(line(Span("! ", "warning"), visible(reason, _TEXT_LIMIT)), width, indent=2)
    if section.state == "silent":
        lines += wrapped(line("Looked, found nothing over the bar."), width, indent=2)
    about = [detector.id, thresholds(detector), under_the_bar(detector) or ""]
    lines += wrapped(line(Span(" · ".join(part for part in about if part), "muted")), width, indent=2)
    return lines


def row_words(
    row: Row, detector: DetectorReport, report: Report, width: int, *, glyphs: Glyphs
) -> list[Line]:
    """A row in full: numbers, every run, evidence, where it is in the code, sampled stacks."""
    lines = wrapped(line(name(row.location), Span(f"  {visible(detector.id, 60)}", "muted")), width, indent=2)
    lines += [(), *_numbers(row, width), *_runs(row, detector, report, width, glyphs)]
    texts = [("Thread", row.thread), ("Evidence", row.detail)]
    texts += [] if row.places else [("In the code", row.code)]
    texts += [(key, str(value)) for key, value in (row.extra or {}).items() if value is not None]
    for label, text in texts:
        if text:
            parts = line(Span(f"{visible(label, 40)}: ", "muted"), Span(visible(text, _TEXT_LIMIT), "name"))
            lines += wrapped(parts, width, indent=2)
    return [*lines, *stack_lines(row.stacks, width), *_places(row, width)]


def sql_lines(detector: DetectorReport, decision: Decision | None, width: int) -> list[Line]:
    """The query that produced a detector's rows, parameters put in."""
    if decision is None:
        return wrapped(
            line(Span(f"The query of {visible(detector.id, 60)} is not installed here.", "muted")), width
        )
    params = {key: detector.params.get(key, value) for key, value in decision.params.items()}
    lines = [line(Span(f"{visible(detector.id, 60)}: the query behind its rows", "heading")), ()]
    for text in substitute(decision.detector.query, params).strip().splitlines():
        lines += wrapped(line(visible(text.rstrip())), width, indent=4) if text.strip() else [()]
    if decision.detector.gate:
        lines += [
            (),
            *wrapped(line(Span("listed when ", "muted"), visible(decision.detector.gate)), width, indent=2),
        ]
    return lines


def _markers(markers: MarkersReport, width: int) -> list[Line]:
    """The markers' table, and those that are configured and in no run."""
    lines: list[Line] = []
    if markers.rows:
        lines += [(), line(Span("Markers", "heading")), *text_table(markers_table(markers.rows), width)]
    if markers.absent:
        lines += wrapped(
            line(Span("Markers in no run: ", "muted"), ", ".join(markers.absent)), width, indent=2
        )
    return lines


def _tells_most(statement: Statement) -> int:
    """The window and the main thread first; which files it was made of last."""
    return _FIRST.index(statement.label) if statement.label in _FIRST else len(_FIRST)


def _one_line(statement: Statement, width: int) -> Line:
    label: Span = Span("! ", "warning") if statement.warning else Span(f"{statement.label}: ", "muted")
    return cut_line(line(label, *statement.spans), width)


def _numbers(row: Row, width: int) -> list[Line]:
    columns = (
        Column(title=""),
        Column(title="median", align="right"),
        Column(title="from", align="right"),
        Column(title="to", align="right"),
        Column(title="resolves", align="right", drop=1),
    )
    spreads = row.spread or {}
    rows = []
    for metric, words in _METRICS.items():
        value = row.value(metric)
        if value is None:
            continue
        spread = spreads.get(metric)
        rows.append(
            (
                cell(words, "muted"),
                cell(ms(value), "strong"),
                time_cell(spread.min) if spread else None,
                time_cell(spread.max) if spread else None,
                time_cell(spread.resolves_ms) if spread else None,
            )
        )
    lines = text_table(Table(columns=columns, rows=tuple(rows)), width) if rows else []
    facts = [
        f"runs {row.runs}" if row.runs else "",
        f"count {whole(row.count)}" if row.count is not None else "",
    ]
    said = " · ".join(fact for fact in facts if fact)
    return [*lines, *([line(Span(said, "muted"))] if said else [])]


def _runs(row: Row, detector: DetectorReport, report: Report, width: int, glyphs: Glyphs) -> list[Line]:
    """The ranking value of every run: on an axis, in run order, and as numbers."""
    metric = detector.rank if detector.rank and detector.rank in (row.by_run or {}) else None
    metric = metric or next((one for one in _METRICS if one in (row.by_run or {})), None)
    if metric is None:
        return []
    values = (row.by_run or {})[metric]
    known = [value for value in values if value is not None]
    if not known:
        return []
    axis = Axis.over(known, max(min(width, 60), 1))
    labels = [repeat.label for repeat in report.repeats] or [str(at + 1) for at in range(len(values))]
    parts: list[str | Span] = [Span("each run: ", "muted")]
    for label, value in zip(labels, values, strict=False):
        parts += [Span(f"{visible(label, 8)} ", "muted"), _run(value, label, detector, metric), "  "]
    return [
        (),
        line(Span(f"{_METRICS.get(metric, visible(metric, 40))}, run by run", "heading")),
        strip(values, axis, glyphs=glyphs, role="strong"),
        line(Span(glyphs.axis * axis.width, "muted")),
        line(Span(f"{whole(axis.low)} … {whole(axis.high)}", "muted")),
        line(Span("in run order: ", "muted"), sparkline(values, glyphs=glyphs)),
        *wrapped(line(*parts), width, indent=2),
    ]


def _run(value: float | None, label: str, detector: DetectorReport, metric: str) -> Span:
    """A run's value; where there is none, whether it was looked for."""
    if value is None:
        return Span("not measured" if label in detector.unseen else "no such row", "muted")
    return Span(whole(value) if metric == "count" else ms(value), "number")


def _places(row: Row, width: int) -> list[Line]:
    """Each name of the row with its file, the whole path, and what is not certain about it."""
    if not row.places:
        return []
    lines: list[Line] = [(), line(Span("In the code", "heading"))]
    for place in row.places:
        where = place.file or "not in the checkout"
        at = f"{where}:{place.line}" if place.file and place.line is not None else where
        doubt = (
            ""
            if place.exact or not place.file
            else "  uncertain: several files of that name, or another version of it"
        )
        parts = line(
            Span(f"{visible(place.role, 20)}: ", "muted"),
            Span(visible(at, 300), "name" if place.file else "muted"),
            Span(f"  {visible(place.symbol, 300)}", "muted"),
            Span("  retraced" if place.retraced else "", "muted"),
            Span(doubt, "warning"),
        )
        lines += wrapped(parts, width, indent=2)
    return lines
