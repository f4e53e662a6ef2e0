"""Recordings of a small program of our own, one of whose functions was made slower."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from echolot_tui.engine.model import EngineChoice
from echolot_tui.headless.profiling import read_side
from echolot_tui.profiles.diff import compare_profiles
from echolot_tui.profiles.sides import ProfileOptions
from echolot_tui.profiles.stacks import Selection

PROGRAM = """
import sys
import time
from viztracer import VizTracer

def spin(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        sum(range(200))

def read(): spin(0.010)
def tokenize(): spin(0.006)
def parse(factor):
    spin(0.004)
    for _ in range(3): tokenize()
    check(factor)
def check(factor): spin(0.008 * factor)
def main(factor):
    for _ in range(3):
        read()
        parse(factor)

folder, factor, runs = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
for run in range(runs):
    file = f"{folder}/run{run}.json"
    tracer = VizTracer(verbose=0, output_file=file, ignore_c_function=True, max_stack_depth=6)
    tracer.start()
    main(factor)
    tracer.stop()
    tracer.save()
"""


@pytest.mark.slow
def test_the_slowed_function_is_found_and_nothing_else(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    sides = []
    for name, factor in (("before", 1.0), ("after", 2.5)):
        folder = tmp_path / name
        folder.mkdir()
        subprocess.run([sys.executable, program, folder, str(factor), "6"], check=True, timeout=240)
        sides.append(read_side(str(folder), name, Selection(), Selection(), EngineChoice(), jobs=2))
    profile = compare_profiles(*sides, ProfileOptions())
    assert (profile.judged_by, profile.unit, profile.totals.verdict) == ("runs", "ms", "slower")
    rises = [one for one in profile.findings if one.direction == "rise"]
    assert any("check [program.py]" in (one.label, *one.path) for one in rises[:1]), rises
    assert not any("read [program.py]" in (one.label, *one.path) for one in rises)
    assert profile.preconditions[0].status == "ok"
