"""The Collect screen while a set fills: bytes a minute, repaints a second, longest turn of the event loop.

    python bench/collect_screen.py [RUNS]

Records real sets: each run waits, then copies a generated Android trace, which is measured as it lands.
Prints one line a figure. Compare figures of one run with each other, not with another machine's.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from tui import DRIVERS, SIZES, environment  # noqa: E402
from turns import SIZE, Turns, app_of  # noqa: E402

from echolot_tui.present.opening import Opening  # noqa: E402
from echolot_tui.tui.store import Ready  # noqa: E402
from pty_session import REPAINT, PtySession  # noqa: E402

RUN_S = 4
BEGUN_S = 2
"""After the key; what a key asks for is painted at once and does not count as news."""

CONFIG = """\
project: {{process: com.example.app}}
scenario: {{name: cold-start}}
runner:
  mode: host
  iterations: {runs}
  suffix: .perfetto-trace
  command: "{python} record.py {{trace}}"
"""

RECORD = f"import shutil, sys, time\ntime.sleep({RUN_S})\nshutil.copy('demo.trace', sys.argv[1])\n"


def make_project(folder: Path, runs: int) -> None:
    """A project that records by copying a generated trace."""
    subprocess.run(
        [sys.executable, "-m", "echolot_tui", "--headless", "demo", "made"],
        cwd=folder,
        env=environment(),
        capture_output=True,
        check=True,
    )
    trace = next((folder / "made").rglob("*.perfetto-trace"))
    trace.rename(folder / "demo.trace")
    shutil.rmtree(folder / "made")
    (folder / "echolot.yml").write_text(CONFIG.format(runs=runs, python=sys.executable))
    (folder / "record.py").write_text(RECORD)


def watch_on_terminal(folder: Path, size: tuple[int, int], painted: str) -> None:
    """Record a set with the screen open."""
    session = PtySession(
        [sys.executable, "-m", "echolot_tui"], cwd=folder, env=environment(DRIVERS[painted]), size=size
    )
    session.wait_for("engine ")
    session.quiet()
    session.send(b"c")
    session.wait_for("enter records")
    session.quiet()
    since = time.monotonic()
    session.send(b"\r")
    session.wait_for("enter opens the report", timeout=600)
    session.quiet()
    minutes = (session.chunks[-1][0] - since) / 60
    chunks = session.painted_after(since)
    output = b"".join(data for _, data in chunks)
    times = [at for at, data in chunks if REPAINT in data and at > since + BEGUN_S]
    busiest = max(sum(at <= other < at + 1 for other in times) for at in times)
    print(
        f"{size[0]}x{size[1]}, {painted}: {len(output) / minutes / 1000:.1f} kB a minute"
        f" over {60 * minutes:.0f} s,"
        f" {output.count(REPAINT) / minutes:.0f} repaints a minute, {busiest} in the busiest second"
    )
    session.send(b"q")
    session.wait_end(5)
    session.close()


async def print_turns() -> None:
    """The longest turn of the event loop while a set is recorded."""
    app, turns = app_of(Opening()), Turns()
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause(3)
        watching = asyncio.create_task(turns.watch())
        turns.phase = "opening Collect"
        await pilot.press("c")
        await pilot.pause(1)
        turns.phase = "while runs land"
        await pilot.press("enter")
        await pilot.pause(2)
        while not (isinstance(app.store.state.collect, Ready) and app.store.state.collect.value.report):
            await asyncio.sleep(0.2)
        watching.cancel()
    turns.print()


def main() -> None:
    """Measure."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_project(folder, runs)
        for size in SIZES:
            for painted in DRIVERS:
                watch_on_terminal(folder, size, painted)
        with contextlib.chdir(folder):
            asyncio.run(print_turns())


if __name__ == "__main__":
    main()
