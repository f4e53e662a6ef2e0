"""The longest turn of the event loop while a large profile or history is decoded and shown.

    python bench/loading.py [--nodes N …] [--series N] [--length N]

What the verb would print is made beforehand; the app runs without a terminal. Prints one line a case.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from history import scale_series
from profiles import run, tree

from echolot_tui.present.opening import Opening
from echolot_tui.profiles.codec import encode_profile
from echolot_tui.profiles.diff import compare_profiles
from echolot_tui.profiles.sides import ProfileOptions, SideRecordings
from echolot_tui.profiles.stacks import Frame
from echolot_tui.tui import intents
from echolot_tui.tui.app import EcholotApp
from echolot_tui.tui.store import ProfileAsk, Ready
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


def profile_of(nodes: int) -> bytes:
    """A comparison of two sides, every node of a random tree sampled."""
    rng = np.random.default_rng(1)
    parent, share = tree(nodes, rng)
    share = np.full(nodes, 1 / nodes) * 0.5 + share * 0.5
    frames = tuple(Frame(f"function_{at}", f"lib{at % 40}.so") for at in range(nodes))
    sides = [
        SideRecordings(name, tuple(run(parent, share, frames, 20 * nodes, rng) for _ in range(3)))
        for name in ("before", "after")
    ]
    return encode_profile(compare_profiles(*sides, ProfileOptions()))


def history_of(series: int, length: int) -> bytes:
    """Every series of a file judged, two in a hundred with a step."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "series.json"
        path.write_text(json.dumps({"series": scale_series(series, length, 0.02, None)}))
        command = ["-m", "echolot_tui", "--headless", "history", "judge", "--json", "--verbose", str(path)]
        return subprocess.run([sys.executable, *command], capture_output=True, check=True).stdout


class Printed(EcholotApp):
    """The app with what the verb printed in the place of the verb."""

    def __init__(self, printed: bytes) -> None:
        super().__init__(TERMINAL, Opening(), log_folder=Path("log"))
        self.worst = (0.0, 0.0)

        async def verb(*_: object) -> bytes:
            return printed

        self.bridge._verb = verb  # type: ignore[method-assign]

    async def watch(self) -> None:
        """Keep the longest turn: seconds, and seconds of processor."""
        while True:
            wall, cpu = time.perf_counter(), time.thread_time()
            await asyncio.sleep(0)
            turn = (time.perf_counter() - wall, time.thread_time() - cpu)
            self.worst = (max(self.worst[0], turn[0]), max(self.worst[1], turn[1]))


async def longest(printed: bytes, ask: Callable[[Printed], object], slot: str) -> tuple[float, float]:
    """Show what was printed and move about; the longest turn, of wall time and of processor."""
    app = Printed(printed)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause(2)
        watching = asyncio.create_task(app.watch())
        ask(app)
        while not isinstance(getattr(app.store.state, slot), Ready):
            await asyncio.sleep(0.05)
        for key in ("pagedown", "pagedown", "down", "end", "home"):
            await pilot.press(key)
            await pilot.pause(0.1)
        watching.cancel()
    return app.worst


def main() -> None:
    """Measure."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--nodes", type=int, nargs="*", default=[20_000, 100_000])
    options.add_argument("--series", type=int, default=10_000)
    options.add_argument("--length", type=int, default=128)
    given = options.parse_args()
    profile = intents.CompareProfiles(ProfileAsk(before="a", after="b"))
    cases: list[tuple[str, Callable[[], bytes], intents.CompareProfiles | intents.JudgeHistory, str]] = [
        (f"profile, {nodes} nodes", lambda nodes=nodes: profile_of(nodes), profile, "profile")
        for nodes in given.nodes
    ]
    if given.series:
        what = f"history, {given.series} × {given.length}"
        judged = intents.JudgeHistory("series.json")
        cases.append((what, lambda: history_of(given.series, given.length), judged, "history"))
    for what, make, message, slot in cases:
        printed = make()
        wall, cpu = asyncio.run(longest(printed, lambda app, sent=message: app.post_message(sent), slot))
        print(
            f"{what:<24} {len(printed) / 1e6:6.1f} MB  longest turn {1000 * wall:4.0f} ms,"
            f" {1000 * cpu:4.0f} ms of processor"
        )


if __name__ == "__main__":
    main()
