"""A calibration as a table: each threshold today and proposed, and what that does to the report."""

from __future__ import annotations

from echolot_tui.calibrate.model import Calibration, DetectorCalibration, Threshold
from echolot_tui.present.calibration_facts import (
    between,
    derivation,
    kept_reason,
    number,
    rows_per_run,
    runs_line,
    summary_lines,
)
from echolot_tui.present.numbers import plural
from echolot_tui.present.spans import Line, Span, line, wrapped
from echolot_tui.present.table import Cell, Column, Table, cell, text_table

_COLUMNS = (
    Column(title="Threshold", shrink_to=24),
    Column(title="Today", align="right"),
    Column(title="Proposed", align="right"),
    Column(title="Rows a run", align="right", drop=1),
    Column(title="Sample", align="right", drop=3),
    Column(title="Why", shrink_to=20, drop=2),
)


def calibration_lines(calibration: Calibration, width: int) -> list[Line]:
    """Header, table, summary."""
    lines = wrapped(line(Span(runs_line(calibration), "strong")), width, indent=2)
    for text in calibration.warnings:
        lines += wrapped(line(Span("! ", "warning"), Span(text, "warning")), width, indent=2)
    lines += [(), *text_table(diff_table(calibration), width), ()]
    for text in (*_counted_on(calibration), *summary_lines(calibration)):
        lines += wrapped(line(Span(text, "muted")), width, indent=2)
    return lines


def diff_table(calibration: Calibration) -> Table:
    """One row a threshold, in the order of the detectors; ``Rows a run`` is the whole detector's."""
    rows = [
        _row(detector, one, first=at == 0)
        for detector in calibration.detectors
        for at, one in enumerate(detector.thresholds)
    ]
    return Table(columns=_COLUMNS, rows=tuple(rows))


def _row(detector: DetectorCalibration, one: Threshold, *, first: bool) -> tuple[Cell | None, ...]:
    changes = one.after != one.today
    proposed = number(one.after) if one.proposed is not None or changes else None
    source = "" if one.today_source == "shipped" else one.today_source
    sample = [size for size in one.sample if size is not None]
    return (
        cell(f"{detector.id}.{one.param}", "name"),
        cell(number(one.today), note=source),
        cell(proposed, "strong" if changes else "plain", strong=changes),
        cell(_effect(detector) if first else None),
        cell(between(sample) if sample else None, "muted"),
        cell(derivation(one) if one.proposed is not None else kept_reason(detector, one), "muted"),
    )


def _effect(detector: DetectorCalibration) -> str | None:
    before, after = rows_per_run(detector.before), rows_per_run(detector.after)
    if before is None or after is None:
        return None
    return before if before == after else f"{before} → {after}"


def _counted_on(calibration: Calibration) -> list[str]:
    on = calibration.effect_on
    if on is None:
        return []
    where = f" ({on.path})" if on.path else ""
    return [f"rows a run, today → proposed, counted on {on.what}{where}, {plural(len(on.labels), 'run')}"]
