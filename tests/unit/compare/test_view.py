from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from echolot_tui.compare.compare import compare_reports
from echolot_tui.compare.inputs import CompareOptions
from echolot_tui.compare.model import Comparison, SmallRow, SmallTable
from echolot_tui.compare.view import IMPACTS, VERDICTS, ViewOptions, top_rows, view
from reports_by_hand import detector, report, row, sides

QUIET = [100.0, 101.0, 102.0, 103.0, 104.0]


def shifted(by: float) -> list[float]:
    return [value + by for value in QUIET]


def comparison(**options) -> Comparison:
    before = report(
        detector(
            "block", *(row(name, QUIET) for name in ("up", "down", "same", "gone")), row("Wide", shifted(300))
        ),
        detector("gc", row("pause", QUIET)),
        window=[2000.0] * 5,
    )
    after = report(
        detector(
            "block",
            row("up", shifted(30)),
            row("down", shifted(-25)),
            row("same", shifted(1)),
            row("Wide", [390.0, 400.0, 470.0, 500.0, 520.0]),
            row("[red]new[/]", shifted(80)),
        ),
        detector("gc", row("pause", shifted(150))),
        side="b",
        window=[2200.0] * 5,
    )
    return compare_reports(*sides(before, after), CompareOptions(**options))


RESULT = comparison()


def names(**options) -> list[str]:
    return [one.location for one in view(RESULT, ViewOptions(**options)).rows]


def test_rows_come_by_how_far_they_moved_and_steady_ones_are_counted():
    seen = view(RESULT, ViewOptions())
    assert names() == ["[red]new[/]", "pause", "gone", "Wide", "up", "down"]
    assert (seen.cut, seen.filtered, seen.steady, seen.empty) == (0, 0, 1, None)
    assert "same" in names(steady=True)


def test_t09_a_direction_shows_rows_where_one_side_is_slower():
    assert names(direction="slower") == ["[red]new[/]", "pause", "Wide", "up"]
    assert names(direction="faster") == ["gone", "down"]


def test_a_row_that_did_not_move_is_in_neither_direction():
    same = compare_reports(
        *sides(report(detector("d", row("x", QUIET))), report(detector("d", row("x", QUIET))))
    )
    for direction in ("slower", "faster"):
        assert view(same, ViewOptions(direction=direction, steady=True)).rows == ()


def test_t09_an_empty_direction_says_so_with_the_name():
    only_up = replace(RESULT, rows=tuple(one for one in RESULT.rows if one.delta_ms > 0))
    seen = view(only_up, ViewOptions(direction="faster"))
    assert (seen.rows, seen.empty) == ((), "Nothing is slower in before.")
    assert view(replace(RESULT, rows=()), ViewOptions()).empty.startswith(
        "No row moved by more than the floor"
    )
    unsettled = replace(RESULT, rows=(), summary=replace(RESULT.summary, verdicts={"can't tell": 3}))
    assert view(unsettled, ViewOptions()).empty == (
        "No row moved by more than the floor (3 can't tell) between before and after."
    )
    on_cpu = SmallRow(
        name="on a CPU", unit="ms", before=75.75, after=18.8, delta=-56.95, verdict="can't tell"
    )
    asleep = SmallRow(name="sleeping", unit="ms", before=80.0, after=87.9, delta=7.9)
    budget = SmallTable(id="budget", title="Main thread", rows=(on_cpu, asleep))
    assert view(replace(unsettled, also=(budget,)), ViewOptions()).empty == (
        "No row moved by more than the floor (3 can't tell) between before and after; "
        "the main thread's time on a CPU did (−56.95 ms, can't tell)."
    )
    assert view(RESULT, ViewOptions(text="nobody")).empty == "None of the 6 rows passes these filters."


def test_verdicts_choose_also_among_steady_rows():
    assert names(verdicts=("slower",)) == ["pause", "up"]
    assert names(verdicts=("new", "gone")) == ["[red]new[/]", "gone"]
    assert names(verdicts=("no change",)) == ["same"]
    assert names(verdicts=("can't tell",)) == ["Wide"]


def test_impact_steps_admit_moves_by_their_part_of_the_window():
    assert names(min_impact="large") == ["[red]new[/]", "pause", "gone"]
    assert set(names(min_impact="noticeable")) == {"[red]new[/]", "pause", "gone", "Wide", "up", "down"}
    bare = replace(RESULT, rows=tuple(replace(one, impact=None) for one in RESULT.rows))
    assert len(view(bare, ViewOptions(min_impact="large")).rows) == 6


