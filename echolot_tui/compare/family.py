"""The table as one family: which rows belong to it, and what relabelling whole runs says about each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from msgspec.structs import replace

from echolot_tui.compare.inputs import CompareOptions
from echolot_tui.compare.model import FamilyTest
from echolot_tui.compare.sides import PerTrace
from echolot_tui.stats.labels import ALPHA
from echolot_tui.stats.relabel import RowTest, TableTest, relabel
from echolot_tui.stats.shift import cut, runs_needed
from echolot_tui.units import round2


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
    """What the table as a whole says about one row; nothing but its membership when it is no member."""

    test: RowTest | None
    runs: tuple[int, int]
    level: float = ALPHA

    @property
    def significant(self) -> bool:
        """Whether the row is a finding of its table: family-wise p at most the table's level."""
        return self.test is not None and self.test.p_family <= self.level

    @property
    def direction(self) -> float:
        """Positive when the test says after is slower, negative when faster, 0 when neither."""
        return self.test.statistic if self.test is not None else 0.0

    def would_see(self, floor: float) -> bool:
        """Whether these runs would have called a move as large as the floor real."""
        if self.test is None or (self.test.found and not self.significant):
            return False  # what 5 % would call a move cannot count as none on a stricter level
        resolution = self.test.resolves_ms
        return resolution is not None and round2(resolution) <= floor

    def settling_runs(self, delta: float, floor: float) -> int | None:
        """Runs a side that would settle the row: make its move a finding or, under the floor, rule one out.

        None when the row is settled, or when more runs will not settle it.
        """
        test = self.test
        if test is None or test.found:
            return None
        if abs(delta) > floor or test.resolves_ms is None:
            return test.runs_needed
        resolution = round2(test.resolves_ms)
        if resolution <= floor:
            return None
        ways = (test.runs_needed, runs_needed(*self.runs, resolution, floor))
        return min((way for way in ways if way is not None), default=None)


def judge(
    series: Sequence[Series | None], runs: tuple[int, int], options: CompareOptions
) -> tuple[list[Figures | None], FamilyTest]:
    """Test every row of one table against the table.

    Args:
        series: The rows; None where values are not known.
        runs: Traces of each side.
        options: The floor, and the seed of the drawn relabellings.

    Returns:
        Per row its figures, None where it has no values or the runs are too few to test anything; and
        how the table was tested.
    """
    members = [at for at, one in enumerate(series) if one is not None and could_clear(one, options)]
    if cut(*runs) is None:
        return [None] * len(series), _untested(len(members), runs)
    figures = [None if one is None else Figures(test=None, runs=runs, level=options.level) for one in series]
    found = _relabelled([one for at in members if (one := series[at]) is not None], runs, options)
    for at, test in zip(members, found.rows if found else (), strict=True):
        figures[at] = Figures(test=test, runs=runs, level=options.level)
    family = _tested(found, len(members), runs)
    return figures, family if options.level == ALPHA else replace(family, level=options.level)


def _relabelled(
    members: Sequence[Series], runs: tuple[int, int], options: CompareOptions
) -> TableTest | None:
    values = np.array([_filled(one) for one in members], dtype=np.float64).reshape(len(members), sum(runs))
    return relabel(values, after=[False] * runs[0] + [True] * runs[1], seed=options.seed)


def _filled(series: Series) -> list[float]:
    """Values of all runs; one that was not measured gets the pooled median, which favours no side."""
    pool = (*series.before, *series.after)
    middle = median(value for value in pool if value is not None)
    return [middle if value is None else value for value in pool]


def _untested(rows: int, runs: tuple[int, int]) -> FamilyTest:
    n, m = runs
    ways = math.comb(n + m, n)
    return FamilyTest(
        rows=rows,
        method=None,
        relabellings=ways,
        note=f"{n} against {m} runs can be split in {ways} ways only, too few for any split to be rare",
    )


def _tested(found: TableTest | None, rows: int, runs: tuple[int, int]) -> FamilyTest:
    if found is None:
        return FamilyTest(rows=rows, method="exact", relabellings=math.comb(sum(runs), runs[0]))
    return FamilyTest(
        rows=rows,
        method=found.method,
        relabellings=found.relabellings,
        seed=found.seed,
        smallest_p=round(found.smallest_p, 6),
        note=_headroom_note(found, runs),
    )


def _headroom_note(found: TableTest, runs: tuple[int, int]) -> str | None:
    """In words, what the number of relabellings alone forbids."""
    n, m = runs
    if found.headroom == "none":
        return (
            f"{n} against {m} runs allow no p under {found.smallest_p:.2g}, so nothing in a table can be a "
            f"finding whatever moved; {found.fewest_runs} runs a side can show one"
        )
    if found.headroom == "one split":
        return (
            f"with {n} against {m} runs a row is a finding only if no other split of these runs shows as "
            f"clear a difference anywhere in the table; {found.fewest_runs} runs a side lift that"
        )
    return None
