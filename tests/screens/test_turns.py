"""The event loop is never held for long: while runs land, each turn stays short."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Iterator

import pytest

from echolot_tui.tui.screens.collect import CollectScreen
from loop_data import a_set, collect, done, progress
from screens_app import OpenApp

MOST_S = 0.05
RUNS = 20


@pytest.fixture
def frozen() -> Iterator[None]:
    """What the tests before left is not looked through for garbage meanwhile, as when the app starts."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


async def longest_turn() -> float:
    """Processor seconds of the longest turn of the event loop until this is cancelled."""
    worst = 0.0
    try:
        while True:
            before = time.thread_time()
            await asyncio.sleep(0.001)
            worst = max(worst, time.thread_time() - before)
    except asyncio.CancelledError:
        return worst


@pytest.mark.usefixtures("frozen")
async def test_no_turn_is_long_while_runs_land(open_app: OpenApp) -> None:
    runs = [done(k, 1000.0 + k) for k in range(RUNS)]
    states = [collect(progress(a_set(*runs[:count], iterations=RUNS)), running=True) for count in range(RUNS)]
    async with open_app({"collect": states[0]}, CollectScreen, size=(200, 50)) as pilot:
        watching = asyncio.create_task(longest_turn())
        for state in states:
            pilot.app.store.answer(collect=state)
            await asyncio.sleep(0.02)
        watching.cancel()
        assert f"{RUNS - 1}/{RUNS} done" in pilot.app.text
        assert 0 < await watching < MOST_S
