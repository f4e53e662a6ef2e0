"""One row's own move: Hodges-Lehmann estimate, 95 % Moses range, and what the runs could resolve.

Nothing is assumed about the shape of the runs and nothing is drawn at random. Method: Hodges and
Lehmann (1963); Moses' interval from the Mann-Whitney distribution, Lehmann, *Nonparametrics*, 2.5.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from statistics import NormalDist
from typing import Final

import numpy as np
import numpy.typing as npt

from echolot_tui.frozen import Frozen
from echolot_tui.stats.counting import place_among
from echolot_tui.units import round2

Values = npt.NDArray[np.float64]

CONFIDENCE: Final = 0.95
_EXACT_WORK: Final = 1_000_000
"""Above this ``min(n, m) * n * m`` the Mann-Whitney distribution is taken as normal."""


class ShiftEstimate(Frozen, frozen=True, kw_only=True):
    """How far one row moved, in milliseconds rounded to 2 decimals, and how well that is known."""

    ms: float
    """Median of all differences of a run after and a run before."""
    low_ms: float
    high_ms: float
    resolves_ms: float
    """Smallest move of the medians, in the direction of ``ms``, these runs could have called real."""
    runs_needed: int | None
    """About how many runs a side would make this move hold; null when it holds or is zero."""

    @property
    def holds(self) -> bool:
        """Whether the rounded range lies on one side of zero."""
        return clear_of_zero(self.low_ms, self.high_ms)


@cache
def cut(n: int, m: int) -> int | None:
    """How many sorted differences of ``n`` runs against ``m`` come off each end for 95 %.

    The largest ``u`` for which at most 2.5 % of the orderings of the ``n + m`` runs have ``u`` or
    fewer pairs in which the run after is slower. Exact, by counting, until ``min(n, m) * n * m``
    passes a million; normal with continuity correction beyond.

    Returns:
        Zero or more; None when even the widest range is less than 95 % sure.
    """
    small, large = sorted((n, m))
    if small < 1:
        return None
    if small * n * m > _EXACT_WORK:
        spread = math.sqrt(n * m * (n + m + 1) / 12)
        z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
        return max(0, math.floor(n * m / 2 - z * spread - 0.5))
    allowed = 5 * math.comb(n + m, n)
    by_pairs, below = [1] + [0] * (n * m // 2), 0
    place_among(by_pairs, large, small)
    for u, orderings in enumerate(by_pairs):
        below += orderings
        if 200 * below > allowed:
            return u - 1 if u else None
    return None


def shift(before: Sequence[float] | Values, after: Sequence[float] | Values) -> ShiftEstimate | None:
    """Move, range and resolution of one row.

    Args:
        before: One value in milliseconds per run before; order does not matter.
        after: The same after.

    Returns:
        None when a side has no values or there are too few runs for a 95 % range.
    """
    trim = cut(len(before), len(after))
    if trim is None:
        return None
    old, new = np.asarray(before, dtype=np.float64), np.asarray(after, dtype=np.float64)
    low, move, high = _ends_and_middle(np.subtract.outer(new, old), trim)
    lowest, _, highest = _ends_and_middle(_strays(old, new), trim)
    ms, low_ms, high_ms = round2(move), round2(low), round2(high)
    resolution = round2(max(highest if ms < 0 else -lowest, 0.0))
    settled = clear_of_zero(low_ms, high_ms)
    return ShiftEstimate(
        ms=ms,
        low_ms=low_ms,
        high_ms=high_ms,
        resolves_ms=resolution,
        runs_needed=None if settled else runs_needed(len(old), len(new), resolution, ms),
    )


def clear_of_zero(low: float, high: float) -> bool:
    """Whether a range lies on one side of zero; one that touches zero does not."""
    return low > 0 or high < 0


def resolves(values: Sequence[float] | Values) -> float | None:
    """Smallest move a comparison against as many runs, spread the same way, could call real.

    Args:
        values: One value in milliseconds per run.

    Returns:
        Milliseconds to 2 decimals; None below four runs.
    """
    trim = cut(len(values), len(values))
    if trim is None:
        return None
    side = np.asarray(values, dtype=np.float64)
    lowest, _, _ = _ends_and_middle(_strays(side, side), trim)
    return round2(max(-lowest, 0.0))


def runs_needed(n: int, m: int, resolution: float, move: float) -> int | None:
    """About how many runs a side would bring the resolution under the move.

    The resolution shrinks with the square root of the runs; unequal sides count as their harmonic
    mean. Assumes that further runs stray as much as these.

    Returns:
        At least one more than now; None when there is no move or it is already resolved.
    """
    if move == 0 or resolution <= abs(move):
        return None
    effective = 2 * n * m / (n + m)
    return max(math.floor(effective) + 1, math.ceil(effective * (resolution / abs(move)) ** 2))


def median(values: Values) -> float:
    """Median of a one-dimensional array; the mean of the two middle values when their number is even."""
    half = len(values) // 2
    if len(values) % 2:
        return float(np.partition(values, half)[half])
    middle = np.partition(values, (half - 1, half))
    return float((middle[half - 1] + middle[half]) / 2)


def _strays(before: Values, after: Values) -> Values:
    """Differences of all pairs, each side taken from its own median."""
    return np.subtract.outer(after - median(after), before - median(before))


def _ends_and_middle(differences: Values, trim: int) -> tuple[float, float, float]:
    """The ``trim``-th smallest, the median and the ``trim``-th largest of all differences."""
    flat = differences.ravel()
    last, half = len(flat) - 1, len(flat) // 2
    found = np.partition(flat, sorted({trim, last - trim, half, max(half - 1, 0)}))
    middle = found[half] if len(flat) % 2 else (found[half - 1] + found[half]) / 2
    return float(found[trim]), float(middle), float(found[last - trim])
