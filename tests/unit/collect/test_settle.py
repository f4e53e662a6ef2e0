"""When recording until settled ends, and that looking several times spends 5 % and no more."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from echolot_tui.collect.runner import CollectError
from echolot_tui.collect.settle import (
    EARLY_SHARE,
    Seen,
    Settling,
    Spending,
    check_looks,
    looks_at,
    unsettled,
)
from echolot_tui.compare.compare import compare_reports
from echolot_tui.compare.inputs import CompareOptions
from echolot_tui.compare.model import Comparison
from reports_by_hand import detector, report, row, sides


@pytest.mark.parametrize(
    ("first", "most", "looks"),
    [
        (5, 20, (5, 10, 20)),
        (5, 40, (5, 10, 20, 40)),
        (5, 5, (5,)),
        (5, 7, (5, 7)),
        (5, 12, (5, 12)),
        (5, 15, (5, 10, 15)),
    ],
)
def test_looks_double(first: int, most: int, looks: tuple[int, ...]) -> None:
    assert looks_at(first, most) == looks


@pytest.mark.parametrize("looks", [1, 2, 3, 5])
@pytest.mark.parametrize("smallest_p", [0.0286, 2 / 252, 2 / 924, 0.0005])
def test_all_looks_together_can_spend_5_percent_and_no_more(looks: int, smallest_p: float) -> None:
    spending = Spending(looks)
    reachable = 0.0
    for number in range(1, looks + 1):
        level = spending.level(number)
        assert level > 0
        # the p of a look are multiples of the smallest one: this is the chance that one is at most the level
        reachable += int(level / smallest_p + 1e-6) * smallest_p
        spending.spend(level, smallest_p)
        if number < looks:
            assert reachable <= 0.05 * EARLY_SHARE + 1e-12
    assert reachable <= 0.05 + 1e-12
    assert reachable > 0.05 - smallest_p  # nothing but the grain is lost


def test_what_few_runs_cannot_spend_goes_on_to_the_next_look() -> None:
    spending = Spending(3)
    assert spending.level(1) == pytest.approx(0.01)
    spending.spend(0.01, 2 / 70)  # four against four: no p of 1 % exists
    assert spending.level(2) == pytest.approx(0.02)
    spending.spend(0.02, 0.0005)
    assert spending.level(3) == pytest.approx(0.03)


def test_one_look_is_an_ordinary_comparison() -> None:
    assert Spending(1).level(1) == 0.05


def _compared(before: Sequence[float], after: Sequence[float], **options: object) -> Comparison:
    """A quarter of a window of 400 ms besides a part that does not move."""
    made = [
        report(
            detector("main_thread_block", row("work", values), row("dust", [6.0] * len(values))),
            runs=len(values),
            window=[300 + value for value in values],
            side=side,
        )
        for side, values in (("a", before), ("b", after))
    ]
    return compare_reports(*sides(*made), CompareOptions(**options))  # type: ignore[arg-type]


QUIET = [100.0, 100.4, 99.8, 100.2, 99.6]
SLOWER = [131.0, 130.4, 129.8, 130.2, 132.6]
NOISY = [70.0, 100.0, 160.0, 90.0, 130.0]


def test_settled_is_a_move_called_or_ruled_out() -> None:
    assert unsettled(_compared(QUIET, SLOWER)) == ()
    assert unsettled(_compared(QUIET, QUIET)) == ()
    assert "work" in unsettled(_compared(NOISY, NOISY))


def test_on_a_stricter_level_a_find_is_neither_a_move_nor_none() -> None:
    loose = _compared(QUIET, SLOWER).rows[0]
    strict = _compared(QUIET, SLOWER, level=0.007)
    assert loose.verdict == "slower"
    assert loose.p_family is not None
    assert 0.007 < loose.p_family < 0.05
    assert strict.rows[0].verdict == "can't tell"
    assert strict.family is not None
    assert strict.family.level == 0.007
    assert unsettled(strict) == ("work",)


def test_rows_under_5_percent_of_the_window_do_not_hold_recording_up() -> None:
    noise = [2.0, 30.0, 1.0, 16.0, 9.0]
    made = [
        report(
            detector("main_thread_block", row("work", QUIET), row("dust", noise)),
            runs=5,
            window=[1000.0] * 5,
            side=side,
        )
        for side in "ab"
    ]
    comparison = compare_reports(*sides(*made))
    assert {each.location: each.verdict for each in comparison.rows}["dust"] == "can't tell"
    assert unsettled(comparison) == ()
    pinned = compare_reports(*sides(*made), CompareOptions(pinned=("dust",)))
    assert unsettled(pinned) == ("dust",)


class _Script:
    """Comparisons by the number of runs, and what was asked."""

    def __init__(self, **by_runs: Comparison) -> None:
        self._by_runs = {int(key[1:]): value for key, value in by_runs.items()}
        self.asked: list[tuple[int, float]] = []

    def __call__(self, each: int, level: float) -> Comparison:
        self.asked.append((each, round(level, 5)))
        return self._by_runs[each]


def test_it_ends_at_the_look_that_settles() -> None:
    open_, done = _compared(NOISY, NOISY), _compared(QUIET, SLOWER)
    script, seen = _Script(n5=open_, n10=done), list[Seen]()
    stages = Settling(5, 20, script, seen.append)
    assert [stages.next(0), stages.next(5), stages.next(10)] == [5, 5, 0]
    # 1 % at first, of which 2/252 can be spent; at the second look what is left of 2 %
    assert script.asked == [(5, 0.01), (10, round(0.02 - 0.007937, 5))]
    assert [each.is_settled for each in seen] == [False, True]
    assert seen[0].text.startswith("look 1 of 3, 5 runs a side, findings up to p 0.01: not settled: ")
    assert seen[1].text.endswith("every row that matters is settled")


def test_it_ends_at_the_last_look_whatever_is_open() -> None:
    open_ = _compared(NOISY, NOISY)
    stages = Settling(5, 10, _Script(n5=open_, n10=open_), lambda _seen: None)
    assert [stages.next(0), stages.next(5), stages.next(10)] == [5, 5, 0]


def test_a_plan_that_cannot_be_is_refused() -> None:
    with pytest.raises(CollectError, match=r"--max 3 is less than the 5 runs"):
        check_looks(5, 3)


@pytest.mark.slow
def test_over_many_unchanged_collects_the_error_is_kept() -> None:
    """A small run of bench/settle.py's question: rows of pure noise, looked at three times."""
    rng = np.random.default_rng(11)
    collects, wrong = 150, 0
    for _ in range(collects):
        before, after = (np.round(100 * np.exp(rng.normal(0, 0.4, (4, 20))), 2) for _ in "ab")

        def compare(each: int, level: float, before=before, after=after) -> Comparison:  # type: ignore[no-untyped-def]
            made = [
                report(
                    detector(
                        "d", *(row(f"r{at}", list(map(float, line[:each]))) for at, line in enumerate(values))
                    ),
                    runs=each,
                    side=side,
                )
                for side, values in (("a", before), ("b", after))
            ]
            return compare_reports(*sides(*made), CompareOptions(level=level))

        seen: list[Seen] = []
        stages, each = Settling(5, 20, compare, seen.append), 0
        while more := stages.next(each):
            each += more
        wrong += any(one.verdict in {"slower", "faster"} for one in seen[-1].comparison.rows)
    assert wrong <= 15  # 5 % would be 7.5; the chance of more than 15 is under 1 %
