"""Actions are declared once; everything that shows them follows."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from echolot_tui.tui.actions import ACTIONS, TITLES, Where, actions_on, keys_page
from echolot_tui.tui.app import EcholotApp
from echolot_tui.tui.screens.base import BaseScreen
from echolot_tui.tui.screens.calibration import CalibrationScreen
from echolot_tui.tui.screens.collect import CollectScreen
from echolot_tui.tui.screens.comparison import ComparisonScreen
from echolot_tui.tui.screens.detectors import DetectorsScreen
from echolot_tui.tui.screens.doctor import DoctorScreen
from echolot_tui.tui.screens.history import HistoryScreen
from echolot_tui.tui.screens.home import HomeScreen
from echolot_tui.tui.screens.profile import ProfileScreen
from echolot_tui.tui.screens.report import ReportScreen
from echolot_tui.tui.screens.setup import SetupScreen
from echolot_tui.tui.screens.spread import SpreadScreen

PAGE = Path(__file__).parents[3] / "docs" / "keys.md"
SCREENS: tuple[type[BaseScreen], ...] = (
    HomeScreen,
    SetupScreen,
    CollectScreen,
    CalibrationScreen,
    HistoryScreen,
    ProfileScreen,
    DoctorScreen,
    ComparisonScreen,
    SpreadScreen,
    ReportScreen,
    DetectorsScreen,
)


def test_the_page_of_keys_is_what_the_table_says() -> None:
    if os.environ.get("ECHOLOT_UPDATE_GOLDEN") == "1":
        PAGE.write_text(keys_page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == keys_page(), "run with ECHOLOT_UPDATE_GOLDEN=1 and look at it"


@pytest.mark.parametrize("where", list(TITLES))
def test_a_key_does_one_thing_on_a_screen(where: Where) -> None:
    keys = [key for action in actions_on(where) for key in action.keys]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("screen", SCREENS)
def test_every_action_of_a_screen_is_done_by_somebody(screen: type[BaseScreen]) -> None:
    missing = [
        action.id
        for action in actions_on(screen.WHERE)
        if not hasattr(screen, f"do_{action.id}") and not hasattr(EcholotApp, f"do_{action.id}")
    ]
    assert screen is not SpreadScreen or missing == []
    assert [action_id for action_id in missing if not screen().why_not(action_id)] == [], (
        "what nobody does says why"
    )


@pytest.mark.parametrize("screen", SCREENS)
def test_nothing_is_done_that_no_key_asks_for(screen: type[BaseScreen]) -> None:
    ids = {action.id for action in actions_on(screen.WHERE)}
    assert {name[3:] for name in vars(screen) if name.startswith("do_")} <= ids


def test_ids_are_unique_where_they_apply() -> None:
    for where in TITLES:
        ids = [action.id for action in ACTIONS if where in action.where]
        assert len(ids) == len(set(ids))
