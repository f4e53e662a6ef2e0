"""One line a run of a set that fills, whoever fills it, and how long the rest will take. Pure."""

from __future__ import annotations

from datetime import datetime
from itertools import pairwise
from statistics import median
from typing import Literal

from echolot_tui.collect.model import Progress, RunFacts, RunRecord, SetRecord
from echolot_tui.frozen import Frozen
from echolot_tui.report.model import Report

LineState = Literal["waiting", "cooling", "recording", "pulling", "saving", "analyzing", "done", "failed"]


class RunLine(Frozen, frozen=True, kw_only=True):
    """A run as it is shown while its set fills."""

    name: str
    """Its number from 1, behind its arm where there are two."""
    state: LineState
    facts: RunFacts | None = None
    """Once it is measured."""
    launch_ms: float | None = None
    reason: str | None = None
    """Why it failed, or gave no measurement."""
    trace: str | None = None


def lines_of(progress: Progress) -> tuple[RunLine, ...]:
    """Every run of every set, also those nobody began yet."""
    return tuple(line for record in progress.sets for line in _lines(record))


def lines_of_report(report: Report, facts: dict[str, RunFacts]) -> tuple[RunLine, ...]:
    """The runs of a folder that another tool fills, as its report knows them.

    Args:
        report: Of the folder.
        facts: By SHA-256 of the trace, as ``live.facts_of`` reads them off the report.
    """
    measured = [
        RunLine(name=each.label, state="done", facts=facts.get(each.sha256 or ""), trace=each.trace)
        for each in report.repeats
    ]
    lost = [
        RunLine(name="–", state="failed", reason=each.reason, trace=each.path) for each in report.unreadable
    ]
    return (*measured, *lost)


def seconds_left(progress: Progress) -> float | None:
    """How long the missing runs take at the pace of the finished ones, counted from the last of them.

    The pace is the median gap between two ends, so a set that was resumed a day later does not look slow.
    ``None`` while no run is done, when none is missing, or where nobody knows how many are to come.
    """
    ends = [run.finished_at for record in progress.sets for run in record.done if run.finished_at]
    if progress.iterations is None or not ends:
        return None
    moments = [datetime.fromisoformat(each) for each in (progress.started, *sorted(ends))]
    gaps = [max((later - earlier).total_seconds(), 0.0) for earlier, later in pairwise(moments)]
    missing = progress.iterations - progress.done
    return median(gaps) * missing if missing > 0 else None


def _lines(record: SetRecord) -> list[RunLine]:
    known = {run.k: run for run in record.runs}
    many = max([record.iterations or 0, *(k + 1 for k in known)])
    return [_line(record, known.get(k, RunRecord(k=k))) for k in range(many)]


def _line(record: SetRecord, run: RunRecord) -> RunLine:
    measured = run.facts is not None or run.unreadable is not None
    is_late = run.state == "done" and not measured and not record.ended
    return RunLine(
        name=f"{record.arm} {run.k + 1}" if record.arm else str(run.k + 1),
        state="analyzing" if is_late else run.state,
        facts=run.facts,
        launch_ms=run.launch_ms,
        reason=run.error or run.unreadable,
        trace=run.path if run.state == "done" else None,
    )
