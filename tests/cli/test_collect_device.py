"""``echolot collect`` against a scripted phone: the real program, the real adb protocol, a real report."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

from adb_server import PACKAGE, SERIAL, AdbServerScript, Reply
from echolot_tui.generate.scene import Scene

GRADLEW = """#!/bin/sh
mkdir -p benchmark/build/out
for n in 1 2; do cp "$TRACE" benchmark/build/out/$n.perfetto-trace; sleep 0.02; done
"""


@pytest.fixture
def server(cold_start_scene: Scene):
    script = AdbServerScript()
    script.phone.trace = cold_start_scene.trace
    yield script
    script.close()


@pytest.fixture
def project(tmp_path: Path, cold_start_trace: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def collect(server: AdbServerScript, project: Path, runner: str, *arguments: str, **more: str):
    (project / "echolot.yml").write_text(
        f"project: {{package: {PACKAGE}}}\nscenario: {{name: coldStart}}\n"
        f"runner: {{duration_ms: 1000, {runner}}}\n"
    )
    env = {**os.environ, **server.environ, "XDG_STATE_HOME": str(project.parent / "state"), **more}
    return subprocess.run(
        [sys.executable, "-m", "echolot_tui", "--headless", "collect", *arguments],
        cwd=project,
        env=env,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=240,
    )


def progress(project: Path):
    return json.loads((project / ".echolot" / "log" / "collect.json").read_text())


@pytest.mark.slow
def test_launch(server: AdbServerScript, project: Path) -> None:
    server.phone.totals = [500, 700]
    server.phone.on("^cmd power", Reply(err="not supported\n", code=1))
    keys = "mode: launch, iterations: 2, brightness: 7, fixed_performance: true"
    done = collect(server, project, keys)
    assert done.returncode == 0, done.stderr
    traces = [Path(line) for line in done.stdout.splitlines()]
    assert [trace.name for trace in traces] == [f"coldStart_iter00{k}.perfetto-trace" for k in range(2)]
    assert all(trace.read_bytes() == server.phone.trace for trace in traces)
    assert "[i] am start -W: from 500 to 700 ms (spread 40%)" in done.stderr
    assert "[!] launches differ by more than 30%: the device has not settled" in done.stderr
    assert "[!] runner.fixed_performance: the device refuses (not supported)" in done.stderr
    assert server.phone.settings["screen_brightness"] == "120"
    state = progress(project)
    assert (state["mode"], state["done"], state["exit"]) == ("launch", 2, 0)
    report = json.loads((project / ".echolot" / "out" / "report.json").read_text())
    assert report["runs"] == 2


@pytest.mark.slow
def test_command(server: AdbServerScript, project: Path) -> None:
    line = 'command: "echo $ANDROID_SERIAL >> driven"'
    done = collect(server, project, f"mode: command, iterations: 2, {line}", "--trust", "--device", SERIAL)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 2
    assert (project / "driven").read_text() == f"{SERIAL}\n" * 2


def test_one_device_is_recorded_by_one_project_at_a_time(server: AdbServerScript, project: Path) -> None:
    device = f"device {SERIAL}"
    lock = FileLock(project.parent / "state" / "echolot" / "locks" / f"{device}.lock")
    Path(lock.lock_file).parent.mkdir(parents=True)
    with lock:
        refused = collect(server, project, "mode: launch, iterations: 1")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert f"collection error: {device} is being recorded by another project" in refused.stderr
    assert not (project / ".echolot" / "loose").exists()


@pytest.mark.slow
def test_gradle(server: AdbServerScript, project: Path, cold_start_trace: Path) -> None:
    (project / "gradlew").write_text(GRADLEW)
    (project / "gradlew").chmod(0o755)
    keys = "mode: gradle, gradle_task: 'benchmark:connectedCheck', iterations: 9"
    done = collect(server, project, keys, "--trust", TRACE=str(cold_start_trace))
    assert done.returncode == 0, done.stderr
    names = [Path(line).name for line in done.stdout.splitlines()]
    assert names == [f"coldStart_iter00{k}.perfetto-trace" for k in range(2)]
    assert "runner.iterations, runner.duration_ms do not apply in mode gradle" in done.stderr
    assert (progress(project)["mode"], progress(project)["iterations"]) == ("gradle", 2)


@pytest.mark.slow
def test_a_failed_build_leaves_the_set_before_in_place(
    server: AdbServerScript, project: Path, cold_start_trace: Path
) -> None:
    first = collect(server, project, "mode: launch, iterations: 1")
    assert first.returncode == 0, first.stderr
    (project / "gradlew").write_text("#!/bin/sh\necho 'No connected devices!'\nexit 1\n")
    (project / "gradlew").chmod(0o755)
    done = collect(server, project, "mode: gradle, gradle_task: check", "--trust")
    assert done.returncode == 2
    assert (
        "collection error: ./gradlew check: the build ended with exit code 1 (No connected devices!)"
        in done.stderr
    )
    assert "Gradle saw no device" in done.stderr
    assert "  | No connected devices!" in done.stderr
    assert Path(first.stdout.strip()).is_file()
    assert progress(project)["error"]


@pytest.mark.slow
def test_a_device_that_vanishes_in_the_second_run_keeps_the_first(
    server: AdbServerScript, project: Path
) -> None:
    def vanish(line: str) -> Reply:
        server.phone.pull = "cut"
        return Reply(out="LaunchState: COLD\nTotalTime: 300\n")

    server.phone.on("^am start", vanish, after=1)
    done = collect(server, project, "mode: launch, iterations: 3")
    assert "broke off" in done.stderr
    assert len(done.stdout.splitlines()) == 1
    assert not list((project / ".echolot").rglob("*.part*")), "no half file"

    server.devices, server.phone.pull = [(SERIAL, "device")], "whole"
    server.phone.scripts.clear()
    again = collect(server, project, "mode: launch, iterations: 3", "--resume")
    assert again.returncode == 0, again.stderr
    assert len(again.stdout.splitlines()) == 3


@pytest.mark.slow
def test_a_killed_collect_leaves_nothing_on_the_phone_for_the_next(
    server: AdbServerScript, project: Path
) -> None:
    server.phone.polls = 1000
    keys = "mode: launch, iterations: 2, brightness: 7, airplane_mode: true"
    begun = collect(server, project, keys, "--detach")
    assert begun.returncode == 0, begun.stderr
    assert _until(lambda: server.phone.said("^am start"))
    os.kill(progress(project)["pid"], signal.SIGKILL)
    assert (server.phone.settings["screen_brightness"], server.phone.airplane) == ("7", True)

    server.phone.polls = 2
    again = collect(server, project, keys, "--resume")
    assert again.returncode == 0, again.stderr
    assert "an earlier set did not put back airplane mode, screen brightness mode, screen" in again.stderr
    assert "a recording an earlier set had left running was ended" in again.stderr
    assert len(again.stdout.splitlines()) == 2
    assert server.phone.settings == {"screen_brightness": "120", "screen_brightness_mode": "1"}
    assert not server.phone.airplane
    assert not list((project / ".echolot" / "log").glob("device-*"))


def _until(holds: Callable[[], object]) -> bool:
    for _ in range(400):
        if holds():
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize(
    ("devices", "sentence"),
    [
        ([], "collection error: no device is attached"),
        ([("a", "unauthorized")], "collection error: device a: is unauthorized"),
        ([("a", "device"), ("b", "device")], "collection error: 2 devices are ready (a, b)"),
    ],
)
def test_no_device_to_record(server: AdbServerScript, project: Path, devices, sentence: str) -> None:
    server.devices = devices
    done = collect(server, project, "mode: launch")
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1
