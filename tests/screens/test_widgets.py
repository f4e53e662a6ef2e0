"""Every widget alone, in an app that knows nothing of echolot but its colours: read as text."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.pilot import Pilot
from textual.widget import Widget

from echolot_tui.present.spans import Line, Span, line
from echolot_tui.present.table import Column, cell
from echolot_tui.tui.actions import actions_on
from echolot_tui.tui.themes import DEFAULT_VARIABLES
from echolot_tui.tui.widgets.chips import Chips
from echolot_tui.tui.widgets.grid import Banner, Cells, Grid, Layout
from echolot_tui.tui.widgets.lines import Lines, changed_part
from echolot_tui.tui.widgets.prompt import Prompt
from echolot_tui.tui.widgets.runs_strip import RunsStrip
from echolot_tui.tui.widgets.sparkline import Sparkline
from echolot_tui.tui.widgets.spread_plot import SpreadPlot
from echolot_tui.tui.widgets.status_line import KeysLine, StatusLine
from screens_data import HOSTILE, shown, typical


class Bare(App[None]):
    """One widget."""

    AUTO_FOCUS = ""

    def __init__(self, widget: Widget) -> None:
        super().__init__()
        self.widget = widget
        self.told: list[object] = []

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return DEFAULT_VARIABLES

    def compose(self) -> ComposeResult:
        yield self.widget

    def on_grid_moved(self, message: Grid.Moved) -> None:
        self.told.append(message.at)

    def on_keys_line_pressed(self, message: KeysLine.Pressed) -> None:
        self.told.append(message.action_id)

    @property
    def text(self) -> list[str]:
        strips = self.screen._compositor.render_strips()
        lines = ["".join(segment.text for segment in strip).rstrip() for strip in strips]
        while lines and not lines[-1]:
            lines.pop()
        return lines


@asynccontextmanager
async def alone(widget: Widget, size: tuple[int, int] = (40, 8)) -> AsyncIterator[Pilot[None]]:
    app = Bare(widget)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield pilot


def numbered(count: int) -> Callable[[int], list[Line]]:
    return lambda width: [line(f"line {at} of {width}") for at in range(count)]


async def test_lines_are_made_for_the_width_and_say_what_is_below() -> None:
    widget = Lines(numbered(12))
    widget.styles.height = 4
    async with alone(widget, (20, 4)) as pilot:
        assert pilot.app.text == ["line 0 of 20", "line 1 of 20", "line 2 of 20", "… 9 more lines below"]
        widget.can_focus = True
        widget.focus()
        await pilot.press("end")
        assert pilot.app.text == [f"line {at} of 20" for at in (8, 9, 10, 11)]
        await pilot.press("home", "down")
        assert pilot.app.text[0] == "line 1 of 20"
        widget.show(numbered(2))
        await pilot.pause()
        assert pilot.app.text == ["line 0 of 20", "line 1 of 20"]


async def test_lines_are_as_high_as_their_content() -> None:
    widget = Lines(numbered(3))
    async with alone(widget) as pilot:
        assert widget.size.height == 3
        widget.show(numbered(5))
        await pilot.pause()
        assert widget.size.height == 5


@dataclass
class Rows:
    """Numbered rows, one of them over all columns."""

    count: int
    asked: int = 0
    columns = (
        Column(title="Where", shrink_to=6),
        Column(title="ms", align="right"),
        Column(title="Gone", drop=1),
    )
    sorted_by = 1

    def __len__(self) -> int:
        return self.count

    def row(self, at: int) -> Cells | Banner:
        self.asked += 1
        if at == 1:
            return Banner(line=line(Span("a banner over all columns", "strong")))
        return cell(f"row {at}", "name"), cell(f"{at}.00", "number"), None

    def key(self, at: int) -> Hashable:
        return at


async def test_a_grid_shows_header_cursor_and_rows_without_empty_columns() -> None:
    grid = Grid()
    async with alone(grid, (30, 5)) as pilot:
        grid.show(Rows(9))
        grid.focus()
        await pilot.press("down", "down")
        assert pilot.app.text == [
            "  Where  ms ▾",
            "  row 0  0.00",
            "  a banner over all columns",
            "▌ row 2  2.00",
            "  row 3  3.00",
        ]


async def test_t13_a_grid_formats_only_what_was_on_the_screen() -> None:
    grid, rows = Grid(), Rows(10_000)
    async with alone(grid, (30, 12)) as pilot:
        grid.show(rows)
        await pilot.pause()
        before = rows.asked
        grid.focus()
        await pilot.press("end")
        assert pilot.app.text[-1] == "▌ row 9999  9999.00"
        assert rows.asked - before <= 12
        assert before <= 200


@pytest.mark.parametrize(
    ("keys", "at"),
    [
        (("down", "down", "up"), 1),
        (("j", "j", "k"), 1),
        (("end",), 8),
        (("end", "home"), 0),
        (("pagedown",), 3),
        (("pagedown", "pageup"), 0),
        (("up",), 0),
    ],
)
async def test_the_cursor_moves_and_says_so(keys: tuple[str, ...], at: int) -> None:
    grid = Grid()
    async with alone(grid, (30, 5)) as pilot:
        grid.show(Rows(9))
        grid.focus()
        await pilot.press(*keys)
        assert grid.cursor == at
        assert pilot.app.told[-1] == at


async def test_the_cursor_stays_on_its_row_when_others_come_and_go() -> None:
    grid = Grid()
    async with alone(grid, (30, 5)) as pilot:
        grid.show(Rows(9))
        grid.move_to(5)

        class Fewer(Rows):
            def key(self, at: int) -> Hashable:
                return at + 3

        grid.show(Fewer(6))
        assert grid.cursor == 2
        grid.show(Rows(1))
        assert grid.cursor == 0
        await pilot.pause()
        assert pilot.app.text[1] == "▌ row 0  0.00"


async def test_an_empty_grid_says_what_that_means() -> None:
    grid = Grid()
    async with alone(grid) as pilot:
        grid.show(Rows(0), empty=line("nothing moved"))
        await pilot.pause()
        assert pilot.app.text[1] == "  nothing moved"


def test_columns_only_grow() -> None:
    layout = Layout(Rows(5000))
    narrow = dict(layout.sizes(60))
    assert layout.see(4999)
    wide = layout.sizes(60)
    assert all(wide[at] >= size for at, size in narrow.items())
    assert not layout.see(3)
    assert layout.sizes(60) == wide


async def test_hostile_cells_cannot_write_to_the_terminal() -> None:
    class Nasty(Rows):
        def row(self, at: int) -> Cells | Banner:
            return cell(HOSTILE[at], "name"), cell("1.00"), cell(HOSTILE[at])

    grid = Grid()
    async with alone(grid, (100, 25)) as pilot:
        grid.show(Nasty(len(HOSTILE)))
        await pilot.pause()
        text = "\n".join(pilot.app.text)
        assert not any(
            (ord(char) < 32 and char != "\n") or 0x7F <= ord(char) < 0xA0 or char in "\u202e\u2028"
            for char in text
        )
        assert "[@click=app.quit]click[/]" in text


async def test_chips_fold_and_unfold_with_the_focus() -> None:
    chips = Chips()
    ready = shown(typical(), verdicts=("slower",)).value
    async with alone(chips, (100, 10)) as pilot:
        chips.show_chips(ready.view.chips, ready.options)
        await pilot.pause()
        assert pilot.app.text == [
            "slower side: any · verdict: [slower 1] · detector: any · impact: any · by move"
        ]
        chips.focus()
        await pilot.press("down")
        assert pilot.app.text[1].startswith("verdict:  >[slower 1]<")


async def test_a_status_line_says_and_places() -> None:
    status = StatusLine()
    async with alone(status, (30, 1)) as pilot:
        status.say(line("done"))
        status.place("3 of 9")
        await pilot.pause()
        assert pilot.app.text == ["done                    3 of 9"]
        status.say(line("x" * 100))
        await pilot.pause()
        assert pilot.app.text == ["x" * 22 + "… 3 of 9"]


async def test_a_keys_line_shows_the_ways_out_first_and_presses_what_is_clicked() -> None:
    keys = KeysLine(actions_on("spread"), lambda action_id: "no" if action_id == "copy" else None)
    async with alone(keys, (30, 1)) as pilot:
        assert pilot.app.text == [" esc back  ? help  q quit"]
        await pilot.click(KeysLine, offset=(13, 0))
        assert pilot.app.told == ["help"]


async def test_a_strip_and_a_sparkline() -> None:
    runs = RunsStrip()
    async with alone(runs, (11, 1)) as pilot:
        runs.show_runs([1.0, 2.0, None, 3.0])
        await pilot.pause()
        assert pilot.app.text == ["●    ●    ●"]
    spark = Sparkline()
    async with alone(spark, (4, 1)) as pilot:
        spark.show_values([9, 9, 1, 2, None, 8])
        await pilot.pause()
        assert pilot.app.text == ["▁▂?█"]


async def test_a_spread_plot_is_the_row_in_signs_and_words() -> None:
    plot = SpreadPlot()
    plot.styles.height = 12
    comparison = typical()
    async with alone(plot, (60, 12)) as pilot:
        plot.show_row(comparison.rows[0], comparison)
        await pilot.pause()
        text = pilot.app.text
        assert text[0] == "slower  Repository.load  main_thread_block"
        assert text[1].startswith("before  7 runs · median 122.46 ms")
        assert any("▲" in one and "▼" in one for one in text)
        assert any(one.startswith("move +47.3 ms") for one in text)


async def test_a_prompt_is_hidden_until_it_asks() -> None:
    prompt, told = Prompt(), list[str]()
    async with alone(prompt) as pilot:
        assert not prompt.display
        prompt.ask("name", "old", told.append, cancel=lambda: told.append("given up"), live=told.append)
        await pilot.press("x", "enter")
        assert told[-2:] == ["oldx", "oldx"]
        assert not prompt.display
        prompt.ask("name", "", told.append, cancel=lambda: told.append("given up"))
        await pilot.press("y", "escape")
        assert told[-1] == "given up"


@pytest.mark.parametrize(
    ("before", "after", "part"),
    [
        (line("median 10 ms"), line("median 10 ms"), None),
        (line("median 10 ms"), line("median 17 ms"), Region(8, 3, 1, 1)),
        (line("10 ms"), line("10"), Region(3, 3, 2, 1)),
        (line("10"), line("10 ", "  "), None),
        (line("slower"), line(Span("slower", "slower")), Region(0, 3, 6, 1)),
        (line("a\u754cb"), line("a\u754cc"), Region(0, 3, 20, 1)),
        (line("e\u0301x"), line("e\u0301y"), Region(0, 3, 20, 1)),
        (line("x" * 30), line("x" * 25 + "y"), None),
    ],
)
def test_of_a_changed_line_only_its_changed_columns_are_painted(
    before: Line, after: Line, part: Region | None
) -> None:
    assert changed_part(before, after, 3, 20) == part
