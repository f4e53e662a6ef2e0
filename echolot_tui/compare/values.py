"""A row's values over the runs of its side, and the two lists a comparison is computed from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Literal

from echolot_tui.compare.model import Face, Shares
from echolot_tui.compare.sides import LoadedSide, PerTrace
from echolot_tui.report.model import DetectorReport, Row
from echolot_tui.units import round2

Metric = Literal["self_ms", "total_ms"]

_SHARE = re.compile(r"(\d+)/(\d+)")


@dataclass(frozen=True, slots=True)
class RunValues:
    """One metric of one row over the traces of its side."""

    by_run: PerTrace | None
    """0 where the trace lacks the row, None where it was not measured; None when values are not known."""
    found: tuple[float, ...]
    """Only of traces that have the row, in run order."""
    had: int
    of: int
    """Traces with the row, traces in which it was looked for."""
    counted: bool
    """The row says in which part of its runs it was found."""
    value: float
    """The row's own figure: the median over the traces that have it."""
    took_time: bool
    """It is more than 0 in some run, though a trace's mean of it may round to 0."""

    @property
    def share(self) -> str:
        """``k/n``."""
        return f"{self.had}/{self.of}"

    def with_zeros(self) -> tuple[float, ...]:
        """The values of every measured trace, those without the row as 0."""
        return self.found + (0.0,) * (self.of - self.had)


def metric_of(before: Row | None, after: Row | None) -> Metric:
    """Self time where the newer row has it, else total time: what the detector ranks by."""
    row = after if after is not None else before
    return "self_ms" if row is not None and row.self_ms is not None else "total_ms"


def values_of(row: Row, metric: Metric, side: LoadedSide, detector: DetectorReport) -> RunValues:
    """Read one row's values, keyed by run where the report keys them."""
    keyed = (row.by_run or {}).get(metric)
    if keyed is not None and side.traces is not None and len(keyed) == sum(map(len, side.traces)):
        return _keyed(row, metric, keyed, side, unseen_runs(side, detector))
    return _positional(row, metric, side)


def absent_values(side: LoadedSide, detector: DetectorReport) -> RunValues:
    """The values of a row that no run of the side has: 0 in every run that looked for it."""
    unseen = unseen_runs(side, detector)
    if side.traces is None:
        by_run: PerTrace = (0.0,) * side.runs
    else:
        by_run = tuple(None if unseen.issuperset(group) else 0.0 for group in side.traces)
    looked = sum(value is not None for value in by_run)
    return RunValues(by_run=by_run, found=(), had=0, of=looked, counted=True, value=0.0, took_time=False)


def unseen_runs(side: LoadedSide, detector: DetectorReport) -> frozenset[int]:
    """Positions in ``repeats`` of the runs the detector could not look at."""
    labels = set(detector.unseen)
    return frozenset(at for at, run in enumerate(side.report.repeats) if run.label in labels)


def shares_differ(before: RunValues, after: RunValues) -> bool:
    """Whether the two sides have the row in different parts of their runs."""
    return before.counted and after.counted and before.had * after.of != after.had * before.of


def shares_of(before: RunValues, after: RunValues) -> Shares | None:
    """The two parts, where they differ."""
    return Shares(before=before.share, after=after.share) if shares_differ(before, after) else None


def compared(values: RunValues, *, with_zeros: bool) -> tuple[tuple[float, ...], float]:
    """The values and the median one side brings into the comparison."""
    if not with_zeros or len(values.found) != values.had:
        return values.found, values.value
    filled = values.with_zeros()
    return filled, round2(median(filled)) if filled else values.value


def face(row: Row, values: RunValues, metric: Metric) -> Face:
    """One side of a row as the comparison shows it."""
    sizes = {metric: values.value}
    return Face(
        **sizes,
        min=min(values.found, default=None),
        max=max(values.found, default=None),
        values=values.found or None,
        count=row.count,
        runs=values.share if values.counted else None,
        covered_ms=row.covered_ms,
        detail=row.detail,
        by_run=values.by_run,
        passed=row.passed,
    )


def _keyed(
    row: Row, metric: Metric, keyed: Sequence[float | None], side: LoadedSide, unseen: frozenset[int]
) -> RunValues:
    assert side.traces is not None
    per_trace: list[float | None] = []
    found: list[float] = []
    for group in side.traces:
        seen = [at for at in group if at not in unseen or keyed[at] is not None]
        per_trace.append(round2(fmean(keyed[at] or 0.0 for at in seen)) if seen else None)
        if any(keyed[at] is not None for at in group):
            found.append(per_trace[-1] or 0.0)
    looked = sum(value is not None for value in per_trace)
    value = row.value(metric)
    if side.folded or value is None:
        value = round2(median(found)) if found else 0.0
    return RunValues(
        by_run=tuple(per_trace),
        found=tuple(found),
        had=len(found),
        of=looked,
        counted=row.runs is not None,
        value=value,
        took_time=any(keyed),
    )


def _positional(row: Row, metric: Metric, side: LoadedSide) -> RunValues:
    """Values of a file that does not say which run had the row: found ones first, zeros after them."""
    value = row.value(metric) or 0.0
    had, of = parse_share(row.runs)
    spread = (row.spread or {}).get(metric)
    if spread is not None:
        found = spread.values
    elif side.runs == 1:
        found = (value,)
    else:
        found = ()
    counted = of > 0
    if not counted:
        had = of = len(found)
    known = len(found) == had and of <= side.runs and bool(found)
    by_run: PerTrace | None = None
    if known:
        by_run = (*found, *(0.0,) * (of - had), *(None,) * (side.runs - of))
    return RunValues(
        by_run=by_run,
        found=found,
        had=had,
        of=of,
        counted=counted,
        value=value,
        took_time=value != 0 or any(found),
    )


def parse_share(runs: str | None) -> tuple[int, int]:
    """``k/n`` as two numbers; zeros when it says something else."""
    match = _SHARE.fullmatch(runs or "")
    return (int(match[1]), int(match[2])) if match else (0, 0)
