"""What the report's, the detectors' and the home screen look like."""

from __future__ import annotations

import pytest

from echolot_tui.tui.screens.detectors import DetectorsScreen
from echolot_tui.tui.screens.report import ReportScreen
from echolot_tui.tui.store import Failed
from screens_app import OpenApp, Same, press
from screens_data import hostile_report, shown_report

SIZES = [(60, 15), (80, 24), (120, 40)]


def named(size: tuple[int, int]) -> str:
    return f"{size[0]}x{size[1]}"


@pytest.mark.parametrize("size", SIZES, ids=named)
async def test_report(open_app: OpenApp, looks_the_same: Same, size: tuple[int, int]) -> None:
    async with open_app({"report": shown_report()}, ReportScreen, size=size) as pilot:
        await press(pilot, "down")
        looks_the_same(pilot)


@pytest.mark.parametrize("keys", ["w", "s", "enter", "slash"])
async def test_what_a_key_opens_in_the_report(open_app: OpenApp, looks_the_same: Same, keys: str) -> None:
    async with open_app({"report": shown_report()}, ReportScreen, size=(100, 36)) as pilot:
        await press(pilot, "down", keys)
        looks_the_same(pilot)


async def test_report_of_hostile_names(open_app: OpenApp, looks_the_same: Same) -> None:
    async with open_app({"report": hostile_report()}, ReportScreen, size=(120, 40)) as pilot:
        await press(pilot, "down")
        looks_the_same(pilot)


async def test_report_that_is_not_there(open_app: OpenApp, looks_the_same: Same) -> None:
    failed = Failed(sentence="out: holds no report.json; run echolot analyze on its traces")
    async with open_app({"report": failed}, ReportScreen) as pilot:
        looks_the_same(pilot)


@pytest.mark.parametrize("size", SIZES, ids=named)
async def test_detectors(open_app: OpenApp, looks_the_same: Same, size: tuple[int, int]) -> None:
    async with open_app({"report": shown_report()}, DetectorsScreen, size=size) as pilot:
        await press(pilot, "right")
        looks_the_same(pilot)


async def test_detectors_yaml(open_app: OpenApp, looks_the_same: Same) -> None:
    async with open_app({"report": shown_report()}, DetectorsScreen, size=(100, 30)) as pilot:
        await press(pilot, "right", "e")
        looks_the_same(pilot)


async def test_detectors_without_stored_rows(open_app: OpenApp, looks_the_same: Same) -> None:
    async with open_app({"report": hostile_report()}, DetectorsScreen, size=(100, 30)) as pilot:
        looks_the_same(pilot)
