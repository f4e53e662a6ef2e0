"""The profile diff: what it looks like in each state, and what every key does."""

from __future__ import annotations

import time
from typing import Any

import pytest
from msgspec.structs import replace

from echolot_tui.present.profile_files import profile_files
from echolot_tui.present.profile_screen import ProfileTree
from echolot_tui.profiles.codec import decode_profile, encode_profile
from echolot_tui.profiles.model import ProfileDiff
from echolot_tui.tui.profile_reading import read_tree
from echolot_tui.tui.profile_sides import profile_ask
from echolot_tui.tui.screens.profile import ProfileScreen
from echolot_tui.tui.store import Failed, ProfileAsk, Ready, ShownProfile, Working
from echolot_tui.tui.widgets.grid import Grid
from profiles_by_hand import diff, sampled
from screens_app import OpenApp, PlainApp, Same, press

BASE = {
    "main": 200.0,
    "main;parse": 1_500.0,
    "main;parse;token": 2_500.0,
    "main;render;layout": 2_000.0,
    "main;render;paint": 3_000.0,
    "main;idle": 800.0,
}
SLOWER = {**BASE, "main;parse;token": 4_500.0}
HOSTILE = {
    "main": 500.0,
    "main;[red]\x1b[2J|`x`": 900.0,
    "main;漢字が\u202eとても長い名前の関数": 900.0,
    "main;" + "x" * 300: 900.0,
}
ASK = ProfileAsk(before="a", after="b")


def ready(profile: ProfileDiff) -> Ready[ShownProfile]:
    return Ready(value=ShownProfile(ask=ASK, tree=ProfileTree(profile)))


@pytest.fixture(scope="module")
def typical() -> Ready[ShownProfile]:
    sides = (
        [sampled(rates, seed + at, 0.03) for at in range(6)] for rates, seed in ((BASE, 1), (SLOWER, 50))
    )
    return ready(diff(*sides))


