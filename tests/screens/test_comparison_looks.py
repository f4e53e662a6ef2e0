"""What the comparison's screen looks like: every state, every size, every theme."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from echolot_tui.compare.model import Comparison
from echolot_tui.tui.screens.comparison import ComparisonScreen
from echolot_tui.tui.store import Failed, Working
from screens_app import OpenApp, Same, press
from screens_data import empty, follows, hostile, many, shown, three_sides, typical

SIZES = [(60, 15), (80, 24), (120, 40), (250, 80)]


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_typical(open_app: OpenApp, looks_the_same: Same, size: tuple[int, int]) -> None:
    async with open_app({"comparison": shown(typical())}, ComparisonScreen, size=size) as pilot:
        looks_the_same(pilot)


@pytest.mark.parametrize("theme", ["light", "contrast", "ansi"])
async def test_themes(open_app: OpenApp, looks_the_same: Same, theme: str) -> None:
    async with open_app(
        {"comparison": shown(typical())}, ComparisonScreen, size=(120, 30), theme=theme
    ) as pilot:
        looks_the_same(pilot)


async def test_without_colour(open_app: OpenApp, looks_the_same: Same) -> None:
    async with open_app(
        {"comparison": shown(typical())}, ComparisonScreen, size=(120, 30), no_colour=True
    ) as pilot:
        looks_the_same(pilot)


@pytest.mark.parametrize("glyphs", ["ascii", "braille"])
async def test_other_signs(open_app: OpenApp, looks_the_same: Same, glyphs: str) -> None:
    async with open_app(
        {"comparison": shown(typical())}, ComparisonScreen, size=(100, 30), glyphs=glyphs
    ) as pilot:
        assert glyphs != "ascii" or pilot.app.text.isascii()
        looks_the_same(pilot)


@pytest.mark.parametrize("made", [empty, three_sides, follows], ids=lambda made: made.__name__)
async def test_other_comparisons(
    open_app: OpenApp, looks_the_same: Same, made: Callable[[], Comparison]
) -> None:
    async with open_app({"comparison": shown(made())}, ComparisonScreen, size=(120, 30)) as pilot:
        looks_the_same(pilot)


@pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_hostile_names(open_app: OpenApp, looks_the_same: Same, size: tuple[int, int]) -> None:
    async with open_app({"comparison": shown(hostile())}, ComparisonScreen, size=size) as pilot:
        looks_the_same(pilot)


async def test_many_rows(open_app: OpenApp, looks_the_same: Same) -> None:
    async with open_app({"comparison": shown(many())}, ComparisonScreen, size=(120, 30)) as pilot:
        await press(pilot, "end", "pageup")
        looks_the_same(pilot)


async def test_while_it_works(open_app: OpenApp, looks_the_same: Same) -> None:
    working = Working(text="measured 3/10  cold-start_iter002.perfetto-trace")
    async with open_app({"comparison": working}, ComparisonScreen) as pilot:
        looks_the_same(pilot)


async def test_when_it_failed(open_app: OpenApp, looks_the_same: Same) -> None:
    failed = Failed(sentence="absent: there is no such file", log="/project/.echolot/log/tui.log")
    async with open_app({"comparison": failed}, ComparisonScreen) as pilot:
        looks_the_same(pilot)


@pytest.mark.parametrize("keys", ["f", "w", "a", "z", "slash", "enter", "question_mark"])
async def test_what_a_key_opens(open_app: OpenApp, looks_the_same: Same, keys: str) -> None:
    async with open_app({"comparison": shown(typical())}, ComparisonScreen, size=(100, 36)) as pilot:
        await press(pilot, keys)
        looks_the_same(pilot)