def test_text_looks_into_names_and_detectors_whatever_the_case():
    assert names(text="wIDE") == ["Wide"]
    assert names(text="gc") == ["pause"]
    assert names(text="[/]") == ["[red]new[/]"]


def test_detectors():
    assert names(detectors=("gc",)) == ["pause"]


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("move", ["[red]new[/]", "pause", "gone", "Wide", "up", "down"]),
        ("name", ["[red]new[/]", "down", "gone", "pause", "up", "Wide"]),
        ("detector", ["[red]new[/]", "gone", "Wide", "up", "down", "pause"]),
        ("verdict", ["pause", "up", "down", "[red]new[/]", "gone", "Wide"]),
        ("ratio", ["[red]new[/]", "gone", "pause", "down", "up", "Wide"]),
    ],
)
def test_orders(by, expected):
    assert names(sort=by) == expected


def test_by_share():
    found = view(RESULT, ViewOptions(sort="share")).rows
    shares = [abs(one.share.delta_pct) for one in found]
    assert shares == sorted(shares, reverse=True)


def test_t10_one_sided_rows_never_bury_the_others():
    one_sided = [one for one in RESULT.rows if one.change in {"appeared", "vanished"}]
    paired = [one for one in RESULT.rows if one.change in {"grew", "shrank"}]
    crowd = tuple(one_sided * 20 + paired)
    shown = top_rows(crowd, 6)
    assert len(shown) == 6
    assert sum(one in one_sided for one in shown) == 3
    assert [one for one in shown if one in paired] == paired[:3]
    assert len(top_rows(crowd, 20)) == 20
    assert [one for one in top_rows(crowd, 20) if one in paired] == paired
    assert top_rows(one_sided * 20, 5) == tuple((one_sided * 20)[:5])
    seen = view(RESULT, ViewOptions(top=2))
    assert (len(seen.rows), seen.cut) == (2, 4)


def test_chips_are_worded_with_the_sides_and_count_what_they_would_show():
    result = comparison(names=("main", "tabs"))
    seen = view(result, ViewOptions(direction="slower", verdicts=("slower",)))
    by_value = {(chip.filter, chip.value): chip for chip in seen.chips}
    assert by_value["direction", "slower"].label == "tabs slower"
    assert by_value["direction", "faster"].label == "main slower"
    assert (by_value["direction", "slower"].active, by_value["direction", "both"].active) == (True, False)
    assert (by_value["direction", "slower"].count, by_value["direction", "both"].count) == (2, 2)
    assert by_value["direction", "faster"].count == 0
    assert by_value["verdict", "new"].count == 1
    assert [chip.value for chip in seen.chips if chip.filter == "verdict"] == list(VERDICTS)
    assert [chip.value for chip in seen.chips if chip.filter == "min_impact"] == list(IMPACTS)
    assert "5 % of the window of main" in by_value["min_impact", "large"].label


def test_rows_that_follow_the_run_are_a_group_of_their_own():
    rows = tuple(replace(one, follows="window" if at % 2 else None) for at, one in enumerate(RESULT.rows))
    seen = view(replace(RESULT, rows=rows), ViewOptions())
    assert [group.cause for group in seen.groups] == [None, "window"]
    assert sorted(one.location for group in seen.groups for one in group.rows) == sorted(names())
    assert [group.cause for group in view(RESULT, ViewOptions()).groups] == [None]


choices = st.builds(
    ViewOptions,
    direction=st.sampled_from(["both", "slower", "faster"]),
    verdicts=st.lists(st.sampled_from(VERDICTS), max_size=2, unique=True).map(tuple),
    detectors=st.lists(st.sampled_from(["block", "gc"]), max_size=1).map(tuple),
    min_impact=st.sampled_from(list(IMPACTS)),
    text=st.sampled_from(["", "w", "P"]),
    sort=st.sampled_from(["move", "ratio", "share", "verdict", "name", "detector"]),
    steady=st.booleans(),
)


@given(choices)
def test_a_chip_counts_exactly_the_rows_it_would_show(options):
    for chip in view(RESULT, options).chips:
        field = {"verdict": "verdicts", "detector": "detectors"}.get(chip.filter, chip.filter)
        value = (chip.value,) if field in {"verdicts", "detectors"} else chip.value
        assert chip.count == len(view(RESULT, replace(options, **{field: value})).rows)


@given(choices)
def test_no_filter_changes_or_doubles_a_row(options):
    rows = view(RESULT, options).rows
    assert all(one in RESULT.rows for one in rows)
    assert len(set(map(id, rows))) == len(rows)
