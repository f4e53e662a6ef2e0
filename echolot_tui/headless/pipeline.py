"""Traces in, report out: measuring with progress on stderr, merging, writing."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from platformdirs import user_cache_path

from echolot_tui import __version__
from echolot_tui.headless.calibrations import origin_notes
from echolot_tui.headless.checkout import read_checkout
from echolot_tui.headless.clock import now
from echolot_tui.headless.diagnostics import talk
from echolot_tui.headless.mapping import build_mapping, found_mapping, spec_with_names, with_names
from echolot_tui.headless.setup import Flags, Project, engine_choice, make_plan, make_spec
from echolot_tui.measure.cache import MeasurementCache
from echolot_tui.measure.measure_set import MeasuredSet, Progress, measure_set
from echolot_tui.project.files import LEFT_BEHIND_S, sweep, write_atomic
from echolot_tui.report.build import ReportContext, build_report
from echolot_tui.report.codec import encode_report, encode_rows
from echolot_tui.report.model import AllRows, ConfigRef, MappingFile, Report, Toolchain
from echolot_tui.report.retraced import retrace_report
from echolot_tui.text import visible

if TYPE_CHECKING:
    from echolot_tui.engine.model import EngineChoice
    from echolot_tui.measure.inputs import TracesInput
    from echolot_tui.measure.spec import MeasureSpec

REPORT = "report.json"
ROWS = "rows.json"
REPORT_TEXT = "report.md"


@dataclass(frozen=True, slots=True)
class Analysis:
    """A report, every row behind it, and the bytes of its file."""

    report: Report
    rows: AllRows
    data: bytes


def analyze(traces: TracesInput, project: Project, flags: Flags) -> Analysis:
    """Measure a set of traces and build its report.

    Raises:
        EcholotError: A setting is wrong, or no trace could be measured.
    """
    choice = with_names(project, engine_choice(flags, project))
    plan = make_plan(flags, project)
    spec = spec_with_names(make_spec(project, plan), choice)
    measured = measure(traces, project, flags, choice, spec)
    merged, every_row = build_report(
        measured.measurements,
        plan,
        context=ReportContext(
            generated_at=now(),
            scenario=project.scenario.name,
            config=_config_ref(project),
            toolchain=_toolchain(choice),
            notes=(*measured.notes, *origin_notes(project, plan)),
        ),
        unreadable=measured.unreadable,
    )
    mapping = build_mapping(project, every_row)
    report, rows = read_checkout(merged, every_row, project, mapping)
    if mapping is not None:
        report, rows = retrace_report(report, rows, mapping)
    data = encode_report(report)
    return Analysis(report=report, rows=rows, data=data)


def save(analysis: Analysis, folder: Path, text: str) -> None:
    """Write the report, the rows beside it and its text; the report last, so that it never stands alone."""
    sweep(folder, before=time.time() - LEFT_BEHIND_S)
    for name, data in (
        (ROWS, encode_rows(analysis.rows, analysis.data)),
        (REPORT_TEXT, text.encode()),
        (REPORT, analysis.data),
    ):
        write_atomic(folder / name, data)
    talk.wrote(folder / REPORT)
    talk.wrote(folder / REPORT_TEXT)


def measurement_cache(project: Project) -> MeasurementCache:
    """Where measurements are kept: in the project, else with the user."""
    folder = project.layout.cache if project.layout else user_cache_path("echolot") / "measurements"
    return MeasurementCache(folder, sources=project.sources())


def measure(
    traces: TracesInput, project: Project, flags: Flags, choice: EngineChoice, spec: MeasureSpec
) -> MeasuredSet:
    """Measure a set of traces, with progress; what is left out is said.

    Raises:
        EcholotError: No trace could be measured.
    """
    if traces.others:
        talk.note(_others(traces))
    try:
        measured = measure_set(
            traces.paths,
            spec,
            choice,
            jobs=flags.jobs or os.cpu_count() or 1,
            cache=measurement_cache(project),
            checkout=project.loaded.folder if project.loaded else None,
            on_event=_tell,
        )
    finally:
        talk.done()
    for trace in measured.unreadable:
        talk.warn(f"{trace.path} is left out: {trace.reason}")
    for note in measured.notes:
        talk.note(note)
    return measured


def _tell(event: Progress) -> None:
    where = Path(event.path).name
    if event.kind == "note":
        talk.progress(event.text, milestone=True)
    elif event.kind == "started":
        talk.progress(f"measuring {event.done + 1}/{event.given}  {where}")
    elif event.kind == "measured":
        talk.progress(f"measured {event.done}/{event.given}  {where}", milestone=True)


def _others(traces: TracesInput) -> str:
    names = ", ".join(visible(name, 40) for name in traces.others[:5])
    more = f" and {len(traces.others) - 5} more" if len(traces.others) > 5 else ""
    return f"{visible(traces.given)}: not traces, left out: {names}{more}"


def _config_ref(project: Project) -> ConfigRef:
    loaded = project.loaded
    if loaded is None:
        return ConfigRef()
    return ConfigRef(
        path=str(loaded.path),
        sha=loaded.sha,
        local=str(loaded.local) if loaded.local else None,
        mapping=_mapping(project),
    )


def _mapping(project: Project) -> MappingFile | None:
    assert project.loaded is not None
    named = project.loaded.config.project.mapping
    return None if named is None else MappingFile(path=named, found=found_mapping(project) is not None)


def _toolchain(choice: EngineChoice) -> Toolchain:
    return Toolchain(
        perfetto_package=metadata.version("perfetto"),
        source=choice.tp_binary_source or "pinned",
        binary=str(choice.tp_binary) if choice.tp_binary else None,
        echolot=__version__,
    )
