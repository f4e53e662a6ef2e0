from __future__ import annotations

import os
import stat

import pytest

from adb_server import SERIAL, AdbServerScript
from device_control import Control
from device_loop import runner
from echolot_tui.collect.gradle import traces_since
from echolot_tui.collect.gradle_failure import gist, remedy, telling_lines
from echolot_tui.collect.runner import BatchRunner, CollectError, Stopped
from echolot_tui.project.model import Cooldown

TASK = ":benchmark:connectedBenchmarkAndroidTest"
WRITES_TWO = """
out=benchmark/build/outputs/connected_android_test_additional_output
mkdir -p $out
echo second > $out/b.perfetto-trace; touch -d '+2 seconds' $out/b.perfetto-trace
echo first > $out/z.perfetto-trace
echo third > $out/a.pftrace; touch -d '+3 seconds' $out/a.pftrace
echo "$ANDROID_SERIAL" > serial
for word in "$@"; do echo "$word"; done > arguments
"""


@pytest.fixture
def server():
    script = AdbServerScript()
    yield script
    script.close()


@pytest.fixture
def control():
    return Control()


def gradlew(root, text):
    path = root / "gradlew"
    path.write_text(f"#!/bin/sh\n{text}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def build(server, tmp_path, control, **keys):
    one = runner(server, tmp_path, mode="gradle", **{"gradle_task": TASK, "duration_ms": 12_000} | keys)
    assert isinstance(one, BatchRunner)
    try:
        one.prepare(control)
        return one, one.record_all(control)
    finally:
        one.finish(control)


def test_traces_come_in_the_order_they_were_written(server, control, tmp_path):
    gradlew(tmp_path, WRITES_TWO)
    old = tmp_path / "old.perfetto-trace"
    old.write_text("old")
    os.utime(old, (1, 1))
    kept = tmp_path / ".echolot" / "traces"
    kept.mkdir(parents=True)
    (kept / "run_iter000.perfetto-trace").write_text("ours")
    one, found = build(server, tmp_path, control, gradle_args=("-Pa=b c", "--info"))
    assert [path.read_text().strip() for path in found] == ["first", "second", "third"]
    assert one.resource == f"device {SERIAL}"
    assert (tmp_path / "serial").read_text().strip() == SERIAL
    assert (tmp_path / "arguments").read_text().splitlines() == [TASK, "-Pa=b c", "--info"]


def test_sets_that_are_ours_already_are_no_new_traces(tmp_path):
    kept = tmp_path / ".echolot" / "traces"
    kept.mkdir(parents=True)
    (kept / "run_iter000.perfetto-trace").write_text("ours")
    assert traces_since(tmp_path, 0) == ()


def test_another_root_and_another_gradle(server, control, tmp_path):
    root = tmp_path / "android app"
    root.mkdir()
    gradlew(root, WRITES_TWO)
    (root / "gradlew").rename(root / "other wrapper")
    _, found = build(server, tmp_path, control, project_root="android app", gradle="./other wrapper")
    assert len(found) == 3


def test_keys_that_do_not_apply_are_said(server, control, tmp_path):
    gradlew(tmp_path, WRITES_TWO)
    build(server, tmp_path, control, iterations=9, sampling=True)
    assert "runner.iterations, runner.sampling do not apply in mode gradle" in control.text


def test_shipped_keys_are_not_mentioned(server, control, tmp_path):
    gradlew(tmp_path, WRITES_TWO)
    build(server, tmp_path, control)
    assert "apply" not in control.text


def test_without_a_device_gradle_finds_its_own(server, control, tmp_path):
    server.devices = []
    gradlew(tmp_path, WRITES_TWO)
    one, _ = build(server, tmp_path, control)
    assert one.resource == f"gradle {tmp_path.resolve()}"
    assert (tmp_path / "serial").read_text().strip() == ""


def test_a_device_that_is_to_be_held_still_has_to_be_there(server, control, tmp_path):
    server.devices = []
    gradlew(tmp_path, WRITES_TWO)
    with pytest.raises(CollectError, match="no device is attached"):
        build(server, tmp_path, control, brightness=3)


def test_it_cools_down_once_and_holds_the_device_still(server, control, tmp_path):
    gradlew(tmp_path, WRITES_TWO)
    server.phone.battery_tenths = [400, 400, 300]
    build(server, tmp_path, control, cooldown=Cooldown(max_c=38), brightness=3, fixed_performance=True)
    assert control.slept == [10.0]
    assert server.phone.said("screen_brightness 3")
    assert server.phone.settings["screen_brightness"] == "120"
    assert server.phone.min_freq == "300000"


def test_a_build_without_a_trace(server, control, tmp_path):
    gradlew(tmp_path, "exit 0\n")
    with pytest.raises(CollectError, match=r"wrote no \*\.perfetto-trace or \*\.pftrace file"):
        build(server, tmp_path, control)


@pytest.mark.parametrize(
    ("printed", "help_"),
    [
        (
            "java.lang.AssertionError: ERRORS (not suppressed): DEBUGGABLE EMULATOR",
            "=DEBUGGABLE,EMULATOR in runner",
        ),
        ("com.android.builder.testing.api.DeviceException: No online devices found.", "Gradle saw no device"),
        ("> com.android.builder.testing.api.DeviceException: No connected devices!", "Gradle saw no device"),
        ("Failed to install split APK(s): INSTALL_FAILED_UPDATE_INCOMPATIBLE", "could not be installed"),
        ("IllegalStateException: missing tracing-perfetto-binary", "lacks its half of the Perfetto SDK"),
        ("e: Main.kt: Unresolved reference", "the log has its telling lines"),
    ],
)
def test_a_failed_build_says_why_and_what_helps(server, control, tmp_path, printed, help_):
    gradlew(tmp_path, f"echo '> Task :app:x'; echo '{printed}' >&2; echo BUILD FAILED; exit 1\n")
    with pytest.raises(CollectError) as raised:
        build(server, tmp_path, control)
    assert help_ in raised.value.sentence
    assert "the build ended with exit code 1" in raised.value.sentence
    assert "the build ended with exit code 1" in control.told[1], "the gist comes first in the log"
    assert f"  | {printed}" in control.told


def test_a_build_that_takes_too_long(server, control, tmp_path):
    gradlew(tmp_path, "exec sleep 60\n")
    with pytest.raises(CollectError, match=r"longer than runner\.timeout_s, 1 s, and was ended"):
        build(server, tmp_path, control, timeout_s=1)


def test_a_stop_ends_the_build_and_puts_the_device_back(server, control, tmp_path):
    gradlew(tmp_path, "exec sleep 60\n")
    one = runner(server, tmp_path, mode="gradle", gradle_task=TASK, brightness=3)
    one.prepare(control)
    control.stop_after_sleeps = -1
    with pytest.raises(Stopped):
        one.record_all(control)
    one.finish(control)
    assert server.phone.settings["screen_brightness"] == "120"


def test_a_wrapper_that_is_not_there(server, control, tmp_path):
    with pytest.raises(CollectError, match=r"exit code 127 \(.*gradlew.*not found"):
        build(server, tmp_path, control)


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"gradle_task": ""}, "mode gradle needs a task"),
        ({"project_root": "gone"}, "there is no such folder"),
    ],
)
def test_settings_that_do_not_work(server, control, tmp_path, keys, sentence):
    with pytest.raises(CollectError, match=sentence):
        build(server, tmp_path, control, **keys)


def test_telling_lines_are_few_each_once_and_harmless():
    text = "\n".join(
        ["> Task :a", "\tat com.example.Foo(Foo.kt:1)", "", "e: \x1b[31mbad", "e: \x1b[31mbad"]
        + [f"Caused by: {number}" for number in range(40)]
    )
    lines = telling_lines(text)
    assert len(lines) == 20
    assert lines[0] == "e: \\x1b[31mbad"
    assert lines[1] == "Caused by: 0"


def test_without_a_telling_line_the_last_ones_stand_in():
    assert telling_lines("one\ntwo\n") == ("one", "two")
    assert gist(()) == "it printed nothing"


def test_names_on_the_line_below():
    assert "suppressErrors=EMULATOR,NOT-PROFILEABLE " in remedy(
        "ERRORS (not suppressed): \nEMULATOR NOT-PROFILEABLE\n"
    )


def test_an_unknown_cause_has_no_remedy():
    assert remedy("something else") == ""
