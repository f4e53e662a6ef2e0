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
from pathlib import Path

import numpy as np
from history import scale_series
from profiles import run, tree
from textual.message import Message
from turns import SIZE, Turns, app_of

from echolot_tui.present.opening import Opening
from echolot_tui.profiles.codec import encode_profile
from echolot_tui.profiles.diff import compare_profiles
from echolot_tui.profiles.sides import ProfileOptions, SideRecordings
from echolot_tui.profiles.stacks import Frame
from echolot_tui.tui import intents
from echolot_tui.tui.store import ProfileAsk, Ready


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


async def show(printed: bytes, sent: Message, slot: str, turns: Turns) -> None:
    """Show what the verb printed, and move about."""
    app = app_of(Opening())

    async def verb(*_: object) -> bytes:
        return printed

    app.bridge._verb = verb  # type: ignore[method-assign]
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause(2)
        watching = asyncio.create_task(turns.watch())
        app.post_message(sent)
        while not isinstance(getattr(app.store.state, slot), Ready):
            await asyncio.sleep(0.05)
        for key in ("pagedown", "pagedown", "down", "end", "home"):
            await pilot.press(key)
            await pilot.pause(0.1)
        watching.cancel()


def main() -> None:
    """Measure."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--nodes", type=int, nargs="*", default=[20_000, 100_000])
    options.add_argument("--series", type=int, default=10_000)
    options.add_argument("--length", type=int, default=128)
    given = options.parse_args()
    turns = Turns()
    for nodes in given.nodes:
        turns.phase = f"profile, {nodes} frames"
        asked = intents.CompareProfiles(ProfileAsk(before="a", after="b"))
        asyncio.run(show(profile_of(nodes), asked, "profile", turns))
    if given.series:
        turns.phase = f"history, {given.series} × {given.length}"
        judged = intents.JudgeHistory("series.json")
        asyncio.run(show(history_of(given.series, given.length), judged, "history", turns))
    turns.print()


if __name__ == "__main__":
    main()
