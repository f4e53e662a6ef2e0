"""The full-screen app on a pseudo-terminal: first paint, key to paint with many rows, bytes written.

    python bench/tui.py [ROWS]

Prints one line a figure. Compare figures of one run with each other, not with another machine's.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from turns import SIZE, Turns, app_of  # noqa: E402

from echolot_tui.present.opening import Opening  # noqa: E402
from echolot_tui.report.codec import encode_report  # noqa: E402
from pty_session import PtySession  # noqa: E402
from reports_by_hand import detector, report, row  # noqa: E402

KEYS = {"a row": b"j", "a page": b"\x1b[6~", "a filter": b"d"}
SIZES = (SIZE, (80, 24))
DRIVERS = {"in full": "plain_driver:PlainDriver", "what differs": ""}
"""Who paints: Textual's own driver, ours."""


def write_reports(folder: Path, rows: int) -> None:
    """Two reports of many rows, every seventh slower on the second side."""
    for name, shift in (("before", 0.0), ("after", 0.4)):
        chance = random.Random(name)
        found = [
            row(
                f"com.example.feature{at % 97}.Class{at}.method",
                [
                    round((20 + at % 300) * (1 + shift * (at % 7 == 0)) + chance.gauss(0, 1), 2)
                    for _ in range(5)
                ],
                thread="main",
                count=5,
            )
            for at in range(rows)
        ]
        (folder / f"{name}.json").write_bytes(
            encode_report(report(detector("main_thread_block", *found), side=name))
        )


def environment(driver: str = "") -> dict[str, str]:
    """A plain terminal; ``driver`` in the place of the app's own."""
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("TEXTUAL", "SSH", "TMUX", "CI"))
    }
    paths = [str(ROOT), str(ROOT / "bench")]
    kept |= {"TEXTUAL_DRIVER": driver, "PYTHONPATH": os.pathsep.join(paths)} if driver else {}
    return kept | {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8"}


async def print_turns() -> None:
    """The longest turn of the event loop: comparing, and each key five times."""
    app, turns = app_of(Opening(screen="comparison", sides=("before.json", "after.json"))), Turns()
    async with app.run_test(size=SIZE) as pilot:
        watching = asyncio.create_task(turns.watch())
        turns.phase = "compare and show"
        await app.workers.wait_for_complete()
        await pilot.pause(0.5)
        for turns.phase, key in (
            ("a row", "j"),
            ("a page", "pagedown"),
            ("a filter", "d"),
            ("an order", "b"),
        ):
            for _ in range(5):
                await pilot.press(key)
                await pilot.pause(0.2)
        watching.cancel()
    turns.print()


def written(folder: Path, size: tuple[int, int], driver: str) -> dict[str, float]:
    """Bytes written for what a person does on the comparison."""
    session = PtySession(
        [sys.executable, "-m", "echolot_tui", "compare", "before.json", "after.json", "--tui"],
        cwd=folder,
        env=environment(driver),
        size=size,
    )
    session.wait_for("1 of ", timeout=60)
    session.quiet(0.5)
    found: dict[str, float] = {"first paint": len(session.output)}
    for what, key in (("a row", b"j"), ("a page", b"\x1b[6~")):
        found[what] = sum(session.press(key, 0.25)[1] for _ in range(10)) / 10
    session.press(b"\x1b[H")
    found["the spread"] = session.press(b"\r")[1]
    found["its next row"] = session.press(b"\x1b[C")[1]
    session.send(b"q")
    session.wait_end(5)
    session.close()
    return found


def print_bytes(folder: Path) -> None:
    """One line a key and a size: painted in full, and only what differs."""
    for size in SIZES:
        by_driver = [written(folder, size, driver) for driver in DRIVERS.values()]
        for what in by_driver[0]:
            numbers = ", ".join(
                f"{name} {found[what] / 1000:6.1f} kB" for name, found in zip(DRIVERS, by_driver, strict=True)
            )
            print(f"{size[0]}x{size[1]}: {what:<14} {numbers}")


def main() -> None:
    """Measure."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    bare = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    bare = time.perf_counter() - bare
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_reports(folder, rows)
        app = [sys.executable, "-m", "echolot_tui"]
        home = PtySession(app, cwd=folder, env=environment(), size=SIZE)
        first = home.wait_for(" q")
        cpu = home.cpu_seconds()
        home.close()
        print(f"bare interpreter          {1000 * bare:7.0f} ms")
        print(f"first paint of Home       {1000 * first:7.0f} ms, {1000 * cpu:.0f} ms of it CPU")
        session = PtySession(
            [*app, "compare", "before.json", "after.json", "--tui"], cwd=folder, env=environment(), size=SIZE
        )
        ready = session.wait_for("1 of ", timeout=60)
        session.quiet()
        print(f"{rows} rows compared and shown {1000 * ready:5.0f} ms, {len(session.output) / 1000:.0f} kB")
        for what, key in KEYS.items():
            waits, sizes = [], []
            for _ in range(10):
                wait, size = session.press(key, 0.25)
                waits.append(wait)
                sizes.append(size)
            mean = sum(sizes) / len(sizes)
            print(f"{what:<10} key to paint      {1000 * min(waits):7.0f} ms  {mean / 1000:7.1f} kB")
        since = time.monotonic()
        time.sleep(5)
        idle = sum(len(data) for _, data in session.painted_after(since))
        print(f"idle for 5 s              {idle:7d} bytes")
        since = time.monotonic()
        session.send(b"q")
        session.wait_end(5)
        print(f"quit                      {1000 * (time.monotonic() - since):7.0f} ms")
        session.close()
        print_bytes(folder)
        with contextlib.chdir(folder):
            asyncio.run(print_turns())


if __name__ == "__main__":
    main()
