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
    steady_line,
)
from echolot_tui.present.glyphs import GLYPHS
from echolot_tui.present.run_table import longest_run, run_table, runs_of
from echolot_tui.present.spans import Line, columns, plain
from echolot_tui.present.table import text_table
from screens_data import empty, follows, hostile, shown, three_sides, typical

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
        f" │ {verdicts['slower']} slower · {verdicts['faster']} faster"
        f" · {verdicts[CANNOT_TELL]} can't tell"
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
    assert plain(steady_line(typical(), opened=False, glyphs=BLOCKS)).startswith(
        "▸ 4 steady rows, 1 can't tell: layout"
    )
    assert plain(steady_line(typical(), opened=True, glyphs=BLOCKS)) == "▾ 4 steady rows, 1 can't tell"
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


def test_each_side_is_told_what_it_lacks() -> None:
    """``c`` adds to the set recorded last; the side before needs a set of its own."""
    comparison = typical()
    row = replace(comparison.rows[0], verdict="can't tell", runs_needed=14)
    assert "c collects 7 more, before needs 7 more" in words(row, comparison)
    enough = replace(comparison, after=replace(comparison.after, runs=18))
    said = words(row, enough)
    assert "14 runs a side would settle it: before needs 7 more" in said
    assert "c collects" not in said


def test_the_clock_of_every_run_is_in_the_words() -> None:
    comparison = typical()
    hot = tuple(replace(one, throttled=one.trace_index == 1) for one in comparison.after.repeats)
    comparison = replace(comparison, after=replace(comparison.after, repeats=hot))
    assert (
        "Clock of each run: before 1800 1800 1800 1800 1800 1800 1800  "
        "after 1800 1800 (throttled) 1800 1800 1800 1800 1800 MHz"
    ) in words(comparison.rows[0], comparison)


def test_names_of_sides_go_before_their_paths() -> None:
    comparison = typical()
    long = replace(comparison.after, name="after the tab redesign")
    wide = texts(head_lines(replace(comparison, after=long), 200, most=5, opened=False))[0]
    narrow = texts(head_lines(replace(comparison, after=long), 60, most=5, opened=False))[0]
    assert "before/report.json" in wide
    assert "after the tab redesign 7 runs" in narrow
    assert "report.json" not in narrow


def test_a_window_that_cannot_be_told_says_how_many_runs_would() -> None:
    comparison = typical()
    window = comparison.window
    assert window.shift is not None
    window = replace(window, verdict="can't tell", shift=replace(window.shift, runs_needed=19))
    lines = texts(head_lines(replace(comparison, window=window), 200, most=5, opened=False))
    assert "can't tell, about 19 runs a side would" in lines[1]


def test_every_run_is_paired_with_its_trace_and_nothing_has_three_names() -> None:
    row = typical().rows[0]
    assert row.after is not None
    after = replace(row.after, by_run=(150.0, 0.0, None, *(row.after.by_run or ())[3:]))
    runs = runs_of(replace(row, after=after), typical())
    lines = texts(text_table(run_table(runs, longest_run(runs), glyphs=BLOCKS), 200))
    assert len(lines) == 1 + 7 + 7
    assert [at for at, text in enumerate(lines) if "▌" in text] == [
        8 + max(range(7), key=lambda at: after.by_run[at] or 0.0)
    ]
    assert all("perfetto-trace" in text for text in lines[1:])
    assert "0.00 (no such row)" in lines[9]
    assert "not measured" in lines[10]
    runs = runs_of(replace(row, after=None), typical())
    gone = texts(text_table(run_table(runs, 0, glyphs=BLOCKS), 200))
    assert all("no such row" in text for text in gone[8:])


def test_a_value_is_paired_with_its_trace_where_a_trace_has_several_windows() -> None:
    """``by_run`` has one value a trace, ``repeats`` one an occurrence."""
    comparison = typical()
    twice = tuple(
        replace(one, label=f"{one.label}.{occurrence}", occurrence=occurrence)
        for one in comparison.before.repeats
        for occurrence in (1, 2)
    )
    comparison = replace(comparison, before=replace(comparison.before, repeats=twice))
    row = comparison.rows[0]
    assert row.before is not None
    runs = runs_of(row, comparison)
    assert [run.value for run in runs[:7]] == list(row.before.by_run or ())
    assert [run.repeats[0].trace_index for run in runs[:7]] == list(range(7))
    lines = texts(text_table(run_table(runs, 0, glyphs=BLOCKS), 200))
    assert "1 (mean of 2 windows)" in lines[1]


def test_the_runs_of_every_side_are_listed() -> None:
    comparison = three_sides()
    runs = runs_of(comparison.rows[0], comparison)
    third = comparison.others[0]
    assert [run.side.name for run in runs] == ["before"] * 7 + ["after"] * 7 + ["third"] * 7
    assert third.rows[0].after is not None
    assert [run.value for run in runs[14:]] == list(third.rows[0].after.by_run or ())


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
