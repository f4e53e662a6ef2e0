"""One joint relabelling of a whole table: what is real among all its rows at once.

The traces behind all rows are the same, so they are relabelled together, and whatever makes rows go
together is in every relabelling. ``p_family`` is Westfall and Young's single-step figure (1993), ``q``
the share of false findings after Tusher, Tibshirani and Chu (2001) with all rows taken as unmoved.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from echolot_tui.frozen import Frozen
from echolot_tui.stats.labels import ALPHA, Headroom, Method, Relabellings, fewest_runs, relabellings
from echolot_tui.stats.plan import Plan
from echolot_tui.stats.pooled import HEAVILY_TIED, Flags, Pooled, pool
from echolot_tui.stats.shift import Values, median
from echolot_tui.stats.statistic import Reading, Table

_REACHES: Final = 1 - 1e-9
"""A statistic this close below another one reaches it."""

_CHUNK: Final = 250_000
"""Rows times labellings looked at in one go."""


class RowTest(Frozen, frozen=True, kw_only=True):
    """What the table says about one row."""

    statistic: float
    """Signed: positive when after is slower. Infinite for sides without spread that differ."""
    p: float
    """Of the row alone, uncorrected."""
    q: float
    p_family: float
    move_ms: float
    """The move the statistic is read from, signed, from the median before."""
    resolves_ms: float | None
    """Smallest ``move_ms`` in the row's direction that would be a finding; null when none would be."""
    runs_needed: int | None
    """About how many traces a side would make this move a finding; null when it is one or there is none."""
    tied: bool
    """Over a tenth of the pairs across the sides are equal: judged by the means."""

    @property
    def found(self) -> bool:
        """Whether the row is a finding of its table."""
        return self.p_family <= ALPHA


class TableTest(Frozen, frozen=True, kw_only=True):
    """What relabelling says about a table."""

    rows: tuple[RowTest, ...]
    method: Method
    relabellings: int
    """All of them, mirror images included, or as many as were drawn."""
    seed: int | None
    """Null when nothing was drawn."""
    smallest_p: float
    critical: float | None
    """A row whose statistic is at least this is a finding; null when none can be."""
    headroom: Headroom
    fewest_runs: int
    """Traces a side below which a finding rests on one single split of the runs, or cannot be."""


def heavily_tied(before: Sequence[float] | Values, after: Sequence[float] | Values) -> bool:
    """Whether more than a tenth of the pairs of a run before and a run after are equal."""
    return bool(np.mean(np.equal.outer(np.asarray(before), np.asarray(after))) > HEAVILY_TIED)


def relabel(
    values: Values, *, after: Sequence[bool], seed: int, trace: Sequence[int] | None = None
) -> TableTest | None:
    """Test all rows of one table together.

    Args:
        values: Rows x runs, milliseconds, 0 where a run lacks the row.
        after: Per run whether it is of the side after.
        seed: Of the relabellings when they are too many to look at all.
        trace: Per run the trace it is an occurrence in, counted per side; None when each run is a trace
            of its own. Occurrences of one trace are averaged, and only traces are relabelled.

    Returns:
        None when there are no rows, a side has no runs, or there are fewer than three traces.
    """
    old, new = _traces(values, after, trace)
    before = old.shape[1]
    if not len(values) or not before or not new.shape[1] or before + new.shape[1] < 3:
        return None
    tied = np.array([heavily_tied(*sides) for sides in zip(old, new, strict=True)])
    labels = relabellings(before, new.shape[1], seed)
    table = Table(pooled=pool(np.hstack([old, new]), tied), before=before, after=new.shape[1])
    table = table.levelled(labels.after)
    null = _look_at_all(table, labels)
    return TableTest(
        rows=_row_tests(table, labels, null, old, tied),
        method=labels.method,
        relabellings=labels.count,
        seed=seed if labels.method == "drawn" else None,
        smallest_p=labels.smallest_p,
        critical=null.critical(labels),
        headroom=labels.headroom,
        fewest_runs=fewest_runs(),
    )


def _traces(values: Values, after: Sequence[bool], trace: Sequence[int] | None) -> tuple[Values, Values]:
    """Rows x traces of each side, in order of first appearance; occurrences averaged."""
    sides = []
    for side in (False, True):
        runs = [at for at, is_after in enumerate(after) if bool(is_after) is side]
        groups: dict[int, list[int]] = {}
        for run in runs:
            groups.setdefault(run if trace is None else trace[run], []).append(run)
        means = [values[:, group].mean(axis=1) for group in groups.values()]
        sides.append(np.array(means, dtype=np.float64).reshape(len(means), len(values)).T)
    return sides[0], sides[1]


@dataclass(slots=True, eq=False)
class _Null:
    """Counts over all labellings, the observed one included."""

    observed: Reading
    reached: Values
    """Rows: labellings in which the row's own statistic reaches the observed one."""
    pooled: Values
    """Rows: over all rows and labellings, statistics that reach the row's observed one."""
    largest: Values
    """Labellings: largest statistic of the table."""

    def critical(self, labels: Relabellings) -> float | None:
        """Smallest statistic that is a finding; see ``p_family``.

        At most ``allowed`` labellings may have a largest statistic that reaches it, so it lies just above
        the next one. Then "at least the critical value" and "``p_family`` of at most 5 %" are the same
        statement for every statistic, which they would not be for the smallest of those allowed.
        """
        if not labels.allowed:
            return None
        bar = np.sort(self.largest)[-1 - labels.allowed]
        return float(np.nextafter(bar / _REACHES, math.inf)) if math.isfinite(bar) else None


