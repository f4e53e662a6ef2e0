"""The open rows of a set, prepared once so that any bar over them is decided in milliseconds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import Final, Literal

import numpy as np

from echolot_tui.calibrate.statistic import sorted_numbers
from echolot_tui.frozen import Cell
from echolot_tui.measure.detector_file import DetectorFile, Setting
from echolot_tui.measure.gate import GateError, parse_gate
from echolot_tui.measure.gate_columns import Column, columns_of, evaluate_columns
from echolot_tui.measure.model import DetectorMeasurement
from echolot_tui.measure.plan import Decision, Plan
from echolot_tui.report.judge import answer_in
from echolot_tui.report.merge_rows import BY_RUN, find_rows, name_of
from echolot_tui.report.model import DetectorReport, Repeat
from echolot_tui.report.runs import Run

Key = tuple[str | None, ...]

RunState = Literal["ok", "no data", "failed"]

_TEXTS: Final = ("location", "thread", "detail")


@dataclass(frozen=True, slots=True)
class RunRows:
    """One run of a detector.

    Attributes:
        state: Whether the detector looked at this run.
        names: Number of each row over the set: the same row has the same number in every run.
        columns: Each row's columns, at least those the gate and the calibration read.
        numbers: Of those the ones that are numbers in every row, column by column.
        truncated: The run has more rows than a measurement keeps.
        reason: Why it could not look.
    """

    state: RunState = "ok"
    names: tuple[int, ...] = ()
    columns: Sequence[Mapping[str, Cell]] = ()
    numbers: Mapping[str, Column] = field(default_factory=dict)
    truncated: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class OpenRows:
    """Every row of one detector over a set, before any bar.

    Attributes:
        detector: The detector.
        runs: One per run of the set.
        traces: Which trace each run comes from.
    """

    detector: DetectorFile
    runs: tuple[RunRows, ...]
    traces: tuple[int, ...]

    @property
    def looked(self) -> tuple[RunRows, ...]:
        """The runs the detector could look at."""
        return tuple(run for run in self.runs if run.state == "ok")


def open_rows(runs: Sequence[Run], decision: Decision) -> OpenRows:
    """One detector's rows of a measured set, each run's rows merged by identity as a report merges them.

    A gate that does not fit the rows makes the detector ``failed`` in every run, as in a report.
    """
    detector = decision.detector
    answers = [answer_in(run, detector.id) for run in runs]
    traces = tuple(run.trace_index for run in runs)
    first = next((row.columns for answer in answers for row in answer.rows), None)
    try:
        _check_gate(detector, first)
    except GateError as error:
        broken = RunRows(state="failed", reason=error.sentence)
        return OpenRows(detector=detector, runs=(broken,) * len(answers), traces=traces)
    numbers: dict[Key, int] = {}
    made = tuple(_run_rows(answer, detector, numbers) for answer in answers)
    return OpenRows(detector=detector, runs=made, traces=traces)


def _run_rows(answer: DetectorMeasurement, detector: DetectorFile, numbers: dict[Key, int]) -> RunRows:
    """One run's rows; ``numbers`` gives each name its number over the set."""
    if answer.state != "ok":
        return RunRows(state=answer.state, reason=answer.reason)
    rows: Sequence[Mapping[str, Cell]] = [row.columns for row in answer.rows]
    named = ([name_of(row.get(column)) for row in rows] for column in detector.identity)
    keys = list(zip(*named, strict=True))
    if len(set(keys)) < len(keys):
        found = find_rows([answer], detector.identity)
        keys = [row.identity for row in found]
        rows = [sighting.columns for row in found for sighting in row.sightings if sighting]
    return RunRows(
        names=tuple(numbers.setdefault(key, len(numbers)) for key in keys),
        columns=rows,
        numbers=columns_of(rows, _columns_read(detector)),
        truncated=answer.rows_total > len(answer.rows),
    )


