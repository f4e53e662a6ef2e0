"""A table fits its width, loses no number and cannot be broken by a name."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echolot_tui.present.spans import Span, columns, cut, cut_line, line, pad, plain, wrapped
from echolot_tui.present.table import (
    Cell,
    Column,
    Table,
    cell,
    markdown_table,
    text_table,
    without_empty_columns,
)
from echolot_tui.text import visible

HOSTILE = [
    "[/]",
    "[red]x[/red]",
    "a|b",
    "line\nbreak",
    "\x1b[31mred\x1b[0m",
    "tab\there",
    "\x9b2J",
    "\u202eevil",
    "\udcff",
    "漢字" * 40,
    "e" + "\u0301" * 10_000,
    "x" * 10_000,
    "**bold** `code` <script>",
    "",
    "  ",
    "\\|",
    "\u2028",
]

NARROW = Table(
    columns=(
        Column(title="Where", shrink_to=8),
        Column(title="Runs", drop=2),
        Column(title="Self", align="right"),
        Column(title="Evidence", drop=1, shrink_to=6),
    ),
    rows=(
        (
            Cell(text="Choreographer#doFrame"),
            Cell(text="5/5"),
            Cell(text="1200.59"),
            Cell(text="main thread"),
        ),
        (Cell(text="draw"), Cell(text="2/5"), Cell(text="3.50"), None),
    ),
)


def texts(table: Table, width: int) -> list[str]:
    return [plain(spans) for spans in text_table(table, width)]


def test_wide_enough_is_aligned_and_whole() -> None:
    assert texts(NARROW, 100) == [
        "Where                  Runs     Self  Evidence",
        "Choreographer#doFrame  5/5   1200.59  main thread",
        "draw                   2/5      3.50  —",
    ]


def test_texts_give_way_before_columns() -> None:
    assert texts(NARROW, 40) == [
        "Where         Runs     Self  Evidence",
        "Choreograph…  5/5   1200.59  main thread",
        "draw          2/5      3.50  —",
    ]


def test_columns_leave_by_their_order_and_numbers_stay() -> None:
    assert texts(NARROW, 26) == [
        "Where        Self  Eviden…",
        "Choreog…  1200.59  main t…",
        "draw         3.50  —",
    ]
    assert texts(NARROW, 18) == ["Where         Self", "Choreogr…  1200.59", "draw          3.50"]


@given(st.lists(st.tuples(st.text(), st.text()), max_size=5), st.integers(1, 120))
@settings(max_examples=200, deadline=None)
def test_no_line_is_wider_than_asked(rows: list[tuple[str, str]], width: int) -> None:
    table = Table(
        columns=(Column(title="Where", shrink_to=4), Column(title="Evidence", shrink_to=4, drop=1)),
        rows=tuple((Cell(text=a), Cell(text=b)) for a, b in rows),
    )
    for text in texts(table, width):
        assert columns(text) <= width
        assert visible(text) == text


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_stays_in_its_cell(name: str) -> None:
    table = Table(
        columns=(Column(title="Where", shrink_to=8), Column(title="Self", align="right")),
        rows=((Cell(text=name), Cell(text="1.00")),),
    )
    row = markdown_table(table)[2]
    assert row.isprintable()
    assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) == 3
    assert row.endswith("| 1.00 |")
    text = texts(table, 40)[1]
    assert text.isprintable()
    assert columns(text) <= 40
    assert text.endswith("1.00")


def test_markdown_escapes_cuts_and_marks() -> None:
    table = Table(
        columns=(Column(title="Where", limit=10), Column(title="Δ", align="right"), Column(title="N")),
        rows=(
            (Cell(text="a|b*", note="family"), Cell(text="new", strong=True), None),
            (Cell(text="x" * 99), None, None),
        ),
    )
    assert markdown_table(table) == [
        "| Where | Δ | N |",
        "|---|---:|---|",
        "| a\\|b\\* *(family)* | **new** | — |",
        "| xxxxxxxxx… | — | — |",
    ]


def test_a_column_without_values_is_dropped() -> None:
    table = without_empty_columns(
        Table(
            columns=(Column(title="A"), Column(title="B")),
            rows=((cell("1"), cell(None)), (cell("2"), cell(None))),
        )
    )
    assert [column.title for column in table.columns] == ["A"]
    assert [[value.text for value in row if value] for row in table.rows] == [["1"], ["2"]]


def test_width_counts_terminal_columns() -> None:
    assert columns("abc") == 3
    assert columns("漢字") == 4
    assert columns("e\u0301") == 1
    assert cut("漢字漢字", 5) == "漢字…"
    assert cut("漢字", 4) == "漢字"
    assert cut("漢字", 3) == "漢…"
    assert cut("abc", 0) == ""
    assert pad("漢", 4) == "漢  "
    assert pad("1.5", 5, right=True) == "  1.5"


@given(st.text(), st.integers(0, 40))
@settings(deadline=None)
def test_cut_never_exceeds(text: str, width: int) -> None:
    assert columns(cut(text, width)) <= width


def test_cut_line_keeps_roles_and_says_that_something_is_missing() -> None:
    spans = line(Span("abc", "name"), "def", Span("ghi", "warning"))
    assert cut_line(spans, 9) == spans
    assert cut_line(spans, 6) == (Span("abc", "name"), Span("de…", "plain"))
    assert cut_line(spans, 3) == (Span("ab…", "name"),)


@given(st.lists(st.text(max_size=6), max_size=5), st.integers(1, 20))
def test_a_cut_line_fits(parts: list[str], width: int) -> None:
    assert columns(plain(cut_line(line(*parts), width))) <= width


def test_width_agrees_with_the_terminal_library() -> None:
    from rich.cells import cell_len

    for text in ["plain", "漢字", "ｆｕｌｌ", "é", "e\u0301", "→ · … —", "한국어", "🚀"]:
        assert columns(text) == cell_len(text), text


def test_wrapping_breaks_at_spaces_and_keeps_roles() -> None:
    spans = line("Window ", Span("1200.59", "strong"), " ms, from ", Span("a b", "name"))
    assert [plain(one) for one in wrapped(spans, 16, indent=2)] == ["Window 1200.59", "  ms, from a b"]
    assert Span("1200.59", "strong") in wrapped(spans, 16)[0]
    assert [plain(one) for one in wrapped(line("abcdefgh ij"), 4, indent=2)] == [
        "abcd",
        "  ef",
        "  gh",
        "  ij",
    ]
    assert [plain(one) for one in wrapped(line(Span("5", "strong"), ","), 80)] == ["5,"]
    assert wrapped((), 10) == [()]
    for none_to_speak_of in (-3, 0, 1):
        assert [plain(one) for one in wrapped(line("ab 漢"), none_to_speak_of, indent=4)] == ["ab", "漢"]


@given(
    st.lists(st.text(alphabet="ab 漢\u0301", max_size=12), max_size=5), st.integers(2, 20), st.integers(0, 4)
)
def test_wrapping_fits_and_loses_nothing_but_spaces(parts: list[str], width: int, indent: int) -> None:
    spans = line(*parts)
    lines = [plain(one) for one in wrapped(spans, width, indent=indent)]
    assert "".join(lines).replace(" ", "") == plain(spans).replace(" ", "")
    assert all(columns(text) <= width or not text.strip() for text in lines)
