"""The whole way in tmux, on generated recordings: from the demo to the planted change, by keyboard."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")

ECHOLOT = (sys.executable, "-m", "echolot_tui")
KEYS_TO_THE_PLANTED_CHANGE = 1
"""From the comparison of the demo's rounds to the planted row's spread and its sentence."""


class Tmux:
    """A tmux server of its own with one window."""

    def __init__(self, folder: Path, socket: Path) -> None:
        self.socket = socket
        dropped = ("TMUX", "SSH", "STY", "CI", "NO_COLOR", "TEXTUAL", "ECHOLOT_", "COLUMNS", "LINES")
        env = {key: value for key, value in os.environ.items() if not key.startswith(dropped)}
        self.env = env | {"LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}
        self.folder = folder
        self.pressed = 0

    def run(self, *command: str) -> str:
        """Talk to the server."""
        done = subprocess.run(
            ["tmux", "-S", str(self.socket), "-f", "/dev/null", *command],
            env=self.env,
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    def start(self, *command: str, size: tuple[int, int] = (120, 40)) -> None:
        """Open the window with a command in it."""
        self.run("new-session", "-d", "-x", str(size[0]), "-y", str(size[1]), *command)

    @property
    def screen(self) -> str:
        """What a person would read."""
        return self.run("capture-pane", "-p")

    def press(self, *keys: str) -> None:
        """Press keys one by one, waiting for the screen to come to rest after each."""
        for key in keys:
            self.run("send-keys", key)
            self.pressed += 1
            self.settle()

    def settle(self) -> None:
        """Wait until the screen stays as it is."""
        before = ""
        for _ in range(100):
            time.sleep(0.15)
            if (now := self.screen) == before:
                return
            before = now
        raise AssertionError("the screen does not come to rest")

    def wait_for(self, pattern: str, seconds: float = 60) -> None:
        """Wait for a text."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if re.search(pattern, self.screen):
                return
            time.sleep(0.1)
        raise AssertionError(f"{pattern!r} is not on the screen:\n{self.screen}")

    def wait_end(self, seconds: float = 10) -> None:
        """Wait until the program has left, and with it the server."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            listed = subprocess.run(
                ["tmux", "-S", str(self.socket), "list-sessions"], capture_output=True, check=False
            )
            if listed.returncode != 0:
                return
            time.sleep(0.05)
        raise AssertionError(f"it did not leave:\n{self.screen}")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's project: two rounds of traces with one planted change, measured."""
    folder = tmp_path_factory.mktemp("demo")
    command = [*ECHOLOT, "--headless", "demo", "."]
    subprocess.run(command, cwd=folder, capture_output=True, check=True, timeout=300)
    return folder


@pytest.fixture
def tmux(demo: Path, tmp_path: Path) -> Iterator[Tmux]:
    server = Tmux(demo, tmp_path / "s")
    yield server
    subprocess.run(["tmux", "-S", str(server.socket), "kill-server"], capture_output=True, check=False)


def test_from_the_command_to_the_planted_change_and_on_to_its_report(tmux: Tmux) -> None:
    tmux.start(*ECHOLOT, "compare", "before", "after", "--tui", size=(80, 24))
    tmux.wait_for("slower +Lock contention")
    tmux.press("Enter")
    assert tmux.pressed <= KEYS_TO_THE_PLANTED_CHANGE
    assert "is real against the whole table" in " ".join(tmux.screen.split())
    tmux.press("End")
    assert "cold-start_iter00" in tmux.screen, "every run is paired with its trace"
    tmux.press("Escape", "2")
    tmux.wait_for("Report: .*after/report.json")
    tmux.press("t")
    tmux.wait_for("listed of .* measured row")
    tmux.press("Escape", "Escape")
    tmux.wait_for("slower +Lock contention")
    tmux.run("send-keys", "q")
    tmux.wait_end()


def test_traces_are_measured_on_the_way_with_progress(tmux: Tmux, tmp_path: Path) -> None:
    sides = [f"{name}/*.perfetto-trace" for name in ("before", "after")]
    tmux.start(*ECHOLOT, "compare", *sides, "--tui", "--set", "main_thread_block.min_slice_ms=10")
    tmux.wait_for("Lock contention on a monitor lock", seconds=120)
    tmux.press("s")
    tmux.wait_for("faster +Lock contention")
