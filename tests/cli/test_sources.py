"""The verbs that read a checkout, as programs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import yaml

from checkouts import KOTLIN, checkout


def echolot(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "echolot_tui", "--headless", *arguments],
        cwd=cwd,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    )


def test_domains_prints_a_section_and_the_same_as_json(tmp_path: Path) -> None:
    code = 'fun a() { Trace.beginSection("load"); Trace.beginSection("MINE_x") }'
    checkout(
        tmp_path,
        {"code/src/A.kt": code, "echolot.yml": "instrumentation: {temp_prefix: MINE_}\n"},
    )
    printed = echolot("domains", "--root", "code", cwd=tmp_path)
    assert (printed.returncode, printed.stderr) == (0, "")
    entries = yaml.safe_load(printed.stdout)["domains"]
    assert entries == [{"slice": "load", "module": ":", "hint": "src/A.kt:1"}]
    found = json.loads(echolot("domains", "--root", "code", "--json", cwd=tmp_path).stdout)
    assert [one["slice"] for one in found["domains"]] == ["load"]
    assert found["unnamed"] == []


def test_a_folder_without_sources_is_refused(tmp_path: Path) -> None:
    checkout(tmp_path, {f"{KOTLIN}/notes.txt": ""})
    done = echolot("domains", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: .: holds no Kotlin and no Java; name the checkout with --root\n"
    assert "there is no such folder" in echolot("domains", "--root", "gone", cwd=tmp_path).stderr
