"""Whether the noise of a finding goes together from commit to commit, and whether the finding survives that.

All chance levels take the noise as exchangeable. Where it is not, the variance of the test statistic grows
by a ratio that the rank autocorrelations of the residuals give (Hamed and Rao 1998); see also Serinaldi and
Kilsby 2016.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from echolot_tui.frozen import Frozen
from echolot_tui.history import policy
from echolot_tui.stats.ranks import Floats, doubled_ranks

_NORMAL = NormalDist()


class Serial(Frozen, frozen=True, kw_only=True):
    """Serial dependence of a finding's residuals."""

    lag1: float
    """Rank autocorrelation at lag one."""
    dependent: bool
    """It exceeds its own 95 % bound upwards, and the finding would not survive the correction."""


def serial_dependence(residuals: Floats, p: float, chance: float) -> Serial:
    """Measure the dependence and try the finding against it.

    Args:
        residuals: About the chosen model, oldest first.
        p: Of the test itself, before any correction.
        chance: Doubled chance level of the finding.
    """
    rho = rank_autocorrelations(residuals)
    bound = positive_bound(len(residuals))
    lag1 = float(rho[0]) + 0.0 if len(rho) else 0.0
    if lag1 <= bound:
        return Serial(lag1=lag1, dependent=False)
    z = -_NORMAL.inv_cdf(p / 2) / math.sqrt(variance_ratio(rho, len(residuals), bound))
    corrected = 2 * _NORMAL.cdf(-z) * chance / p
    return Serial(lag1=lag1, dependent=corrected >= policy.CHANCE_GATE)


def positive_bound(n: int) -> float:
    """What the first autocorrelation of independent values exceeds once in twenty (Anderson 1942)."""
    return (-1 + _NORMAL.inv_cdf(0.95) * math.sqrt(n - 2)) / (n - 1)


def rank_autocorrelations(residuals: Floats) -> Floats:
    """Autocorrelations of the residuals' ranks at lags 1, 2, … up to a quarter of the series."""
    ranks = doubled_ranks(residuals).astype(np.float64)
    ranks -= ranks.mean()
    whole = float(ranks @ ranks)
    if whole == 0:
        return np.zeros(0)
    return np.array([float(ranks[lag:] @ ranks[:-lag]) / whole for lag in range(1, len(ranks) // 4 + 1)])


def variance_ratio(rho: Floats, n: int, bound: float) -> float:
    """How much larger than for independent noise the variance is; only ``rho`` beyond ``bound`` counts."""
    lags = np.arange(1, len(rho) + 1)
    weights = (n - lags) * (n - lags - 1) * (n - lags - 2)
    held = np.where(np.abs(rho) > bound, rho, 0.0)
    return max(1.0, 1 + 2 * float(weights @ held) / (n * (n - 1) * (n - 2)))
