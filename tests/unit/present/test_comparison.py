"""The comparison as Markdown and on a terminal."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from echolot_tui.compare.compare import compare_reports, compare_sides
from echolot_tui.compare.inputs import CompareOptions, SideInput
from echolot_tui.compare.model import Comparison
from echolot_tui.compare.view import ViewOptions
from echolot_tui.measure.model import DeviceFacts
from echolot_tui.present.comparison_cells import holds_cell, move_cell, signed, times
from echolot_tui.present.comparison_markdown import ROWS_SHOWN, comparison_markdown, row_markdown
from echolot_tui.present.comparison_text import comparison_lines
from echolot_tui.present.spans import columns, plain
from echolot_tui.report.model import CpuReport, EnvironmentReport, MarkerRow, MarkersReport
from reports_by_hand import detector, report, row, sides

QUIET = [100.0, 101.0, 102.0, 103.0, 104.0]
BEFORE = [61.6, 57.9, 65.9, 60.4, 69.0]


def up(by: float) -> list[float]:
    return [value + by for value in QUIET]


def comparison(**options) -> Comparison:
    fields = {"identity": ("location", "detail")}
    markers = [
        MarkersReport(rows=(MarkerRow(location="load", total_ms=v[2], by_run={"total_ms": tuple(v)}),))
        for v in (QUIET, up(40))
    ]
    before = report(
        detector(
            "block",
            row("lock", BEFORE, count=9, detail="com.example.app"),
            row("same", QUIET, detail="main"),
            row("pool-1", [100.0, None, None, None, None], detail="main"),
            **fields,
        ),
        detector("quiet"),
        detector("wakes"),
        window=[1136.05, 1084.25, 1214.18, 1120.0, 1150.0],
        markers=markers[0],
    )
    after = report(
        detector(
            "block",
            row("lock", [round(1.4 * one, 2) for one in BEFORE], count=12, detail="com.example.app"),
            row("same", QUIET, detail="main"),
            row("pool-2", QUIET, detail="main"),
            row("fresh", up(700), detail="main"),
            **fields,
        ),
        detector("quiet"),
        detector("wakes", row("w", [30.0] * 5)),
        side="b",
        window=[1160.05, 1108.25, 1238.18, 1144.0, 1174.0],
        markers=markers[1],
    )
    return compare_reports(*sides(before, after), CompareOptions(**options))


RESULT = comparison()


def lines(result: Comparison = RESULT, width: int = 120, **options) -> list[str]:
    return [plain(one) for one in comparison_lines(result, ViewOptions(**options), width)]


class TestMarkdown:
    def test_the_head(self):
        text = comparison_markdown(RESULT)
        assert text.startswith(
            "# Comparison\n\n- Before: a/report.json · 5 runs\n- After: b/report.json · 5 runs\n"
        )
        assert "- Scenario window: **1136.05 → 1160.05 ms  (+24.0, ×1.02)**" in text
        assert "- Moved: **2** · appeared 2 · gone 0 · steady 1\n" in text
        assert "- Detectors fired: 1 → 2\n" in text
        assert "against 252 relabellings of whole runs (all)" in text

    def test_the_table(self):
        text = comparison_markdown(RESULT)
        head = "| Where | Evidence | Detector | Before | After | Δ | N | Holds | Verdict | q |"
        assert head in text
        lock = "| lock | com.example.app | block | 61.60 ±7 | 86.24 ±10 | +24.6 | 9 → 12 |"
        assert f"{lock} yes, +15.6 … +35.0 | slower | 0.0079 |" in text
        assert "| fresh | main | block | — | 802.00 ±2 | **new +802.0** | — | — | new | 0.0079 |" in text
        assert "| pool-\\# *(family)*" in text.replace("pool-#", "pool-\\#")
        assert "100.00 (1/5)" in text

    def test_the_rest(self):
        text = comparison_markdown(RESULT)
        assert "## Detectors that changed state\n\n- wakes: silent → 1 row(s)" in text
        assert "## Steady\n\nsame\n" in text
        assert "**Silent in both:** quiet" in text
        assert "<details><summary>Markers</summary>" in text
        assert "| load | 102.00 ms | 142.00 ms | +40.0 |" in text

    def test_nothing_moved_is_an_answer(self):
        same = compare_reports(
            *sides(report(detector("d", row("x", QUIET))), report(detector("d", row("x", QUIET)), side="b"))
        )
        text = comparison_markdown(same)
        assert "## Nothing moved\n\nNo row moved by more than the floor between before and after." in text
        assert "## What moved" not in text

    def test_names_of_the_sides_head_the_columns(self):
        text = comparison_markdown(comparison(names=("main", "tab redesign")))
        assert "- Before: main · a/report.json" in text
        assert "| Where | Evidence | Detector | main | tab redesign | Δ |" in text
        assert "longer in tab redesign than in main" in text

    def test_warnings_and_the_whole_run_stand_on_top(self):
        text = comparison_markdown(replace(RESULT, whole_run="The whole run is slower."))
        assert text.index("> ⚠️ The whole run is slower.") < text.index("## What moved")
        few = comparison_markdown(compare_reports(*sides(report(runs=2), report(runs=2, side="b"))))
        assert "> ⚠️ few: 2 against 2 runs are too few" in few

    def test_hostile_names_end_no_cell_and_start_no_markup(self):
        evil = "a|b\n[x](http://e) <img src=x> `c` \x1b[31m\u202e **d**"
        before = report(detector("d", row(evil, QUIET)))
        after = report(detector("d", row(evil, up(90))), side="b")
        text = comparison_markdown(compare_reports(*sides(before, after), CompareOptions(names=(evil, "x"))))
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert not re.search(r"(?<!\\)<img", text)
        table = [line for line in text.splitlines() if line.startswith("| a")]
        assert len(table) == 1
        cells = re.split(r"(?<!\\)\|", table[0])
        head = "| Where | Detector | x | x | Δ | Holds | Verdict | q |"
        assert len(cells) == head.count("|") + 1

    def test_a_long_table_is_cut_and_says_so_and_fits_a_comment(self):
        names = [f"{chr(97 + at % 26) * 280}.{'xyz'[at % 3]}{chr(97 + at // 26)}" for at in range(300)]
        before = report(
            detector(
                "d", *(row(name, QUIET, detail="m" * 900) for name in names), identity=("location", "detail")
            )
        )
        after = report(
            detector(
                "d", *(row(name, up(50), detail="m" * 900) for name in names), identity=("location", "detail")
            ),
            side="b",
        )
        text = comparison_markdown(compare_reports(*sides(before, after)))
        assert f"… and {300 - ROWS_SHOWN} rows more in `comparison.json`." in text
        assert len(text) < 65_536

    def test_further_sides_have_a_table_each(self):
        inputs = [
            SideInput(name="", path=letter, report=report(detector("d", row("x", values)), side=letter))
            for letter, values in (("a", QUIET), ("b", up(50)), ("c", up(90)))
        ]
        text = comparison_markdown(compare_sides(inputs, CompareOptions(names=("main", "tabs", "lists"))))
        assert "# main against lists" in text
        assert "## What moved in lists" in text

    def test_further_sides_have_short_tables_of_their_own(self):
        inputs = [
            SideInput(
                name="",
                path=letter,
                report=report(
                    detector("d", row("x", QUIET)),
                    side=letter,
                    environment=EnvironmentReport(cpu=CpuReport(mean_mhz=mhz)),
                ),
            )
            for letter, mhz in (("a", 1000.0), ("b", 1001.0), ("c", 1777.0))
        ]
        three = compare_sides(inputs, CompareOptions(names=("main", "tabs", "lists")))
        text = comparison_markdown(three)
        assert "<summary>Environment: main against tabs</summary>" in text
        assert "<summary>Environment: main against lists</summary>" in text
        assert "1777" in text
        assert any("1777" in line for line in lines(three))

    def test_one_row_for_pasting(self):
        text = row_markdown(RESULT.rows[0], RESULT)
        assert text.splitlines()[2].startswith("| fresh | main | block |")
        assert "not listed in before" in text

    def test_the_same_bytes_twice(self):
        assert comparison_markdown(RESULT) == comparison_markdown(comparison())

    def test_suspects_and_information(self):
        before = report(
            detector("d", row("parseQuadratic", QUIET)), repeat={"device": DeviceFacts(app_version="1")}
        )
        after = report(
            detector("d", row("parse|Linear", QUIET)),
            side="b",
            repeat={"device": DeviceFacts(app_version="2")},
        )
        result = compare_reports(*sides(before, after))
        text = comparison_markdown(result)
        assert "## Perhaps the same work under another name" in text
        assert (
            "- parseQuadratic (102.00 ms, gone from d) and parse\\|Linear (102.00 ms, new): gone and new"
            in text
        )
        assert "- For information: build: the program's build differs" in text
        shown = "\n".join(lines(result))
        assert "parse|Linear (102.00 ms, new)" in shown
        assert "For information: build:" in shown


class TestTerminal:
    @pytest.mark.parametrize("width", [20, 40, 60, 80, 100, 132, 200])
    def test_every_line_fits(self, width):
        assert max(map(columns, lines(width=width))) <= width

    def test_where_the_move_and_the_verdict_stay_last(self):
        wide = next(line for line in lines(width=200) if line.startswith("Where"))
        assert wide.split() == (
            [
                "Where",
                "Evidence",
                "Detector",
                "before",
                "after",
                "Δ",
                "Impact",
                "N",
                "Range",
                "95",
                "%",
                "q",
                "Verdict",
            ]
        )
        open_row = replace(RESULT, rows=(replace(RESULT.rows[0], verdict="can't tell", runs_needed=7),))
        assert next(line for line in lines(open_row, 200) if line.startswith("Where")).endswith(
            "Runs needed  Verdict"
        )
        assert any("~7 a side" in line for line in lines(open_row, 100))
        narrow = next(line for line in lines(width=44) if line.startswith("Where"))
        assert narrow.split() == ["Where", "Δ", "Verdict"]

    def test_filters_are_told_with_their_counts(self):
        shown = lines(direction="slower")
        assert "direction:   either slower 4  [after slower 4]" in "\n".join(shown)
        assert not any("direction:" in line for line in lines())

    def test_an_empty_filter_is_an_answer(self):
        assert "Nothing is slower in before." in lines(direction="faster")

    def test_rows_beyond_the_top_are_counted(self):
        assert "… and 2 rows more" in lines(top=2)

    def test_steady_rows_are_one_line_that_opens(self):
        assert "Steady: same" in lines()
        assert "Steady: same" not in lines(steady=True)
        assert any(line.startswith("same ") for line in lines(steady=True))

    def test_rows_that_follow_the_run_stand_under_their_cause(self):
        rows = tuple(
            replace(one, follows="window" if one.location == "lock" else None) for one in RESULT.rows
        )
        shown = lines(replace(RESULT, rows=rows), width=160)
        at = shown.index("follow the whole run of after (1)")
        assert shown[at + 2].startswith("lock (follows the run)")

    def test_more_sides_stand_side_by_side(self):
        inputs = [
            SideInput(name="", path=letter, report=report(detector("d", row("x", values)), side=letter))
            for letter, values in (("a", QUIET), ("b", up(50)), ("c", up(90)))
        ]
        shown = lines(compare_sides(inputs, CompareOptions(names=("main", "tabs", "lists"))))
        head = next(line for line in shown if line.startswith("Where"))
        assert head.split() == ["Where", "Detector", "main", "Δ", "tabs", "Verdict", "Δ", "lists", "Verdict"]
        cells = next(line for line in shown if line.startswith("x "))
        assert cells.split() == ["x", "d", "102.00", "±2", "+50.0", "slower", "+90.0", "×1.88", "slower"]

    def test_hostile_names_are_harmless(self):
        evil = "[/][red]\x1b[2J\nname" + "x" * 10_000
        before, after = (
            report(detector("d", row(evil, values)), side=letter)
            for letter, values in (("a", QUIET), ("b", up(90)))
        )
        shown = lines(compare_reports(*sides(before, after)), width=80)
        assert max(map(columns, shown)) <= 80
        assert not any(char in "".join(shown) for char in "\x1b\n")
        assert any("[/][red]" in line for line in shown)


class TestCells:
    def test_a_difference_is_never_rounded_to_zero(self):
        assert [signed(one) for one in (0.0, 0.04, -0.04, 24.64, -0.5, 1200.59)] == [
            "0.0",
            "+0.04",
            "−0.04",
            "+24.6",
            "−0.5",
            "+1200.6",
        ]

    def test_ratios(self):
        assert [times(one) for one in (1.4, 0.05, 73.01, 730.0)] == ["×1.4", "×0.05", "×73", "×730"]

    def test_a_ratio_shows_where_it_says_more(self):
        small, large = (
            compare_reports(
                *sides(
                    report(detector("d", row("x", QUIET))), report(detector("d", row("x", values)), side="b")
                )
            ).rows[0]
            for values in (up(40), up(60))
        )
        assert move_cell(small).text == "+40.0"
        assert move_cell(large).text == "+60.0 ×1.59"
        assert (move_cell(large).strong, move_cell(replace(large, delta_ms=100.0)).strong) == (False, True)

    def test_holds_says_the_range_and_what_would_settle_it(self):
        found = compare_reports(
            *sides(
                report(detector("d", row("x", [50.0, 90.0, 60.0, 110.0, 70.0]))),
                report(detector("d", row("x", [70.0, 120.0, 65.0, 95.0, 110.0])), side="b"),
            )
        ).rows[0]
        assert re.fullmatch(r"no, −\d+\.\d … \+\d+\.\d · ~\d+ runs a side", holds_cell(found).text)
        assert holds_cell(replace(found, shift=None, holds=None)) is None


names = st.text(max_size=40)


@settings(max_examples=60)
@given(names, names, st.integers(12, 160))
def test_any_name_fits_any_width(name, side, width):
    before, after = (
        report(detector("d", row(name, values)), side=letter)
        for letter, values in (("a", QUIET), ("b", up(90)))
    )
    result = compare_reports(*sides(before, after), CompareOptions(names=(side, "")))
    assert max(map(columns, lines(result, width))) <= width
    comparison_markdown(result).encode()
