from __future__ import annotations

import os
import time

import pytest

from adb_server import PACKAGE, SERIAL, AdbServerScript, Reply
from device_control import Control
from device_loop import record, runner
from echolot_tui.collect import command_mode
from echolot_tui.collect.runner import CollectError, Stopped


@pytest.fixture
def server():
    script = AdbServerScript()
    yield script
    script.close()


@pytest.fixture
def control():
    return Control()


def test_a_whole_set(server, control, tmp_path):
    (tmp_path / "drive.sh").write_text('echo "$ANDROID_SERIAL $MINE" >> driven\n')
    one = runner(server, tmp_path, mode="command", command="sh drive.sh", env={"MINE": "yes"})
    recorded = record(one, tmp_path, control, runs=3)
    assert (tmp_path / "driven").read_text() == f"{SERIAL} yes\n" * 3
    assert [each.launch_ms for each in recorded] == [None] * 3
    assert all((tmp_path / f"run{k}").read_bytes() == server.phone.trace for k in range(3))
    assert len(server.phone.said("^am force-stop")) == 3
    assert server.phone.said("^am start|resolve-activity") == []
    assert control.told == []


def test_it_runs_while_perfetto_records(server, control, tmp_path):
    server.phone.polls = 3
    one = runner(server, tmp_path, mode="command", command="touch seen")
    record(one, tmp_path, control)
    assert len(server.phone.said("test -d")) > 1


def test_one_that_outlasts_the_recording_is_said(server, control, tmp_path):
    server.phone.polls = 0
    record(runner(server, tmp_path, mode="command", command="true"), tmp_path, control)
    assert "run 1: the command outlasted the recording of 1 s; raise runner.duration_ms" in control.text


def test_one_that_fails(server, control, tmp_path):
    line = "echo before; echo no such button >&2; exit 3"
    with pytest.raises(
        CollectError, match='run 1: the command ended with exit code 3; its last line: "no such'
    ):
        record(runner(server, tmp_path, mode="command", command=line, brightness=4), tmp_path, control)
    assert "  | before" in control.told
    assert server.phone.running == {}
    assert server.phone.settings["screen_brightness"] == "120"
    assert not (tmp_path / "run0").exists()


def test_one_that_never_ends_is_ended(server, control, tmp_path, monkeypatch):
    monkeypatch.setattr(command_mode, "_BEYOND_S", -0.7)
    with pytest.raises(CollectError, match="took too long and was ended"):
        record(runner(server, tmp_path, mode="command", command="echo $$ > pid; sleep 60"), tmp_path, control)
    assert _is_gone(int((tmp_path / "pid").read_text()))


def test_a_stop_ends_it(server, control, tmp_path):
    control.stop_after_sleeps = -1
    one = runner(server, tmp_path, mode="command", command="sleep 60")
    started = time.monotonic()
    with pytest.raises(Stopped):
        record(one, tmp_path, control)
    assert time.monotonic() - started < 10
    assert server.phone.running == {}


@pytest.mark.parametrize("command", [None, "  "])
def test_without_a_command(server, tmp_path, command):
    with pytest.raises(CollectError, match=r"runner\.command: mode command needs a command"):
        runner(server, tmp_path, mode="command", **{"command": command} if command else {})


def test_the_bar_is_three_hundred_seconds_beyond_the_recording():
    assert command_mode._BEYOND_S == 300


def _is_gone(pid):
    for _ in range(50):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def test_the_build_is_looked_at_after_the_first_run_only(server, control, tmp_path):
    (tmp_path / "Main.kt").write_text('trace("AGENTTMP_x")')
    server.phone.installed = {}
    server.phone.on("^unzip", Reply(out="AGENTTMP_x\n"))

    def install(line):
        server.phone.installed[PACKAGE] = "/data/app/base.apk"
        return Reply(out="1\n")

    server.phone.on("^rm -f", install)
    record(runner(server, tmp_path, mode="command", command="true"), tmp_path, control, runs=3)
    assert len(server.phone.said("^unzip")) == 1


def test_a_build_the_command_brought_without_the_markers(server, control, tmp_path):
    (tmp_path / "Main.kt").write_text('trace("AGENTTMP_x")')
    server.phone.on("^unzip", Reply(code=1))
    with pytest.raises(CollectError, match=r"lacks temporary markers the sources have \(AGENTTMP_x\)"):
        record(runner(server, tmp_path, mode="command", command="true"), tmp_path, control, runs=3)
    assert len(server.phone.configs) == 1
