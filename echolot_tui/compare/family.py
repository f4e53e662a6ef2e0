"""The table as one family: which rows belong to it, and what relabelling whole runs says about each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

import numpy as np

from echolot_tui.compare.inputs import CompareOptions
from echolot_tui.compare.model import FamilyTest
from echolot_tui.compare.relabelling import relabel
from echolot_tui.compare.sides import PerTrace
from echolot_tui.stats.shift import cut, runs_needed

LEVEL: Final = 0.05
"""Family-wise error rate of one table."""


@dataclass(frozen=True, slots=True)
class Series:
    """One row as the family sees it: a value per run of each side, 0 where the run lacks the row."""

    before: PerTrace
    after: PerTrace


def could_clear(series: Series, options: CompareOptions) -> bool:
    """Whether the row could move by more than the floor, whichever runs were before and which after.

    Looks at the pooled values only, so it cannot prefer rows that happened to differ between the
    sides, and leaving out the rows it denies keeps the correction honest. A row is in when one of
    these holds for the pool:

    - the most extreme split into sides of these sizes (all smallest values on one side, all largest on
      the other) puts the medians further apart than the floor;
    - the row is missing in enough runs that all it is found in fit on one side, and its median there
      is over the floor: it could be new or gone;
    - the row is missing in some runs and the values found lie further apart than the floor: the table
      compares those alone where both sides have the row in the same part of their runs.
    """
    pool = sorted(value for value in (*series.before, *series.after) if value is not None)
    n = sum(value is not None for value in series.before)
    m = len(pool) - n
    if not n or not m:
        return False
    up = _clears(median(pool[:n]), median(pool[n:]), options)
    down = _clears(median(pool[m:]), median(pool[:m]), options)
    if up or down:
        return True
    found = [value for value in pool if value]
    if not found or len(found) == len(pool):
        return False
    fits_one_side = len(found) <= max(n, m)
    return (fits_one_side and _clears(0.0, median(found), options)) or _clears(found[0], found[-1], options)


def _clears(before: float, after: float, options: CompareOptions) -> bool:
    return abs(after - before) > options.floor(before)


@dataclass(frozen=True, slots=True)
class Figures:
    """What the table as a whole says about one row; only its membership when it is no member."""

    in_family: bool
    q: float | None = None
    p_family: float | None = None
    resolves: float | None = None
    """Smallest move these runs could call real on the table's bar; None when no move could be."""
    runs_needed: int | None = None
    tied: bool = False
    mean_delta: float = 0.0
    """Difference of the means over all runs: the sign the test goes by."""

    @property
    def significant(self) -> bool:
        """Whether the family-wise p is at most 5 %."""
        return self.p_family is not None and self.p_family <= LEVEL

    def would_see(self, floor: float) -> bool:
        """Whether these runs would have called a move as large as the floor real."""
        return self.resolves is not None and self.resolves <= floor


def judge(
    series: Sequence[Series | None], runs: tuple[int, int], options: CompareOptions
) -> tuple[list[Figures | None], FamilyTest]:
    """Test every row of one table against the table.

    Args:
        series: The rows; None where values are not known.
        runs: Runs of each side.
        options: The floor, and the seed of the drawn relabellings.

    Returns:
        Per row its figures, None where it has no values or the runs are too few to test anything; and
        how the table was tested.
    """
    n, m = runs
    members = [at for at, one in enumerate(series) if one is not None and could_clear(one, options)]
    if cut(n, m) is None:
        note = f"{n} against {m} runs are too few: no order of them is rare enough to be called a finding"
        return [None] * len(series), FamilyTest(
            rows=len(members), method=None, relabellings=math.comb(n + m, n), note=note
        )
    figures: list[Figures | None] = [None if one is None else Figures(in_family=False) for one in series]
    if not members:
        return figures, FamilyTest(rows=0, method="exact", relabellings=math.comb(n + m, n))
    values = np.array([_filled(series[at]) for at in members])
    found = relabel(values, n, seed=options.seed)
    means = values[:, n:].mean(axis=1) - values[:, :n].mean(axis=1)
    for place, at in enumerate(members):
        figures[at] = Figures(
            in_family=True,
            q=round(found.q[place], 6),
            p_family=round(found.p_family[place], 6),
            resolves=found.resolves[place] if math.isfinite(found.resolves[place]) else None,
            runs_needed=_more_runs(found.p_family[place], found.resolves[place], means[place], runs),
            tied=found.tied[place],
            mean_delta=float(means[place]),
        )
    return figures, FamilyTest(
        rows=len(members),
        method=found.method,
        relabellings=found.relabellings,
        seed=options.seed if found.method == "drawn" else None,
        smallest_p=found.smallest_p,
    )


def _more_runs(p: float, resolution: float, move: float, runs: tuple[int, int]) -> int | None:
    if p <= LEVEL or not math.isfinite(resolution):
        return None
    return runs_needed(*runs, resolution, float(move))


def _filled(series: Series | None) -> list[float]:
    """Values of all runs; one that was not measured gets the pooled median, which favours no side."""
    assert series is not None
    pool = (*series.before, *series.after)
    middle = median(value for value in pool if value is not None)
    return [middle if value is None else value for value in pool]
