"""Joint relabelling of whole runs over one table (Westfall and Young 1993; Tusher et al. 2001)."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from echolot_tui.frozen import Frozen

Values = npt.NDArray[np.float64]

EXACT_LIMIT: Final = 20_000
DRAWS: Final = 1_999


class Relabelled(Frozen, frozen=True, kw_only=True):
    """Figures of every row, in order."""

    method: Literal["exact", "drawn"]
    relabellings: int
    smallest_p: float
    q: tuple[float, ...]
    p_family: tuple[float, ...]
    resolves: tuple[float, ...]
    tied: tuple[bool, ...]


def relabel(values: Values, n: int, *, seed: int) -> Relabelled:
    """Relabel whole runs; ``values`` is rows by runs, the first ``n`` columns are before."""
    total = values.shape[1]
    m = total - n
    count = math.comb(total, n)
    exact = count <= EXACT_LIMIT
    labels = _all_labels(total, n) if exact else _drawn_labels(total, n, seed)
    t = _statistics(values, labels, n, m)
    observed = t[:, 0] if exact else _statistics(values, _observed(total, n), n, m)[:, 0]
    widened = observed * (1 - 1e-9)
    largest = t.max(axis=0)
    extra = 0 if exact else 1
    draws = t.shape[1]
    p = ((largest[None, :] >= widened[:, None]).sum(axis=1) + extra) / (draws + extra)
    critical = _critical(largest, extra)
    spread = _standard_errors(values, n)
    return Relabelled(
        method="exact" if exact else "drawn",
        relabellings=draws,
        smallest_p=(2 if n == m and exact else 1) / (draws + extra),
        q=tuple(_q_values(t, observed, extra)),
        p_family=tuple(float(value) for value in p),
        resolves=tuple(float(critical * one) if one else 0.0 for one in spread),
        tied=tuple(_tied(row[:n], row[n:]) for row in values),
    )


def _observed(total: int, n: int) -> Values:
    label = np.zeros((total, 1))
    label[:n] = 1
    return label


def _all_labels(total: int, n: int) -> Values:
    chosen = np.array(list(combinations(range(total), n)))
    labels = np.zeros((total, len(chosen)))
    labels[chosen.T, np.arange(len(chosen))] = 1
    return labels


def _drawn_labels(total: int, n: int, seed: int) -> Values:
    order = np.argsort(np.random.default_rng(seed).random((total, DRAWS)), axis=0)
    return (order < n).astype(np.float64)


def _statistics(values: Values, labels: Values, n: int, m: int) -> Values:
    centred = values - values.mean(axis=1, keepdims=True)
    a = centred @ labels
    squares = (centred**2) @ labels
    whole = (centred**2).sum(axis=1, keepdims=True)
    before = np.maximum(squares - a * a / n, 0) / max(n - 1, 1) / n
    after = np.maximum(whole - squares - a * a / m, 0) / max(m - 1, 1) / m
    difference = np.abs(a / n + a / m)
    error = np.sqrt(before + after)
    tiny = 1e-9 * np.sqrt(np.maximum(whole, 1e-300))
    return np.where(
        error > tiny, difference / np.maximum(error, 1e-300), np.where(difference > tiny, np.inf, 0.0)
    )


def _standard_errors(values: Values, n: int) -> Values:
    before, after = values[:, :n], values[:, n:]
    m = after.shape[1]
    one = before.var(axis=1, ddof=1) / n if n > 1 else np.zeros(len(values))
    two = after.var(axis=1, ddof=1) / m if m > 1 else np.zeros(len(values))
    error: Values = np.sqrt(one + two)
    return error


def _critical(largest: Values, extra: int) -> float:
    ordered = np.sort(largest)
    for value in ordered:
        if ((largest >= value * (1 - 1e-9)).sum() + extra) / (len(ordered) + extra) <= 0.05:
            return float(value) if math.isfinite(value) else math.inf
    return math.inf


def _q_values(t: Values, observed: Values, extra: int) -> list[float]:
    draws = t.shape[1]
    order = np.argsort(-observed)
    pooled = np.sort(t.ravel())
    q = np.ones(len(observed))
    best = 1.0
    for place in range(len(order) - 1, -1, -1):
        row = order[place]
        bar = observed[row] * (1 - 1e-9)
        false = (len(pooled) - np.searchsorted(pooled, bar) + extra) / (draws + extra)
        found = (observed >= bar).sum()
        best = min(best, false / found)
        q[row] = best
    return [float(min(value, 1.0)) for value in q]


def _tied(before: Values, after: Values) -> bool:
    return bool((before[:, None] == after[None, :]).mean() > 0.1)