def many(count: int) -> ProfileDiff:
    """A tree of one root and ``count`` frames, ten a caller."""
    profile = diff(BASE, SLOWER)
    one = profile.nodes[1]
    nodes = [replace(one, id=at, parent=(at - 1) // 10 or 0, label=f"frame {at}") for at in range(1, count)]
    return replace(profile, nodes=(profile.nodes[0], *nodes), findings=(), suspects=(), follow=())


def frame(app: PlainApp) -> str:
    screen = app.screen
    assert isinstance(screen, ProfileScreen)
    assert screen.frame is not None
    return screen._shown.tree.profile.nodes[screen.frame].label  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "size", [(60, 15), (80, 24), (120, 40), (250, 80)], ids=lambda one: f"{one[0]}x{one[1]}"
)
async def test_typical(open_app: OpenApp, looks_the_same: Same, typical: Any, size: tuple[int, int]) -> None:
    async with open_app({"profile": typical}, ProfileScreen, size=size) as pilot:
        await press(pilot, "f")
        looks_the_same(pilot)


@pytest.mark.parametrize("fields", [{"no_colour": True}, {"glyphs": "ascii"}], ids=["no_colour", "ascii"])
async def test_without(open_app: OpenApp, looks_the_same: Same, typical: Any, fields: dict[str, Any]) -> None:
    async with open_app({"profile": typical}, ProfileScreen, size=(100, 30), **fields) as pilot:
        looks_the_same(pilot)


@pytest.mark.parametrize("what", ["empty", "loading", "failed", "hostile", "many"])
async def test_states(open_app: OpenApp, looks_the_same: Same, what: str) -> None:
    states: dict[str, Any] = {
        "loading": {"profile": Working(text="comparing the stacks of a and b")},
        "failed": {"profile": Failed(sentence="a: no such file; name a recording")},
        "hostile": {"profile": ready(diff(HOSTILE, {**HOSTILE, "main": 1_500.0}))},
        "many": {"profile": ready(many(5_000))},
    }
    async with open_app(states.get(what, {}), ProfileScreen, size=(80, 24)) as pilot:
        looks_the_same(pilot)


@pytest.mark.parametrize("key", ["a", "w", "n", "question_mark"])
async def test_what_a_key_opens(open_app: OpenApp, looks_the_same: Same, typical: Any, key: str) -> None:
    async with open_app({"profile": typical}, ProfileScreen, size=(100, 30)) as pilot:
        await press(pilot, key)
        looks_the_same(pilot)


async def test_the_largest_rise_is_followed_to_the_frame_that_explains_it(
    open_app: OpenApp, typical: Any
) -> None:
    async with open_app({"profile": typical}, ProfileScreen) as pilot:
        await press(pilot, "left", "f")
        assert frame(pilot.app) == "token"


async def test_folding_and_moving_in_and_out(open_app: OpenApp, typical: Any) -> None:
    async with open_app({"profile": typical}, ProfileScreen) as pilot:
        grid = pilot.app.screen.query_one(Grid)
        every = len(grid.source)
        await press(pilot, "f", "left")
        assert frame(pilot.app) == "parse"
        await press(pilot, "left")
        assert len(grid.source) == every - 1
        await press(pilot, "right", "right")
        assert (len(grid.source), frame(pilot.app)) == (every, "token")
        await press(pilot, "home", "enter")
        assert len(grid.source) == 1
        await press(pilot, "space")
        assert len(grid.source) == every


async def test_a_text_leaves_frames_that_hold_it_and_their_callers(open_app: OpenApp, typical: Any) -> None:
    async with open_app({"profile": typical}, ProfileScreen) as pilot:
        grid = pilot.app.screen.query_one(Grid)
        every = len(grid.source)
        await press(pilot, "slash", *"TOKEN", "enter", "end")
        assert (len(grid.source), frame(pilot.app)) == (4, "token")
        await press(pilot, "escape")
        assert len(grid.source) == every


async def test_shares_and_amounts_always_with_both_totals(open_app: OpenApp, typical: Any) -> None:
    async with open_app({"profile": typical}, ProfileScreen, size=(120, 40)) as pilot:
        assert "Δ points" in pilot.app.text
        totals = next(each for each in pilot.app.text.splitlines() if "Totals" in each)
        await press(pilot, "n")
        assert "Δ samples" in pilot.app.text
        assert totals in pilot.app.text.splitlines()


async def test_export_copy_and_again_are_asked_of_the_core(open_app: OpenApp, typical: Any) -> None:
    async with open_app({"profile": typical}, ProfileScreen) as pilot:
        await press(pilot, "e", "r", "y")
        assert pilot.app.recorded.asked == [("export profile",), ("profile", None)]
        assert "copied the frame" in pilot.app.text


async def test_nothing_blocks_in_a_tree_of_100_000_frames(open_app: OpenApp) -> None:
    profile = ready(many(100_000))
    async with open_app({"profile": profile}, ProfileScreen) as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, ProfileScreen)
        slowest = 0.0
        for act in (screen.do_fold, screen.do_fold, lambda: screen._look("frame 9"), screen._show):
            start = time.perf_counter()
            act()
            slowest = max(slowest, time.perf_counter() - start)
        assert slowest < 0.15, "twelve milliseconds where nothing else runs"


async def test_what_the_verb_prints_is_read_and_written_again(typical: Any) -> None:
    profile = typical.value.tree.profile
    tree = await read_tree(encode_profile(profile))
    assert tree.profile == profile
    files = profile_files(profile)
    assert list(files) == ["profile.md", "flame.svg", "profile.json"]
    assert decode_profile(files["profile.json"], where="it") == profile


def test_sides_are_folders_of_their_own() -> None:
    asked = profile_ask(["r/1/a.pf", "r/1/b.pf"], ["r/2/a.pf"], thread="Binder[1]*")
    assert asked == ProfileAsk(before="r/1", after="r/2/a.pf", flags=("--thread", "Binder[[]1[]][*]"))
    assert "both sides lie in r/1" in str(profile_ask(["r/1/a", "r/1/b"], ["r/1/c", "r/1/d"]))
    assert "needs the traces" in str(profile_ask([], ["r/2/a.pf"]))
