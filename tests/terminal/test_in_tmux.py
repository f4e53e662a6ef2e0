"""The whole way in tmux, on generated recordings: from the demo to the planted change, by keyboard."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tmux_session import Tmux

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")

ECHOLOT = (sys.executable, "-m", "echolot_tui")
KEYS_TO_THE_PLANTED_CHANGE = 1
"""From the comparison of the demo's rounds to the planted row's spread and its sentence."""


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
