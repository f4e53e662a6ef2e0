"""The app on a real pseudo-terminal: what it refuses, what it paints, how it ends."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pty_session import REPAINT, PtySession

APP = [sys.executable, "-m", "echolot_tui"]
QUICK_S = 0.5
"""What leaving may take once the app notices; a loaded machine gets three times that."""

MOST_BYTES = 3000
"""What one change of what is shown may write; Textual by itself writes twice as much for a row."""

REPORT = '{"detectors": [{"id": "block", "rows": [{"location": "%s", "self_ms": %d}]}], "runs": 1}'


def environment(**extra: str) -> dict[str, str]:
    dropped = ("TEXTUAL", "SSH", "TMUX", "STY", "CI", "NO_COLOR", "ECHOLOT_", "COLUMNS", "LINES")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(dropped)}
    return kept | {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"} | extra


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "a.json").write_text(REPORT % ("draw", 100))
    (tmp_path / "b.json").write_text(REPORT % ("draw", 250))
    return tmp_path


Run = Callable[..., PtySession]


@pytest.fixture
def run(project: Path) -> Iterator[Run]:
    sessions: list[PtySession] = []

    def start(*arguments: str, program: list[str] | None = None, **env: str) -> PtySession:
        session = PtySession([*(program or APP), *arguments], cwd=project, env=environment(**env))
        sessions.append(session)
        return session

    yield start
    for session in sessions:
        session.close()


def test_compare_tui_opens_that_comparison_and_q_leaves(run: Run) -> None:
    session = run("compare", "a.json", "b.json", "--tui")
    session.wait_for("+150.0")
    session.send(b"q")
    assert session.wait_end(10) == 0
    assert b"\x1b[?1049l" in session.output, "the terminal is given back"


def test_a_bare_call_opens_home_and_a_report_opens_its_screen(run: Run) -> None:
    run().wait_for("where did the time go")
    run("report", "a.json", "--tui").wait_for("a.json")


@pytest.mark.parametrize("extra", [{"TERM": "dumb"}, {"CI": "1"}])
def test_where_it_cannot_run_the_verb_prints_and_says_why(run: Run, extra: dict[str, str]) -> None:
    session = run("compare", "a.json", "b.json", "--tui", **extra)
    assert session.wait_end(20) == 0
    session.wait_for("so this is the printed view")
    assert b"\x1b[?1049h" not in session.output
    assert b"+150.0" in session.output


def test_a_pipe_gets_the_printed_view_and_a_bare_call_the_help(project: Path) -> None:
    for arguments, said in ((["compare", "a.json", "b.json", "--tui"], "+150.0"), ([], "Verbs:")):
        done = subprocess.run(
            [*APP, *arguments], cwd=project, env=environment(), capture_output=True, text=True, check=True
        )
        assert said in done.stdout
        assert "\x1b[?1049h" not in done.stdout + done.stderr


def test_headless_never_opens_it(run: Run) -> None:
    session = run("--headless", "compare", "a.json", "b.json", "--tui")
    assert session.wait_end(20) == 0
    session.wait_for("--headless was given, so this is the printed view")


def test_over_ssh_the_mouse_stays_the_terminals(run: Run) -> None:
    session = run("report", "a.json", "--tui", SSH_CONNECTION="1 2 3 4")
    session.wait_for("a.json")
    session.quiet()
    assert b"\x1b[?1000h" not in session.output
    session.send(b"M")
    session.wait_for("the mouse works here")
    session.quiet()
    assert b"\x1b[?1000h" in session.output


def test_a_terminal_that_is_not_utf8_gets_ascii_only(run: Run) -> None:
    session = run("compare", "a.json", "b.json", "--tui", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    session.wait_for("+150.0")
    session.quiet()
    assert session.output.isascii()


def test_nothing_is_painted_while_nothing_happens(run: Run) -> None:
    session = run("compare", "a.json", "b.json", "--tui")
    session.wait_for("+150.0")
    session.quiet(1.0)
    since = time.monotonic()
    time.sleep(1.5)
    assert session.painted_after(since) == []


_DEAF = """
import signal
from echolot_tui.tui import start
start.signal.signal = lambda *_: None
signal.signal(signal.SIGHUP, signal.SIG_IGN)
from echolot_tui.cli import main
main()
"""
IGNORES_SIGHUP = [sys.executable, "-c", _DEAF]


@pytest.mark.parametrize("program", [APP, IGNORES_SIGHUP], ids=["heeds", "ignores"])
def test_when_the_line_drops_it_ends_at_once_and_so_does_its_work(
    run: Run, project: Path, program: list[str]
) -> None:
    for at in range(3):
        (project / f"t{at}.perfetto-trace").write_bytes(b"\x0a\x00" * 10)
    session = run("compare", "a.json", "b.json", "--tui", program=program)
    session.wait_for("+150.0")
    session.quiet()
    since = time.monotonic()
    session.hang_up()
    session.wait_end(10)
    assert time.monotonic() - since < 3 * QUICK_S


def test_a_hang_up_signal_ends_it_at_once(run: Run) -> None:
    session = run()
    session.wait_for("where did the time go")
    session.quiet()
    since = time.monotonic()
    os.kill(session.process.pid, signal.SIGHUP)
    assert session.wait_end(10) == 129
    assert time.monotonic() - since < 3 * QUICK_S


def test_without_colours_nothing_but_the_terminals_own_two_is_painted(run: Run) -> None:
    """Not even a grey, and no black that may stand on black."""
    session = run("compare", "a.json", "b.json", "--tui", NO_COLOR="1", ECHOLOT_THEME="light")
    session.wait_for("+150.0")
    session.quiet()
    session.press(b"T")
    painted = re.findall(rb"\x1b\[([0-9;]*)m", session.output)
    numbers = {int(number) for one in painted for number in one.split(b";") if number}
    assert {number for number in numbers if number >= 30} <= {39, 49}
    assert 7 in numbers, "the cursor's row is seen without a colour"


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM], ids=["hang up", "end"])
def test_a_signal_leaves_the_terminal_as_it_was(run: Run, number: signal.Signals) -> None:
    """Its shell goes on on it: a screen that stays painted and keys without an echo are no use to anybody."""
    session = run()
    as_it_was = termios.tcgetattr(session.fd)
    session.wait_for("where did the time go")
    session.quiet()
    assert termios.tcgetattr(session.fd) != as_it_was
    os.kill(session.process.pid, number)
    assert session.wait_end(10) == 128 + number
    session.quiet(0.1)
    assert termios.tcgetattr(session.fd) == as_it_was
    assert session.output.rstrip().endswith(b"\x1b[?1049l\x1b[?25h\x1b[0m")


FLOOD = """
import asyncio, sys, time
from pathlib import Path
from echolot_tui.present.opening import Opening
from echolot_tui.tui.app import EcholotApp
from echolot_tui.tui.screens.collect import CollectScreen
from echolot_tui.tui.screens.comparison import ComparisonScreen
from echolot_tui.tui.store import Working
from echolot_tui.tui.terminal import detect
from loop_data import a_set, collect, done, progress

