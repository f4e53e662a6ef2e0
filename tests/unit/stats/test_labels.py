from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

from echolot_tui.stats.labels import DRAWS, fewest_runs, relabellings


@pytest.mark.parametrize(
    ("runs", "count", "smallest_p"),
    [(4, 70, 0.0286), (5, 252, 0.0079), (6, 924, 0.0022), (7, 3432, 0.00058), (8, 12_870, 0.000155)],
)
def test_equal_sides_look_at_every_labelling_and_pair_it_with_its_mirror(
    runs: int, count: int, smallest_p: float
) -> None:
    labels = relabellings(runs, runs, seed=1)
    assert (labels.method, labels.count) == ("exact", count)
    assert len(labels.after) == count // 2
    assert labels.smallest_p == pytest.approx(2 / count)
    assert labels.smallest_p == pytest.approx(smallest_p, rel=0.02)


@pytest.mark.parametrize("sizes", [(3, 5), (5, 3), (1, 39), (4, 4)])
def test_every_exact_labelling_is_there_once(sizes: tuple[int, int]) -> None:
    before, after = sizes
    labels = relabellings(before, after, seed=1)
    seen = {tuple(np.flatnonzero(row)) for row in labels.after}
    assert len(seen) == len(labels.after)
    if before == after:
        seen |= {tuple(np.flatnonzero(1 - row)) for row in labels.after}
    assert seen == set(combinations(range(before + after), after))


@pytest.mark.parametrize("sizes", [(4, 4), (3, 6), (10, 10), (9, 14)])
def test_sizes_are_right_and_the_last_labelling_is_the_observed(sizes: tuple[int, int]) -> None:
    before, after = sizes
    labels = relabellings(before, after, seed=3).after
    assert set(np.unique(labels)) == {0.0, 1.0}
    assert (labels.sum(axis=1) == after).all()
    assert labels[-1].tolist() == [0.0] * before + [1.0] * after


def test_drawn_labellings_repeat_with_their_seed() -> None:
    first, again, other = (relabellings(10, 10, seed=seed) for seed in (5, 5, 6))
    assert (first.method, first.count, len(first.after)) == ("drawn", DRAWS, DRAWS + 1)
    assert first.smallest_p == 1 / 2000
    assert (first.after == again.after).all()
    assert (first.after != other.after).any()


def test_drawn_labellings_treat_all_traces_alike() -> None:
    labels = relabellings(20, 10, seed=8).after[:-1]
    share = labels.mean(axis=0)
    assert np.abs(share - 1 / 3).max() < 5 * math.sqrt(2 / 9 / DRAWS)


@pytest.mark.parametrize(
    ("sizes", "headroom"),
    [((3, 3), "none"), ((2, 3), "none"), ((4, 4), "one split"), ((3, 5), "free"), ((5, 5), "free")],
)
def test_the_number_of_relabellings_alone_can_forbid_a_finding(sizes: tuple[int, int], headroom: str) -> None:
    assert relabellings(*sizes, seed=0).headroom == headroom


def test_five_a_side_is_the_first_that_does_not_rest_on_one_split() -> None:
    assert fewest_runs() == 5
