"""One detector over a set: its rows merged, its gate applied, its state told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from echolot_tui.measure.gate import GateError, parse_gate
from echolot_tui.measure.gate_columns import evaluate
from echolot_tui.measure.model import DetectorMeasurement
from echolot_tui.measure.plan import Decision
from echolot_tui.report.merge_rows import BY_RUN, FoundRow, Setting, find_rows, merge_row, shown_order
from echolot_tui.report.model import DetectorReport, DetectorState, Row
from echolot_tui.report.runs import Run

_NOT_ASKED = "this trace's measurement has no answer of this detector"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a detector has to say about a set.

    Attributes:
        report: Its section, with the rows over its bar.
        every_row: All rows, also those under the bar.
        counted: For each run, which of its open rows stand behind a listed row.
    """

    report: DetectorReport
    every_row: tuple[Row, ...]
    counted: tuple[tuple[int, ...], ...]


def judge(decision: Decision, runs: Sequence[Run]) -> Judgement:
    """Merge and gate one detector.

    A row is listed when it is over the bar in at least one run; it then counts in every run that has
    it, over or under the bar. A gate that does not fit the rows makes the detector ``failed``.
    """
    detector = decision.detector
    answers = [answer_in(run, detector.id) for run in runs]
    setting = Setting(
        traces=tuple(run.trace_index for run in runs),
        looked=tuple(answer.state == "ok" for answer in answers),
        identity=detector.identity,
        rank=detector.rank,
        own_columns=not detector.shipped,
        gate_columns=_gate_columns(decision),
    )
    found = find_rows([answer if answer.state == "ok" else None for answer in answers], detector.identity)
    gate_error = None
    passes = [False] * len(found)
    try:
        passes = _over_the_bar(decision, found)
    except GateError as error:
        gate_error = error.sentence
    merged = [
        (merge_row(row, setting, passed=passed), row) for row, passed in zip(found, passes, strict=True)
    ]
    merged.sort(key=lambda pair: shown_order(pair[0], pair[1], detector.rank))
    every_row = tuple(row for row, _ in merged)
    return Judgement(
        report=_section(decision, runs, answers, every_row, gate_error),
        every_row=every_row,
        counted=_counted(found, passes, len(runs)),
    )


def answer_in(run: Run, detector_id: str) -> DetectorMeasurement:
    """What the detector answered in this run; ``failed`` when it was not asked."""
    for answer in run.occurrence.detectors:
        if answer.id == detector_id:
            return answer
    return DetectorMeasurement(id=detector_id, state="failed", reason=_NOT_ASKED)


def _gate_columns(decision: Decision) -> tuple[str, ...]:
    """Columns the gate looks at beyond those every row keeps; none for one that does not parse."""
    gate = decision.detector.gate
    try:
        names = parse_gate(gate).names if gate is not None else ()
    except GateError:  # told when the gate is applied
        return ()
    return tuple(name for name in names if name not in BY_RUN and name not in decision.params)


def _over_the_bar(decision: Decision, found: Sequence[FoundRow]) -> list[bool]:
    """For each row whether the gate lists it in any run.

    Raises:
        GateError: The gate does not fit the rows' columns.
    """
    if decision.detector.gate is None or not found:
        return [True] * len(found)
    gate = parse_gate(decision.detector.gate)
    columns = [[sighting.columns for sighting in row.sightings if sighting] for row in found]
    gate.check(columns[0][0], decision.params)
    flags = iter(evaluate(gate, [one for each in columns for one in each], decision.params))
    return [any(list(islice(flags, len(each)))) for each in columns]


def _counted(found: Sequence[FoundRow], passes: Sequence[bool], runs: int) -> tuple[tuple[int, ...], ...]:
    positions: list[list[int]] = [[] for _ in range(runs)]
    for row, passed in zip(found, passes, strict=True):
        for at, sighting in enumerate(row.sightings):
            if passed and sighting:
                positions[at].extend(sighting.positions)
    return tuple(tuple(sorted(run)) for run in positions)


def _section(
    decision: Decision,
    runs: Sequence[Run],
    answers: Sequence[DetectorMeasurement],
    every_row: Sequence[Row],
    gate_error: str | None,
) -> DetectorReport:
    detector = decision.detector
    failed = [answer.state == "failed" or gate_error is not None for answer in answers]
    no_data = [answer.state == "no data" for answer in answers]
    rows = tuple(row for row in every_row if row.passed)
    reasons = {
        state: [one.reason for one in answers if one.state == state] for state in ("failed", "no data")
    }
    return DetectorReport(
        id=detector.id,
        title=detector.title,
        why=detector.why,
        params=dict(decision.params),
        params_source=decision.params_source,
        identity=detector.identity,
        rows=rows,
        error=gate_error or next(iter(reasons["failed"]), None),
        state=_state(rows, failed, no_data),
        no_data=next(iter(reasons["no data"]), None),
        no_data_runs=_share(no_data, runs),
        rank=detector.rank,
        rows_measured=len(every_row),
        truncated=any(answer.rows_total > len(answer.rows) for answer in answers),
        defaults=decision.overridden,
        failed_runs=_share(failed, runs),
        unseen=tuple(run.label for run, *blind in zip(runs, failed, no_data, strict=True) if any(blind)),
    )


def _state(rows: Sequence[Row], failed: Sequence[bool], no_data: Sequence[bool]) -> DetectorState:
    if rows:
        return "fired"
    if not all(one or other for one, other in zip(failed, no_data, strict=True)):
        return "silent"
    return "failed" if any(failed) else "no data"


def _share(affected: Sequence[bool], runs: Sequence[Run]) -> str | None:
    """``k/n`` traces; ``None`` when there are none, or a single trace of which it goes without saying."""
    traces = {run.trace_index for run in runs}
    hit = {run.trace_index for run, one in zip(runs, affected, strict=True) if one}
    return f"{len(hit)}/{len(traces)}" if hit and len(traces) > 1 else None
