"""Sets the whole branch report against past base commits: how many would have looked as remarkable?

A count of a handful of commits, no probability; it filters nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from echolot_tui.history import policy
from echolot_tui.history.branch import Excursion, excursion_of, without
from echolot_tui.history.ladder import Ladder
from echolot_tui.history.levels import Levels
from echolot_tui.stats.kendall import robust_line, trend_p


@dataclass(frozen=True, slots=True)
class Turner:
    """One judged series of a branch report."""

    current: Levels
    """Base levels of the current stretch."""
    commits: tuple[int, ...]
    """First-parent index of each."""
    first: int
    """Position of the stretch in the base, which tells the lanes apart."""
    context: Levels
    excursion: Excursion | None
    floor: float

    def candidates(self) -> frozenset[int]:
        """Reference-lane commits of the stretch: none of them helped to place its boundary."""
        return frozenset(commit for at, commit in enumerate(self.commits) if (self.first + at) % 2 == 1)


@dataclass(frozen=True, slots=True)
class TurnCount:
    """The branch's turn among comparable base commits."""

    series: tuple[int, ...]
    """Positions of the series that take part."""
    commits: tuple[int, ...]
    as_extreme: int
    """Base commits whose turn scores at least as much."""


def compare_turns(turners: Sequence[Turner]) -> TurnCount | None:
    """Count base commits with as much out-of-range movement; ``None`` when too few compare."""
    eligible = {at: turner.candidates() for at, turner in enumerate(turners) if not _drifting(turner.current)}
    family = _family(eligible)
    if family is None:
        return None
    series, commits = family
    branch = sum(_score(turners[at].excursion, turners[at].floor) for at in series)
    turns = [sum(_past_turn(turners[at], commit) for at in series) for commit in commits]
    # Sums of the same shares in another order must still tie.
    return TurnCount(series, commits, sum(turn >= branch * (1 - 1e-12) for turn in turns))


def _past_turn(turner: Turner, commit: int) -> float:
    """Score of one base commit as if it were the branch; the branch's own value stands in its place."""
    at = turner.commits.index(commit)
    references = without(turner.current, at, turner.context)
    found = excursion_of(references, turner.current.part(at, at + 1), turner.floor, Ladder())
    return _score(found, turner.floor)


def _score(excursion: Excursion | None, floor: float) -> float:
    if excursion is None:
        return 0.0
    scale = max(abs(excursion.edge), floor / policy.BRANCH_FLOOR)
    return abs(excursion.excess) / scale if scale > 0 else 1.0


def _drifting(current: Levels) -> bool:
    values = current.values
    if trend_p(values) >= policy.CHANCE_GATE:
        return False
    slope, _ = robust_line(values)
    movement = abs(slope * (len(values) - 1))
    return movement >= policy.BRANCH_FLOOR * abs(float(np.median(values))) and movement > 0


def _family(eligible: dict[int, frozenset[int]]) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Series that share commits: most series, then most commits, then the newest last commit.

    Excursions are never looked at.
    """
    best: tuple[tuple[int, int, int], tuple[int, ...], tuple[int, ...]] | None = None
    for seed in _seeds(sorted(set(eligible.values()), key=sorted)):
        series = tuple(at for at, commits in eligible.items() if commits >= seed)
        shared = frozenset.intersection(*(eligible[at] for at in series))
        rank = (len(series), len(shared), max(shared))
        if best is None or rank > best[0]:
            best = rank, series, tuple(sorted(shared))
    return best[1:] if best else None


def _seeds(distinct: list[frozenset[int]]) -> Iterator[frozenset[int]]:
    """Sets of five or more commits a family may share: runs of five, and intersections."""
    seen: set[frozenset[int]] = set()
    for commits in distinct:
        ordered = sorted(commits)
        for start in range(len(ordered) - policy.LEAST_COMPARABLE + 1):
            seen.add(frozenset(ordered[start : start + policy.LEAST_COMPARABLE]))
    met = dict.fromkeys(_meetings(distinct, distinct, policy.MOST_SEEDS // 2))
    more = _meetings(list(met), distinct, policy.MOST_SEEDS - len(met))
    yield from sorted(seen, key=sorted)
    yield from met
    yield from more


def _meetings(first: list[frozenset[int]], second: list[frozenset[int]], most: int) -> list[frozenset[int]]:
    found: dict[frozenset[int], None] = {}
    for one in first:
        for other in second:
            both = one & other
            if len(both) >= policy.LEAST_COMPARABLE and len(found) < most:
                found[both] = None
    return list(found)
