"""A detector's rows and the markers as tables, and what is said about a detector around its table."""

from __future__ import annotations

from collections.abc import Sequence

from echolot_tui.errors import EcholotError
from echolot_tui.present.numbers import ms, plural, whole
from echolot_tui.present.table import Cell, Column, Table, cell, without_empty_columns
from echolot_tui.report.model import DetectorReport, MarkerRow, Report, Row
from echolot_tui.text import visible

EVIDENCE_LIMIT = 300
"""Characters of evidence in a cell; the report file has all of it."""


def rows_table(
    rows: Sequence[Row], *, location_limit: int = 300, evidence_limit: int = EVIDENCE_LIMIT
) -> Table:
    """Rows of one detector; a column no row has is left out.

    Args:
        rows: In the order they are shown.
        location_limit: Most characters of a row's name.
        evidence_limit: Most characters of its evidence.
    """
    extras = list(dict.fromkeys(key for row in rows for key in row.extra or {}))
    columns = (
        *row_columns(location_limit=location_limit, evidence_limit=evidence_limit),
        *(Column(title=key, drop=9, shrink_to=6) for key in extras),
    )
    cells = [(*row_cells(row), *(_extra((row.extra or {}).get(key)) for key in extras)) for row in rows]
    return without_empty_columns(Table(columns=columns, rows=tuple(cells)))


def row_columns(
    *, location_limit: int, evidence_limit: int = EVIDENCE_LIMIT, location_least: int = 16
) -> tuple[Column, ...]:
    """What every detector's rows have.

    Args:
        location_limit: Most characters of a row's name.
        evidence_limit: Most characters of its evidence.
        location_least: What a narrow terminal leaves of the name.
    """
    return (
        Column(title="Where", shrink_to=location_least, limit=location_limit),
        Column(title="Runs", drop=4),
        Column(title="N", align="right", drop=5),
        Column(title="Self", align="right"),
        Column(title="Total", align="right", drop=2),
        Column(title="Max", align="right", drop=3),
        Column(title="Whole", align="right", drop=6),
        Column(title="Instrumented", align="right", drop=6),
        Column(title="In the code", drop=7, shrink_to=12),
        Column(title="Evidence", drop=1, shrink_to=16, limit=evidence_limit),
        Column(title="Thread", drop=8, shrink_to=6),
    )


def row_cells(row: Row) -> tuple[Cell | None, ...]:
    """The cells of a row under :func:`row_columns`."""
    return (
        cell(row.location, "name") if row.location is not None else cell("(no name)", "muted"),
        cell(row.runs),
        _count(row.count),
        time_cell(row.self_ms, main=True),
        time_cell(row.total_ms, main=row.self_ms is None),
        time_cell(row.max_ms),
        time_cell(row.full_ms),
        time_cell(row.covered_ms),
        cell(row.code),
        cell(row.detail),
        cell(row.thread, "name"),
    )


def markers_table(rows: Sequence[MarkerRow]) -> Table:
    """Markers; one that never closed lasted at least what is printed."""
    columns = (
        Column(title="Where", shrink_to=16),
        Column(title="Runs", drop=2),
        Column(title="N", align="right", drop=3),
        Column(title="Self", align="right", drop=4),
        Column(title="Total", align="right"),
        Column(title="Max", align="right", drop=5),
        Column(title="Thread", drop=1, shrink_to=8),
    )
    return without_empty_columns(Table(columns=columns, rows=tuple(map(_marker, rows))))


def chosen_detectors(report: Report, ids: Sequence[str]) -> list[DetectorReport]:
    """The detectors of these names, in this order.

    Raises:
        EcholotError: The report has no detector of that name.
    """
    known = {detector.id: detector for detector in report.detectors}
    for wanted in ids:
        if wanted not in known:
            has = ", ".join(map(visible, known)) or "none"
            raise EcholotError(f"no detector {visible(wanted, 60)}", todo=f"the report has {has}")
    return [known[wanted] for wanted in ids]


def thresholds(detector: DetectorReport) -> str:
    """The parameters with their values, and what they are shipped with where that differs."""
    shipped = detector.defaults or {}
    parts = [
        f"{key} = {_setting(value)}" + (f" (shipped {_setting(shipped[key])})" if key in shipped else "")
        for key, value in detector.params.items()
    ]
    source = f"from {detector.params_source.replace('+', ' and ')}"
    return (
        "; ".join([", ".join(parts), *([source] if detector.params_source != "default" else [])])
        if parts
        else ""
    )


def trouble(detector: DetectorReport) -> str | None:
    """Why the detector could not look, in all runs or in some; ``None`` when it looked at all of them."""
    if detector.state == "failed":
        return f"failed: {detector.error or 'no reason recorded'}"
    if detector.state == "no data":
        return f"no data: {detector.no_data or 'its source is not in the traces'}"
    parts = []
    if detector.failed_runs or detector.error:
        where = f"failed in {detector.failed_runs} runs" if detector.failed_runs else "failed"
        parts.append(f"{where}: {detector.error or 'no reason recorded'}")
    if detector.no_data_runs:
        parts.append(f"no data in {detector.no_data_runs} runs: {detector.no_data}")
    return "; ".join(parts) or None


def under_the_bar(detector: DetectorReport) -> str | None:
    """How many rows were measured and are not listed; ``None`` when all are listed or it is not known."""
    hidden = (detector.rows_measured or 0) - len(detector.rows)
    if hidden <= 0:
        return None
    at_least = "at least " if detector.truncated else ""
    return f"{at_least}{plural(hidden, 'more row')} under the bar"


def _marker(row: MarkerRow) -> tuple[Cell | None, ...]:
    least = "≥ " if row.unfinished else ""
    return (
        cell(row.location, "name"),
        cell(row.runs),
        _count(row.count),
        *(cell(f"{least}{ms(value)}", "number") for value in (row.self_ms, row.total_ms, row.max_ms)),
        cell(row.detail, "name"),
    )


def time_cell(value: float | None, *, main: bool = False) -> Cell | None:
    """Milliseconds; ``main`` where the row is ranked by them."""
    return None if value is None else cell(ms(value), "strong" if main else "number")


def _count(value: float | None) -> Cell | None:
    return None if value is None else cell(whole(value), "number")


def _extra(value: str | float | None) -> Cell | None:
    return None if value is None else cell(_setting(value))


def _setting(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
