"""A terminal can be made as small as its user likes: every screen comes through, and back."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from textual.screen import Screen

from echolot_tui.tui.screens.calibration import CalibrationScreen
from echolot_tui.tui.screens.collect import CollectScreen
from echolot_tui.tui.screens.comparison import ComparisonScreen
from echolot_tui.tui.screens.detectors import DetectorsScreen
from echolot_tui.tui.screens.doctor import DoctorScreen
from echolot_tui.tui.screens.history import HistoryScreen
from echolot_tui.tui.screens.home import HomeScreen
from echolot_tui.tui.screens.report import ReportScreen
from echolot_tui.tui.screens.setup import SetupScreen
from history_data import history_of_all
from loop_data import calibration, doctor, filling, hostile_home
from screens_app import OpenApp, settle
from screens_data import hostile, hostile_report, shown

SIZES = [(20, 5), (2, 2), (1, 1), (80, 24)]
SCREENS = [
    HomeScreen, SetupScreen, CollectScreen, ComparisonScreen, ReportScreen, DetectorsScreen,
    CalibrationScreen, HistoryScreen, DoctorScreen,
]  # fmt: skip


@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: screen.__name__)
async def test_a_screen_comes_through_a_tiny_terminal(
    open_app: OpenApp, screen: Callable[[], Screen[None]]
) -> None:
    state = {
        "home": hostile_home(),
        "collect": filling(),
        "comparison": shown(hostile()),
        "report": hostile_report(),
        "calibration": calibration(),
        "history": history_of_all(),
        "doctor": doctor(),
    }
    async with open_app(state, screen) as pilot:
        before = pilot.app.text
        for size in SIZES:
            await pilot.resize_terminal(*size)
            await pilot.pause()
        await settle(pilot)
        assert pilot.app.text.splitlines()[:2] == before.splitlines()[:2]
