"""What the loop's screens look like in their states, at every size, without colour and in ASCII."""

from __future__ import annotations

from typing import Any

import pytest

from echolot_tui.tui.screens.calibration import CalibrationScreen
from echolot_tui.tui.screens.collect import CollectScreen
from echolot_tui.tui.screens.doctor import DoctorScreen
from echolot_tui.tui.screens.history import HistoryScreen
from echolot_tui.tui.screens.home import HomeScreen
from echolot_tui.tui.screens.setup import SetupScreen
from echolot_tui.tui.store import Failed, Ready, ShownCollect, Working
from loop_data import (
    a_calibration,
    a_probe,
    calibration,
    collect,
    cooling_arms,
    doctor,
    ended,
    ended_early,
    filling,
    history,
    home_view,
    hostile_collect,
    hostile_home,
    many_rounds,
    setup,
    suspicious,
    without_hunts,
)
from screens_app import OpenApp, Same, press
from screens_data import HOSTILE

SIZES = [(60, 15), (80, 24), (120, 40), (200, 60)]
FAILED = Failed(sentence="echolot.yml line 3: is no YAML; correct it", log="/project/.echolot/log/tui.log")


def named(size: tuple[int, int]) -> str:
    return f"{size[0]}x{size[1]}"


@pytest.mark.parametrize("size", SIZES, ids=named)
async def test_home(open_app: OpenApp, looks_the_same: Same, size: tuple[int, int]) -> None:
    async with open_app({"home": home_view()}, HomeScreen, size=size) as pilot:
        await press(pilot, "space", "down", "space")
        looks_the_same(pilot)


HOMES: dict[str, Any] = {
    "only_reports": without_hunts("out/report.json", "before/report.json", HOSTILE[7]),
    "empty": without_hunts(),
    "loading": Working(text="looking at the project"),
    "failed": FAILED,
    "hostile": hostile_home(),
    "many": many_rounds(),
}


@pytest.mark.parametrize("name", HOMES)
async def test_home_when(open_app: OpenApp, looks_the_same: Same, name: str) -> None:
    async with open_app({"home": HOMES[name]}, HomeScreen) as pilot:
        await press(pilot, "end")
        looks_the_same(pilot)


@pytest.mark.parametrize("key", ["tab", "n", "N", "C", "question_mark"])
async def test_what_a_key_opens_at_home(open_app: OpenApp, looks_the_same: Same, key: str) -> None:
    async with open_app({"home": home_view()}, HomeScreen, size=(100, 30)) as pilot:
        await press(pilot, key)
        looks_the_same(pilot)


STATES: dict[str, tuple[type, dict[str, Any]]] = {
    "home": (HomeScreen, {"home": home_view()}),
    "collect": (CollectScreen, {"collect": filling()}),
    "calibration": (CalibrationScreen, {"calibration": calibration(suspicious())}),
}


@pytest.mark.parametrize("name", STATES)
async def test_without_colour(open_app: OpenApp, looks_the_same: Same, name: str) -> None:
    screen, state = STATES[name]
    async with open_app(state, screen, size=(100, 30), no_colour=True) as pilot:
        looks_the_same(pilot)


@pytest.mark.parametrize("name", STATES)
async def test_in_ascii(open_app: OpenApp, looks_the_same: Same, name: str) -> None:
    screen, state = STATES[name]
    async with open_app(state, screen, size=(100, 30), glyphs="ascii") as pilot:
        assert pilot.app.text.isascii()
        looks_the_same(pilot)


@pytest.mark.parametrize("size", SIZES[:3], ids=named)
async def test_collect(open_app: OpenApp, looks_the_same: Same, size: tuple[int, int]) -> None:
    async with open_app({"collect": filling()}, CollectScreen, size=size) as pilot:
        looks_the_same(pilot)


COLLECTS: dict[str, Any] = {
    "nothing_recorded": collect(None),
    "no_config": Ready(value=ShownCollect(problem="there is no echolot.yml here or above")),
    "complete": ended(),
    "failed_early": ended_early(),
    "lost": ended(lost=True),
    "two_arms": cooling_arms(),
    "watching": ended(watching="/data/in", running=True),
    "hostile": hostile_collect(),
    "starting": Working(text="starting the recorder"),
    "failed": FAILED,
}


