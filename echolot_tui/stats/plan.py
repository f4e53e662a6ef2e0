"""How many runs a side would settle a row, from the bar it failed today."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

_MOST_RUNS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Plan:
    """The bar of a table, and what further runs would do to it.

    With more runs a row's statistic grows with the square root of their number, and the bar comes down
    too: fewer runs leave their spread less well known, so chance reaches further. The bar is read as a
    quantile of Student's t and carried to the degrees of freedom more runs would have (Wallace 1959).

    Attributes:
        bar: The critical value today.
        before: Traces before.
        after: Traces after.
        borrowed: Degrees of freedom borrowed from other rows, which stay.
        fewest: Traces a side below which no answer is given.
    """

    bar: float
    before: int
    after: int
    borrowed: float
    fewest: int

    def runs_needed(self, statistic: float) -> int | None:
        """About how many traces a side would bring the statistic to the bar.

        Assumes that further traces move and spread as these do. A statistic that is no finding though it
        stands at the bar fails for the few ways to split so few traces: the least answer lifts that.

        Args:
            statistic: Today's, in size, of a row that is no finding.

        Returns:
            More than today's and at least ``fewest``; None when the statistic is 0 or out of reach.
        """
        if statistic <= 0:
            return None
        effective = 2 * self.before * self.after / (self.before + self.after)
        z = _normal_from_t(self.bar, self.before + self.after - 2 + self.borrowed)

        def enough(runs: int) -> bool:
            return statistic * math.sqrt(runs / effective) >= _t_from_normal(z, 2 * runs - 2 + self.borrowed)

        runs = max(math.floor(effective) + 1, self.fewest)
        if statistic >= self.bar or enough(runs):
            return runs
        short = runs
        while not enough(runs):
            short, runs = runs, 2 * runs
            if short > _MOST_RUNS:
                return None
        while runs - short > 1:
            middle = (short + runs) // 2
            short, runs = (short, middle) if enough(middle) else (middle, runs)
        return runs


def _normal_from_t(t: float, freedom: float) -> float:
    """The normal quantile of the same probability; within 2 % from six degrees of freedom on."""
    return (8 * freedom + 1) / (8 * freedom + 3) * math.sqrt(freedom * math.log1p(t * t / freedom))


def _t_from_normal(z: float, freedom: float) -> float:
    """The inverse of ``_normal_from_t``; infinite where it passes the largest number."""
    exponent = (z * (8 * freedom + 3) / (8 * freedom + 1)) ** 2 / freedom
    return math.sqrt(freedom * math.expm1(exponent)) if exponent < 700 else math.inf
