"""The chance level of a winning split, made fair for having been chosen as the best of many.

Short series, and long ones with few different values, get the exact share over all orderings. The others
get two valid answers, a bound over every split and a complete group of rearrangements, by weighted
Bonferroni.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from echolot_tui.history import policy
from echolot_tui.stats.orbit import orbit_share
from echolot_tui.stats.rank_sum import RankSums, sums_of
from echolot_tui.stats.ranks import Ints
from echolot_tui.stats.split_bound import bound_over_splits
from echolot_tui.stats.split_null import exact_chance, tractable

Route = Literal["rank test", "bound", "every ordering", "rearrangements"]


@dataclass(frozen=True, slots=True)
class Chance:
    """How well chance explains a split."""

    p: float
    """Of the rank test, as if the split had been named beforehand."""
    level: float
    """Corrected for the search; 1 when that cannot fall below the reject level."""
    route: Route
    """What settled it."""


def split_p(ranks: Ints, at: int, sums: RankSums) -> float:
    """Two-sided rank-test p of the split after ``at`` points."""
    n = len(ranks)
    if at <= n - at:
        return sums.p(at, int(ranks[:at].sum()))
    return sums.p(n - at, int(ranks[at:].sum()))


def chance_of(ranks: Ints, at: int, *, accept: float, reject: float) -> Chance:
    """The corrected chance level of the winning split.

    Args:
        ranks: Doubled mid-ranks in time order.
        at: Points before the split; both sides are full regimes.
        accept: Below this the cheap bound is answer enough.
        reject: At or above this the split is no evidence, however far above.
    """
    sums = sums_of(ranks)
    p = split_p(ranks, at, sums)
    if p >= reject:
        return Chance(p, 1.0, "rank test")
    bound = bound_over_splits(sums, p, least_side=policy.LEAST_REGIME)
    if tractable(ranks):
        if bound < accept:
            return Chance(p, max(p, bound), "bound")
        exact = exact_chance(ranks, p, least_side=policy.LEAST_REGIME, enough=reject)
        return Chance(p, max(p, exact) if exact < reject else 1.0, "every ordering")
    weighted = bound / policy.BOUND_WEIGHT
    if weighted < accept:
        return Chance(p, max(p, weighted), "bound")
    enough = min(weighted, reject)
    share = orbit_share(ranks, p, sums, least_side=policy.LEAST_REGIME, enough=enough * policy.ORBIT_WEIGHT)
    level = max(p, min(weighted, share / policy.ORBIT_WEIGHT))
    return Chance(p, level if level < reject else 1.0, "rearrangements")
