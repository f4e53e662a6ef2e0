"""How long single turns of the app's event loop take: for so long a key waits."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from echolot_tui.present.opening import Opening
from echolot_tui.tui.app import EcholotApp
from echolot_tui.tui.terminal import Capabilities

SIZE = (200, 50)
TERMINAL = Capabilities(
    refusal=None,
    term="xterm",
    encoding="utf-8",
    colours="true",
    glyphs="blocks",
    theme="dark",
    mouse=False,
    remote=False,
    multiplexed=False,
    width=SIZE[0],
    height=SIZE[1],
)


class Turns:
    """The longest turn of each phase."""

    def __init__(self) -> None:
        self.phase = "start"
        self._worst: dict[str, tuple[float, float]] = {}

    async def watch(self) -> None:
        """Look at every turn until this is cancelled."""
        while True:
            wall, cpu = time.perf_counter(), time.thread_time()
            await asyncio.sleep(0)
            before = self._worst.get(self.phase, (0.0, 0.0))
            turn = (time.perf_counter() - wall, time.thread_time() - cpu)
            self._worst[self.phase] = (max(before[0], turn[0]), max(before[1], turn[1]))

    def print(self) -> None:
        """One line a phase."""
        for phase, (wall, cpu) in self._worst.items():
            print(f"longest turn, {phase:<24} {1000 * wall:5.0f} ms, {1000 * cpu:4.0f} ms of processor")


def app_of(opening: Opening) -> EcholotApp:
    """The app, to be run without a terminal."""
    return EcholotApp(TERMINAL, opening, log_folder=Path("log"))
