"""Which trace ``open`` shows, and where in it to look."""

from __future__ import annotations

from pathlib import Path

from echolot_tui.engine.model import EngineChoice, TraceUnreadableError
from echolot_tui.engine.open import OutOfMemoryError
from echolot_tui.errors import EcholotError
from echolot_tui.frozen import Frozen
from echolot_tui.headless.diagnostics import talk
from echolot_tui.headless.one_trace import ask
from echolot_tui.investigate.recording import content_hash
from echolot_tui.measure.inputs import ReportInput, resolve_side
from echolot_tui.project.files import read_bytes
from echolot_tui.project.scenario import Scenario
from echolot_tui.project.validate import did_you_mean
from echolot_tui.report.codec import decode_report
from echolot_tui.report.model import Repeat, Report, Row
from echolot_tui.text import visible
from echolot_tui.viewer.find import Place, Question, find_place


class Wanted(Frozen, frozen=True, kw_only=True):
    """A trace and what to look for."""

    trace: Path
    run: str | None = None
    """Its label in the report."""
    question: Question


def wanted_of(target: str, scenario: Scenario, *, row: str | None, run: str | None) -> Wanted:
    """The trace named, or the one of a report's run.

    Args:
        target: A trace, a report, or a folder with a report.
        scenario: Process and anchors, where the report does not say them.
        row: Location of a row.
        run: Label of a run; else the one in which the row is largest, else the first.

    Raises:
        EcholotError: Nothing there, more than one trace, or a run the report does not have.
    """
    found = resolve_side(target)
    if isinstance(found, ReportInput):
        report = decode_report(read_bytes(found.path), where=str(found.path))
        return _of_report(report, found.path, scenario, row=row, run=run)
    if run is not None:
        raise EcholotError("--run needs a report", where=target, todo="name the report, or the run's trace")
    if len(found.paths) > 1:
        raise EcholotError(f"{len(found.paths)} traces are meant", where=target, todo="name one of them")
    question = Question(row=row, process=scenario.process, start=scenario.start, end=scenario.end)
    return Wanted(trace=_present(found.paths[0]), question=question)


def where_to_look(wanted: Wanted, choice: EngineChoice) -> Place | None:
    """The row's slice, or the window; nothing when neither can be found, and the trace is shown whole.

    Raises:
        TraceUnreadableError: The engine makes nothing of the file, and the page has the same engine.
    """
    try:
        return ask(wanted.trace, find_place, wanted.question, choice)
    except EcholotError as error:
        if isinstance(error, TraceUnreadableError) and not isinstance(error, OutOfMemoryError):
            raise
        talk.warn(f"{error.sentence}; the whole trace is shown")
        return None


def _of_report(report: Report, path: Path, scenario: Scenario, *, row: str | None, run: str | None) -> Wanted:
    if not report.repeats:
        raise EcholotError("the report names no traces", where=str(path), todo="name the trace itself")
    repeat = _repeat(report, path, row, run)
    window = report.window
    question = Question(
        row=row,
        process=window.process or scenario.process,
        start=window.start.glob if window.start else scenario.start,
        end=window.end.glob if window.end else scenario.end,
        occurrence=repeat.occurrence,
    )
    return Wanted(
        trace=_present(_trace_of(repeat, path)),
        run=repeat.label,
        question=question,
    )


def _trace_of(repeat: Repeat, report: Path) -> Path:
    """Where the run's trace is.

    A report names traces as they were named to the command that made it: from the folder it ran in, which
    may be any above the report. Later the traces may have been moved beside it. What lies elsewhere
    than the report says has to have the content it was made from.
    """
    given = Path(repeat.trace)
    if given.is_file():
        return given
    folder = report.parent.resolve()
    for place in (folder / given.name, *(above / given for above in (folder, *folder.parents))):
        if place.is_file() and repeat.sha256 in (None, content_hash(place)):
            return place
    return given


def _repeat(report: Report, path: Path, row: str | None, run: str | None) -> Repeat:
    labels = [one.label for one in report.repeats]
    if run is not None:
        if run not in labels:
            raise EcholotError(f'has no run "{run}"', where=str(path), todo=did_you_mean(run, labels))
        return report.repeats[labels.index(run)]
    if row is None:
        return report.repeats[0]
    rows = [one for detector in report.detectors for one in detector.rows if one.location == row]
    if not rows:
        talk.warn(f'the report has no row "{visible(row)}": this is its first run')
        return report.repeats[0]
    return report.repeats[_largest(rows[0], len(labels))]


def _largest(row: Row, runs: int) -> int:
    """The run in which the row takes longest; the first when its values say nothing."""
    by_run = row.by_run or {}
    values = next((by_run[metric] for metric in ("max_ms", "self_ms", "total_ms") if metric in by_run), ())
    known = [(value, -at) for at, value in enumerate(values[:runs]) if value is not None]
    return -max(known)[1] if known else 0


def _present(trace: Path) -> Path:
    if not trace.is_file():
        raise EcholotError(
            "the trace is not there any more", where=visible(str(trace)), todo="name where it is now"
        )
    return trace
