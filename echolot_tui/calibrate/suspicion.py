"""Do these runs hold a regression? A bar set on the problem would hide it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from echolot_tui.calibrate.model import Calibration, SuspectRow, Suspicion
from echolot_tui.calibrate.open_rows import opened
from echolot_tui.compare.compare import compare_reports
from echolot_tui.compare.inputs import CompareOptions, SideInput
from echolot_tui.compare.model import Comparison, Face, Row
from echolot_tui.measure.model import Measurement
from echolot_tui.measure.plan import Plan
from echolot_tui.report.build import ReportContext, build_report
from echolot_tui.report.model import AllRows, Report

Baseline = tuple[Report, AllRows]
"""A report whose calibrated bars are open, and every row of it."""

_WORSE: Final = ("slower", "new")


def baseline(measurements: Sequence[Measurement], plan: Plan, calibration: Calibration) -> Baseline:
    """What later runs are held against: these runs with every calibrated bar open.

    Args:
        measurements: What the calibration was made from.
        plan: The plan it was made under.
        calibration: The calibration.
    """
    decisions = (msgspec.structs.replace(each, params=opened(each)) for each in plan.decisions)
    context = ReportContext(generated_at=calibration.made_at, scenario=calibration.scenario)
    open_plan = msgspec.structs.replace(plan, decisions=tuple(decisions), notes=())
    return build_report(measurements, open_plan, context=context)


def suspect(
    earlier: Calibration, name: str, before: Baseline, after: Baseline, options: CompareOptions
) -> Suspicion:
    """Hold runs against those of an earlier, healthy calibration of the scenario.

    The same test as between any two reports, over all rows whatever their bar: a row counts when the
    table as a whole calls it slower or new; the window counts by its own range.

    Args:
        earlier: That calibration.
        name: What it is kept as.
        before: Its runs.
        after: These runs.
        options: The floor.
    """
    comparison = compare_reports(
        SideInput(name="earlier", path=name, report=before[0], all_rows=before[1]),
        SideInput(name="now", path="these runs", report=after[0], all_rows=after[1]),
        options,
    )
    return Suspicion(
        against=name,
        made_at=earlier.made_at,
        runs=len(earlier.runs),
        tested=comparison.window.shift is not None or any(row.verdict for row in comparison.rows),
        rows=tuple(_suspect(row) for row in comparison.rows if row.verdict in _WORSE),
        window=_slower_window(comparison),
    )


def _suspect(row: Row) -> SuspectRow:
    return SuspectRow(
        detector=row.detector,
        location=row.location,
        verdict="new" if row.verdict == "new" else "slower",
        before_ms=_value(row.before, row.metric),
        after_ms=_value(row.after, row.metric),
    )


def _value(face: Face | None, metric: str) -> float:
    """The compared value of a side; 0 where it lacks the row."""
    value = getattr(face, metric, None)
    return value if isinstance(value, float) else 0.0


def _slower_window(comparison: Comparison) -> tuple[float, float] | None:
    window = comparison.window
    if window.verdict != "slower" or window.before_ms is None or window.after_ms is None:
        return None
    return window.before_ms, window.after_ms
