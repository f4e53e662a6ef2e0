"""The whole loop on a real program: recorded by viztracer, slowed, compared."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import os
import time

SLOWER = float(os.environ.get("SLOWER", "1"))

def load():
    time.sleep(0.08)

def parse():
    time.sleep(0.2 * SLOWER)

def draw():
    time.sleep(0.06)

def main():
    load()
    parse()
    draw()

main()
"""
"""Waits rather than computes, so that a busy machine does not decide what the test says."""

COMMAND = f"{sys.executable} -m viztracer --quiet --ignore_c_function -o {{trace}} app.py"


def _moves(tmp_path: Path, slower: float) -> tuple[dict[str, str], dict[str, object]]:
    """Record five runs a side in random order; the rows called, and the comparison."""
    (tmp_path / "app.py").write_text(PROGRAM)
    config = {"scenario": {"name": "app"}, "runner": {"mode": "host", "command": COMMAND}}
    (tmp_path / "echolot.yml").write_text(json.dumps(config))
    done = subprocess.run(
        [
            *(sys.executable, "-m", "echolot_tui", "collect", "-n", "5", "--seed", "1"),
            *("--arm", f"before={COMMAND}", "--arm", f"after=SLOWER={slower} {COMMAND}"),
        ],
        cwd=tmp_path,
        env=os.environ
        | {
            "XDG_STATE_HOME": str(tmp_path / "state"),
            "PYTHONPATH": os.pathsep.join(part for part in sys.path if part),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
    )
    assert done.returncode == 0, done.stderr
    comparison = json.loads((tmp_path / ".echolot" / "out" / "comparison.json").read_text())
    called = {
        row["location"].split()[0]: row["verdict"]
        for row in comparison["rows"]
        if row["verdict"] in {"slower", "faster", "new", "gone"}
    }
    return called, comparison


@pytest.mark.slow
def test_a_function_slowed_by_30_percent_is_found_and_nothing_else(tmp_path: Path) -> None:
    called, comparison = _moves(tmp_path, 1.3)
    assert called == {"parse": "slower"}
    row = next(row for row in comparison["rows"] if row["location"].startswith("parse"))  # type: ignore[attr-defined]
    assert 50 < row["delta_ms"] < 70
    assert comparison["window"]["verdict"] == "slower"  # type: ignore[index]


@pytest.mark.slow
def test_an_unchanged_pair_shows_nothing(tmp_path: Path) -> None:
    called, comparison = _moves(tmp_path, 1.0)
    assert called == {}
    assert comparison["window"]["verdict"] in {"no change", "can't tell"}  # type: ignore[index]
