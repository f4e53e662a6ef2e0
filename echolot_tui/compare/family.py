"""The table as one family: which rows belong to it, and what relabelling whole runs says about each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from echolot_tui.compare.inputs import CompareOptions
from echolot_tui.compare.sides import PerTrace


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
    """What the table as a whole says about one row."""

    in_family: bool
    q: float | None = None
    p_family: float = 1.0
    resolves: float = float("inf")
    runs_needed: int | None = None
    tied: bool = False
    mean_delta: float = 0.0
