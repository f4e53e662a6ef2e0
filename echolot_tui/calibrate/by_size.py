"""Bars by the size of the report: a healthy run lists at most N rows, shown by leaving each run out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from echolot_tui.calibrate.derived import Derived, degenerate, lacks_column, over_runs
from echolot_tui.calibrate.model import Outcome
from echolot_tui.calibrate.open_rows import OpenRows, listed_in, values_of
from echolot_tui.calibrate.statistic import SMALLEST, Number, just_over
from echolot_tui.measure.detector_file import CalibrateRule, Setting
from echolot_tui.units import round2

SHARE: Final = 0.95
"""Share of healthy runs that list no more than asked."""

VOUCHING: Final = 19
"""Traces whose largest value alone vouches for that share of runs to come: 19 / (19 + 1)."""

FEWEST: Final = 3
"""Traces below which leaving one out says nothing: two others are the least that can differ."""


@dataclass(frozen=True, slots=True)
class _Fit:
    """A bar as the traces support it: just over ``margin`` times ``base``."""

    base: float
    margin: float

    def bar(self, base: float, column: str) -> Number:
        """The bar that ``base`` and this margin make."""
        return just_over(base * self.margin, column)


def by_size(
    rows: OpenRows, params: Mapping[str, Setting], passing: Sequence[Sequence[bool]], size: int
) -> dict[str, Derived]:
    """For each calibrated parameter the bar under which a run lists at most ``size`` rows.

    The row a run lists one too many is its ``size + 1``-th largest; a bar has to be over that. It is put
    over the largest such value of the runs, which alone would hold for ``n / (n + 1)`` of runs to come, and
    raised by the smallest factor with which each run holds under the bar of the others (from 39 traces on,
    all but as many as 95 % allows). A detector with several thresholds lists a row that passes any: their
    bars are then made for fewer rows each, until the detector as a whole holds.

    Args:
        rows: Open rows of a set that at least one run could look at.
        params: The detector's parameters in force.
        passing: For each run looked at, which rows pass with every calibrated threshold at zero.
        size: Most rows of a run.
    """
    rules = rows.detector.calibrate
    runs = _Runs(rows, passing)
    traces = len(runs.traces)
    if traces < FEWEST:
        few = f"{traces} trace(s) to go by; leaving one out needs {FEWEST}"
        return {rule.param: runs.unsupported(rule, size, "spread", few) for rule in rules}
    for rank in range(size, -1, -1):
        fits = {rule.param: fit(runs.excess(rule, rank)) for rule in rules}
        if any(found is not None and math.isinf(found.margin) for found in fits.values()):
            continue
        found = {rule.param: runs.derived(rule, rank, fits[rule.param], size) for rule in rules}
        chosen = {name: one for name, one in fits.items() if one and found[name].proposed is not None}
        held = runs.held(rank, chosen, params, size)
        if held is not None:
            return {
                name: replace(one, held=f"{held}/{traces}" if one.proposed is not None else None)
                for name, one in found.items()
            }
    loose = f"under the bar of the other runs, a run lists more than {size} rows at every height"
    return {rule.param: runs.unsupported(rule, size, "spread", loose) for rule in rules}


def misses(traces: int) -> int:
    """How many of so many traces may list more.

    A run to come exceeds the ``k``-th largest of ``n`` exchangeable ones with chance ``k / (n + 1)``; so
    ``k - 1`` may when ``(n + 1 - k) / (n + 1)`` is still 95 %. That is stricter than 95 % of these runs.
    """
    return max(math.floor(traces - SHARE * (traces + 1) + 1e-9), 0)


def fit(excess: Sequence[float]) -> _Fit | None:
    """The bar's base over all traces, and the margin with which each trace holds under the others' base.

    Args:
        excess: Per trace the value a bar has to be over; 0 where any bar does.

    Returns:
        ``None`` when any bar does. The margin is infinite when the others of a trace that matters leave
        nothing to multiply.
    """
    allowed = misses(len(excess))
    base = sorted(excess, reverse=True)[allowed]
    if not base:
        return None
    strays = sorted((_stray(excess, at) for at in range(len(excess))), reverse=True)
    return _Fit(base=base, margin=max(1.0, strays[allowed]))


def base_without(excess: Sequence[float], left_out: int) -> float:
    """The base the other traces make."""
    others = sorted((value for at, value in enumerate(excess) if at != left_out), reverse=True)
    return others[misses(len(others))]


def _stray(excess: Sequence[float], at: int) -> float:
    """How far a trace is over the base of the others, as a factor."""
    base = base_without(excess, at)
    if base:
        return excess[at] / base
    return math.inf if excess[at] else 0.0


def _name(rule: CalibrateRule, rank: int) -> str:
    return f"top{rank + 1}({rule.column})"


class _Runs:
    """The runs looked at, by trace: runs of one trace are left out together, and the worst of them counts."""

    def __init__(self, rows: OpenRows, passing: Sequence[Sequence[bool]]) -> None:
        self._rows = rows
        self._passing = passing
        looked = [trace for trace, run in zip(rows.traces, rows.runs, strict=True) if run.state == "ok"]
        self.traces = [
            [at for at, other in enumerate(looked) if other == trace] for trace in dict.fromkeys(looked)
        ]
        self._values: dict[str, list[list[float]]] = {}

    def values(self, rule: CalibrateRule) -> list[list[float]]:
        """Per run looked at the column's values, largest first."""
        if rule.param not in self._values:
            self._values[rule.param] = [
                values_of(run, flags, rule.column)
                for run, flags in zip(self._rows.looked, self._passing, strict=True)
            ]
        return self._values[rule.param]

    def excess(self, rule: CalibrateRule, rank: int) -> list[float]:
        """Per trace the largest value that must not pass for a run to list at most ``rank`` rows."""
        beyond = self._beyond(rule, rank)
        return [max(beyond[at] or 0.0 for at in group) for group in self.traces]

    def _beyond(self, rule: CalibrateRule, rank: int) -> list[float | None]:
        return [one[rank] if len(one) > rank else None for one in self.values(rule)]

    def derived(self, rule: CalibrateRule, rank: int, found: _Fit | None, size: int) -> Derived:
        """The bar a fit makes, or why it makes none."""
        if found is None:
            who = "only a few runs have" if any(self.excess(rule, rank)) else "no run has"
            few = f"{who} more than {size} rows, so any bar keeps them to that"
            return self.unsupported(rule, rank, "sample", few)
        bar = found.bar(found.base, rule.column)
        if bar < SMALLEST:
            return self.unsupported(rule, rank, "degenerate", degenerate(_name(rule, rank), found.base))
        return replace(
            self.unsupported(rule, rank, "proposed", ""),
            proposed=bar,
            factor=round(found.margin, 4),
            value=round2(found.base),
        )

    def unsupported(self, rule: CalibrateRule, rank: int, outcome: Outcome, reason: str) -> Derived:
        """No bar: ``reason``, unless the query does not even have the column."""
        if lacks_column(self._rows, rule.column):
            outcome, reason = "no column", f"its query returns no column {rule.column}"
        return Derived(
            outcome=outcome,
            statistic=_name(rule, rank),
            factor=1.0,
            reason=reason,
            per_run=over_runs(self._rows.runs, self._beyond(rule, rank)),
            sample=over_runs(self._rows.runs, [len(one) for one in self.values(rule)]),
            runs_used=len(self._rows.looked),
        )

    def held(
        self, rank: int, fits: Mapping[str, _Fit], params: Mapping[str, Setting], size: int
    ) -> int | None:
        """How many traces list at most ``size`` rows a run under the bars the other traces make.

        ``None`` when too few do.
        """
        traces, failing = len(self.traces), 0
        for at in range(traces):
            failing += not self._holds(at, rank, fits, params, size)
            if failing > misses(traces):
                return None
        return traces - failing

    def _holds(
        self, left_out: int, rank: int, fits: Mapping[str, _Fit], params: Mapping[str, Setting], size: int
    ) -> bool:
        bars: dict[str, Setting] = dict(params)
        for rule in self._rows.detector.calibrate:
            if rule.param in fits:
                base = base_without(self.excess(rule, rank), left_out)
                bars[rule.param] = fits[rule.param].bar(base, rule.column)
        looked = self._rows.looked
        return all(sum(listed_in(self._rows, looked[at], bars)) <= size for at in self.traces[left_out])
