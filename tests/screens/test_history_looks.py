"""What History looks like in its states; its chart alone; and that ten thousand series do not slow it."""

from __future__ import annotations

import time
from typing import Any

import msgspec
import pytest

from echolot_tui.history.model import Finding, HistoryReport, SeriesState
from echolot_tui.present.glyphs import GLYPHS
from echolot_tui.present.level_chart import level_chart
from echolot_tui.present.spans import plain
from echolot_tui.tui.decoding import decode_in_pieces
from echolot_tui.tui.screens.history import HistoryScreen
from echolot_tui.tui.store import Working
from echolot_tui.tui.widgets.grid import Grid
from history_data import BLESSED, DRIFT, STEP, a_drift, a_state, a_step, an_excursion, history_of_all
from screens_app import OpenApp, Same, press

LOOKS: dict[str, tuple[dict[str, Any], tuple[str, ...], dict[str, Any]]] = {
    "typical": ({"history": history_of_all()}, (), {"size": (120, 40)}),
    "wide": ({"history": history_of_all()}, (), {"size": (200, 60)}),
    "80x24": ({"history": history_of_all()}, (), {}),
    "60x15": ({"history": history_of_all()}, (), {"size": (60, 15)}),
    "drift": ({"history": history_of_all()}, ("down",), {"size": (120, 40)}),
    "blessed": ({"history": history_of_all()}, ("down", "down"), {"size": (120, 40)}),
    "branch": ({"history": history_of_all("branch")}, (), {"size": (120, 40)}),
    "hostile": ({"history": history_of_all()}, ("end",), {"size": (120, 40)}),
    "gates": ({"history": history_of_all()}, ("down", "down", "enter"), {"size": (100, 30)}),
    "filtered": ({"history": history_of_all()}, ("slash", *"slope", "enter"), {"size": (100, 30)}),
    "no_colour": ({"history": history_of_all()}, (), {"size": (100, 30), "no_colour": True}),
    "ascii": ({"history": history_of_all()}, (), {"size": (100, 30), "glyphs": "ascii"}),
    "many": ({"history": history_of_all(more=5000)}, ("end",), {"size": (120, 40)}),
    "loading": ({"history": Working(text="judging the recorded series")}, (), {}),
}


@pytest.mark.parametrize("name", LOOKS)
async def test_history(open_app: OpenApp, looks_the_same: Same, name: str) -> None:
    state, keys, how = LOOKS[name]
    async with open_app(state, HistoryScreen, **how) as pilot:
        await press(pilot, *keys)
        looks_the_same(pilot)


def drawn(state: SeriesState, finding: Finding | None, width: int = 26) -> list[str]:
    return [plain(each).rstrip() for each in level_chart(state, finding, width, 5, GLYPHS["ascii"])]


def test_a_step_has_two_levels_a_gap_and_its_split() -> None:
    chart = drawn(a_state("launch", STEP), a_step())
    assert len(chart) == 6
    assert chart[0].lstrip().startswith("131.0")
    assert chart[4].lstrip().startswith("100.0")
    places = chart[5][6:]
    assert places[4] == " ", "the fifth commit was not measured"
    assert places[10] == GLYPHS["ascii"].median_above, "the level begins at the tenth"
    assert chart[4][6 + 4] == GLYPHS["ascii"].axis, "the level goes on through the gap"


def test_a_slope_goes_from_its_start_to_its_end() -> None:
    chart = drawn(a_state("slope", DRIFT), a_drift())
    assert chart[4][6] == GLYPHS["ascii"].dot
    assert chart[0][6 + 19] == GLYPHS["ascii"].dot
    assert GLYPHS["ascii"].axis in "".join(row[6 + 4 : 6 + 5] for row in chart[:5]), "the gap shows the slope"


def test_a_branch_has_the_ends_of_its_base() -> None:
    chart = drawn(a_state("launch", STEP), an_excursion())
    assert chart[4][6 + 15] == GLYPHS["ascii"].axis


def test_a_blessing_is_marked_where_levels_begin_to_count() -> None:
    chart = drawn(a_state("quiet", STEP, blessing=BLESSED, counted_from=10), None)
    assert chart[5][6 + 10] == GLYPHS["ascii"].zero


@pytest.mark.parametrize("values", [(), (1.0,), (0.0, 0.0), (-1e308, 1e308), (5e-324, 0.0)])
def test_any_values_make_a_chart(values: tuple[float, ...]) -> None:
    chart = drawn(a_state("odd", tuple(enumerate(values))), None)
    assert len(chart) == (6 if values else 0)


async def test_a_report_is_decoded_as_it_was_printed() -> None:
    report = history_of_all(more=250).value
    printed = msgspec.json.encode(report)
    again = await decode_in_pieces(printed, HistoryReport, field="every", item=SeriesState, what="history")
    assert again == report
    assert isinstance(report, HistoryReport)


async def test_ten_thousand_series_scroll(open_app: OpenApp) -> None:
    async with open_app({"history": history_of_all(more=10_000)}, HistoryScreen, size=(120, 40)) as pilot:
        grid = pilot.app.screen.query_one(Grid)
        begun = time.perf_counter()
        for at in range(0, 10_000, 500):
            grid.move_to(at)
            await pilot.pause()
        assert (time.perf_counter() - begun) / 20 < 0.5, "a page of rows is made, not all"
        assert grid.cursor == 9_500
