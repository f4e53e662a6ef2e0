"""Series become a report: counted, judged in one family, grouped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from msgspec.structs import replace

from echolot_tui.history.branch import BranchReading, read_branch
from echolot_tui.history.census import census_of, evidence, reason_of
from echolot_tui.history.detect import Candidate, Detection, detect
from echolot_tui.history.family import bar, kept
from echolot_tui.history.finding import Line, branch_finding, direction_of, history_finding, plotted
from echolot_tui.history.group import grouped
from echolot_tui.history.ladder import Gate
from echolot_tui.history.levels import Levels
from echolot_tui.history.model import (
    Comparison,
    Finding,
    HistoryReport,
    Mode,
    Reason,
    SeriesState,
    SetSummary,
)
from echolot_tui.history.parallel import over_series
from echolot_tui.history.policy import absolute_floor
from echolot_tui.history.series import Series, SetName, levels_of
from echolot_tui.history.turns import Turner, compare_turns

Reasons = Sequence[Reason | None]
Gates = Mapping[int, tuple[Gate, ...]]


def judge_history(
    series: Sequence[Series], line: Line, *, jobs: int = 1, every: bool = False
) -> HistoryReport:
    """History mode: did a level get worse, and where.

    Args:
        series: In a fixed order.
        line: Names commits by their index.
        jobs: Worker processes.
        every: List every series with its gates.
    """
    reasons = [reason_of(each, "history") for each in series]
    judged = [at for at, reason in enumerate(reasons) if reason is None]
    tasks = [(levels_of(evidence(series[at], "history")), _floor(series[at])) for at in judged]
    detections = over_series(partial(_detect, family=len(judged)), tasks, jobs=jobs)
    gates = {at: found.gates for at, found in zip(judged, detections, strict=True)}
    candidates = _regressions(series, judged, detections)
    flags = kept([each.chance for each in candidates.values()], len(judged))
    _add_family_gates(gates, candidates, flags, len(judged))
    findings = {
        at: history_finding(series[at], candidate, line)
        for (at, candidate), keep in zip(candidates.items(), flags, strict=True)
        if keep
    }
    report = _report("history", series, reasons, findings, line)
    return _with_every(report, series, reasons, gates, findings) if every else report


def judge_branch(
    series: Sequence[Series], line: Line, *, jobs: int = 1, every: bool = False
) -> HistoryReport:
    """Branch mode: is the analysed commit outside what its base recently measured; arguments as above."""
    reasons = [reason_of(each, "branch") for each in series]
    readable = [at for at, reason in enumerate(reasons) if reason is None]
    tasks = [_branch_task(series[at]) for at in readable]
    readings = dict(zip(readable, over_series(_read, tasks, jobs=jobs), strict=True))
    reasons = [
        "current_base_regime_unresolved" if at in readings and readings[at].regime.unresolved else reason
        for at, reason in enumerate(reasons)
    ]
    judged = {at: reading for at, reading in readings.items() if not reading.regime.unresolved}
    comparisons, comparing = _comparisons(series, judged)
    findings = {
        at: branch_finding(series[at], reading, line, in_comparison=at in comparing)
        for at, reading in judged.items()
        if reading.excursion is not None
    }
    report = _report("branch", series, reasons, findings, line)
    report = replace(
        report,
        sets=tuple(replace(one, comparison=comparisons.get(one.set)) for one in report.sets),
        expected_outside=sum(2 / (reading.references + 1) for reading in judged.values()),
    )
    gates = {at: reading.gates for at, reading in readings.items()}
    return _with_every(report, series, reasons, gates, findings) if every else report


def _detect(task: tuple[Levels, float], *, family: int) -> Detection:
    levels, floor = task
    return detect(levels, floor, family)


def _read(task: tuple[Levels, Levels, float]) -> BranchReading:
    return read_branch(*task)


def _floor(series: Series) -> float:
    return absolute_floor(series.unit)


def _branch_task(series: Series) -> tuple[Levels, Levels, float]:
    assert series.context is not None
    return levels_of(evidence(series, "branch")), levels_of([series.context]), _floor(series)


def _regressions(
    series: Sequence[Series], judged: Sequence[int], detections: Sequence[Detection]
) -> dict[int, Candidate]:
    """Candidates in the reported direction; the others leave before the family is corrected."""
    return {
        at: found.candidate
        for at, found in zip(judged, detections, strict=True)
        if found.candidate and direction_of(found.candidate.delta, series[at].better) == "regression"
    }


def _add_family_gates(
    gates: dict[int, tuple[Gate, ...]],
    candidates: Mapping[int, Candidate],
    flags: Sequence[bool],
    judged: int,
) -> None:
    order = sorted(range(len(flags)), key=lambda each: list(candidates.values())[each].chance)
    rank_of = {each: rank for rank, each in enumerate(order, start=1)}
    for each, (at, candidate) in enumerate(candidates.items()):
        gate = Gate(
            stage="family",
            gate="false discoveries",
            demand=bar(rank_of[each], judged),
            computed=candidate.chance,
            verdict="passed" if flags[each] else "declined",
            note=f"rank {rank_of[each]} of {len(flags)} candidates, {judged} series judged",
        )
        gates[at] = (*gates[at], gate)


def _comparisons(
    series: Sequence[Series], judged: Mapping[int, BranchReading]
) -> tuple[dict[SetName, Comparison], set[int]]:
    """Per set, the report beside past base commits; and the series that take part."""
    by_set: dict[SetName, list[int]] = {}
    for at in judged:
        by_set.setdefault(series[at].set, []).append(at)
    found, comparing = dict[SetName, Comparison](), set[int]()
    for name, members in by_set.items():
        count = compare_turns([_turner(series[at], judged[at]) for at in members])
        if count is not None:
            found[name] = Comparison(
                series=len(count.series), commits=len(count.commits), as_extreme=count.as_extreme
            )
            comparing.update(members[each] for each in count.series)
    return found, comparing


def _turner(series: Series, reading: BranchReading) -> Turner:
    assert series.context is not None
    current = evidence(series, "branch")[reading.regime.start :]
    return Turner(
        current=levels_of(current),
        commits=tuple(point.index for point in current),
        first=reading.regime.start,
        context=levels_of([series.context]),
        excursion=reading.excursion,
        floor=_floor(series),
    )


def _report(
    mode: Mode, series: Sequence[Series], reasons: Reasons, findings: Mapping[int, Finding], line: Line
) -> HistoryReport:
    ordered = sorted(findings.values(), key=_weight)
    marked, groups = grouped(ordered, line)
    regressions = sum(finding.direction == "regression" for finding in marked)
    census = census_of(reasons)
    return HistoryReport(
        mode=mode,
        notable=bool(marked),
        series=len(series),
        regressions=regressions,
        improvements=len(marked) - regressions,
        ghosts=census.reasons.get("ghost", 0),
        census=census,
        findings=tuple(marked),
        groups=groups,
        sets=_sets(series, reasons, findings),
    )


def _weight(finding: Finding) -> tuple[float, str, SetName, tuple[str, ...], str]:
    return -abs(finding.relative), finding.method, finding.set, finding.segments, finding.metric


def _sets(
    series: Sequence[Series], reasons: Reasons, findings: Mapping[int, Finding]
) -> tuple[SetSummary, ...]:
    by_set: dict[SetName, list[int]] = {}
    for at, each in enumerate(series):
        by_set.setdefault(each.set, []).append(at)
    return tuple(
        SetSummary(
            set=name,
            series=len(members),
            judged=sum(reasons[at] is None for at in members),
            findings=sum(at in findings for at in members),
        )
        for name, members in sorted(by_set.items())
    )


def _with_every(
    report: HistoryReport,
    series: Sequence[Series],
    reasons: Reasons,
    gates: Gates,
    findings: Mapping[int, Finding],
) -> HistoryReport:
    states = []
    for at, each in enumerate(series):
        met = gates.get(at, ())
        declined = [gate for gate in met if gate.verdict == "declined"]
        counted = evidence(each, report.mode)
        newest = () if report.mode == "history" or each.context is None else (each.context,)
        states.append(
            SeriesState(
                name=each.name,
                set=each.set,
                metric=each.metric,
                points=len(counted),
                judged=reasons[at] is None,
                reason=reasons[at],
                found=at in findings,
                declined_by=f"{declined[-1].stage}: {declined[-1].gate}" if declined else None,
                gates=met,
                unit=each.unit,
                levels=plotted((*each.points, *newest)),
                blessing=each.blessing,
                counted_from=counted[0].index if counted else None,
            )
        )
    return replace(report, every=tuple(states))
