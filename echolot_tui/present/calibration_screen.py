"""A calibration on its screen: what it rests on, each threshold today and proposed, and one in full."""

from __future__ import annotations

from echolot_tui.calibrate.model import Calibration, DetectorCalibration, Threshold
from echolot_tui.present.calibration_facts import (
    derivation,
    kept_reason,
    number,
    runs_line,
    summary_lines,
    suspicion_text,
)
from echolot_tui.present.spans import Line, Span, line, wrapped
from echolot_tui.present.table import Column, Table, text_table
from echolot_tui.present.table import cell as made


def calibration_head(calibration: Calibration, width: int, most: int) -> list[Line]:
    """What it rests on, what to beware of, and what it proposes in all."""
    lines = wrapped(line(Span("Calibration  ", "heading"), runs_line(calibration)), width, indent=2)
    suspicion = suspicion_text(calibration.suspicion) if calibration.suspicion is not None else None
    for text in (*([suspicion] if suspicion else []), *calibration.warnings):
        lines += wrapped(line(Span("! ", "warning"), Span(text, "warning")), width, indent=2)
    for text in summary_lines(calibration):
        lines += wrapped(line(Span(text, "muted")), width, indent=2)
    if len(lines) > most:
        lines = [*lines[: most - 1], line(Span(f"… {len(lines) - most + 1} more lines", "muted"))]
    return lines


def rows_of(calibration: Calibration) -> list[tuple[DetectorCalibration, Threshold]]:
    """Every threshold, in the order of the table's rows."""
    return [(detector, one) for detector in calibration.detectors for one in detector.thresholds]


def threshold_words(
    detector: DetectorCalibration, one: Threshold, calibration: Calibration, width: int
) -> list[Line]:
    """One threshold: where its number comes from, run by run, and what it would change."""
    lines = wrapped(line(Span(f"{detector.id}.{one.param}", "name")), width, indent=2)
    moved = f"{number(one.today)} → {number(one.after)}" if one.after != one.today else number(one.today)
    lines += wrapped(
        line(Span(moved, "strong"), Span(f"  today from {one.today_source}", "muted")), width, indent=2
    )
    lines += [
        (),
        *wrapped(line(derivation(one) if one.proposed is not None else kept_reason(detector, one)), width),
    ]
    if one.per_run:
        lines += [(), *text_table(_runs(one, calibration), width)]
    on = calibration.effect_on
    if on is not None and detector.before is not None and detector.after is not None:
        lines += [(), line(Span(f"Rows listed, counted on {on.what}", "heading"))]
        lines += text_table(_effect(detector, on.labels), width)
    return lines


def _runs(one: Threshold, calibration: Calibration) -> Table:
    rows = tuple(
        (
            made(run.label),
            made(None if value is None else number(value), "number"),
            made(None if size is None else str(size), "muted"),
        )
        for run, value, size in zip(calibration.runs, one.per_run, one.sample, strict=False)
    )
    columns = (
        Column(title="Run"),
        Column(title=one.statistic, align="right", shrink_to=8),
        Column(title="Sample", align="right"),
    )
    return Table(columns=columns, rows=rows)


def _effect(detector: DetectorCalibration, labels: tuple[str, ...]) -> Table:
    rows = tuple(
        (
            made(label),
            made(None if before is None else str(before), "number"),
            made(None if after is None else str(after), "number"),
        )
        for label, before, after in zip(labels, detector.before or (), detector.after or (), strict=False)
    )
    columns = (
        Column(title="Run"),
        Column(title="Today", align="right"),
        Column(title="Proposed", align="right"),
    )
    return Table(columns=columns, rows=rows)
