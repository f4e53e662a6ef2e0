"""Traces in, report out: measuring with progress on stderr, merging, writing."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from platformdirs import user_cache_path

from echolot_tui import __version__
from echolot_tui.headless.diagnostics import talk
from echolot_tui.headless.setup import Flags, Project, engine_choice, make_plan, make_spec
from echolot_tui.measure.cache import MeasurementCache
from echolot_tui.measure.measure_set import MeasuredSet, SetEvent, measure_set
from echolot_tui.project.files import write_atomic
from echolot_tui.report.build import ReportContext, build_report
from echolot_tui.report.codec import encode_report, encode_rows
from echolot_tui.report.model import AllRows, ConfigRef, MappingFile, Report, Toolchain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from echolot_tui.engine.model import EngineChoice
    from echolot_tui.measure.inputs import TracesInput

REPORT = "report.json"
ROWS = "rows.json"
REPORT_TEXT = "report.md"


@dataclass(frozen=True, slots=True)
class Analysis:
    """A report, every row behind it, and the bytes of its file."""

    report: Report
    rows: AllRows
    data: bytes


def now() -> str:
    """The wall clock, UTC, whole seconds."""
    return datetime.now(UTC).replace(microsecond=0).isoformat().replace("+00:00", "Z")


def analyze(traces: TracesInput, project: Project, flags: Flags) -> Analysis:
    """Measure a set of traces and build its report.

    Raises:
        EcholotError: A setting is wrong, or no trace could be measured.
    """
    if traces.others:
        talk.note(_others(traces))
    choice = engine_choice(flags, project)
    plan = make_plan(flags, project)
    measured = _measure(traces.paths, project, flags, choice, make_spec(project, plan))
    report, rows = build_report(
        measured.measurements,
        plan,
        context=ReportContext(
            generated_at=now(),
            scenario=project.scenario.name,
            config=_config_ref(project),
            toolchain=_toolchain(choice),
        ),
        unreadable=measured.unreadable,
    )
    data = encode_report(report)
    return Analysis(report=report, rows=rows, data=data)


def save(analysis: Analysis, folder: Path, text: str) -> None:
    """Write the report, the rows beside it and its text; the report last, so that it never stands alone."""
    for name, data in (
        (ROWS, encode_rows(analysis.rows, analysis.data)),
        (REPORT_TEXT, text.encode()),
        (REPORT, analysis.data),
    ):
        write_atomic(folder / name, data)
    talk.wrote(folder / REPORT)
    talk.wrote(folder / REPORT_TEXT)


def _measure(
    paths: Sequence[Path], project: Project, flags: Flags, choice: EngineChoice, spec: MeasureSpec
) -> MeasuredSet:
    folder = project.layout.cache if project.layout else user_cache_path("echolot") / "measurements"
    try:
        measured = measure_set(
            paths,
            spec,
            choice,
            jobs=flags.jobs or os.cpu_count() or 1,
            cache=MeasurementCache(folder),
            on_event=_tell,
        )
    finally:
        talk.done()
    for trace in measured.unreadable:
        talk.warn(f"{trace.path} is left out: {trace.reason}")
    for note in measured.notes:
        talk.note(note)
    return measured
