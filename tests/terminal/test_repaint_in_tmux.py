"""Only what differs is written, and still tmux shows what a full repaint would show."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from echolot_tui.report.codec import encode_report
from pty_session import PtySession
from reports_by_hand import detector, report, row
from terminal_model import Cell, TerminalModel
from tmux_session import Tmux

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")

NAMES = [
    "plain",
    "漢字の名前",
    "e\u0301a\u0308 joined",
    "👩‍👩‍👧 family",
    "⚠️ sign",
    "[red]not markup[/]",
    "█▌●×…─",
]


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[Tmux]:
    for side, shift in (("a", 0), ("b", 9)):
        rows = [
            row(f"{name} {at}", [50.0 + at + shift * (at % 2) + run / 9 for run in range(5)], thread="main")
            for at, name in enumerate(NAMES * 6)
        ]
        (tmp_path / f"{side}.json").write_bytes(
            encode_report(report(detector("main_thread_block", *rows), side=side))
        )
    server = Tmux(tmp_path, tmp_path / "s")
    yield server
    subprocess.run(["tmux", "-S", str(server.socket), "kill-server"], capture_output=True, check=False)


def seen(tmux: Tmux) -> list[list[Cell]]:
    """What a person sees once it has come to rest, colours too."""
    width, height = map(int, tmux.run("display", "-p", "#{pane_width} #{pane_height}").split())
    before = ""
    while (now := tmux.run("capture-pane", "-p", "-e", "-N")) != before:
        before = now
        time.sleep(0.2)
    model = TerminalModel(width, height)
    model.feed(now.rstrip("\n").replace("\n", "\r\n"))
    return model.cells


def differing(before: list[list[Cell]], after: list[list[Cell]]) -> list[tuple[int, int, Cell, Cell]]:
    """Where two screens differ, and in what."""
    return [
        (x, y, old, new)
        for y, (olds, news) in enumerate(zip(before, after, strict=True))
        for x, (old, new) in enumerate(zip(olds, news, strict=True))
        if old != new
    ]


def resize(tmux: Tmux, width: int, height: int) -> None:
    tmux.run("resize-window", "-x", str(width), "-y", str(height))
    tmux.settle()


def attach_and_leave(tmux: Tmux) -> None:
    """As a person who lost the line comes back, on a terminal of another size."""
    client = PtySession(
        ["tmux", "-S", str(tmux.socket), "attach"], cwd=tmux.folder, env=tmux.env, size=(90, 26)
    )
    client.quiet(0.5)
    tmux.run("detach-client")
    client.close()
    tmux.press("j")  # the app was told that nobody looks; a key says otherwise


@pytest.mark.slow
def test_what_is_seen_is_what_a_full_repaint_shows(tmux: Tmux) -> None:
    tmux.start(sys.executable, "-m", "echolot_tui", "compare", "a.json", "b.json", "--tui", size=(120, 32))
    tmux.wait_for("of 2")
    keys = (
        "j",
        "NPage",
        "G",
        "T",
        "?",
        "Escape",
        "Home",
        "Enter",
        "Right",
        "Escape",
        "C-p",
        "Escape",
        "T",
        "d",
    )
    for step in (*keys, (80, 24), "k", (140, 40), "NPage", attach_and_leave):
        if isinstance(step, str):
            tmux.press(step)
        elif isinstance(step, tuple):
            resize(tmux, *step)
        else:
            step(tmux)
        before = seen(tmux)
        tmux.press("C-l")
        assert differing(before, seen(tmux)) == [], f"after {step}"
    assert "runs a.json" in tmux.screen, "all of that on the comparison and over it"


@pytest.mark.slow
def test_ctrl_l_takes_away_what_somebody_else_wrote(tmux: Tmux) -> None:
    tmux.start(sys.executable, "-m", "echolot_tui", "compare", "a.json", "b.json", "--tui", size=(100, 30))
    tmux.wait_for("of 2")
    tmux.settle()
    before = seen(tmux)
    Path(tmux.run("display", "-p", "#{pane_tty}").strip()).write_text("\x1b[7;3HBroadcast message from root")
    tmux.wait_for("Broadcast message")
    tmux.press("C-l")
    assert differing(before, seen(tmux)) == []


@pytest.mark.slow
def test_from_the_shell_and_back_everything_is_there_again(tmux: Tmux) -> None:
    tmux.start("sh", size=(100, 30))
    command = f"{sys.executable} -m echolot_tui compare a.json b.json --tui"
    tmux.run("send-keys", "-l", command)
    tmux.press("Enter")
    tmux.wait_for("of 2")
    tmux.press("j")
    before = seen(tmux)
    tmux.press("C-z")
    tmux.wait_for("Stopped")
    tmux.run("send-keys", "-l", "fg")
    tmux.press("Enter")
    tmux.wait_for("of 2")
    assert differing(before, seen(tmux)) == []
