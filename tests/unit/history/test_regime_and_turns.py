"""Where a base stands now, and the whole report beside past commits."""

from __future__ import annotations

import math

import numpy as np
import pytest

from echolot_tui.history.branch import excursion_of, read_branch
from echolot_tui.history.ladder import Ladder
from echolot_tui.history.levels import Levels
from echolot_tui.history.regime import current_regime
from echolot_tui.history.turns import Turner, compare_turns


def turner(values: list[float], tip: float, *, commits: list[int] | None = None) -> Turner:
    base, floor = Levels.of(values), 1.0
    reading = read_branch(base, Levels.of([tip]), floor)
    named = commits or list(range(len(values)))
    return Turner(
        current=base.part(reading.regime.start),
        commits=tuple(named[reading.regime.start :]),
        first=reading.regime.start,
        context=Levels.of([tip]),
        excursion=reading.excursion,
        floor=floor,
    )


def test_fewer_than_twenty_base_commits_are_one_stretch() -> None:
    assert current_regime(np.array([100.0] * 9 + [200.0] * 10), 1.0).start == 0
    assert current_regime(np.array([100.0] * 10 + [200.0] * 10), 1.0).start == 10


def test_a_value_that_helped_to_place_a_boundary_is_no_candidate() -> None:
    """Selectors are the even base commits; only odd ones are turned."""
    count = compare_turns([turner([200.0] * 20 + [100.0] * 20, 150.0)])
    assert count is not None
    assert count.commits == tuple(range(21, 40, 2))


def test_an_ambiguous_reference_value_is_on_neither_side() -> None:
    regime = current_regime(np.array([100.0] * 21 + [200.0] * 19), 1.0)
    assert (regime.start, regime.previous) == (22, (0, 21))
    regime = current_regime(np.array([100.0] * 20 + [200.0] * 20), 1.0)
    assert (regime.start, regime.previous) == (20, (0, 19))


def test_unchanged_bases_rarely_get_a_boundary() -> None:
    rng = np.random.default_rng(3)
    false = sum(current_regime(rng.normal(100, 5, 40), 0.0).start > 0 for _ in range(300))
    assert false / 300 <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 300)


def test_a_smooth_trend_or_one_odd_value_is_no_unresolved_tail() -> None:
    assert not current_regime(np.array([100 + at / 2 for at in range(40)]), 1.0).unresolved
    assert not current_regime(np.array([100.0] * 38 + [200.0, 100.0]), 1.0).unresolved
    assert current_regime(np.array([100.0] * 36 + [200.0] * 4), 1.0).unresolved


def test_the_branchs_value_joins_a_past_turns_references() -> None:
    """A past value beyond all others but within the branch's own shows no excursion."""
    values = [100.0] * 20
    values[7] = 120.0
    count = compare_turns([turner(values, 130.0)])
    assert count is not None
    assert (len(count.commits), count.as_extreme) == (10, 0)


def test_ties_count_as_extreme() -> None:
    """A quiet branch ties with every quiet commit; the same move in another series ties as well."""
    quiet = compare_turns([turner([100.0] * 20, 100.0)])
    assert quiet is not None
    assert quiet.as_extreme == len(quiet.commits)
    values = [100.0] * 20
    values[7] = 130.0
    other = [100.0] * 20
    count = compare_turns([turner(values, 100.0), turner(other, 130.0)])
    assert count is not None
    assert count.as_extreme == 1


def test_the_family_is_the_largest_that_shares_five_commits() -> None:
    wide = [turner([100.0] * 40, 130.0, commits=list(range(40))) for _ in range(3)]
    sparse = turner([100.0] * 20, 130.0, commits=list(range(20, 40)))
    apart = turner([100.0] * 20, 130.0, commits=list(range(100, 120)))
    count = compare_turns([*wide, sparse, apart])
    assert count is not None
    assert count.series == (0, 1, 2, 3)
    assert count.commits == tuple(range(21, 40, 2))


def test_too_few_shared_commits_make_no_comparison() -> None:
    assert compare_turns([]) is None
    short = turner([100.0] * 9, 130.0)
    assert compare_turns([short]) is None


def test_a_drifting_base_takes_no_part() -> None:
    assert compare_turns([turner([100 + at / 2 for at in range(18)], 200.0)]) is None


@pytest.mark.parametrize(
    ("interval", "expected"), [(None, True), ((120.0, 140.0), True), ((101.0, 159.0), False)]
)
def test_intervals_can_only_remove(interval: tuple[float, float] | None, expected: bool) -> None:
    base = Levels.of([100.0] * 10, [(98.0, 102.0)] * 10)
    tip = Levels.of([130.0], [interval])
    assert (excursion_of(base, tip, 1.0, Ladder()) is not None) is expected
