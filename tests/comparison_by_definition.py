"""The figures of a comparison once more, run by run in plain Python, from their definitions alone.

Nothing of the program's statistics is used: a mistake would have to be made twice in two ways.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean, median, quantiles, variance

import numpy as np

from range_by_definition import cents, own_range

Row = Sequence[float]

FLOOR_MS, FLOOR = 5.0, 0.1
MOST_EXACT = 20_000


@dataclass(frozen=True)
class Expected:
    """One row's figures; None where the table gives none."""

    shift: tuple[float, float, float, float, int | None] | None
    """ms, low_ms, high_ms, resolves_ms, runs_needed."""
    holds: bool | None
    q: float | None
    p_family: float | None
    resolves_ms: float | None
    runs_needed: int | None
    verdict: str


# --- the table


def floor_of(before: float) -> float:
    return max(FLOOR_MS, FLOOR * abs(before))


def clears(before: Row, after: Row) -> bool:
    """Whether the row could clear the floor, under the best of all splits."""
    n, pool = len(before), [*before, *after]
    found = sorted(value for value in pool if value)
    for old, new in splits(pool, n):
        if abs(median(new) - median(old)) > floor_of(median(old)):
            return True
    if not found or len(found) == len(pool):
        return False
    could_be_one_sided = len(found) <= max(n, len(after)) and median(found) > FLOOR_MS
    return could_be_one_sided or found[-1] - found[0] > floor_of(found[0])


def splits(pool: Row, n: int) -> Iterator[tuple[list[float], list[float]]]:
    """All of them; of too many the two that part small and large values."""
    if math.comb(len(pool), n) > MOST_EXACT:
        ordered = sorted(pool)
        yield ordered[:n], ordered[n:]
        yield ordered[len(pool) - n :], ordered[: len(pool) - n]
        return
    for chosen in combinations(range(len(pool)), n):
        yield [pool[at] for at in chosen], [pool[at] for at in range(len(pool)) if at not in chosen]


def centred(row: Row) -> list[float]:
    return [value - fmean(row) for value in row]


def squares(row: Row) -> float:
    return sum((value - fmean(row)) ** 2 for value in row)


def equal_pairs(row: Row) -> float:
    pairs = list(combinations(row, 2))
    return sum(a == b for a, b in pairs) / len(pairs)


