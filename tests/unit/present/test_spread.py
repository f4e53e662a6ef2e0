"""The spread of a row says in signs what the row's figures say in numbers."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from echolot_tui.compare.compare import compare_reports
from echolot_tui.compare.model import Comparison, Row
from echolot_tui.present.comparison_cells import face_ms
from echolot_tui.present.dots import Axis
from echolot_tui.present.glyphs import GLYPHS, LEVELS, Level
from echolot_tui.present.spans import columns, plain
from echolot_tui.present.spread import range_lines, side_values, spread_lines
from reports_by_hand import detector, report, row, sides

BEFORE = [100.0, 102.0, 104.0, 106.0, 108.0]
AFTER = [150.0, 152.0, 154.0, 156.0, 158.0]


def compared(before: list[float | None] | None = None, after: list[float | None] | None = None) -> Comparison:
    return compare_reports(
        *sides(
            report(detector("block", *([row("draw", before)] if before else []))),
            report(detector("block", *([row("draw", after)] if after else [])), side="b"),
        )
    )


def text_of(
    comparison: Comparison, width: int = 60, level: Level = "ascii", **options: bool | int
) -> list[str]:
    lines = spread_lines(comparison.rows[0], comparison, width, glyphs=GLYPHS[level], **options)
    return [plain(one) for one in lines]


def test_it_reads_as_the_numbers_do() -> None:
    assert text_of(compared(BEFORE, AFTER), width=41) == [
        "before  5 runs · median 104.00 ms",
        "oo oo o                                  ",
        "---^---------------------------------v---",
        "                                  o oo oo",
        "after  5 runs · median 154.00 ms",
        "100.00 ms                          158.00",
        "",
        "move +50.0 ms  95 % range +44.0 … +56.0",
        "::::::|:::::::                   ===#====",
        "−10.4 0                             +56.0",
    ]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("width", [16, 20, 39, 80, 200])
def test_no_line_is_wider_than_there_is_room(level: Level, width: int) -> None:
    for compact in (False, True):
        assert (
            max(columns(text) for text in text_of(compared(BEFORE, AFTER), width, level, compact=compact))
            <= width
        )


def marks(found: Comparison, width: int) -> dict[str, int]:
    line = next(text for text in text_of(found, width) if "^" in text or "X" in text)
    return {sign: line.index(sign) for sign in "^vX" if sign in line}


def test_medians_are_marked_where_their_numbers_are() -> None:
    found = compared(BEFORE, AFTER)
    one: Row = found.rows[0]
    assert one.before is not None
    assert one.after is not None
    axis = Axis.over([*BEFORE, *AFTER], 60)
    assert marks(found, 60) == {"^": axis.column(face_ms(one.before)), "v": axis.column(face_ms(one.after))}


def test_equal_medians_share_a_mark() -> None:
    assert set(marks(compared(BEFORE, [96.0, 100.0, 104.0, 108.0, 112.0]), 60)) == {"X"}


def test_the_range_is_drawn_from_its_low_to_its_high_end_and_zero_is_in_its_place() -> None:
    found = compared(BEFORE, AFTER)
    shift = found.rows[0].shift
    assert shift is not None
    bar = plain(range_lines(found.rows[0], found, 61, glyphs=GLYPHS["ascii"])[1])
    floor = max(found.noise_floor.abs_ms, found.noise_floor.ratio * 104)
    axis = Axis.over((shift.low_ms, shift.high_ms, -floor, floor, 0), 61)
    assert bar.index("|") == axis.column(0)
    assert (bar.index("="), bar.rindex("=")) == (axis.column(shift.low_ms), axis.column(shift.high_ms))
    assert bar.index(":") == 0
    assert bar.index("#") == axis.column(shift.ms)


def test_a_new_row_has_runs_on_one_side_only() -> None:
    assert text_of(compared(None, AFTER), width=41)[:4] == [
        "before  in no run",
        "--------------------v--------------------",
        "o         o         o         o         o",
        "after  5 runs · median 154.00 ms",
    ]


def test_zero_in_a_run_and_not_measured_are_told_apart() -> None:
    found = compared(BEFORE, [150.0, None, 154.0, 156.0, 158.0])
    one = found.rows[0]
    assert one.after is not None
    assert side_values(one.after)[1] == 0
    assert "1 without the row" in "\n".join(text_of(found))
    unmeasured = replace(one, after=replace(one.after, by_run=(150.0, None, 154.0, 156.0, 158.0)))
    lines = spread_lines(unmeasured, found, 60, glyphs=GLYPHS["ascii"])
    assert "1 not measured" in "\n".join(map(plain, lines))


def test_without_values_by_run_the_values_there_are_are_drawn() -> None:
    found = compared(BEFORE, AFTER)
    one = found.rows[0]
    assert one.before is not None
    assert side_values(replace(one.before, by_run=None, values=(1.0, 2.0))) == (1.0, 2.0)
    assert side_values(None) == ()
