"""The verdict rule, branch by branch, on figures written by hand."""

from __future__ import annotations

import pytest
from msgspec.structs import replace as renew

from echolot_tui.compare.family import Figures
from echolot_tui.compare.inputs import CompareOptions
from echolot_tui.compare.model import Shift
from echolot_tui.compare.moves import Move, moves_of
from echolot_tui.compare.sides import load_sides
from echolot_tui.compare.verdict import pinned_verdict, table_verdict
from echolot_tui.compare.window import own_verdict
from echolot_tui.stats.relabel import RowTest
from reports_by_hand import detector, report, row, sides

QUIET = [100.0, 101.0, 102.0, 103.0, 104.0]
OPTIONS = CompareOptions()


def move(before: list[float] | None, after: list[float] | None) -> Move:
    """The move of one row; None is a side without it."""
    reports = [
        report(detector("d", *([] if values is None else [row("x", values)])), side=letter)
        for letter, values in (("a", before), ("b", after))
    ]
    old, new = load_sides(sides(*reports), OPTIONS)
    return moves_of(old, new, OPTIONS)[0]


def figures(p: float, resolves: float | None, *, sign: float = 1.0, needed: int | None = None) -> Figures:
    test = RowTest(
        statistic=3.0 * sign,
        p=p,
        q=p,
        p_family=p,
        move_ms=20.0 * sign,
        resolves_ms=resolves,
        runs_needed=needed,
        tied=False,
    )
    return Figures(test=test, runs=(5, 5))


OUTSIDE = Figures(test=None, runs=(5, 5))


UP = move(QUIET, [value + 50 for value in QUIET])
SLIGHTLY_UP = move(QUIET, [value + 6 for value in QUIET])
NEW, GONE = move(None, QUIET), move(QUIET, None)


@pytest.mark.parametrize(
    ("which", "found", "verdict"),
    [
        (UP, figures(0.05, 20.0), "slower"),
        (UP, figures(0.0501, 20.0), "can't tell"),
        (UP, figures(0.0501, 10.2), "no change"),
        (UP, figures(0.0501, 10.21), "can't tell"),
        (UP, figures(0.9, None), "can't tell"),
        (UP, figures(0.01, 20.0, sign=-1.0), "can't tell"),
        (SLIGHTLY_UP, figures(0.001, 60.0), "no change"),
        (SLIGHTLY_UP, figures(0.5, 60.0), "can't tell"),
        (SLIGHTLY_UP, OUTSIDE, "no change"),
        (NEW, figures(0.05, 20.0), "new"),
        (NEW, figures(0.06, 1.0), "can't tell"),
        (NEW, OUTSIDE, "can't tell"),
        (GONE, figures(0.01, 20.0, sign=-1.0), "gone"),
        (GONE, figures(0.2, 1.0, sign=-1.0), "can't tell"),
        (UP, None, "can't tell"),
    ],
)
def test_the_rule(which, found, verdict):
    assert table_verdict(which, found, OPTIONS) == verdict


def test_runs_that_would_settle_a_row():
    floor = 10.0
    assert figures(0.01, 20.0, needed=9).settling_runs(50.0, floor) is None
    assert figures(0.2, 20.0, needed=9).settling_runs(50.0, floor) == 9
    assert figures(0.2, None, needed=9).settling_runs(2.0, floor) == 9
    assert figures(0.2, 20.0, needed=900).settling_runs(2.0, floor) == 20
    assert figures(0.2, 20.0, needed=9).settling_runs(2.0, floor) == 9
    assert figures(0.2, 9.0, needed=9).settling_runs(2.0, floor) is None
    assert figures(0.2, 20.0, needed=None).settling_runs(50.0, floor) is None
    assert OUTSIDE.settling_runs(2.0, floor) is None


def test_faster_is_the_mirror():
    down = move([value + 50 for value in QUIET], QUIET)
    assert table_verdict(down, figures(0.01, 20.0, sign=-1.0), OPTIONS) == "faster"


def test_a_one_sided_row_under_the_floor_decides_nothing():
    tiny = move(None, [4.0, 4.1, 4.2, 4.3, 4.4])
    assert table_verdict(tiny, figures(0.01, 1.0), OPTIONS) == "can't tell"
    assert table_verdict(tiny, figures(0.01, 1.0), renew(OPTIONS, floor_ms=1.0)) == "new"


@pytest.mark.parametrize(
    ("low", "high", "resolves", "delta", "verdict"),
    [
        (15.5, 35.0, 9.0, 24.6, "slower"),
        (-35.0, -15.5, 9.0, -24.6, "faster"),
        (1.0, 6.0, 2.0, 4.0, "no change"),
        (-2.0, 3.0, 5.0, 1.0, "no change"),
        (-2.0, 30.0, 5.1, 20.0, "can't tell"),
        (0.0, 35.0, 20.0, 20.0, "can't tell"),
    ],
)
def test_a_number_judged_by_its_own_range(low, high, resolves, delta, verdict):
    found = Shift(ms=delta, low_ms=low, high_ms=high, resolves_ms=resolves, runs_needed=None)
    assert own_verdict(found, delta, 5.0) == verdict


def test_nothing_is_said_without_a_range():
    assert own_verdict(None, 20.0, 5.0) is None
    found = Shift(ms=1.0, low_ms=0.5, high_ms=2.0, resolves_ms=0.1, runs_needed=None)
    assert own_verdict(found, None, 5.0) is None


def test_pinned_rows_are_judged_by_their_own_range():
    assert pinned_verdict(UP, OPTIONS) == "slower"
    assert pinned_verdict(SLIGHTLY_UP, OPTIONS) == "no change"
    assert (pinned_verdict(NEW, OPTIONS), pinned_verdict(GONE, OPTIONS)) == ("new", "gone")
    assert pinned_verdict(move(None, [*QUIET[:1], None, None, None, None]), OPTIONS) == "can't tell"
    assert (
        pinned_verdict(move([1.0, 2.0, 3.0, 4.0, 5.0], [None, 90.0, None, None, None]), OPTIONS)
        == "can't tell"
    )
    short = move([None, None, None, 50.0, 60.0], [None, None, None, 90.0, 99.0])
    assert pinned_verdict(short, OPTIONS) is None


def test_a_pinned_row_whose_other_side_did_not_look_decides_nothing():
    before, after = report(detector("d")), report(detector("d"), detector("e", row("x", QUIET)), side="b")
    old, new = load_sides(sides(before, after), OPTIONS)
    blind = moves_of(old, new, OPTIONS)[0]
    assert pinned_verdict(blind, OPTIONS) == "can't tell"
    assert table_verdict(blind, figures(0.001, 1.0), OPTIONS) == "can't tell"
