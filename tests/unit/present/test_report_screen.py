"""The words of the report's and the detectors' screen, without an app."""

from __future__ import annotations

import pytest
import yaml
from msgspec.structs import replace

from echolot_tui.measure.catalogue import load_catalogue
from echolot_tui.measure.plan import Override, plan
from echolot_tui.present.detectors_screen import (
    DETECTOR_COLUMNS,
    bar_table,
    detector_cells,
    detector_items,
    detector_words,
    parsed,
    passing_lines,
    settings_yaml,
    stepped,
)
from echolot_tui.present.glyphs import GLYPHS
from echolot_tui.present.report_rows import row_cells
from echolot_tui.present.report_screen import (
    ROW_COLUMNS,
    head_lines,
    row_words,
    section_line,
    sql_lines,
)
from echolot_tui.present.spans import Line, columns, plain
from echolot_tui.present.table import Table, text_table
from echolot_tui.report.code_model import Place
from echolot_tui.report.view import sections
from echolot_tui.report.what_if import passing
from sample_report import PLAN, sample
from screens_data import hostile_report

BLOCKS = GLYPHS["blocks"]
REPORT, ROWS = sample()


def text_of(lines: list[Line]) -> str:
    return "\n".join(plain(one) for one in lines)


@pytest.mark.parametrize("width", [20, 60, 200])
def test_the_head_fits_and_warns_early(width: int) -> None:
    lines = head_lines(REPORT, "out/report.json", width, most=4, opened=False)
    assert len(lines) == 4
    assert max(columns(plain(one)) for one in lines) <= width
    assert plain(lines[1]).startswith("! ")


def test_each_state_is_another_word() -> None:
    found = {
        one.detector.id: plain(section_line(one, opened=True, glyphs=BLOCKS)) for one in sections(REPORT)
    }
    assert "3 rows" in found["main_thread_block"]
    assert found["frame_jank"].count("no data") == 1
    assert "silent" in found["gc_pressure"]
    assert "failed in 1/4 runs" in found["own"]


def test_cells_stand_under_their_titles() -> None:
    row = REPORT.detectors[0].rows[0]
    head, body = text_table(Table(columns=ROW_COLUMNS, rows=(row_cells(row),)), 200)
    titles = "Where Runs N Self Total Max Whole Instrumented In the code Evidence Thread"
    assert plain(head).split() == titles.split()
    assert "draw" in plain(body)


def test_a_row_lists_every_run_and_tells_the_two_kinds_of_missing_apart() -> None:
    section = REPORT.detectors[0]
    row = next(one for one in section.rows if one.location == "in two runs")
    text = text_of(row_words(row, section, REPORT, 200, glyphs=BLOCKS))
    assert "1 no such row  2 15.00  3 no such row  4 17.00" in text
    unseen = text_of(row_words(row, replace(section, unseen=("3",)), REPORT, 200, glyphs=BLOCKS))
    assert "3 not measured" in unseen


def test_sampled_stacks_are_tables_of_frames() -> None:
    def counted(frame: str, samples: int, pct: float, **more: str) -> dict[str, object]:
        return {"frame": frame, "samples": samples, "pct": pct, **more}

    section = REPORT.detectors[0]
    stacks = {
        "samples": 40,
        "with_stack": 39,
        "leaf": [counted("read\x1b[31m", 10, 25.6), counted("memcpy", 7, 17.9)],
        "ours": [
            counted("cut", 23, 59.0, stack="cut"),
            counted("none", 2, 5.1, stack="whole"),
            counted("app.Feed.load", 1, 2.6),
        ],
        "more": {"leaf": 13},
    }
    text = text_of(row_words(replace(section.rows[0], stacks=stacks), section, REPORT, 100, glyphs=BLOCKS))
    lines = [" ".join(each.split()) for each in text.splitlines()]
    assert "Sampled stacks 40 samples, 39 with a stack" in lines
    begin = lines.index("Met in Samples Share")
    assert lines[begin + 1 : begin + 8] == [
        "read\\x1b[31m 10 25.6 %",
        "memcpy 7 17.9 %",
        "… and 13 others",
        "Under the app's own Samples Share",
        "(the stack ends before any frame of the app) 23 59.0 %",
        "(no frame of the app in the whole stack) 2 5.1 %",
        "app.Feed.load 1 2.6 %",
    ]
    assert "{" not in text


def test_stacks_of_any_shape_are_listed_harmlessly() -> None:
    section = REPORT.detectors[0]
    row = replace(section.rows[0], stacks={"leaf": [["a\x1b[31m", 3]], "who": {"b": 2}, "n": 5})
    text = text_of(row_words(row, section, REPORT, 200, glyphs=BLOCKS))
    assert "leaf: a\\x1b[31m 3" in text
    assert "who: b: 2" in text
    assert "n: 5" in text


