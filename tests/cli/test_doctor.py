"""``echolot doctor`` as a program: exit codes, three lines, with optimised bytecode too."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

CONFIG = "project: {package: com.example.app}\nscenario: {name: start}\n"


def doctor(
    *arguments: str, cwd: Path, interpreter: tuple[str, ...] = (), env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *interpreter, "-m", "echolot_tui", *arguments],
        cwd=cwd,
        env=os.environ | {"PATH": "", "ANDROID_ADB_SERVER_PORT": "9"} | (env or {}),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=240,
    )


@pytest.mark.slow
def test_without_config_and_adb_it_passes(tmp_path: Path) -> None:
    done = doctor("doctor", "-q", cwd=tmp_path, interpreter=("-O",))
    assert done.returncode == 0, done.stdout + done.stderr
    computes, skipped, verdict = done.stdout.splitlines()
    assert "embedded v52.0" in computes
    assert skipped == "skipped   devices, config"
    assert verdict.endswith("0 failed; this machine computes correctly")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_config_that_does_not_load_is_one_failure(tmp_path: Path) -> None:
    (tmp_path / "echolot.yml").write_text(CONFIG + "detectors: {main_thread_blok: {min_slice_ms: 3}}\n")
    done = doctor("doctor", "--json", cwd=tmp_path)
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert found["exit_code"] == 1
    (failed,) = [check for check in found["checks"] if check["state"] == "failed"]
    assert failed["id"] == "detectors"
    assert "main_thread_block" in failed["todo"]


def test_an_engine_that_is_not_there_is_2(tmp_path: Path) -> None:
    (tmp_path / "echolot.yml").write_text(CONFIG + "toolchain: {tp_binary: ./absent}\n")
    done = doctor("doctor", cwd=tmp_path)
    assert done.returncode == 2
    assert "FAILS engine.found" in done.stdout
    assert "correct toolchain.tp_binary" in done.stdout
    assert "not run: there is no engine that works" in done.stdout


def test_a_cache_that_cannot_be_written_names_the_way_out(tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.touch()
    (tmp_path / "echolot.yml").write_text(CONFIG + "toolchain: {tp_binary: ./absent}\n")
    done = doctor("doctor", "-q", cwd=tmp_path, env={"ECHOLOT_CACHE_DIR": str(blocked)})
    assert "name another with ECHOLOT_CACHE_DIR" in done.stdout


def test_native_without_a_way_to_fetch_it_is_a_refusal(tmp_path: Path) -> None:
    """Whatever the machine has: no proxy leads anywhere, so nothing can be fetched."""
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "HTTPS_PROXY"), "http://127.0.0.1:9")
    done = doctor(
        "doctor", "--native", cwd=tmp_path, env={"XDG_CACHE_HOME": str(tmp_path / "cache"), **nowhere}
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot be fetched" in done.stderr
    assert "the embedded engine needs no network" in done.stderr


@pytest.mark.parametrize("width", [80])
def test_help_fits_a_screen(width: int, tmp_path: Path) -> None:
    for verb in ("doctor", "open", "ci"):
        done = doctor(verb, "--help", cwd=tmp_path, env={"COLUMNS": str(width)})
        lines = done.stdout.splitlines()
        assert len(lines) <= 24, verb
        assert max(map(len, lines)) <= width


@pytest.mark.slow
def test_the_terminal_policy_is_a_check_where_screens_may_open(tmp_path: Path) -> None:
    (tmp_path / "echolot.yml").write_text(CONFIG + "toolchain: {tp_binary: ./absent}\n")

    def terminal(*arguments: str, **env: str) -> list[dict[str, str]]:
        found = json.loads(doctor(*arguments, "doctor", "--json", cwd=tmp_path, env=env).stdout)
        return [check for check in found["checks"] if check["id"] == "terminal"]

    (check,) = terminal(TERM="vt100")
    assert check["state"] == "ok"
    assert check["text"].startswith("printed views, no screens: this is not a terminal · vt100 · ")
    (check,) = terminal(ECHOLOT_GLYPHS="pretty")
    assert (check["state"], check["text"]) == ("failed", "ECHOLOT_GLYPHS is 'pretty'")
    assert check["todo"].startswith("set it to one of ")
    assert terminal("--headless") == []


@pytest.mark.slow
@pytest.mark.parametrize("by", ["config", "flag"])
def test_a_bare_engine_name_is_a_command_on_path(by: str, tmp_path: Path) -> None:
    commands = tmp_path / "bin"
    commands.mkdir()
    engine = commands / "my_trace_processor"
    engine.write_text("#!/bin/sh\nexit 3\n")
    engine.chmod(0o755)
    named = "toolchain: {tp_binary: my_trace_processor}\n" if by == "config" else ""
    (tmp_path / "echolot.yml").write_text(CONFIG + named)
    flag = ("--tp-binary", "my_trace_processor") if by == "flag" else ()
    path = f"{commands}{os.pathsep}/usr/bin{os.pathsep}/bin"
    done = doctor(*flag, "doctor", "--json", cwd=tmp_path, env={"PATH": path})
    (found,) = [one for one in json.loads(done.stdout)["checks"] if one["id"] == "engine.found"]
    assert found["state"] == "failed"
    assert found["text"].startswith(f"{engine}: ")
    (tmp_path / "my_trace_processor").write_text("of the folder")
    done = doctor(*flag, "doctor", "--json", cwd=tmp_path, env={"PATH": path})
    (found,) = [one for one in json.loads(done.stdout)["checks"] if one["id"] == "engine.found"]
    assert str(engine) not in found["text"]
