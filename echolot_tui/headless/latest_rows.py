"""The open rows of the project's latest report: from the cache, else from the file beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from echolot_tui.calibrate.model import EffectOn
from echolot_tui.calibrate.open_rows import OpenRows, open_plan_rows, open_report_rows
from echolot_tui.engine.model import EngineChoice
from echolot_tui.headless.pipeline import REPORT, measurement_cache
from echolot_tui.headless.setup import Project
from echolot_tui.headless.sides import rows_beside
from echolot_tui.measure.measure_set import engine_key
from echolot_tui.measure.model import Measurement, TraceIdentity
from echolot_tui.measure.plan import Plan
from echolot_tui.measure.spec import MeasureSpec, spec_key
from echolot_tui.project.files import read_bytes
from echolot_tui.report.codec import decode_report
from echolot_tui.report.model import Report
from echolot_tui.report.runs import runs_of

Rows = Mapping[str, OpenRows | None]


def latest_rows(
    project: Project,
    plan: Plan,
    choice: EngineChoice,
    spec: MeasureSpec,
    *,
    known: Sequence[Measurement] = (),
) -> tuple[EffectOn, Rows] | None:
    """The runs of the latest report and every detector's rows in them; ``None`` without one.

    Args:
        project: Whose report.
        plan: Whose detectors.
        choice: The engine that measured it.
        spec: What it was asked.
        known: Measurements of that spec that are at hand, so that they need not be read again.

    Raises:
        EcholotError: The report does not load.
    """
    folder = project.output_folder(None)
    path = folder / REPORT if folder else None
    if path is None or not path.is_file():
        return None
    data = read_bytes(path)
    report = decode_report(data, where=str(path))
    if not report.repeats:
        return None
    on = EffectOn(
        what="the latest report",
        path=str(path),
        generated_at=report.generated_at,
        labels=tuple(repeat.label for repeat in report.repeats),
    )
    at_hand = {measurement.trace.sha256: measurement for measurement in known}
    measurements = _cached(report, project, spec_key(spec, engine_key(choice)), at_hand)
    if measurements is not None:
        return on, open_plan_rows(runs_of(measurements), plan)
    return on, _from_file(path, data, report, plan)


def _cached(
    report: Report, project: Project, key: str, at_hand: Mapping[str, Measurement]
) -> list[Measurement] | None:
    """The measurements the report was made from; ``None`` unless all of them are still there."""
    cache = measurement_cache(project)
    found: dict[int, Measurement] = {}
    for repeat in report.repeats:
        if repeat.trace_index in found:
            continue
        trace = TraceIdentity(path=repeat.trace, sha256=repeat.sha256 or "", bytes=0)
        measurement = at_hand.get(trace.sha256) or cache.load(trace, key)
        if measurement is None:
            return None
        found[repeat.trace_index] = measurement
    return [found[index] for index in sorted(found)]


def _from_file(path: Path, data: bytes, report: Report, plan: Plan) -> Rows:
    rows = rows_beside(path, data)
    return {
        section.id: open_report_rows(section, decision, report.repeats)
        for section in (rows.detectors if rows else ())
        if (decision := plan.decision(section.id))
    }
