"""Plots: every run is drawn where it belongs, in every set of signs, at every width."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echolot_tui.present.dots import NOT_MEASURED, Axis, dot_lines, sparkline, strip
from echolot_tui.present.glyphs import GLYPHS, LEVELS, Level, ascii_text
from echolot_tui.present.spans import columns, plain

VALUES = st.lists(st.floats(0, 1e6, allow_nan=False), min_size=1, max_size=30)


def drawn(
    values: list[float | None], level: Level, *, width: int = 30, height: int = 3, upward: bool = True
) -> list[str]:
    axis = Axis.over([value for value in values if value is not None], width)
    lines = dot_lines(values, axis, glyphs=GLYPHS[level], height=height, role="plain", upward=upward)
    return [plain(one) for one in lines]


def braille_dots(lines: list[str]) -> int:
    return sum((ord(char) - 0x2800).bit_count() for text in lines for char in text if char != " ")


@given(VALUES, st.integers(1, 60), st.sampled_from(LEVELS))
def test_lines_are_as_wide_as_the_axis_and_no_more_than_asked_for(
    values: list[float], width: int, level: Level
) -> None:
    lines = drawn(values, level, width=width)
    assert 1 <= len(lines) <= 3
    assert {columns(text) for text in lines} == {width}


@given(VALUES, st.integers(1, 60))
def test_every_run_is_a_dot_or_counted(values: list[float], width: int) -> None:
    lines = drawn(values, "ascii", width=width, height=3)
    by_column = ["".join(text[at] for text in lines) for at in range(width)]
    shown = 0
    for column in by_column:
        number = [char for char in column if char.isdigit()]
        shown += int(number[0]) if number else 10 if "+" in column else sum(char in "o." for char in column)
    assert shown == len(values) or "+" in "".join(lines)


@given(VALUES, st.integers(2, 60))
def test_braille_draws_every_run_where_there_is_height(values: list[float], width: int) -> None:
    assert braille_dots(drawn(values, "braille", width=width, height=30)) == len(values)


def test_the_lowest_is_at_the_left_and_the_highest_at_the_right() -> None:
    assert drawn([1.0, 2.0, 3.0], "ascii", width=5, height=1) == ["o o o"]


def test_stacks_grow_away_from_the_axis() -> None:
    assert drawn([1.0, 1.0, 2.0], "ascii", width=3) == ["o  ", "o o"]
    assert drawn([1.0, 1.0, 2.0], "ascii", width=3, upward=False) == ["o o", "o  "]


def test_a_run_without_the_row_is_another_sign() -> None:
    assert drawn([0.0, 5.0], "ascii", width=3, height=1) == [". o"]


def test_a_stack_that_is_too_high_is_a_number() -> None:
    assert drawn([1.0] * 7 + [2.0], "ascii", width=3, height=2) == ["7  ", "o o"]
    assert drawn([1.0] * 12 + [2.0], "ascii", width=3, height=1) == ["+ o"]


def test_values_that_are_all_one_are_in_the_middle() -> None:
    assert drawn([4.0, 4.0], "ascii", width=5, height=2) == ["  o  ", "  o  "]


def test_runs_that_were_not_measured_draw_nothing() -> None:
    assert drawn([None, 1.0, 2.0], "ascii", width=3, height=1) == ["o o"]
    assert (
        dot_lines(
            [None], Axis(low=0, high=1, width=3), glyphs=GLYPHS["ascii"], height=1, role="plain", upward=True
        )
        == []
    )
    assert strip([None], Axis(low=0, high=1, width=3), glyphs=GLYPHS["ascii"], role="plain") == ()


def test_a_sparkline_is_one_sign_a_value_and_says_what_is_missing() -> None:
    assert sparkline([1, 2, 3, 4, 5, 6, 7, 8], glyphs=GLYPHS["blocks"]) == "▁▂▃▄▅▆▇█"
    assert sparkline([1, None, 8], glyphs=GLYPHS["ascii"]) == "_?#"
    assert sparkline([None, None], glyphs=GLYPHS["blocks"]) == NOT_MEASURED * 2
    assert sparkline([3, 3], glyphs=GLYPHS["blocks"]) == "▄▄"
    assert sparkline(range(100), glyphs=GLYPHS["blocks"], most=5)[-1] == "█"
    assert len(sparkline(range(100), glyphs=GLYPHS["blocks"], most=5)) == 5


@given(st.text(max_size=40))
def test_ascii_text_is_ascii_and_as_wide(text: str) -> None:
    assert ascii_text(text).isascii()
    assert columns(ascii_text(text)) == columns(text)


@pytest.mark.parametrize("level", LEVELS)
def test_every_sign_is_one_column_wide(level: Level) -> None:
    glyphs = GLYPHS[level]
    signs = [value for name in glyphs.__struct_fields__ if name != "level" for value in getattr(glyphs, name)]
    assert {columns(sign) for sign in signs} == {1}
    assert level != "ascii" or all(sign.isascii() for sign in signs)
