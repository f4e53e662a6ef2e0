"""The verbs that read a checkout, as programs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml

from adb_server import AdbServerScript
from checkouts import KOTLIN, checkout
from echolot_tui.headless.verbs.schema import schema_of


def echolot(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "echolot_tui", "--headless", *arguments],
        cwd=cwd,
        env={key: value for key, value in os.environ.items() if key not in {"COLUMNS", "LINES"}},
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


APP = f"{KOTLIN}/App.kt"
START = """package com.example.app

class App : Application() {
    override fun onCreate() {
        a()
    }
}
"""
SCRIPT = 'plugins { id("com.android.application") }\nandroid { namespace = "com.example.app" }\n'
APP_FILES = {
    "app/build.gradle.kts": SCRIPT,
    "app/src/main/AndroidManifest.xml": '<manifest xmlns:android="http://schemas.android.com/apk/res/android">'
    '<application android:name=".App"/></manifest>',
    APP: START,
}


def test_mark_proposes_puts_in_and_takes_out(tmp_path: Path) -> None:
    checkout(tmp_path, APP_FILES | {"echolot.yml": "instrumentation: {temp_prefix: MINE_}\n"})
    (tmp_path / APP).chmod(0o640)
    proposed = echolot("mark", cwd=tmp_path)
    assert proposed.returncode == 0
    assert f"{APP}:5  MINE_App.onCreate" in proposed.stdout
    assert (tmp_path / APP).read_text() == START
    planned = json.loads(echolot("mark", "--json", cwd=tmp_path).stdout)
    assert [one["section"] for one in planned["marks"]] == ["MINE_App.onCreate"]

    assert echolot("mark", "--apply", cwd=tmp_path).returncode == 0
    assert (tmp_path / APP).read_text().count("// echolot:mark") == 2
    assert (tmp_path / APP).stat().st_mode & 0o777 == 0o640
    again = echolot("mark", "--apply", cwd=tmp_path)
    assert (again.returncode, again.stdout) == (2, "")
    assert "markers are there already" in again.stderr

    removed = echolot("mark", "--remove", "--json", cwd=tmp_path)
    assert json.loads(removed.stdout) == {"files": [{"file": APP, "lines": 2}]}
    assert (tmp_path / APP).read_text() == START


def test_mark_refuses_what_is_not_clear(tmp_path: Path) -> None:
    checkout(tmp_path, {"src/A.kt": "class A\n"})
    assert "no build script says that it builds an app" in echolot("mark", cwd=tmp_path).stderr
    second = {f"wear/{name.removeprefix('app/')}": text for name, text in APP_FILES.items()}
    checkout(tmp_path, APP_FILES | second)
    several = echolot("mark", cwd=tmp_path)
    assert (several.returncode, several.stdout) == (2, "")
    assert "2 modules build an app (:app, :wear); name one with --module" in several.stderr
    assert echolot("mark", "--module", "app", cwd=tmp_path).returncode == 0
    absent = echolot("mark", "--module", "tv", cwd=tmp_path)
    assert "there is no app module tv; there are :app, :wear" in absent.stderr
    assert "three things" in echolot("mark", "--apply", "--remove", cwd=tmp_path).stderr


def test_mark_takes_the_stacks_of_a_dump_and_lists_threads_without_a_name(tmp_path: Path) -> None:
    dump = '"main" tid=1 Runnable\n  at com.example.app.App.onCreate(App.kt:5)\n'
    pool = "class P { val x = Executors.newFixedThreadPool(2) }\n"
    checkout(tmp_path, APP_FILES | {"dump.txt": dump, "src/P.kt": pool})
    marked = echolot("mark", "--from-anr", "dump.txt", cwd=tmp_path)
    assert f"{APP}:5  AGENTTMP_App.onCreate  on the stack of the dump" in marked.stdout
    pools = echolot("mark", "--pools", cwd=tmp_path)
    assert "src/P.kt:1  newFixedThreadPool  pool-N-thread-M" in pools.stdout


def test_hunt_says_which_temporary_markers_are_left(tmp_path: Path) -> None:
    checkout(tmp_path, APP_FILES | {"echolot.yml": "project: {package: com.example.app}\n"})
    assert "marker" not in echolot("hunt", "why?", cwd=tmp_path).stderr
    echolot("mark", "--apply", cwd=tmp_path)
    checkout(tmp_path, {"src/A.kt": 'fun a() = trace("AGENTTMP_own") {}\n'})
    told = "[!] the sources hold 2 temporary markers (AGENTTMP_App.onCreate, AGENTTMP_own);"
    assert f"{told} echolot mark --remove takes 1 of them out\n" in echolot("hunt", cwd=tmp_path).stderr


def test_scan_prints_what_to_measure_and_a_draft(tmp_path: Path) -> None:
    checkout(tmp_path, APP_FILES)
    printed = echolot("scan", "--no-devices", cwd=tmp_path)
    assert (printed.returncode, printed.stderr) == (0, "")
    assert "measure    release: not debuggable" in printed.stdout
    found = json.loads(echolot("scan", "--no-devices", "--json", cwd=tmp_path).stdout)
    assert printed.stdout.endswith(found["draft"])
    assert found["scan"]["apps"][0]["measure"] == "release"
    assert yaml.safe_load(found["draft"])["project"] == {"package": "com.example.app"}


def test_scan_tells_the_devices_of_the_adb_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkout(tmp_path, APP_FILES)
    server = AdbServerScript()
    try:
        server.devices = [("R58", "device"), ("X1", "unauthorized")]
        monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(server.address[1]))
        done = echolot("scan", cwd=tmp_path)
    finally:
        server.close()
    assert (done.returncode, done.stderr) == (0, "")
    assert "devices    R58 (ready), X1 (unauthorized)" in done.stdout


def test_scan_asks_the_adb_server_and_says_when_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout(tmp_path, APP_FILES)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", "1")
    done = echolot("scan", cwd=tmp_path)
    assert done.returncode == 0
    assert "[i] no devices are told: adb server at 127.0.0.1:1" in done.stderr


@pytest.mark.parametrize("verb", ["anr", "domains", "mark", "scan"])
def test_what_a_verb_prints_as_json_fits_its_schema(verb: str, tmp_path: Path) -> None:
    dump = (
        '"main" tid=1 Blocked\n  at com.example.app.App.onCreate(App.kt:5)\n  - waiting to lock <0x1> (a A)\n'
    )
    named = 'fun a() { Trace.beginSection("x"); Trace.beginSection(y) }\n'
    checkout(tmp_path, APP_FILES | {"dump.txt": dump, "src/A.kt": named})
    more = {"anr": ("dump.txt",), "scan": ("--no-devices",)}.get(verb, ())
    printed = json.loads(echolot(verb, *more, "--json", cwd=tmp_path).stdout)
    jsonschema.validate(printed, schema_of(verb))
    assert printed
