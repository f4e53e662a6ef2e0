"""``echolot profile`` on the command line."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import jsonschema
import pytest

from echolot_tui.headless.verbs.schema import schema_of

BEFORE = "main;work 4000\nmain;work;inner 3000\nmain;rest 3000\n"
AFTER = "main;work 4000\nmain;work;inner 5000\nmain;rest 3000\n"


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "echolot_tui", "profile", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=240,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.folded").write_text(BEFORE)
    (tmp_path / "b.folded").write_text(AFTER)
    return tmp_path


def test_it_writes_page_graph_and_model(folder: Path) -> None:
    done = run("a.folded", "b.folded", "-o", "out", cwd=folder)
    assert (done.returncode, "inner rose from" in done.stdout) == (0, True), done.stderr
    assert sorted(path.name for path in (folder / "out").iterdir()) == [
        "flame.svg",
        "profile.json",
        "profile.md",
    ]
    model = json.loads((folder / "out" / "profile.json").read_text())
    assert (model["totals"]["before"], model["totals"]["after"], model["unit"]) == (10_000, 12_000, "samples")
    jsonschema.validate(model, schema_of("profile"))
    ET.parse(folder / "out" / "flame.svg")
    assert (folder / "out" / "profile.md").read_text().startswith("# Differential profile")


def test_json_is_the_written_model_and_nothing_else(folder: Path) -> None:
    done = run("a.folded", "b.folded", "--json", "-o", "out", cwd=folder)
    assert done.stdout == (folder / "out" / "profile.json").read_text() + "\n"


def test_folders_are_runs(folder: Path) -> None:
    for side, content in (("old", BEFORE), ("new", AFTER)):
        (folder / side).mkdir()
        for number in range(4):
            (folder / side / f"run{number}.folded").write_text(
                content.replace("main;rest 3000", f"main;rest {3000 + number}")
            )
        (folder / side / "notes.txt").write_text("not a profile")
    done = run("old", "new", "--json", "--buckets", "auto", cwd=folder)
    model = json.loads(done.stdout)
    assert (model["judged_by"], model["before"]["runs"], model["after"]["runs"]) == ("runs", 4, 4)
    assert model["buckets"] is not None


def test_names_and_control(folder: Path) -> None:
    done = run(
        "a.folded", "b.folded", "--names", "main,branch", "--control", "b.folded", "--json", cwd=folder
    )
    model = json.loads(done.stdout)
    assert (model["before"]["name"], model["after"]["name"], model["control"]["runs"]) == (
        "main",
        "branch",
        1,
    )
    assert (model["ruler"], model.get("findings", [])) == ("control", [])


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["a.folded", "nothing"], "there is no such file"),
        (["a.folded", "b.folded", "--names", "one"], "is not two names"),
        (["a.folded", "b.folded", "--between", "5"], "is not two growing numbers"),
        (["a.folded", "b.folded", "--between", "1,2"], "no moments"),
        (["a.folded", "b.folded", "--start", "x*"], "has no slices"),
        (["a.folded", "empty"], "is no profile"),
        (["a.folded", "b.folded", "--process", "other"], "no sample is left"),
    ],
)
def test_a_refusal_is_one_sentence(folder: Path, arguments: list[str], told: str) -> None:
    (folder / "empty").write_text("")
    done = run(*arguments, cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_run_that_cannot_be_read_costs_only_itself(folder: Path) -> None:
    (folder / "old").mkdir()
    (folder / "old" / "1.folded").write_text(BEFORE)
    (folder / "old" / "2.pftrace").write_bytes(b"\x0a\x03abc")
    (folder / "old" / "3.speedscope.json").write_text(
        '{"$schema": "https://www.speedscope.app/file-format-schema.json"}'
    )
    done = run("old", "b.folded", "--json", cwd=folder)
    assert done.returncode == 0
    assert json.loads(done.stdout)["before"]["runs"] == 1
    assert "left out" in done.stderr
