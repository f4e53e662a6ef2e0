"""The order of the runs of two arms."""

from __future__ import annotations

import math
from collections import Counter

from echolot_tui.collect.schedule import order_of, turns


def test_every_order_of_a_stage_comes_and_about_equally_often() -> None:
    draws = 6000
    seen = Counter(order_of(seed, 0, 2, 3) for seed in range(draws))
    ways = math.comb(6, 3)
    assert len(seen) == ways
    expected = draws / ways
    chi_square = sum((count - expected) ** 2 / expected for count in seen.values())
    assert chi_square < 43.8  # 99.9 % point of 19 degrees of freedom


def test_counts_are_equal_after_each_stage_and_numbers_go_up() -> None:
    order = list(turns(7, iter([5, 3]), 2))
    assert len(order) == 16
    for stage, (begin, end) in enumerate([(0, 10), (10, 16)]):
        sides = Counter(side for side, _ in order[begin:end])
        assert sides == {0: 5 - 2 * stage, 1: 5 - 2 * stage}
    for side in (0, 1):
        assert [k for of, k in order if of == side] == list(range(8))


def test_the_same_seed_gives_the_same_order_everywhere() -> None:
    assert order_of(1, 0, 2, 4) == (1, 0, 1, 1, 0, 0, 1, 0)
    assert order_of(1, 0, 2, 4) != order_of(1, 1, 2, 4)


def test_one_side_is_simply_counted() -> None:
    assert list(turns(3, iter([2, 1]), 1)) == [(0, 0), (0, 1), (0, 2)]


def test_the_next_stage_is_asked_for_when_the_last_is_through() -> None:
    asked: list[int] = []

    def stages():  # type: ignore[no-untyped-def]
        for number in range(2):
            asked.append(number)
            yield 1

    running = turns(0, stages(), 2)
    next(running)
    next(running)
    assert asked == [0]
    next(running)
    assert asked == [0, 1]
