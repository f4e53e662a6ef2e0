"""Random series and bases against the rules written out again; only chance levels of splits are shared."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from statistics import median

import numpy as np
import pytest

from echolot_tui.history.branch import read_branch
from echolot_tui.history.chance import chance_of
from echolot_tui.history.finding import Line
from echolot_tui.history.judge import judge_history
from echolot_tui.history.levels import Levels
from echolot_tui.history.series import Series, SetName, level_at
from echolot_tui.history.turns import Turner, compare_turns
from echolot_tui.stats.ranks import doubled_ranks

FLOOR = 1.0

Row = list[float]


def share_agreeing(old: Row, new: Row, *, rise: bool) -> float:
    pairs = [(a, b) for a in old for b in new]
    up = sum((b > a) + (b == a) / 2 for a, b in pairs) / len(pairs)
    return up if rise else 1 - up


def apart(old: Row, new: Row) -> bool:
    move = median(new) - median(old)
    far = abs(move) >= max(FLOOR, 0.05 * abs(median(old)))
    return move != 0 and far and share_agreeing(old, new, rise=move > 0) >= 0.95


def split_of(values: Row) -> int:
    """The first prefix whose rank sum is furthest from what chance expects."""
    rank = [sum(b < a for b in values) + (sum(b == a for b in values) + 1) / 2 for a in values]
    n = len(values)
    far = [abs(sum(rank[:t]) - t * (n + 1) / 2) for t in range(1, n)]
    return 1 + next(at for at, one in enumerate(far) if one == max(far))


def boundaries(values: Row, first: int, alpha: float) -> list[int]:
    if len(values) < 2 or len(set(values)) == 1:
        return []
    at = split_of(values)
    found = []
    if 5 <= at <= len(values) - 5 and apart(values[:at], values[at:]):
        ranks = doubled_ranks(np.array(values))
        if chance_of(ranks, at, accept=alpha, reject=alpha).level < alpha:
            found = [first + at]
    return [*boundaries(values[:at], first, alpha), *found, *boundaries(values[at:], first + at, alpha)]


def regime_of(base: Row) -> tuple[int, bool]:
    """First base level of the current stretch, and whether that cannot be told."""
    if len(base) < 20:
        return 0, False
    selectors = base[0::2]
    regimes = len(selectors) // 5
    alpha = 0.05 / max(1, regimes * (regimes - 1) // 2)
    newest = max(boundaries(selectors, 0, alpha), default=0)
    for _ in range(regimes - 1 if newest else 0):
        newest = max(newest, *boundaries(selectors[newest:], newest, alpha), 0)
    current = selectors[newest:]
    tails = [k for k in (2, 3, 4) if len(current) >= k + 5]
    return 2 * newest, any(apart(current[-k - 5 : -k], current[-k:]) for k in tails)


def excess_of(references: Row, value: float) -> float:
    """Signed distance beyond the range, 0 where it is none that counts."""
    edge = max(references) if value > max(references) else min(references)
    excess = value - edge
    outside = value > max(references) or value < min(references)
    return excess if outside and abs(excess) >= max(FLOOR, 0.05 * abs(edge)) else 0.0


def base_of(rng: np.random.Generator, many: int) -> Row:
    level, values = 100.0, []
    while len(values) < many:
        stretch = int(rng.integers(3, 30))
        values += (level * (1 + rng.choice([0.005, 0.02, 0.06]) * rng.normal(size=stretch))).tolist()
        level = float(rng.choice([100.0, 108.0, 130.0, 70.0]))
    return [round(value, 1) for value in values[:many]]


@pytest.mark.parametrize("many", [10, 19, 20, 31, 40, 52])
def test_the_stretch_the_range_and_the_excess(many: int) -> None:
    rng = np.random.default_rng(many)
    moved = unresolved = outside = 0
    for _ in range(40):
        base = base_of(rng, many)
        value = round(float(rng.choice(base)) * float(rng.choice([0.8, 0.94, 1.0, 1.06, 1.2])), 1)
        start, open_end = regime_of(base)
        found = read_branch(Levels.of(base), Levels.of([value]), FLOOR)
        assert (found.regime.start, found.regime.unresolved) == (start, open_end)
        current = base[start:]
        assert (found.low, found.high, found.references) == (min(current), max(current), len(current))
        if not open_end:
            excess = excess_of(current, value)
            assert (found.excursion.excess if found.excursion else 0.0) == excess
            outside += excess != 0
        moved, unresolved = moved + (start > 0), unresolved + open_end
    assert outside > 5
    assert (moved > 0) == (many >= 20)


def turner_of(base: Row, value: float, first: int) -> Turner:
    """A base that is measured from commit ``first`` on."""
    reading = read_branch(Levels.of(base), Levels.of([value]), FLOOR)
    start = reading.regime.start
    return Turner(
        current=Levels.of(base[start:]),
        commits=tuple(range(first + start, first + len(base))),
        first=start,
        context=Levels.of([value]),
        excursion=reading.excursion,
        floor=FLOOR,
    )


def trend_of(values: Row) -> tuple[float, float, float]:
    """p of a trend, slope and intercept of the robust line: by scipy."""
    from scipy.stats import kendalltau, theilslopes

    slope = float(theilslopes(values).slope)
    p = float(kendalltau(range(len(values)), values, method="exact").pvalue)
    return p, slope, median(value - slope * at for at, value in enumerate(values))


def drifts(values: Row) -> bool:
    """A trend that chance rarely shows and that moves a twentieth."""
    p, slope, _ = trend_of(values)
    return p < 0.05 and abs(slope) * (len(values) - 1) >= 0.05 * median(values)


def test_turns_of_past_commits() -> None:
    """Two bases that overlap: which commits compare, and how many show as much."""
    rng = np.random.default_rng(5)
    compared = 0
    for _ in range(60):
        many, shift = int(rng.integers(20, 34)), 2 * int(rng.integers(0, 4))
        bases = [(100 * (1 + 0.04 * rng.standard_t(2, many))).tolist() for _ in range(2)]
        values = [float(100 * rng.choice([0.85, 1.0, 1.12])) for _ in bases]
        turners = [
            turner_of(base, value, shift * at)
            for at, (base, value) in enumerate(zip(bases, values, strict=True))
        ]
        if any(regime_of(base)[1] for base in bases):
            continue  # not judged, so no turn of its is looked at
        if any(drifts(one.current.values.tolist()) for one in turners):
            continue
        reference = [{c for at, c in enumerate(one.commits) if (one.first + at) % 2 == 1} for one in turners]
        both = reference[0] & reference[1]
        best = max(
            (len(series), len(set.intersection(*(reference[at] for at in series))), series)
            for many_series in (1, 2)
            for series in combinations(range(2), many_series)
            if len(set.intersection(*(reference[at] for at in series))) >= 5
        )
        found = compare_turns(turners)
        assert found is not None
        if len(both) >= 5:
            assert (found.series, found.commits) == ((0, 1), tuple(sorted(both)))
        else:
            assert (len(found.series), len(found.commits)) == best[:2]

        def score(excess: float, references: Row) -> float:
            edge = max(references) if excess > 0 else min(references)
            return abs(excess) / max(abs(edge), FLOOR / 0.05) if excess else 0.0

        branch = 0.0
        turns = dict.fromkeys(found.commits, 0.0)
        for at in found.series:
            current, commits = turners[at].current.values.tolist(), turners[at].commits
            branch += score(excess_of(current, values[at]), current)
            for commit in found.commits:
                place = commits.index(commit)
                others = [*current[:place], *current[place + 1 :], values[at]]
                turns[commit] += score(excess_of(others, current[place]), others)
        assert found.as_extreme == sum(turn >= branch * (1 - 1e-9) for turn in turns.values())
        compared += 1
    assert compared > 25


@dataclass(frozen=True)
class Candidate:
    """What one series would report."""

    method: str
    baseline: float
    latest: float
    chance: float
    at: int


def large(move: float, start: float, residual: float) -> bool:
    return abs(move) >= max(0.03 * abs(start), FLOOR) and abs(move) > 3 * residual


def step_of(values: Row) -> tuple[Candidate, float] | None:
    """The step before its chance is known, and what it leaves."""
    at = split_of(values)
    old, new = values[:at], values[at:]
    if min(len(old), len(new)) < 5:
        return None
    start, end = median(old), median(new)
    residual = median([*(abs(v - start) for v in old), *(abs(v - end) for v in new)])
    if not large(end - start, start, residual) or share_agreeing(old, new, rise=end > start) < 0.85:
        return None
    newest = values[-5:]
    now = median(newest) - start
    still = now / (end - start) > 0.5 and abs(now) >= max(0.03 * abs(start), FLOOR)
    if not still or share_agreeing(old, newest, rise=end > start) < 0.85:
        return None
    return Candidate("step", start, end, 1.0, at), residual


def drift_of(values: Row) -> tuple[Candidate, float] | None:
    p, slope, start = trend_of(values)
    end = start + slope * (len(values) - 1)
    residual = median(abs(v - start - slope * at) for at, v in enumerate(values))
    if 2 * p >= 0.05 or not large(end - start, start, residual):
        return None
    if (median(values[-5:]) - start) / (end - start) <= 0.5:
        return None
    return Candidate("drift", start, end, 2 * p, len(values) - 1), residual


def candidate_of(values: Row) -> Candidate | None:
    step, drift = step_of(values), drift_of(values)
    if step is not None and (drift is None or drift[1] >= step[1]):
        chance = 2 * chance_of(doubled_ranks(np.array(values)), step[0].at, accept=0.0, reject=0.025).level
        if chance < 0.05:
            return Candidate("step", step[0].baseline, step[0].latest, chance, step[0].at)
    return None if drift is None else drift[0]


def reported(batch: list[Row]) -> dict[int, Candidate]:
    """Rises only, then the largest rank whose chance is at most its share of a tenth."""
    found = {at: one for at, values in enumerate(batch) if (one := candidate_of(values))}
    rises = {at: one for at, one in found.items() if one.latest > one.baseline}
    order = sorted(rises, key=lambda at: rises[at].chance)
    last = max(
        (rank for rank, at in enumerate(order, 1) if rises[at].chance <= rank / len(batch) * 0.1), default=0
    )
    return {at: rises[at] for at in order[:last]}


def series_of(rng: np.random.Generator, many: int) -> Row:
    noise = 1 + rng.choice([0.005, 0.02, 0.04]) * rng.normal(size=many)
    at = int(rng.integers(1, many))
    shape = rng.choice(["flat", "step", "step", "drift", "back", "spike"])
    level = np.full(many, 100.0)
    if shape == "step":
        level[at:] *= rng.choice([0.8, 1.04, 1.1, 1.3])
    elif shape == "drift":
        level *= 1 + rng.choice([-0.1, 0.08, 0.3]) * np.arange(many) / many
    elif shape == "back":
        level[at // 2 : at] *= 1.4
    elif shape == "spike":
        level[at] *= 1.5
    return (level * noise).tolist()


@pytest.mark.parametrize(("many", "series"), [(10, 40), (13, 40), (18, 40), (27, 20), (40, 9)])
def test_what_a_family_of_series_reports(many: int, series: int) -> None:
    rng = np.random.default_rng(many)
    batch = [series_of(rng, many) for _ in range(series)]
    name = SetName(scenario="s", model="m", engine="e")
    given = [
        Series(
            set=name,
            segments=(str(at),),
            metric="t",
            unit="ns",
            points=tuple(level_at(each, str(each), [value]) for each, value in enumerate(values)),
        )
        for at, values in enumerate(batch)
    ]
    report = judge_history(given, Line([(str(at), "") for at in range(many)]))
    found = {
        int(one.name): (one.method, one.commit.index, one.baseline, one.latest) for one in report.findings
    }
    wanted = {
        at: (one.method, one.at, pytest.approx(one.baseline), pytest.approx(one.latest))
        for at, one in reported(batch).items()
    }
    assert found == wanted
    assert found
