"""The demo through the whole program: the change leads the table, and nothing else is called moved."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from echolot_tui.generate.demo import CHANGED_ROWS, HELD_AFTER_MS, HELD_BEFORE_MS, write_demo


@pytest.fixture(scope="module")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> Any:
    demo = write_demo(tmp_path_factory.mktemp("compared") / "demo")
    command = [sys.executable, "-m", "echolot_tui", "--headless", "compare", "before", "after", "--json"]
    done = subprocess.run(
        command, cwd=demo.root, capture_output=True, check=False, timeout=300, env=os.environ
    )
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def test_the_planted_change_leads_the_table(comparison: Any):
    first = comparison["rows"][: len(CHANGED_ROWS)]
    assert {(row["detector"], row["location"]) for row in first} == set(CHANGED_ROWS)
    for row in first:
        assert row["verdict"] == "slower"
        assert row["delta_ms"] == pytest.approx(HELD_AFTER_MS - HELD_BEFORE_MS, rel=0.15)


def test_nothing_else_is_called_moved(comparison: Any):
    others = comparison["rows"][len(CHANGED_ROWS) :]
    assert {row["verdict"] for row in others} <= {"no change", "can't tell"}
    assert comparison["window"]["verdict"] in ("no change", "can't tell")


def test_the_table_is_as_long_as_a_real_one(comparison: Any):
    assert 20 <= len(comparison["rows"]) <= 60
    assert comparison["comparable"] is True
    assert comparison["warnings"] == []


def test_the_two_rounds_ran_on_one_device(comparison: Any):
    assert comparison["before"]["runs"] == comparison["after"]["runs"] == 5
    assert Path(comparison["before"]["path"]).name == "before"
