"""What the runs say about one parameter, and the detectors' own way of asking: a rank or percentile a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

from echolot_tui.calibrate.model import Outcome
from echolot_tui.calibrate.open_rows import OpenRows, RunRows, values_of
from echolot_tui.calibrate.statistic import SMALLEST, Number, needed, rounded, statistic
from echolot_tui.measure.detector_file import CalibrateRule
from echolot_tui.units import round2

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
    """A proposed number, or why there is none.

    Attributes:
        outcome: ``proposed``, or the kind of reason.
        statistic: What is taken of each run.
        factor: What it is multiplied with.
        proposed: The threshold.
        reason: Why nothing is proposed.
        value: The statistic over the runs.
        per_run: The statistic of each run of the set, ``None`` where it was not taken.
        sample: Rows of each run, ``None`` where it was not looked at.
        runs_used: Runs the value is made from.
        held: By report size, ``k/n``: how many traces hold under the bar of the others.
    """

    outcome: Outcome
    statistic: str
    factor: float
    proposed: Number | None = None
    reason: str = ""
    value: float | None = None
    per_run: tuple[float | None, ...] = ()
    sample: tuple[int | None, ...] = ()
    runs_used: int = 0
    held: str | None = None


def by_rule(
    rows: OpenRows, rule: CalibrateRule, passing: Sequence[Sequence[bool]], min_sample: int
) -> Derived:
    """The detector's rule: the statistic of each run with enough rows, their median, times the factor.

    Taken run by run because a report is as long as one run: over pooled rows every value would come once a
    repeat, and the rank would climb towards the largest.

    Args:
        rows: Open rows of a set that at least one run could look at.
        rule: Which statistic of which column.
        passing: For each run looked at, which rows pass with every calibrated threshold at zero.
        min_sample: Fewest rows of a run.
    """
    least = needed(rule, min_sample)
    values = [values_of(run, flags, rule.column) for run, flags in zip(rows.looked, passing, strict=True)]
    usable = [
        len(one) >= least and not (rule.percentile is not None and run.truncated)
        for one, run in zip(values, rows.looked, strict=True)
    ]
    taken = [statistic(one, rule) if use else None for one, use in zip(values, usable, strict=True)]
    found = [value for value in taken if value is not None]
    middle = median(found) if found else None
    outcome, reason = _judged(rows, rule, values, middle, least)
    return Derived(
        outcome=outcome,
        statistic=rule.statistic,
        factor=rule.factor,
        proposed=rounded(middle * rule.factor, rule.column) if middle is not None and not reason else None,
        reason=reason,
        value=None if middle is None else round2(middle),
        per_run=over_runs(rows.runs, [None if value is None else round2(value) for value in taken]),
        sample=over_runs(rows.runs, [len(one) for one in values]),
        runs_used=len(found),
    )


def _judged(
    rows: OpenRows, rule: CalibrateRule, values: Sequence[Sequence[float]], middle: float | None, least: int
) -> tuple[Outcome, str]:
    if middle is None:
        if lacks_column(rows, rule.column):
            return "no column", f"its query returns no column {rule.column}"
        most = max(map(len, values))
        if most >= least:
            return "truncated", "a run has more rows than a measurement keeps, and a percentile needs all"
        return "sample", f"sample {most} per run at most, needs at least {least}"
    if middle * rule.factor < SMALLEST:
        return "degenerate", degenerate(rule.statistic, middle)
    return "proposed", ""


def degenerate(what: str, value: float) -> str:
    """Why a statistic of nearly nothing makes no threshold."""
    return f"{what}={round2(value):g}, the tail of the distribution is degenerate"


def lacks_column(rows: OpenRows, column: str) -> bool:
    """Whether there are rows, and none of them has the column."""
    heads = [run.columns[0] for run in rows.looked if run.columns]
    return bool(heads) and not any(column in head for head in heads)


def over_runs(runs: Sequence[RunRows], looked: Sequence[T | None]) -> tuple[T | None, ...]:
    """Values of the runs looked at as one value per run of the set."""
    waiting = iter(looked)
    return tuple(next(waiting) if run.state == "ok" else None for run in runs)
