"""What files of the original program imply without saying it: states, runs, values keyed by run."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from echolot_tui.report.model import (
    DetectorReport,
    DetectorState,
    MarkerRow,
    Repeat,
    Report,
    Row,
    Spread,
    WindowReport,
)

_METRICS = ("count", "self_ms", "total_ms", "max_ms", "covered_ms")


def complete(report: Report) -> Report:
    """The report with everything filled in that follows from what it says.

    Filled: ``runs`` and ``runs_given``, ``repeats`` from the traces, each detector's state, and
    ``by_run`` of rows every run has. Values of a row that some runs lack stay positional, because
    such a file does not say which runs they are.
    """
    repeats = report.repeats or _repeats(report)
    traces = len({repeat.trace_index for repeat in repeats})
    return msgspec.structs.replace(
        report,
        runs=traces if report.runs is None else report.runs,
        runs_given=traces + len(report.unreadable) if report.runs_given is None else report.runs_given,
        repeats=repeats,
        window=_window(report.window, len(repeats)),
        detectors=tuple(_detector(detector, len(repeats)) for detector in report.detectors),
        markers=msgspec.structs.replace(
            report.markers, rows=tuple(_marker(row, len(repeats)) for row in report.markers.rows)
        ),
    )


def _repeats(report: Report) -> tuple[Repeat, ...]:
    traces = report.traces or (report.trace or "",) * max(report.runs or 1, 1)
    return tuple(
        Repeat(label=f"{index + 1}", trace=trace, trace_index=index) for index, trace in enumerate(traces)
    )


def _window(window: WindowReport, runs: int) -> WindowReport:
    if window.values is not None or runs != 1 or window.duration_ms is None:
        return window
    return msgspec.structs.replace(window, values=(window.duration_ms,))


def _detector(detector: DetectorReport, runs: int) -> DetectorReport:
    return msgspec.structs.replace(
        detector,
        state=detector.state or _state(detector),
        rows=tuple(_row(row, runs) for row in detector.rows),
    )


def _state(detector: DetectorReport) -> DetectorState:
    if detector.rows:
        return "fired"
    return "failed" if detector.error else "silent"


def _row(row: Row, runs: int) -> Row:
    if row.by_run is not None:
        return row
    return msgspec.structs.replace(row, by_run=_by_run(row, row.spread, runs))


def _marker(row: MarkerRow, runs: int) -> MarkerRow:
    if row.by_run is not None:
        return row
    return msgspec.structs.replace(row, by_run=_by_run(row, row.spread, runs))


def _by_run(
    row: Row | MarkerRow, spread: Mapping[str, Spread] | None, runs: int
) -> dict[str, tuple[float | None, ...]] | None:
    """Values keyed by run where that is certain: every run has the row, or there is one run."""
    if runs == 1 and not spread:
        alone = {metric: getattr(row, metric, None) for metric in _METRICS}
        return {metric: (value,) for metric, value in alone.items() if value is not None} or None
    whole = {metric: one.values for metric, one in (spread or {}).items() if len(one.values) == runs}
    return dict(whole) or None
