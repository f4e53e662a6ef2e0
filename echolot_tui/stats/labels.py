"""The ways in which whole traces could have been labelled before and after."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

Method = Literal["exact", "drawn"]
Headroom = Literal["free", "one split", "none"]
"""How many relabellings may reach a finding: several, the observed one alone, or not even that one."""

ALPHA: Final = 0.05
"""Share of comparisons of an unchanged build that may show anything at all."""

MOST_EXACT: Final = 20_000
"""Up to this many relabellings all are looked at."""

DRAWS: Final = 1_999
"""Beyond that so many are drawn, and the observed labelling is counted as one more."""


@dataclass(frozen=True, slots=True, eq=False)
class Relabellings:
    """All relabellings of a table's traces, or a sample of them.

    Attributes:
        after: Labellings x traces, 1.0 where the trace counts as after. The last row is the labelling
            as it happened. When both sides have as many traces, a labelling and its mirror image give
            the same statistics, and only one of the two is here.
        method: Whether every labelling is here.
        count: Labellings looked at, mirror images included, without the observed one when drawn.
    """

    after: npt.NDArray[np.float64]
    method: Method
    count: int

    @property
    def smallest_p(self) -> float:
        """Smallest p these relabellings can give."""
        return 1 / len(self.after)

    @property
    def allowed(self) -> int:
        """How many rows of ``after`` may reach a statistic that counts as a finding."""
        return math.floor(ALPHA * len(self.after) + 1e-9)

    @property
    def headroom(self) -> Headroom:
        """Whether the number of relabellings alone stands in the way of a finding."""
        return ("none", "one split", "free")[min(self.allowed, 2)]


def relabellings(before: int, after: int, seed: int) -> Relabellings:
    """List the labellings of ``before + after`` traces, the traces before coming first.

    Args:
        before: Traces before, at least one.
        after: Traces after, at least one.
        seed: Of the draw; the same seed gives the same labellings. Unused when all fit.
    """
    traces = before + after
    total = math.comb(traces, after)
    if total <= MOST_EXACT:
        fixed = int(before == after)
        chosen = np.array(list(combinations(range(fixed, traces), after)), dtype=np.intp)
        return Relabellings(after=_ones_at(chosen, traces), method="exact", count=total)
    order = np.random.default_rng(seed).random((DRAWS, traces)).argsort(axis=1, kind="stable")
    observed = np.arange(before, traces, dtype=np.intp)
    chosen = np.vstack([order[:, :after], observed])
    return Relabellings(after=_ones_at(chosen, traces), method="drawn", count=DRAWS)


def fewest_runs() -> int:
    """Fewest traces a side with which a finding does not rest on one single split."""
    runs = 1
    while math.floor(ALPHA * math.comb(2 * runs, runs) / 2) < 2:
        runs += 1
    return runs


def _ones_at(chosen: npt.NDArray[np.intp], traces: int) -> npt.NDArray[np.float64]:
    labels = np.zeros((len(chosen), traces))
    np.put_along_axis(labels, chosen, 1.0, axis=1)
    return labels
