"""The two-sided Mann-Whitney test on ranks at hand, ties and all.

Exact up to 300 points: every subset of the observed ranks is counted by its sum. Counts are doubles; the
recurrence only adds positive numbers, so a tail keeps a relative error near n times 1e-16. Longer series
keep the exact form for sizes whose subsets still fit a double as whole numbers, else the normal form with
its tie correction, whose true error rates are bounded for sampling without replacement.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import Final

import numpy as np

from echolot_tui.stats.ranks import Floats, Ints

EXACT_TO: Final = 300
"""Longest series whose rank sums are counted for every size."""

SLACK: Final = 1e-12
"""Relative: p-values this close are equal, so rounding never hides a case as extreme."""

_LEAST_P: Final = 1e-15

_NORMAL: Final = NormalDist()
_ROUNDING: Final = 1e-9
_TRIED: Final = np.geomspace(0.5, 4, 25)
"""Rates tried for a bound, as multiples of the best one of a normal distribution; any of them is valid."""


@dataclass(frozen=True, slots=True)
class Tail:
    """One end of a distribution of sums."""

    totals: Ints
    """From the end inwards."""
    chances: Floats
    """Of a sum at least this far out."""

    @property
    def mass(self) -> float:
        """Chance of the whole tail."""
        return float(self.chances[-1]) if len(self.chances) else 0.0


class RankSums:
    """How the rank sum of a random subset of these ranks is distributed, for every size up to half."""

    def __init__(self, ranks: Ints) -> None:
        """Keep the multiset of doubled ranks; the order does not matter."""
        self.ranks = np.sort(ranks)
        self.n = len(ranks)
        self._low = int(self.ranks[0])
        self._step = max(int(np.gcd.reduce(self.ranks - self._low)), 1)
        self._exact_to = _largest_exact(self.n)
        self._tails: list[tuple[Floats, Floats]] | None = None

    def p(self, size: int, total: int) -> float:
        """Two-sided p of a subset of ``size`` (at most half) with this doubled rank sum."""
        return float(self.p_of(size, np.array([total]))[0])

    def p_of(self, size: int, totals: Ints) -> Floats:
        """Two-sided p of many doubled rank sums of one size, at least 1e-15."""
        if size > self._exact_to:
            return _clamped(self._normal_p(size, totals))
        lower, upper = self._tail(size)
        at = (totals - size * self._low) // self._step
        return _clamped(2.0 * np.minimum(lower[at], upper[at]))

    def mass(self, size: int, p: float) -> float:
        """Chance that a random subset of ``size`` has a p at most ``p``; bounded where not counted."""
        if p * (1 + SLACK) >= 1:
            return 1.0
        if size > self._exact_to:
            return self._bounded_mass(size, p * (1 + SLACK))
        low, high = self.tails(size, p)
        return low.mass + high.mass

    def counted(self, size: int) -> bool:
        """Whether sums of this size are counted, so that :meth:`tails` are known."""
        return size <= self._exact_to

    def tails(self, size: int, p: float) -> tuple[Tail, Tail]:
        """The sums of a counted size whose p is at most ``p``, which is below 1: low ones, high ones."""
        lower, upper = self._tail(size)
        half = p * (1 + SLACK) / 2
        below = int(np.searchsorted(lower, half, side="right"))
        above = len(upper) - int(np.searchsorted(upper[::-1], half, side="right"))
        first, step = size * self._low, self._step
        return (
            Tail(first + step * np.arange(below, dtype=np.int64), lower[:below]),
            Tail(
                first + step * np.arange(len(upper) - 1, above - 1, -1, dtype=np.int64), upper[above:][::-1]
            ),
        )

    def _tail(self, size: int) -> tuple[Floats, Floats]:
        if self._tails is None:
            self._tails = self._count()
        return self._tails[size]

    def _count(self) -> list[tuple[Floats, Floats]]:
        """Lower and upper tails by sum, for every exact size: 0/1 knapsack over the ranks."""
        steps = (self.ranks - self._low) // self._step
        most = self._exact_to
        counts = np.zeros((most + 1, int(steps[self.n - most :].sum()) + 1))
        counts[0, 0] = 1.0
        for seen, weight in enumerate(steps.tolist(), start=1):
            rows = min(seen, most)
            end = int(steps[seen - rows : seen].sum()) + 1
            counts[1 : rows + 1, weight:end] += counts[:rows, : end - weight]
        return [_tails_of(row, math.comb(self.n, size)) for size, row in enumerate(counts)]

    def _normal_p(self, size: int, totals: Ints) -> Floats:
        distance = np.abs(totals - size * (self.n + 1)) / 2
        spread = self._spread(size)
        if spread == 0:
            return np.ones(len(totals))
        z = np.maximum(distance - 0.5, 0.0) / spread
        return np.array([math.erfc(each / math.sqrt(2)) for each in z.tolist()])

    def _spread(self, size: int) -> float:
        """Standard deviation of the rank sum (not doubled), with ties."""
        n = self.n
        _, groups = np.unique(self.ranks, return_counts=True)
        ties = float((groups.astype(float) ** 3 - groups).sum()) / (n * (n - 1))
        return math.sqrt(max(size * (n - size) / 12 * (n + 1 - ties), 0.0))

    def _bounded_mass(self, size: int, bar: float) -> float:
        """Upper bound of the chance that the normal form shows a p at most ``bar``: Chernoff, both tails.

        The generating function of the rank sum of different values is a Gaussian binomial, so its moments'
        bound is exact; mid-ranks are the mean over all ways to break their ties, so by Jensen it covers them.
        """
        spread = self._spread(size)
        if spread == 0:
            return 1.0
        distance = (0.5 - spread * _NORMAL.inv_cdf(bar / 2)) * (1 - _ROUNDING)
        rates = distance / spread**2 * _TRIED
        return min(1.0, 2 * math.exp(float(np.min(_log_moments(rates, size, self.n) - rates * distance))))


@lru_cache(maxsize=64)
def untied_sums(n: int) -> RankSums:
    """The one distribution that all series of ``n`` different values share."""
    return RankSums(2 * np.arange(1, n + 1, dtype=np.int64))


def sums_of(ranks: Ints) -> RankSums:
    """The distribution for these ranks, shared where nothing is tied."""
    n = len(ranks)
    return untied_sums(n) if len(np.unique(ranks)) == n else RankSums(ranks)


def _largest_exact(n: int) -> int:
    if n <= EXACT_TO:
        return n // 2
    size = 0
    while size < n // 2 and math.comb(n, size + 1) < 2**53:
        size += 1
    return size


def _tails_of(counts: Floats, subsets: int) -> tuple[Floats, Floats]:
    whole = float(subsets)
    return np.cumsum(counts) / whole, np.cumsum(counts[::-1])[::-1] / whole


def _clamped(p: Floats) -> Floats:
    clamped: Floats = np.clip(p, _LEAST_P, 1.0)
    return clamped


def _log_moments(rates: Floats, size: int, n: int) -> Floats:
    """Logarithm of the mean of exp(rate x): x a random subset's rank sum less its mean, nothing tied."""
    at = np.arange(1, size + 1)
    upper, lower = _log_sinh(np.outer(rates, n - size + at) / 2), _log_sinh(np.outer(rates, at) / 2)
    moments: Floats = (upper - lower).sum(axis=1) - math.log(math.comb(n, size))
    return moments


def _log_sinh(values: Floats) -> Floats:
    logarithm: Floats = values + np.log1p(-np.exp(-2 * values)) - math.log(2)
    return logarithm
