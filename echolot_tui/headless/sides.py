"""What each side of a comparison was given as, made into a report."""

from __future__ import annotations

from pathlib import Path

from echolot_tui.compare.inputs import SideInput
from echolot_tui.errors import EcholotError
from echolot_tui.headless.diagnostics import talk
from echolot_tui.headless.newest_set import of_one_scenario
from echolot_tui.headless.setup import Flags, Project
from echolot_tui.measure.inputs import ReportInput, TracesInput, resolve_side
from echolot_tui.project.files import read_bytes
from echolot_tui.report.codec import decode_report, decode_rows
from echolot_tui.report.model import AllRows


def load_side(given: str, name: str, project: Project, flags: Flags) -> SideInput:
    """A report file as it is; traces are measured on the way.

    Raises:
        EcholotError: Nothing there, no report, or no trace that could be measured.
    """
    found = resolve_side(given)
    if isinstance(found, ReportInput):
        return _from_report(found.path, name)
    return _from_traces(found, name, project, flags)


def _from_report(path: Path, name: str) -> SideInput:
    data = read_bytes(path)
    report = decode_report(data, where=str(path))
    return SideInput(name=name, path=str(path), report=report, all_rows=rows_beside(path, data))


def rows_beside(path: Path, report: bytes) -> AllRows | None:
    """``rows.json`` beside the report, when it is that report's."""
    beside = path.with_name("rows.json")
    if not beside.is_file():
        return None
    try:
        return decode_rows(read_bytes(beside), where=str(beside), report=report)
    except EcholotError as error:
        talk.warn(f"{error.sentence}; rows under the bar are not compared")
        return None


def _from_traces(traces: TracesInput, name: str, project: Project, flags: Flags) -> SideInput:
    from echolot_tui.headless.pipeline import analyze  # noqa: PLC0415 - not for two report files

    analysis = analyze(of_one_scenario(traces, (traces.given,), project), project, flags)
    return SideInput(name=name, path=traces.given, report=analysis.report, all_rows=analysis.rows)
