"""Heavy imports happen only where they are used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {
    "numpy",
    "scipy",
    "wasmtime",
    "perfetto",
    "google.protobuf",
    "textual",
    "rich",
    "watchfiles",
    "viztracer",
}


def loaded_after(arguments: list[str], cwd: Path) -> set[str]:
    """Top-level heavy modules in memory once the command line has run."""
    program = (
        "import sys\n"
        "from echolot_tui.headless.main import _exit_code\n"
        "import contextlib, io\n"
        "with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())):\n"
        f"    _exit_code({arguments!r})\n"
        f"print('HEAVY', sorted(set(sys.modules) & {HEAVY!r}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=cwd, capture_output=True, text=True, check=True
    )
    line = next(line for line in done.stdout.splitlines() if line.startswith("HEAVY"))
    return set(eval(line.removeprefix("HEAVY ")))


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["compare", "--help"], ["analyze", "--help"], ["status"]]
)
def test_help_and_version_load_nothing_heavy(arguments: list[str], tmp_path: Path) -> None:
    assert loaded_after(arguments, tmp_path) == set()


def test_comparing_two_reports_loads_numpy_at_most(tmp_path: Path) -> None:
    report = '{"detectors": [{"id": "main_thread_block", "rows": [{"location": "draw", "self_ms": %d}]}]}'
    for name, value in (("a.json", 100), ("b.json", 200)):
        (tmp_path / name).write_text(report % value)
    assert loaded_after(["compare", "a.json", "b.json"], tmp_path) <= {"numpy"}
