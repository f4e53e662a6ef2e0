"""Every number of the detection: fixed, so that all who look at the same data see the same findings."""

from __future__ import annotations

from typing import Final

LEAST_REGIME: Final = 5
"""Points a level needs before its median means anything."""

LEAST_EVIDENCE: Final = 10
"""Points, or base commits, before a series is judged."""

LARGEST: Final = 1e150
"""Beyond it, differences and squares of values are no numbers any more."""

LONGEST: Final = 1_000
"""Newest points of a series that are analysed."""

CHANCE_GATE: Final = 0.05
"""Chance level, after every correction within the series, a candidate stays below."""

DETECTORS: Final = 2
"""Step and drift are both tried, so each chance level is doubled."""

FALSE_DISCOVERIES: Final = 0.10
"""Share of false findings aimed at over the family of judged series (Benjamini and Hochberg 1995)."""

BOUND_WEIGHT: Final = 0.8
ORBIT_WEIGHT: Final = 0.2
"""Weighted Bonferroni over the two answers for series too long for the exact one; fixed beforehand."""

HISTORY_FLOOR: Final = 0.03
BRANCH_FLOOR: Final = 0.05
"""Least relative move."""

RESIDUALS: Final = 3.0
"""A move is larger than this many median absolute residuals."""

AGREEMENT: Final = 0.85
BOUNDARY_AGREEMENT: Final = 0.95
"""Least share of pairs that agree with the move: of a step, of a boundary in a base."""

STILL_MOVED: Final = 0.5
"""Share of a move by which the newest points still stand off its start: nearer to the new level."""

HALF_WIDTHS: Final = 2.0
"""A move is larger than this many median half-widths of the points' own intervals."""

BASE_WINDOW: Final = 128
"""Newest base commits a branch is compared with."""

REGIME_SEARCH: Final = 20
"""Base commits before an older regime may be set aside."""

BOUNDARY_BUDGET: Final = 0.05
"""Chance of any false boundary in one base, shared by its searches."""

SHORT_TAILS: Final = (2, 3, 4)
"""Newest selector values that, apart from the five before them, leave the base unresolved."""

LEAST_COMPARABLE: Final = 5
"""Base commits the whole report is set against."""

MOST_SEEDS: Final = 1_024
"""Intersections tried in the search for those commits; half of them of two sets."""

_FLOORS: Final[dict[str, float]] = {
    "ns": 1.0,
    "us": 1e-3,
    "µs": 1e-3,
    "ms": 1e-6,
    "s": 1e-9,
    "count": 5.0,
    "instructions": 5.0,
    "branches": 5.0,
    "bytes": 1.0,
    "allocations": 1.0,
}


def absolute_floor(unit: str | None) -> float:
    """Least absolute move: 5 counts, 1 ns of time, 1 byte or allocation; an unknown unit has none."""
    return _FLOORS.get(unit or "", 0.0)