def landing(at, said):
    runs = [done(k, 1000.0 + k * at % 7) for k in range(at % 40)]
    return collect(progress(a_set(*runs, iterations=40)), running=True, log=(said,))

SCREENS = {
    "comparison": (ComparisonScreen, lambda at, said: Working(text=said)),
    "collect": (CollectScreen, landing),
}
slot = sys.argv[1]
screen, news = SCREENS[slot]

class Flooded(EcholotApp):
    def open_first(self):
        self.push_screen(screen())
        self.run_worker(self.flood(), name="flood")

    async def flood(self):
        end = time.monotonic() + 3
        at = 0
        while time.monotonic() < end:
            at += 1
            self.store.put(**{slot: news(at, f"measured {at} of many")})
            await asyncio.sleep(0.001)
        Path("flood.txt").write_text(str(at))
        self.store.put(**{slot: news(at, "flood is over")})

Flooded(detect(), Opening(), log_folder=Path("log")).run(mouse=False)
"""


@pytest.mark.parametrize("slot", ["comparison", "collect"])
def test_a_flood_of_news_is_at_most_five_repaints_a_second(run: Run, project: Path, slot: str) -> None:
    (project / "flood.py").write_text(FLOOD)
    tests = str(Path(__file__).parents[1])
    session = run(slot, program=[sys.executable, "flood.py"], PYTHONPATH=os.pathsep.join([*sys.path, tests]))
    session.wait_for("measured")
    began = time.monotonic()
    session.wait_for("flood is over")
    ended = time.monotonic()
    told = int((project / "flood.txt").read_text())
    painted = [at for at, data in session.painted_after(began) if REPAINT in data and at < ended]
    assert told > 300, "a flood, not a trickle"
    assert len(painted) <= 5 * (ended - began) + 2
    assert sum(len(data) for _, data in session.painted_after(began)) <= MOST_BYTES * len(painted)


def test_a_row_further_writes_little(run: Run, project: Path) -> None:
    rows = ", ".join(f'{{"location": "draw{at}", "self_ms": {100 + at}}}' for at in range(40))
    report = '{"detectors": [{"id": "block", "rows": [%s]}], "runs": 1}'
    for name, some in (("a", rows), ("b", rows.replace(": 1", ": 2"))):
        (project / f"{name}.json").write_text(report % some)
    session = run("compare", "a.json", "b.json", "--tui", COLORTERM="truecolor")
    session.wait_for("1 of ")
    session.quiet()
    written = [session.press(b"j")[1] for _ in range(4)]
    assert max(written) <= MOST_BYTES
