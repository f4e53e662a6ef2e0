"""The whole loop by keyboard in tmux: from an empty folder to an answer, from the demo to its cause."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tmux_session import Tmux

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")

ECHOLOT = (sys.executable, "-m", "echolot_tui")
COMMAND = f"{sys.executable} -m viztracer --quiet --ignore_c_function -o {{trace}} app.py"
PROGRAM = """
import pathlib
import time

def load():
    time.sleep(0.08)

def parse():
    time.sleep(float(pathlib.Path("parse_s").read_text()))

def main():
    load()
    parse()

main()
"""
"""Waits rather than computes, so that a busy machine does not decide what the test says."""

KEYS_FROM_THE_DEMO = 2
"""After ``echolot demo`` and ``echolot`` in its folder: to the planted row's spread and its sentence."""


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[Tmux]:
    folder = tmp_path / "project"
    folder.mkdir()
    server = Tmux(folder, tmp_path / "s")
    server.env["XDG_STATE_HOME"] = str(tmp_path / "state")
    yield server
    subprocess.run(["tmux", "-S", str(server.socket), "kill-server"], capture_output=True, check=False)


def write(tmux: Tmux, text: str) -> None:
    """Type a text as it is, and enter."""
    tmux.run("send-keys", "-l", text)
    tmux.press("Enter")


def collect(tmux: Tmux, label: str) -> None:
    """From Home, record a round and wait for its report."""
    tmux.press("c")
    tmux.wait_for("enter records")
    tmux.press("L")
    write(tmux, label)
    tmux.press("Enter")
    tmux.wait_for(r"5/5 done · complete", seconds=120)
    tmux.wait_for("enter opens the report")


@pytest.mark.slow
def test_from_an_empty_folder_to_an_answer(tmux: Tmux) -> None:
    (tmux.folder / "app.py").write_text(PROGRAM)
    (tmux.folder / "parse_s").write_text("0.2")
    tmux.start(*ECHOLOT, size=(100, 30))
    tmux.wait_for("A trace, or a folder of traces, to look into")
    tmux.press("Enter")
    write(tmux, COMMAND)
    tmux.wait_for("mode: host")
    tmux.press("Enter")
    tmux.wait_for(r"\bwrote\b")  # a long path stands on a line of its own
    tmux.press("n")
    write(tmux, "why is parsing slow?")
    write(tmux, "the new grammar")
    tmux.wait_for("since the new grammar")
    tmux.wait_for("next +c ")

    collect(tmux, "before")
    tmux.press("Enter")
    tmux.wait_for("Report: ")
    tmux.press("Escape", "Escape")
    tmux.wait_for("next +c +make the change")

    (tmux.folder / "parse_s").write_text("0.3")
    collect(tmux, "after")
    tmux.press("d")
    tmux.wait_for("parse .*slower")
    tmux.press("Enter")
    tmux.wait_for("longer in after than in before")
    tmux.press("Escape", "Escape", "Escape")

    tmux.wait_for("next +C ")
    tmux.press("C")
    write(tmux, "the grammar backtracks")
    tmux.wait_for("hunt concluded")
    tmux.wait_for("answer +the grammar backtracks")
    tmux.run("send-keys", "q")
    tmux.wait_end()


@pytest.mark.slow
def test_a_collect_outlives_the_app_and_is_there_again(tmux: Tmux) -> None:
    (tmux.folder / "app.py").write_text(PROGRAM)
    (tmux.folder / "parse_s").write_text("1")
    config = f"scenario: {{name: app}}\nrunner:\n  mode: host\n  iterations: 8\n  command: {COMMAND}\n"
    (tmux.folder / "echolot.yml").write_text(config)
    tmux.start(*ECHOLOT, size=(100, 30))
    tmux.wait_for("next +c ")
    tmux.press("c")
    tmux.wait_for("enter records")
    tmux.press("Enter")
    tmux.wait_for("[1-6]/8 done")
    tmux.run("kill-server")
    time.sleep(0.5)
    tmux.start(*ECHOLOT, size=(100, 30))
    tmux.wait_for("collect +app: running")
    tmux.press("c")
    tmux.wait_for("[2-7]/8 done")
    tmux.press("s")
    tmux.wait_for("ended|complete", seconds=60)
    assert "stopped after a run" in tmux.screen
    assert "r records what this set lacks" in tmux.screen


@pytest.mark.slow
def test_few_keys_from_the_demo_to_the_planted_change(tmux: Tmux) -> None:
    command = [*ECHOLOT, "--headless", "demo", "."]
    subprocess.run(command, cwd=tmux.folder, capture_output=True, check=True, timeout=300)
    tmux.start(*ECHOLOT, size=(80, 24))
    tmux.wait_for("next +")
    tmux.press("d")
    tmux.wait_for("slower +Lock contention")
    tmux.press("Enter")
    assert tmux.pressed == KEYS_FROM_THE_DEMO
    said = " ".join(tmux.screen.split())
    assert "longer in after than in before" in said
    assert "is real against the whole table" in said
