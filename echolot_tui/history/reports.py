"""A Marker Report as measurements: the window, its budget, markers, start-up, and every detector's rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from echolot_tui.frozen import Cell
from echolot_tui.history.measured import Measured, Run, measured
from echolot_tui.history.series import SetName
from echolot_tui.report.model import AllRows, Count, DetectorReport, Report, Row, Spread

_TIMES: Final = ("self_ms", "total_ms", "max_ms", "covered_ms")
_BUDGET: Final = ("on_cpu", "waiting_for_cpu", "in_kernel", "sleeping", "other")

ByRun = Mapping[str, tuple[Count | None, ...]]


def run_of(report: Report, rows: AllRows | None, *, machine: str | None = None) -> Run:
    """The report's measurements.

    Args:
        report: The report.
        rows: Its rows under the bar as well, which close the gaps of rows that cross it.
        machine: Instead of the device model the traces name.
    """
    return Run(
        set=SetName(
            scenario=report.scenario or "run", model=machine or _model(report), engine=_engine(report)
        ),
        measured=tuple(
            _unique([*_window(report), *_startup(report), *_markers(report), *_rows(report, rows)])
        ),
    )


def _model(report: Report) -> str:
    models = dict.fromkeys(repeat.device.model or repeat.device.machine for repeat in report.repeats)
    return "+".join(model for model in models if model) or "unknown"


def _engine(report: Report) -> str:
    tools = report.toolchain
    return " ".join(part for part in (tools.engine, tools.trace_processor) if part) or "unknown"


def _unique(found: Sequence[Measured]) -> Iterator[Measured]:
    """Rows that share an identity cannot be told apart over commits: the first, the highest, stays."""
    seen = set()
    for each in found:
        key = each.segments, each.metric
        if key not in seen:
            seen.add(key)
            yield each


def _window(report: Report) -> Iterator[Measured]:
    window = report.window
    if window.duration_ms is not None:
        runs = _known(window.values) or (window.duration_ms,)
        yield measured(("window",), "duration_ms", "ms", runs, value=window.duration_ms)
    budget = window.main_thread
    if budget is not None:
        for state in _BUDGET:
            value = float(getattr(budget, state))
            runs = _runs(budget.by_run, state) or (value,)
            yield measured(("budget", state), "time_ms", "ms", runs, value=value)


def _startup(report: Report) -> Iterator[Measured]:
    startup = report.window.startup
    if startup is None:
        return
    runs = _runs(startup.by_run, "dur_ms") or (startup.dur_ms,)
    yield measured(("startup", startup.type or "unknown"), "dur_ms", "ms", runs, value=startup.dur_ms)


def _markers(report: Report) -> Iterator[Measured]:
    for row in report.markers.rows:
        runs = _runs(row.by_run, "total_ms") or _spread(row.spread, "total_ms") or (row.total_ms,)
        yield measured(("marker", row.location), "total_ms", "ms", runs, value=row.total_ms)


def _rows(report: Report, rows: AllRows | None) -> Iterator[Measured]:
    everything = {detector.id: detector.rows for detector in rows.detectors} if rows else {}
    for detector in report.detectors:
        for row in everything.get(detector.id, detector.rows):
            yield from _row(detector, row)


def _row(detector: DetectorReport, row: Row) -> Iterator[Measured]:
    segments = (detector.id, *(_text(_cell(row, column)) for column in detector.identity))
    metric = _time_of(detector, row)
    for name, unit in ((metric, "ms"), ("count", "count")):
        value = row.value(name) if name else None
        if name is None or value is None:
            continue
        runs = _runs(row.by_run, name) or _spread(row.spread, name) or (value,)
        yield measured(segments, name, unit, runs, value=float(value), listed=row.passed)


def _time_of(detector: DetectorReport, row: Row) -> str | None:
    """The time the detector ranks by; of older reports the first the row has."""
    wanted = (detector.rank, *_TIMES) if detector.rank in _TIMES else _TIMES
    return next((name for name in wanted if name and row.value(name) is not None), None)


def _cell(row: Row, column: str) -> Cell:
    if column in {"location", "thread", "detail"}:
        value: Cell = getattr(row, column)
        return value
    return (row.extra or {}).get(column)


def _text(value: Cell) -> str:
    return "" if value is None else str(value)


def _runs(by_run: ByRun | None, metric: str) -> tuple[float, ...]:
    return _known((by_run or {}).get(metric))


def _spread(spread: Mapping[str, Spread] | None, metric: str) -> tuple[float, ...]:
    found = (spread or {}).get(metric)
    return found.values if found else ()


def _known(values: Sequence[Count | None] | None) -> tuple[float, ...]:
    return tuple(float(value) for value in values or () if value is not None)
