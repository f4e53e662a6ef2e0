"""What the traces of both sides together say about a table, before anyone looks at the labels.

Everything here is a function of the pooled values alone. It is the same under every relabelling, so
a test by relabelling stays exact whatever is done with it. Three things are learnt: on which scale a row
is read, how fast each trace ran as a whole, and how much rows of this table usually spread.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from echolot_tui.stats.shift import Values

Flags = npt.NDArray[np.bool_]

_SAME: Final = 1e-9
"""Values closer than this, relative to the row's largest, are the same value."""

HEAVILY_TIED: Final = 0.1
"""Above this share of equal pairs a row is judged by its means."""

_NEARLY_ABSENT: Final = 20
"""A run with less than this part of the row's median counts as a run without the row."""

_FEWEST_FOR_FACTOR: Final = 3
_FEWEST_FOR_PRIOR: Final = 10
_LOADING_SPREAD: Final = 0.5
_MOST_PRIOR: Final = 30.0


@dataclass(frozen=True, slots=True, eq=False)
class Pooled:
    """One table on its scale, rows x traces, every row with mean 0.

    Attributes:
        raw: Natural logarithm of the values; for the rows not in ``logs`` the values over their mean.
        net: The same without the run factor.
        factor: Per trace, how much longer than usual everything took in it, as a logarithm.
        logs: Rows read as logarithms. The others have runs without the row, or heavy ties, or no more
            than two different values.
        level: Per row outside ``logs`` the milliseconds one unit of ``raw`` stands for; 1 for the others.
        prior_variance: What the net values of a quiet row of this table vary by.
        prior_weight: How many degrees of freedom that is worth beside a row's own.
    """

    raw: Values
    net: Values
    factor: Values
    logs: Flags
    level: Values
    prior_variance: float
    prior_weight: float


def pool(values: Values, tied: Flags) -> Pooled:
    """Put a table on its scale and learn the run factor and the usual spread.

    Args:
        values: Rows x traces, milliseconds, absent runs as 0.
        tied: Rows to be judged by their means whatever they hold. Rows in which as many of all pairs of
            traces are equal join them, so that a hair's shift of one side changes nothing.
    """
    logs = ~tied & ~_pooled_ties(values) & _reads_as_logs(values)
    level = np.where(logs, 1.0, np.abs(values).mean(axis=1))
    raw = np.zeros_like(values)
    raw[logs] = np.log(values[logs])
    np.divide(values, level[:, None], out=raw, where=(~logs & (level > 0))[:, None])
    raw -= raw.mean(axis=1, keepdims=True)
    raw[_distinct(values) < 2] = 0.0
    net = raw.copy()
    factor, share = run_factor(raw[logs])
    net[logs] -= share
    weight, variance = usual_variance(net[logs].var(axis=1, ddof=1), values.shape[1] - 1)
    return Pooled(
        raw=raw,
        net=net,
        factor=factor,
        logs=logs,
        level=level,
        prior_variance=variance,
        prior_weight=weight,
    )


def run_factor(logs: Values) -> tuple[Values, Values]:
    """How much longer than usual each trace took as a whole, and what of it each row feels.

    Rows strayed from their own medians are averaged per trace, quiet rows counting more and no row more
    than two of its spreads. A row's share is what the *other* rows say, drawn towards zero by how little
    rows agree at all (their average covariance), times how much the row itself goes along. That is read
    from the row where its own spread lets it and taken as "fully" where it does not.

    Args:
        logs: Rows x traces, natural logarithms, any level.

    Returns:
        The factor, one value per trace with mean 0, and rows x traces of shares with row means of 0.
    """
    rows, traces = logs.shape
    nothing = np.zeros(traces), np.zeros_like(logs)
    if rows < _FEWEST_FOR_FACTOR:
        return nothing
    strayed = logs - np.median(logs, axis=1, keepdims=True)
    spread = 1.4826 * np.median(np.abs(strayed), axis=1, keepdims=True)
    spread = np.maximum(spread, 0.2 * np.median(spread))
    if not spread.all():
        return nothing
    weight = spread**-2
    weighted = weight * np.clip(strayed, -2 * spread, 2 * spread)
    agreement = _average_covariance(weighted, weight)
    if agreement <= 0:
        return nothing
    said, trust = weighted.sum(axis=0), weight.sum() + 1 / agreement
    others = (said - weighted) / (trust - weight)
    others -= others.mean(axis=1, keepdims=True)
    whole = said / trust
    return whole - whole.mean(), _loading(logs, others)[:, None] * others


