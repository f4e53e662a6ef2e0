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


def test_anr_prints_the_chain_with_places_and_the_same_as_json(tmp_path: Path) -> None:
    stack = '"main" tid=1 Blocked\n  at com.example.app.A.get(A.kt:2)\n'
    wait = "  - waiting to lock <0x1> (a A) held by thread 2\n"
    holder = '"writer" tid=2 Runnable\n  at com.example.app.A.put(A.kt:3)\n'
    checkout(
        tmp_path,
        {f"{KOTLIN}/A.kt": "package com.example.app\n\n\n", "dump.txt": stack + wait + holder},
    )
    printed = echolot("anr", "dump.txt", cwd=tmp_path)
    assert (printed.returncode, printed.stderr) == (0, "")
    assert "The main thread waits for writer, which runs: main → writer" in printed.stdout
    assert f"com.example.app.A.put  {KOTLIN}/A.kt:3" in printed.stdout
    found = json.loads(echolot("anr", "dump.txt", "--json", cwd=tmp_path).stdout)
    assert [link["doing"] for link in found["chain"]] == ["lock", "running"]


def test_anr_without_sources_says_so_and_a_missing_mapping_is_refused(tmp_path: Path) -> None:
    (tmp_path / "dump.txt").write_text('"main" tid=1 Runnable\n  at a.b.c(SourceFile:2)\n')
    done = echolot("anr", "dump.txt", cwd=tmp_path)
    assert done.returncode == 0
    assert "[i] no Kotlin and no Java under ." in done.stderr
    refused = echolot("anr", "dump.txt", "--mapping", "gone.txt", cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("error: gone.txt: cannot be read")
