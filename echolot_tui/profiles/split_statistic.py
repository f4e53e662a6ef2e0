"""How clearly parts of the tree differ between the sides, under every labelling of the runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from echolot_tui.profiles.stacks import Floats

_SPREADLESS: Final = 1e-12
_FEWEST_BESIDE: Final = 5
"""Runs under which a regression on the rest and the group leaves nothing to judge by."""


class Reading(NamedTuple):
    """Rows x labellings."""

    t: Floats
    error: Floats
    """Standard error ``t`` was read with."""


@dataclass(frozen=True, slots=True, eq=False)
class SplitStatistic:
    """Welch's t, and the group's part of a regression on everything else where that is clearer.

    A machine that wobbles moves every part of a run alike, and beside the rest of the run the wobble is
    gone; the leading component of the spread would not do, since it cannot tell a move of one side from
    wobble. Where the rest moved by itself, the plain t is the clearer one. Relabelled runs get that choice.

    Attributes:
        whole: Per run, everything.
        adjusted: Whether the second way is tried.
    """

    whole: Floats
    adjusted: bool

    def read(self, rows: Floats, labels: Floats) -> Reading:
        """Statistics of rows under labellings.

        Args:
            rows: Rows x runs.
            labels: Labellings x runs, 1.0 for after.
        """
        plain = welch(rows, labels)
        if not self.adjusted or rows.shape[1] < _FEWEST_BESIDE:
            return plain
        other = beside(rows, self.whole - rows, labels)
        clearer = np.abs(other.t) > np.abs(plain.t)
        return Reading(np.where(clearer, other.t, plain.t), np.where(clearer, other.error, plain.error))


def welch(rows: Floats, labels: Floats) -> Reading:
    """Difference of means over its standard error with each side's own variance (Welch 1947)."""
    n = rows.shape[1]
    after = labels.sum(axis=1)
    before = n - after
    centred = rows - rows.mean(axis=1, keepdims=True)
    total = centred @ labels.T
    squares = centred**2 @ labels.T
    everything = (centred**2).sum(axis=1, keepdims=True)
    spread_after = np.maximum(squares - total**2 / after, 0.0)
    spread_before = np.maximum(everything - squares - total**2 / before, 0.0)
    effect = total * (1 / after + 1 / before)
    variance = spread_after / ((after - 1) * after) + spread_before / ((before - 1) * before)
    none = spread_after + spread_before <= _SPREADLESS * np.maximum(everything, 1e-300)
    return Reading(_over(effect, np.sqrt(variance), none), np.where(none, 0.0, np.sqrt(variance)))


def beside(rows: Floats, rest: Floats, labels: Floats) -> Reading:
    """The group's coefficient over its error, beside the rest of the run (least squares)."""
    n = rows.shape[1]
    y = rows - rows.mean(axis=1, keepdims=True)
    x = rest - rest.mean(axis=1, keepdims=True)
    group = labels - labels.mean(axis=1, keepdims=True)
    xx = (x**2).sum(axis=1, keepdims=True)
    known = xx > _SPREADLESS * np.maximum((rest**2).sum(axis=1, keepdims=True), 1e-300)
    over = np.where(known, xx, 1.0)
    xg = np.where(known, x @ group.T, 0.0)
    xy = np.where(known, (x * y).sum(axis=1, keepdims=True), 0.0)
    everything = (y**2).sum(axis=1, keepdims=True)
    group_left = np.maximum((group**2).sum(axis=1) - xg**2 / over, 1e-12)
    y_left = np.maximum(everything - xy**2 / over, 0.0)
    both = y @ group.T - xy * xg / over
    effect = both / group_left
    residual = np.maximum(y_left - both**2 / group_left, 0.0)
    freedom = n - 2 - known
    error = np.sqrt(residual / freedom / group_left)
    none = residual <= _SPREADLESS * np.maximum(everything, 1e-300)
    return Reading(_over(effect, error, none), np.where(none, 0.0, error))


def _over(effect: Floats, error: Floats, none: Floats) -> Floats:
    """The quotient; infinite where there is a difference and no spread, zero where there is neither."""
    flat = none.astype(bool)
    t = np.divide(effect, error, out=np.zeros_like(effect), where=~flat)
    size = np.abs(effect)
    return np.where(
        flat & (size > 1e-12 * np.maximum(size.max(initial=0.0), 1e-300)), np.copysign(np.inf, effect), t
    )
