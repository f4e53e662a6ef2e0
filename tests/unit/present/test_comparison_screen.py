"""The words around the comparison's table, without an app."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from echolot_tui.compare.model import Comparison, Row
from echolot_tui.present.comparison_screen import (
    also_lines,
    chip_lines,
    counts_line,
    follow_line,
    head_lines,
    row_words,
    runs_table,
    steady_line,
)
from echolot_tui.present.glyphs import GLYPHS
from echolot_tui.present.spans import Line, columns, plain
from echolot_tui.present.table import text_table
from screens_data import empty, follows, hostile, shown, typical

BLOCKS = GLYPHS["blocks"]
CANNOT_TELL = "can't tell"


def texts(lines: list[Line]) -> list[str]:
    return [plain(one) for one in lines]


def words(row: Row, comparison: Comparison) -> str:
    return "\n".join(texts(row_words(row, comparison, 1000, glyphs=BLOCKS)))


@pytest.mark.parametrize("width", [20, 60, 80, 200])
@pytest.mark.parametrize("opened", [True, False])
def test_the_head_fits_its_width(width: int, *, opened: bool) -> None:
    for comparison in (typical(), hostile(), empty()):
        lines = head_lines(comparison, width, most=5, opened=opened)
        assert max(columns(text) for text in texts(lines)) <= width
        assert opened or len(lines) <= 5


def test_environment_warnings_come_first_and_information_last() -> None:
    lines = texts(head_lines(typical(), 200, most=9, opened=False))
    ids = [text.split(":")[0] for text in lines if text[:2] in {"! ", "i "}]
    assert ids == ["! environment", "! runs", "i build"]


def test_warnings_that_do_not_fit_are_counted() -> None:
    assert texts(head_lines(typical(), 200, most=4, opened=False))[-1] == "! 3 warnings (w)"
    assert texts(head_lines(typical(), 200, most=5, opened=False))[-1] == "! 2 more warnings (w)"


def test_counts_are_the_summarys() -> None:
    summary = typical().summary
    verdicts = summary.verdicts
    assert plain(counts_line(typical())) == (
        f"{summary.moved} moved · {summary.appeared} new · {summary.vanished} gone · {summary.steady} steady"
        f" · {verdicts[CANNOT_TELL]} can't tell · {verdicts['slower']} slower · {verdicts['faster']} faster"
    )


def test_chosen_filters_are_in_brackets_with_their_counts() -> None:
    seen = shown(typical(), verdicts=("slower",), text="load", direction="slower").value
    assert texts(chip_lines(seen.view.chips, seen.options, 200, focus=None, folded=True)) == [
        (
            "slower side: [after slower 1] · verdict: [slower 1] · "
            "detector: any · impact: any · text: [load] · by move"
        )
    ]


def test_with_the_cursor_on_a_chip_every_choice_is_listed() -> None:
    seen = shown(typical()).value
    lines = texts(chip_lines(seen.view.chips, seen.options, 200, focus=seen.view.chips[1], folded=False))
    assert [text.split(":")[0] for text in lines] == ["slower side", "verdict", "detector", "impact"]
    assert ">" in lines[0]
    assert all(str(chip.count) in "\n".join(lines) for chip in seen.view.chips if chip.count)


def test_folds_say_what_is_in_them() -> None:
    assert plain(steady_line(typical(), opened=False, glyphs=BLOCKS)).startswith("▸ 4 steady rows: layout")
    assert plain(steady_line(typical(), opened=True, glyphs=BLOCKS)) == "▾ 4 steady rows"
    assert follow_line(shown(typical()).value.view, opened=True, glyphs=BLOCKS) is None
    line = follow_line(shown(follows()).value.view, opened=False, glyphs=BLOCKS)
    assert line is not None
    assert plain(line) == "▸ 6 rows follow the whole run of after"


def test_a_row_in_words_says_its_figures() -> None:
    row = typical().rows[0]
    assert row.shift is not None
    text = words(row, typical())
    assert row.sentence
    assert row.sentence in text
    assert f"{row.shift.low_ms:+.1f}" in text
    assert f"q {row.q:.2g}" in text
    assert f"resolve a move of {row.resolves_ms:.2f} ms" in text
    assert "In run order: before " in text


def test_what_would_settle_an_open_row_is_said_with_its_key() -> None:
    row = replace(typical().rows[0], verdict="can't tell", runs_needed=14)
    assert "14 runs a side would settle it: c collects 7 more" in words(row, typical())
    assert "more runs will not settle it" in words(replace(row, runs_needed=None), typical())


def test_every_run_is_paired_with_its_trace_and_nothing_has_three_names() -> None:
    row = typical().rows[0]
    assert row.after is not None
    after = replace(row.after, by_run=(150.0, 0.0, None, *(row.after.by_run or ())[3:]))
    lines = texts(text_table(runs_table(replace(row, after=after), typical()), 200))
    assert len(lines) == 1 + 7 + 7
    assert all("perfetto-trace" in text for text in lines[1:])
    assert "0.00 (no such row)" in lines[9]
    assert "not measured" in lines[10]
    gone = texts(text_table(runs_table(replace(row, after=None), typical()), 200))
    assert all("no such row" in text for text in gone[8:])


def test_hostile_rows_are_harmless_in_words() -> None:
    for row in hostile().rows:
        text = words(row, hostile())
        assert text.replace("\n", "").isprintable()
        assert "\x1b" not in text


def test_what_else_moved_lists_every_table() -> None:
    found = typical()
    text = "\n".join(texts(also_lines(found.also, found, 200)))
    assert all(table.title in text for table in found.also)


def test_a_row_says_where_it_is_in_the_code() -> None:
    comparison = typical()
    row = replace(comparison.rows[0], code="owner at Cache.kt:88\x1b")
    assert "In the code: owner at Cache.kt:88\\x1b" in words(row, comparison)