@pytest.mark.parametrize("name", COLLECTS)
async def test_collect_when(open_app: OpenApp, looks_the_same: Same, name: str) -> None:
    async with open_app({"collect": COLLECTS[name]}, CollectScreen, size=(100, 30)) as pilot:
        looks_the_same(pilot)


@pytest.mark.parametrize("size", SIZES[:3], ids=named)
async def test_calibration(open_app: OpenApp, looks_the_same: Same, size: tuple[int, int]) -> None:
    async with open_app({"calibration": calibration()}, CalibrationScreen, size=size) as pilot:
        looks_the_same(pilot)


CALIBRATIONS: dict[str, Any] = {
    "suspicious": calibration(suspicious()),
    "hostile": calibration(
        a_calibration(HOSTILE[7], warnings=HOSTILE[:8], scenario=HOSTILE[0], device=HOSTILE[5])
    ),
    "empty": calibration(a_calibration(detectors=())),
    "loading": Working(text="measured 2/5"),
    "failed": FAILED,
}


@pytest.mark.parametrize("name", CALIBRATIONS)
async def test_calibration_when(open_app: OpenApp, looks_the_same: Same, name: str) -> None:
    async with open_app({"calibration": CALIBRATIONS[name]}, CalibrationScreen, size=(100, 30)) as pilot:
        looks_the_same(pilot)


async def test_the_section_to_merge(open_app: OpenApp, looks_the_same: Same) -> None:
    async with open_app({"calibration": calibration()}, CalibrationScreen) as pilot:
        await press(pilot, "v")
        looks_the_same(pilot)


SETUPS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "trace": ({}, ()),
    "process": ({"setup": setup(a_probe())}, (*"traces", "enter")),
    "start": ({"setup": setup(a_probe(process="com.example.app"))}, (*"traces", "enter", "down")),
    "hostile": (
        {"setup": setup(a_probe(process="x", names=HOSTILE))},
        (*"traces", "enter", "end", "enter", "end", "enter"),
    ),
    "command": ({}, ("enter",)),
    "write": ({}, ("enter", *"run -o {trace}", "enter")),
    "failed": ({"setup": FAILED}, (*"traces", "enter")),
}


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=named)
@pytest.mark.parametrize("name", SETUPS)
async def test_setup(open_app: OpenApp, looks_the_same: Same, name: str, size: tuple[int, int]) -> None:
    state, keys = SETUPS[name]
    async with open_app(state, SetupScreen, size=size) as pilot:
        await press(pilot, *keys)
        looks_the_same(pilot)


@pytest.mark.parametrize(
    "state", [{"history": history()}, {}, {"history": FAILED}], ids=["found", "empty", "failed"]
)
async def test_history(open_app: OpenApp, looks_the_same: Same, state: dict[str, Any]) -> None:
    async with open_app(state, HistoryScreen) as pilot:
        looks_the_same(pilot)


@pytest.mark.parametrize(
    "slot", [doctor(), Working(text="checking this machine"), FAILED], ids=["found", "loading", "failed"]
)
async def test_doctor(open_app: OpenApp, looks_the_same: Same, slot: object) -> None:
    async with open_app({"doctor": slot}, DoctorScreen, size=(100, 30)) as pilot:
        looks_the_same(pilot)


@pytest.mark.parametrize("name", ["home", "collect", "setup", "calibration"])
async def test_nothing_hostile_reaches_the_terminal(open_app: OpenApp, name: str) -> None:
    made: dict[str, tuple[type, dict[str, Any], tuple[str, ...]]] = {
        "home": (HomeScreen, {"home": hostile_home()}, ("down", "tab")),
        "collect": (CollectScreen, {"collect": hostile_collect()}, ("down",)),
        "setup": (SetupScreen, *SETUPS["hostile"]),
        "calibration": (CalibrationScreen, {"calibration": CALIBRATIONS["hostile"]}, ("down", "v")),
    }
    screen, state, keys = made[name]
    async with open_app(state, screen, size=(160, 50)) as pilot:
        await press(pilot, *keys)
        shown = pilot.app.text
    assert not [sign for sign in shown if sign != "\n" and (ord(sign) < 32 or sign in "\x7f\x9b\u202e\u2028")]