def _look_at_all(table: Table, labels: Relabellings) -> _Null:
    observed = table.read(labels.after[-1:])
    thresholds = np.abs(observed.t[:, 0]) * _REACHES
    ladder = np.sort(thresholds)
    rows, total = len(thresholds), len(labels.after)
    reached, steps = np.zeros(rows), np.zeros(rows + 1)
    largest = np.empty(total)
    for part, reading in _readings(table, labels.after, observed):
        size = np.abs(reading.t)
        reached += (size >= thresholds[:, None]).sum(axis=1)
        steps += np.bincount(np.searchsorted(ladder, size.ravel(), side="right"), minlength=rows + 1)
        largest[part] = size.max(axis=0)
    over = np.cumsum(steps[::-1])[::-1]  # over[k]: statistics that reach at least k steps of the ladder
    return _Null(
        observed=observed,
        reached=reached,
        pooled=over[np.searchsorted(ladder, thresholds) + 1],
        largest=largest,
    )


def _readings(table: Table, labels: Values, observed: Reading) -> Iterator[tuple[slice, Reading]]:
    """All labellings in pieces, the last as it was read by itself: rounding must not part the two."""
    others = len(labels) - 1
    step = max(1, _CHUNK // len(observed.t))
    for start in range(0, others, step):
        part = slice(start, min(start + step, others))
        yield part, table.read(labels[part])
    yield slice(others, None), observed


def _row_tests(
    table: Table, labels: Relabellings, null: _Null, before: Values, tied: Flags
) -> tuple[RowTest, ...]:
    pooled, observed, total = table.pooled, null.observed, len(labels.after)
    statistic, effect, error = observed.t[:, 0], observed.effect[:, 0], observed.error[:, 0]
    size = np.abs(statistic)
    p_family = _share_reaching(null.largest, size)
    q = _false_shares(size, null.pooled / total)
    critical = null.critical(labels)
    plan = _plan(table, critical, null.largest)
    tests = []
    for at, scale in enumerate(_scales(pooled, before, effect)):
        found = p_family[at] <= ALPHA
        tests.append(
            RowTest(
                statistic=float(statistic[at]) + 0.0,
                p=float(null.reached[at] / total),
                q=float(q[at]),
                p_family=float(p_family[at]),
                move_ms=math.copysign(scale.ms(float(abs(effect[at]))), effect[at]) + 0.0,
                resolves_ms=None if critical is None else scale.ms(float(critical * error[at])),
                runs_needed=None if found else plan.runs_needed(float(size[at])),
                tied=bool(tied[at]),
            )
        )
    return tuple(tests)


@dataclass(frozen=True, slots=True)
class _Scale:
    """What a move on the table's scale is in milliseconds of one row."""

    level: float
    direction: Literal[1, -1] | None
    """None where the scale is not logarithmic."""

    def ms(self, move: float) -> float:
        """A move up or down, by its size; a logarithm so large that it says nothing stays finite."""
        if self.direction is None:
            return self.level * move
        return self.level * abs(math.expm1(self.direction * min(move, 50.0)))


def _scales(pooled: Pooled, before: Values, effect: Values) -> list[_Scale]:
    return [
        _Scale(level=median(row), direction=-1 if moved < 0 else 1)
        if logs
        else _Scale(level=float(level), direction=None)
        for row, moved, logs, level in zip(before, effect, pooled.logs, pooled.level, strict=True)
    ]


def _plan(table: Table, critical: float | None, largest: Values) -> Plan:
    """With the critical value, or where there is none the largest statistic any labelling gave."""
    finite = largest[np.isfinite(largest)]
    bar = critical if critical is not None else float(finite.max(initial=0.0))
    return Plan(
        bar=bar,
        before=table.before,
        after=table.after,
        borrowed=table.pooled.prior_weight,
        fewest=fewest_runs(),
    )


def _share_reaching(largest: Values, size: Values) -> Values:
    """Per row the share of labellings whose largest statistic reaches it."""
    below = np.searchsorted(np.sort(largest), size * _REACHES, side="left")
    share: Values = (len(largest) - below) / len(largest)
    return share


def _false_shares(size: Values, false: Values) -> Values:
    """q: the least share of false findings over all bars that let the row through.

    Args:
        size: Rows, observed statistics in size.
        false: Rows, statistics a labelling shows at the row's own bar, averaged over labellings.
    """
    order = np.argsort(-size, kind="stable")
    found = np.searchsorted(np.sort(-size), -size * _REACHES, side="right")
    shares = np.minimum(false / found, 1.0)
    least = np.empty_like(shares)
    least[order] = np.minimum.accumulate(shares[order][::-1])[::-1]
    return least