def open_report_rows(
    section: DetectorReport, decision: Decision, repeats: Sequence[Repeat]
) -> OpenRows | None:
    """One detector's rows out of ``rows.json``; ``None`` when its gate reads a column the file does not keep.

    Args:
        section: The detector's section of ``AllRows``.
        decision: Whose gate decides.
        repeats: The runs of the report it lies beside.
    """
    read = _columns_read(decision.detector)
    known = {*BY_RUN, *_TEXTS, *(name for row in section.rows for name in row.by_run or {})}
    if not set(read) <= known:
        return None
    names: list[list[int]] = [[] for _ in repeats]
    rows: list[list[Mapping[str, Cell]]] = [[] for _ in repeats]
    for number, row in enumerate(section.rows):
        by_run = row.by_run or {}
        if any(len(values) != len(repeats) for values in by_run.values()):
            return None
        for at in range(len(repeats)):
            metrics = {name: values[at] for name, values in by_run.items()}
            if any(value is not None for value in metrics.values()):
                texts = {"location": row.location, "thread": row.thread, "detail": row.detail}
                everything = {**dict.fromkeys(read), **metrics, **texts}
                names[at].append(number)
                rows[at].append({name: everything[name] for name in read})
    return OpenRows(
        detector=decision.detector,
        runs=tuple(
            RunRows(state="no data", reason=section.no_data or section.error or "")
            if repeat.label in section.unseen
            else RunRows(
                names=tuple(names[at]),
                columns=rows[at],
                numbers=columns_of(rows[at], read),
                truncated=section.truncated,
            )
            for at, repeat in enumerate(repeats)
        ),
        traces=tuple(repeat.trace_index for repeat in repeats),
    )


def open_plan_rows(runs: Sequence[Run], plan: Plan) -> dict[str, OpenRows]:
    """Every detector's rows of a measured set, by id; also of those that are off."""
    return {decision.detector.id: open_rows(runs, decision) for decision in plan.decisions}


def opened(decision: Decision) -> dict[str, Setting]:
    """The decision's parameters with every calibrated threshold at zero."""
    return {**decision.params, **{rule.param: 0 for rule in decision.detector.calibrate}}


def listed(rows: OpenRows, params: Mapping[str, Setting]) -> Iterator[list[bool]]:
    """For each run looked at, which of its rows pass the gate.

    Raises:
        GateError: Text meets a number.
    """
    for run in rows.looked:
        yield listed_in(rows, run, params)


def listed_in(rows: OpenRows, run: RunRows, params: Mapping[str, Setting]) -> list[bool]:
    """Which rows of one run pass the gate.

    Raises:
        GateError: Text meets a number.
    """
    if rows.detector.gate is None:
        return [True] * len(run.columns)
    flags = evaluate_columns(rows.detector.gate, run.numbers, len(run.columns), params)
    if flags is not None:
        listed: list[bool] = flags.tolist()
        return listed
    return parse_gate(rows.detector.gate).evaluate(run.columns, params)


def values_of(run: RunRows, flags: Sequence[bool], column: str) -> list[float]:
    """The column's numbers in the rows flagged, largest first."""
    known = run.numbers.get(column)
    if known is None:
        return sorted_numbers([row.get(column) for row in compress(run.columns, flags)])
    chosen = known[np.asarray(flags, dtype=np.bool_)]
    descending: list[float] = np.sort(chosen[~np.isnan(chosen)])[::-1].tolist()
    return descending


def _columns_read(detector: DetectorFile) -> tuple[str, ...]:
    """Columns the gate and the calibration rules read."""
    gate = parse_gate(detector.gate).names if detector.gate is not None else ()
    read = {*gate, *(rule.column for rule in detector.calibrate)} - set(detector.defaults)
    return tuple(sorted(read))


def _check_gate(detector: DetectorFile, first: Mapping[str, Cell] | None) -> None:
    if detector.gate is not None and first is not None:
        parse_gate(detector.gate).check(first, detector.defaults)