class Judged:
    """A table of rows that are members of the family, judged together."""

    def __init__(self, rows: Sequence[Row], before: int) -> None:
        self.rows, self.n, self.m = rows, before, len(rows[0]) - before
        self.tied = [self._cross_ties(row) > 0.1 for row in rows]
        self.logs = [
            not tied
            and equal_pairs(row) <= 0.1
            and min(row) > 0
            and min(row) >= median(row) / 20
            and len(set(row)) > 2
            for row, tied in zip(rows, self.tied, strict=True)
        ]
        self.raw = [self._scaled(row, logs) for row, logs in zip(rows, self.logs, strict=True)]
        self.net = [list(row) for row in self.raw]
        self.factor = [0.0] * (self.n + self.m)
        self._take_out_the_run()
        self.prior = self._usual_variance()
        self.labels = self._labels()
        self._level()
        self.every = [[self.statistic(at, after) for after in self.labels] for at in range(len(rows))]
        self.observed = [row[-1] for row in self.every]
        self.largest = [max(abs(row[at]) for row in self.every) for at in range(len(self.labels))]

    def _cross_ties(self, row: Row) -> float:
        pairs = [a == b for a in row[: self.n] for b in row[self.n :]]
        return sum(pairs) / len(pairs)

    def _scaled(self, row: Row, logs: bool) -> list[float]:
        if logs:
            return centred([math.log(value) for value in row])
        level = fmean(map(abs, row))
        return centred([value / level for value in row]) if len(set(row)) > 1 else [0.0] * len(row)

    def _take_out_the_run(self) -> None:
        """What a trace's other rows say about its speed, as far as rows agree and this one goes along."""
        chosen = [at for at, logs in enumerate(self.logs) if logs]
        if len(chosen) < 3:
            return
        strays = {at: [v - median(self.raw[at]) for v in self.raw[at]] for at in chosen}
        spread = {at: 1.4826 * median(map(abs, strays[at])) for at in chosen}
        least = 0.2 * median(spread.values())
        spread = {at: max(one, least) for at, one in spread.items()}
        if min(spread.values()) == 0:
            return
        weight = {at: 1 / one**2 for at, one in spread.items()}
        said = {
            at: [weight[at] * min(max(v, -2 * spread[at]), 2 * spread[at]) for v in strays[at]]
            for at in chosen
        }
        covariances, weights = 0.0, 0.0
        for one in chosen:
            for other in chosen:
                if one != other:
                    covariances += sum(
                        a * b for a, b in zip(centred(said[one]), centred(said[other]), strict=True)
                    )
                    weights += weight[one] * weight[other]
        agreement = covariances / weights / (self.n + self.m - 1)
        if agreement <= 0:
            return
        whole = [sum(said[at][run] for at in chosen) for run in range(self.n + self.m)]
        trust = sum(weight.values()) + 1 / agreement
        self.factor = centred([value / trust for value in whole])
        for at in chosen:
            others = centred(
                [(value - own) / (trust - weight[at]) for value, own in zip(whole, said[at], strict=True)]
            )
            power = sum(value**2 for value in others)
            felt = sum(a * b for a, b in zip(self.raw[at], others, strict=True)) / power
            left = sum((a - felt * b) ** 2 for a, b in zip(self.raw[at], others, strict=True))
            doubt = left / (self.n + self.m - 2) / power
            along = min(max(1 + (felt - 1) / (1 + doubt / 0.25), 0.0), 1.0)
            self.net[at] = [a - along * b for a, b in zip(self.raw[at], others, strict=True)]

    def _usual_variance(self) -> tuple[float, float]:
        """Degrees of freedom borrowed, and the variance they bring (Smyth 2004)."""
        known = [variance(row) for row, logs in zip(self.net, self.logs, strict=True) if logs]
        known = [one for one in known if one > 0]
        if len(known) < 10:
            return 0.0, 0.0
        half = (self.n + self.m - 1) / 2
        excess = variance(map(math.log, known)) - (1 / half + 1 / (2 * half**2) + 1 / (6 * half**3))
        if excess <= 0:
            weight = 30.0
        else:  # where 1/x + 1/(2 x²) is the excess, twice x less two
            x = (1 + math.sqrt(1 + 2 * excess)) / (2 * excess)
            weight = min(max(2 * x - 2, 0.0), 30.0)
        return weight, quantiles(known, n=4, method="inclusive")[0]

    def _labels(self) -> list[tuple[int, ...]]:
        """Which traces count as after, the observed ones last; of equal sides one of each mirror pair.

        Of too many 1,999 are drawn, and the observed one is counted as one more.
        """
        runs = range(self.n + self.m)
        if math.comb(len(runs), self.m) > MOST_EXACT:
            order = np.random.default_rng(0).random((1_999, len(runs))).argsort(axis=1, kind="stable")
            return [*map(tuple, order[:, : self.m].tolist()), tuple(runs[self.n :])]
        every = list(combinations(runs, self.m))
        return [one for one in every if self.n != self.m or 0 not in one]

    def _split(self, row: Row, after: tuple[int, ...]) -> tuple[list[float], list[float]]:
        return [v for at, v in enumerate(row) if at not in after], [row[at] for at in after]

    def _level(self) -> None:
        """Both sides get one spread where one strays more over the whole table than labels explain."""
        chosen = [at for at, logs in enumerate(self.logs) if logs]
        if min(self.n, self.m) < 3 or not chosen:
            return

        def ratio(after: tuple[int, ...]) -> float:
            found = []
            for at in chosen:
                old, new = map(squares, self._split(self.net[at], after))
                tiny = 1e-8 * (old + new) + 1e-300
                found.append(min(max(0.5 * math.log((new + tiny) / (old + tiny)), -4.6), 4.6))
            return fmean(found)

        ratios = [ratio(after) for after in self.labels[:-1][:: max(1, len(self.labels) // 500)]]
        ratios.append(ratio(self.labels[-1]))
        if self.n != self.m:
            ratios = centred(ratios)
        seen = ratios[-1]
        if fmean(abs(one) >= abs(seen) * (1 - 1e-9) for one in ratios) > 0.05:
            return
        noisier = math.exp(seen / 2)
        common = math.sqrt((self.n * noisier**2 + self.m / noisier**2) / (self.n + self.m))

        def even(row: Row) -> list[float]:
            old, new = row[: self.n], row[self.n :]
            return [fmean(old) + (v - fmean(old)) * common * noisier for v in old] + [
                fmean(new) + (v - fmean(new)) * common / noisier for v in new
            ]

        for at in chosen:
            self.raw[at], self.net[at] = even(self.raw[at]), even(self.net[at])
        self.factor = even(self.factor)

    def _error(self, old: Row, new: Row, prior: tuple[float, float]) -> float:
        weight, usual = prior
        one, two = squares(old), squares(new)
        both = (one + two + weight * usual) / (self.n + self.m - 2 + weight)
        if self.n == self.m:
            return math.sqrt(2 * both / self.n)
        return math.sqrt((one + 2 * both) / (self.n + 1) / self.n + (two + 2 * both) / (self.m + 1) / self.m)

    def reading(self, at: int, after: tuple[int, ...]) -> tuple[float, float]:
        """The row's move on its scale that counts, and its error; 0 for sides without spread."""

        def moved(row: Row) -> float:
            old, new = self._split(row, after)
            return fmean(new) - fmean(old)

        raw, net = moved(self.raw[at]), moved(self.net[at])
        chance = 2 * self._error(*self._split(self.factor, after), (0.0, 0.0))
        reduced = raw - min(max(raw - net, -chance), chance)
        effect = math.copysign(min(abs(raw), abs(reduced)), raw) if raw * reduced > 1e-24 else 0.0
        old, new = self._split(self.net[at], after)
        if squares(old) + squares(new) <= 1e-6 * squares([*old, *new]):
            return effect, 0.0
        return effect, self._error(old, new, self.prior)

    def statistic(self, at: int, after: tuple[int, ...]) -> float:
        effect, error = self.reading(at, after)
        if error:
            return effect / error
        return math.copysign(math.inf, effect) if effect else 0.0

    # What is read from the statistics.

    def p_family(self, at: int) -> float:
        bar = abs(self.observed[at]) * (1 - 1e-9)
        return fmean(one >= bar for one in self.largest)

    def q(self, at: int) -> float:
        def false_share(bar: float) -> float:
            reached = sum(abs(t) >= bar for row in self.every for t in row) / len(self.labels)
            return reached / sum(abs(t) >= bar for t in self.observed)

        own = abs(self.observed[at]) * (1 + 1e-9)
        return min(1.0, *(false_share(abs(t) * (1 - 1e-9)) for t in self.observed if abs(t) <= own))

    @property
    def bar(self) -> float | None:
        """Just over the largest statistic of the most extreme labelling that is one too many."""
        allowed = math.floor(0.05 * len(self.labels) + 1e-9)
        over = sorted(self.largest)[-1 - allowed]
        return over if allowed and math.isfinite(over) else None

    def resolves(self, at: int) -> float | None:
        if self.bar is None:
            return None
        effect, error = self.reading(at, self.labels[-1])
        move = self.bar * error
        row = self.rows[at]
        if not self.logs[at]:
            return move * fmean(map(abs, row))
        return median(row[: self.n]) * abs(math.expm1(-move if effect < 0 else move))

    def runs_needed(self, at: int) -> int | None:
        """First number of runs a side at which the statistic, grown by its root, passes the bar then."""
        bar = self.bar if self.bar is not None else max(filter(math.isfinite, self.largest), default=0.0)
        size, borrowed = abs(self.observed[at]), self.prior[0]
        if self.p_family(at) <= 0.05 or size <= 0:
            return None
        now = 2 * self.n * self.m / (self.n + self.m)
        freedom = self.n + self.m - 2 + borrowed
        normal = (8 * freedom + 1) / (8 * freedom + 3) * math.sqrt(freedom * math.log1p(bar**2 / freedom))

        def enough(runs: int) -> bool:
            then = 2 * runs - 2 + borrowed
            power = (normal * (8 * then + 3) / (8 * then + 1)) ** 2 / then
            return power < 700 and size * math.sqrt(runs / now) >= math.sqrt(then * math.expm1(power))

        ladder = range(max(math.floor(now) + 1, 5), 1_000_000)
        first = bisect_left(ladder, True, key=enough)  # noqa: FBT003 - enough() turns true once
        return ladder[first] if first < len(ladder) else None


def expected(before: Sequence[Row], after: Sequence[Row]) -> list[Expected]:
    """The figures of every row of a table whose runs were all measured; 0 where a run lacks the row."""
    members = [at for at, sides in enumerate(zip(before, after, strict=True)) if clears(*sides)]
    tested = Judged([[*before[at], *after[at]] for at in members], len(before[0])) if members else None
    found = []
    for at, (old, new) in enumerate(zip(before, after, strict=True)):
        place = members.index(at) if at in members else None
        found.append(_row(old, new, tested, place))
    return found


def _row(old: Row, new: Row, table: Judged | None, at: int | None) -> Expected:
    had = [[value for value in side if value] for side in (old, new)]
    one_sided = not all(had)
    told = min(len(old), len(new)) > 1  # a report of one run does not say in which part of its runs
    if one_sided or (told and len(had[0]) * len(new) != len(had[1]) * len(old)):
        compared_old, compared_new = old, new
    else:
        compared_old, compared_new = had
    levels = [cents(median(side)) for side in (compared_old, compared_new)]
    if one_sided:  # what the side that has it says of the runs that have it
        levels = [cents(median(side)) if side else 0.0 for side in had]
    delta = cents(levels[1] - levels[0])
    own = None if one_sided else own_range(compared_old, compared_new)
    holds = None if own is None else own[1] > 0 or own[2] < 0
    if table is None or at is None:
        return Expected(own, holds, None, None, None, None, "can't tell" if one_sided else "no change")
    p, resolves, needed = table.p_family(at), table.resolves(at), table.runs_needed(at)
    floor = FLOOR_MS if one_sided else floor_of(levels[0])
    if one_sided:
        kind = "new" if delta > 0 else "gone"
        verdict = kind if p <= 0.05 and abs(delta) > floor else "can't tell"
    elif p <= 0.05 and abs(delta) > floor:
        agree = delta * table.observed[at] > 0
        verdict = ("slower" if delta > 0 else "faster") if agree else "can't tell"
    elif p <= 0.05 or (resolves is not None and cents(resolves) <= floor):
        verdict = "no change"
    else:
        verdict = "can't tell"
    return Expected(
        own,
        holds,
        table.q(at),
        p,
        resolves,
        _settling(
            table, at, needed, None if resolves is None else cents(resolves), delta, floor_of(levels[0])
        ),
        verdict,
    )


def _settling(
    table: Judged, at: int, needed: int | None, resolves: float | None, delta: float, floor: float
) -> int | None:
    """Runs that would make the move a finding, or one as large as the floor visible."""
    if table.p_family(at) <= 0.05:
        return None
    if abs(delta) > floor or resolves is None:
        return needed
    if resolves <= floor:
        return None
    runs = 2 * table.n * table.m / (table.n + table.m)
    visible = max(math.floor(runs) + 1, math.ceil(runs * (resolves / floor) ** 2))
    return visible if needed is None else min(needed, visible)
