"""One number per row and labelling: how clearly the row's traces after differ from its traces before."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from echolot_tui.stats.labels import ALPHA
from echolot_tui.stats.pooled import Flags, Pooled
from echolot_tui.stats.shift import Values

_CHANCE: Final = 2.0
"""Standard errors of the run factor's own move that count as chance."""

_OWN_SIDE: Final = 2.0
"""Degrees of freedom by which a side's variance is drawn to both sides' where the sides differ in size."""

_NO_SPREAD: Final = 1e-6
"""Part of a row's sum of squares below which its sides count as without spread. A spread of a thousandth of
the difference; what is less drowns in rounding, and then equal labellings would not tie."""

_ROUNDING: Final = 1e-12
"""Moves this small on a table's scale, where values are about 1, are no moves: sums in another order."""

_SPREAD_LABELLINGS: Final = 500


class Reading(NamedTuple):
    """Rows x labellings, on the table's scale."""

    t: Values
    """``effect`` over ``error``; infinite for sides without spread that differ."""
    effect: Values
    """The row's move that counts; see ``read``."""
    error: Values
    """Its standard error."""


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A pooled table and the sizes of its sides; traces before stand first."""

    pooled: Pooled
    before: int
    after: int

    def read(self, labels: Values) -> Reading:
        """Statistics of every row under every labelling.

        A trace's own speed is in all its rows. Taking it out makes the rows quieter; taking it out whole
        would also take out a build that is slower everywhere. So a row's move loses the run factor's move
        only as far as chance explains that one (two standard errors), and what counts is the smaller of
        the row's move as it is and the move so reduced, 0 where the two disagree about the direction. The
        error is that of the row without the run factor.

        Args:
            labels: Labellings x traces, 1.0 for after.
        """
        raw = self._difference(self.pooled.raw, labels)
        net, squares = self._difference_and_squares(self.pooled.net, labels)
        _, factor_squares = self._difference_and_squares(self.pooled.factor[None, :], labels)
        reach = _CHANCE * self._error(*factor_squares, 0.0, 0.0)
        reduced = raw - np.clip(raw - net, -reach, reach)
        agree = raw * reduced > 0
        size = np.minimum(np.abs(raw), np.abs(reduced))
        effect = np.where(agree & (size > _ROUNDING), np.sign(raw) * size, 0.0)
        error = self._error(*squares, self.pooled.prior_variance, self.pooled.prior_weight)
        spreadless = self._spreadless(squares, net)
        return Reading(
            t=_over(effect, error, spreadless),
            effect=effect,
            error=np.where(spreadless, 0.0, error),
        )

    def _difference(self, values: Values, labels: Values) -> Values:
        """Mean after minus mean before; rows have mean 0, so one sum gives both."""
        difference: Values = values @ labels.T * (1 / self.after + 1 / self.before)
        return difference

    def _difference_and_squares(self, values: Values, labels: Values) -> tuple[Values, tuple[Values, Values]]:
        """Difference of the means, and each side's sum of squares around its own mean."""
        total = values @ labels.T
        squares = (values**2) @ labels.T
        whole = (values**2).sum(axis=1, keepdims=True)
        before = np.maximum(whole - squares - total**2 / self.before, 0.0)
        after = np.maximum(squares - total**2 / self.after, 0.0)
        return total * (1 / self.after + 1 / self.before), (before, after)

    def _error(self, before: Values, after: Values, variance: float, weight: float) -> Values:
        """Standard error of a difference of means from both sides' sums of squares."""
        freedom = self.before + self.after - 2
        both = (before + after + weight * variance) / (freedom + weight)
        if self.before == self.after:
            return np.sqrt(both * (2 / self.before))
        own_before = (before + _OWN_SIDE * both) / (self.before - 1 + _OWN_SIDE)
        own_after = (after + _OWN_SIDE * both) / (self.after - 1 + _OWN_SIDE)
        return np.sqrt(own_before / self.before + own_after / self.after)

    def _spreadless(self, squares: tuple[Values, Values], difference: Values) -> Flags:
        between = difference**2 * (self.before * self.after / (self.before + self.after))
        within = squares[0] + squares[1]
        flags: Flags = within <= _NO_SPREAD * (within + between)
        return flags

    def levelled(self, labels: Values) -> Table:
        """Give both sides the same spread when one is noisier over the whole table.

        Relabelling assumes that, without a move, a trace could have stood on either side. A side recorded
        on a restless machine breaks that for all rows at once: with twice the spread, unchanged tables of
        60 rows showed findings in one of six comparisons at five a side, in half of them at four against
        twelve. So the ratio of the sides' spreads, averaged over the rows, is held against the same ratio
        under the relabellings, and where it stands out, each side's strays are stretched to a common
        spread. Means stay, and the strays are scaled so that the error of their difference stays right.

        Args:
            labels: Labellings x traces; the last one is the observed.
        """
        rows = self.pooled.logs
        if min(self.before, self.after) < 3 or not rows.any():
            return self
        some = labels[:-1][:: max(1, len(labels) // _SPREAD_LABELLINGS)]
        _, squares = self._difference_and_squares(self.pooled.net[rows], np.vstack([some, labels[-1:]]))
        ratios = _log_ratio(*squares).mean(axis=0)
        if self.before != self.after:  # of equal sides only one of a labelling and its mirror may be here
            ratios -= ratios.mean()
        ratio = float(ratios[-1])
        if np.mean(np.abs(ratios) >= abs(ratio) * (1 - 1e-9)) > ALPHA:
            return self
        before, after = math.exp(-ratio / 2), math.exp(ratio / 2)
        common = math.sqrt((self.before * after**2 + self.after * before**2) / (self.before + self.after))
        stretch = np.repeat([common / before, common / after], [self.before, self.after])
        return replace(self, pooled=self._stretched(stretch))

    def _stretched(self, stretch: Values) -> Pooled:
        """Rows read as logarithms with every stray from its side's mean times ``stretch``."""
        pooled, rows = self.pooled, self.pooled.logs[:, None]
        return replace(
            pooled,
            raw=np.where(rows, self._stretch(pooled.raw, stretch), pooled.raw),
            net=np.where(rows, self._stretch(pooled.net, stretch), pooled.net),
            factor=self._stretch(pooled.factor[None, :], stretch)[0],
        )

    def _stretch(self, values: Values, stretch: Values) -> Values:
        means = np.empty_like(values)
        means[:, : self.before] = values[:, : self.before].mean(axis=1, keepdims=True)
        means[:, self.before :] = values[:, self.before :].mean(axis=1, keepdims=True)
        return means + (values - means) * stretch


def _log_ratio(before: Values, after: Values) -> Values:
    """Logarithm of the ratio of two spreads from sums of squares; a row counts at most a factor of 100."""
    tiny = 1e-8 * (before + after) + 1e-300
    return np.clip(0.5 * np.log((after + tiny) / (before + tiny)), -4.6, 4.6)


def _over(effect: Values, error: Values, spreadless: Flags) -> Values:
    t = np.divide(effect, error, out=np.zeros_like(effect), where=~spreadless)
    return np.where(spreadless & (effect != 0), np.copysign(np.inf, effect), t)