def usual_variance(variances: Values, freedom: int) -> tuple[float, float]:
    """How much a row's own variance should borrow from the other rows'.

    Variances of rows that truly vary alike scatter by a known amount; the more they scatter beyond it,
    the less one row says about another. The weight is the prior's degrees of freedom in Smyth's model
    (2004, closed forms for the digamma differences), less two: a table of unlike rows then borrows
    nothing, which costs its quiet rows nothing. The prior itself is a quiet row's, the lower quartile.

    Args:
        variances: One per row.
        freedom: Degrees of freedom each was estimated with.

    Returns:
        Weight in degrees of freedom (0 to 30) and the variance.
    """
    known = variances[variances > 0]
    if len(known) < _FEWEST_FOR_PRIOR:
        return 0.0, 0.0
    excess = float(np.log(known).var(ddof=1)) - _trigamma(freedom / 2)
    weight = _MOST_PRIOR if excess <= 0 else 2 * _inverse_trigamma(excess) - 2
    return min(max(weight, 0.0), _MOST_PRIOR), float(np.quantile(known, 0.25))


def _reads_as_logs(values: Values) -> Flags:
    lowest = values.min(axis=1)
    near = np.median(values, axis=1) / _NEARLY_ABSENT
    flags: Flags = (lowest > 0) & (lowest >= near) & (_distinct(values) > 2)
    return flags


def _pooled_ties(values: Values) -> Flags:
    """Rows in which more than a tenth of all pairs of traces have the same value."""
    ordered = np.sort(values, axis=1)
    traces = values.shape[1]
    equal = np.zeros(len(values))
    for row, one in enumerate(ordered):
        sizes = np.diff(np.flatnonzero(np.concatenate(([True], one[1:] != one[:-1], [True]))))
        equal[row] = (sizes * (sizes - 1)).sum()
    flags: Flags = equal > HEAVILY_TIED * traces * (traces - 1)
    return flags


def _distinct(values: Values) -> npt.NDArray[np.intp]:
    """Different values per row."""
    ordered = np.sort(values, axis=1)
    same = _SAME * np.abs(values).max(axis=1, keepdims=True)
    steps: npt.NDArray[np.intp] = np.count_nonzero(np.diff(ordered, axis=1) > same, axis=1)
    return 1 + steps


def _average_covariance(weighted: Values, weight: Values) -> float:
    """Weighted mean of the covariances of all pairs of different rows."""
    centred = weighted - weighted.mean(axis=1, keepdims=True)
    pairs = (centred.sum(axis=0) ** 2).sum() - (centred**2).sum()
    weights = weight.sum() ** 2 - (weight**2).sum()
    return float(pairs / weights / (weighted.shape[1] - 1))


def _loading(logs: Values, factor: Values) -> Values:
    """How much of the factor each row feels, 0 to 1: least squares, drawn towards 1 by its uncertainty."""
    centred = logs - logs.mean(axis=1, keepdims=True)
    power = (factor**2).sum(axis=1)
    felt = np.divide((centred * factor).sum(axis=1), power, out=np.ones_like(power), where=power > 0)
    left = ((centred - felt[:, None] * factor) ** 2).sum(axis=1) / (logs.shape[1] - 2)
    doubt = np.divide(left, power, out=np.full_like(power, math.inf), where=power > 0)
    own_say = 1 / (1 + doubt / _LOADING_SPREAD**2)
    loading: Values = np.clip(1 + (felt - 1) * own_say, 0.0, 1.0)
    return loading


def _trigamma(x: float) -> float:
    """Asymptotic series, good to 1e-3 from 1 on."""
    return 1 / x + 1 / (2 * x**2) + 1 / (6 * x**3)


def _inverse_trigamma(y: float) -> float:
    """Of the series' first two terms."""
    return (1 + math.sqrt(1 + 2 * y)) / (2 * y)