def test_places_are_shown_with_their_whole_path_and_with_doubts() -> None:
    places = (
        Place(role="owner", symbol="com.a.Cache.refresh", file="app/src/Cache.kt", line=88, exact=True),
        Place(role="blocked", symbol="a.b", file="x\x1b[31m/Cache.kt", retraced=True),
        Place(role="sampled", symbol="c.D"),
    )
    section = REPORT.detectors[0]
    row = replace(section.rows[0], places=places, code="owner at Cache.kt:88")
    lines = [plain(one) for one in row_words(row, section, REPORT, 200, glyphs=BLOCKS)]
    found = lines[lines.index("In the code") + 1 :]
    assert found[0] == "owner: app/src/Cache.kt:88  com.a.Cache.refresh"
    assert found[1].startswith("blocked: x\\x1b[31m/Cache.kt  a.b  retraced  uncertain")
    assert found[2] == "sampled: not in the checkout  c.D"
    only_words = replace(row, places=None)
    assert "In the code: owner at Cache.kt:88" in text_of(
        row_words(only_words, section, REPORT, 200, glyphs=BLOCKS)
    )


def test_the_query_is_shown_with_the_values_the_report_was_made_with() -> None:
    catalogue = load_catalogue()
    decision = next(one for one in plan(catalogue).decisions if one.detector.id == "frame_jank")
    section = replace(REPORT.detectors[0], id="frame_jank", params={"min_overrun_ms": 77, "min_frames": 3})
    text = text_of(sql_lines(section, decision, 200))
    assert "77" in text
    assert "$min_overrun_ms" not in text
    assert "is not installed here" in text_of(sql_lines(section, None, 200))


def test_hostile_rows_are_harmless() -> None:
    shown = hostile_report().value
    for section in shown.sections:
        for row in section.rows:
            text = text_of(row_words(row, section.detector, shown.report, 80, glyphs=BLOCKS))
            assert text.replace("\n", "").isprintable()


# Detectors.


def test_every_detector_of_the_catalogue_has_a_state() -> None:
    found = {one.id: one.state for one in detector_items(REPORT, PLAN.decisions)}
    assert found == {
        "main_thread_block": "fired",
        "frame_jank": "no data",
        "gc_pressure": "silent",
        "own": "silent",
        "io_wait": "off",
    }
    rows = tuple(detector_cells(one) for one in detector_items(REPORT, PLAN.decisions))
    assert len(text_table(Table(columns=DETECTOR_COLUMNS, rows=rows), 80)) == 6


def test_a_parameter_says_where_its_value_is_from_and_what_it_decides() -> None:
    made = plan(
        load_catalogue(),
        config={"frame_jank": {"min_frames": 5}},
        overrides=[Override(detector="frame_jank", param="min_overrun_ms", text="9")],
    )
    item = next(one for one in detector_items(REPORT, made.decisions) if one.id == "frame_jank")
    text = text_of(detector_words(item, item.params, 1, 200))
    assert "  min_frames = 5   config: 5 · decides what is listed" in text
    assert "> min_overrun_ms = 9   command line: 9 · part of the query: measures again" in text


def test_passing_rows_are_counted_by_run_with_what_was_listed_before() -> None:
    section = ROWS.detectors[0]
    found = passing(section, "self_ms >= min_slice_ms", {"min_slice_ms": 20}, 4)
    (text,) = [plain(one) for one in passing_lines([("this report", ("1", "2", "3", "4"), found)], 200)]
    assert text == "this report: 3 → 2 listed of 4 measured rows   by run  1: 2  2: 2  3: 2  4: 2"


def test_the_bar_lies_between_the_rows_nearest_to_it() -> None:
    section = ROWS.detectors[0]
    found = passing(section, "self_ms >= min_slice_ms", {"min_slice_ms": 20}, 4)
    lines = [plain(one).split()[:2] for one in text_table(bar_table(found, "self_ms", 2), 80)[1:]]
    assert lines == [["over", "inflate"], ["under", "in"]]
    assert len(bar_table(found, "self_ms", 40).rows) == 4


@pytest.mark.parametrize(
    ("value", "down", "up"),
    [(16, 14, 18), (1, 0, 2), (0, 0, 1), (2.0, 1.8, 2.2), (0.0, 0.0, 0.1), (120, 108, 132)],
)
def test_a_step_is_a_tenth(value: float, down: float, up: float) -> None:
    assert stepped(value, up=False) == down
    assert stepped(value, up=True) == up
    assert type(stepped(value, up=True)) is type(value)


@pytest.mark.parametrize(
    ("text", "like", "found"),
    [
        ("12", 3, 12),
        ("1.5", 3, 1.5),
        ("12", 3.0, 12.0),
        ("x", 3, None),
        ("inf", 3, None),
        ("nan", 3, None),
        ("*a", "*", "*a"),
    ],
)
def test_what_is_typed_takes_the_kind_of_what_it_replaces(
    text: str, like: float | str, found: float | str | None
) -> None:
    assert parsed(text, like) == found


@pytest.mark.parametrize("value", ["*GC", "it's", "a: b # c", "", "yes"])
def test_the_yaml_reads_back(value: str) -> None:
    params = {"name_glob": value, "min_ms": 12, "ratio": 1.5}
    shipped = {"name_glob": "*", "min_ms": 16, "ratio": 1.0}
    assert yaml.safe_load(settings_yaml("gc", params, shipped)) == {"detectors": {"gc": params}}
    assert yaml.safe_load(settings_yaml("gc", shipped, shipped)) == {"detectors": {"gc": shipped}}
    assert yaml.safe_load(settings_yaml("gc", {**shipped, "min_ms": 3}, shipped)) == {
        "detectors": {"gc": {"min_ms": 3}}
    }
