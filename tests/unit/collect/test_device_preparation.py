from __future__ import annotations

import contextlib
import re

import msgspec
import pytest

from adb_server import PACKAGE, SERIAL, AdbServerScript, Cut, Reply
from device_control import Control
from device_loop import record, runner
from echolot_tui.collect import held
from echolot_tui.collect.adb import AdbServer
from echolot_tui.collect.runner import CollectError, Stopped
from echolot_tui.collect.temperature import read_celsius
from echolot_tui.project.model import Cooldown

ALL = {"fixed_performance": True, "airplane_mode": True, "brightness": 40, "compose_names": True}


@pytest.fixture
def server():
    script = AdbServerScript()
    yield script
    script.close()


@pytest.fixture
def control():
    return Control()


def changes(phone):
    pattern = "airplane-mode |fixed-performance|settings (put|delete)|TRACING_COLD_START|perfetto -c"
    return phone.said(pattern)


def test_everything_is_put_back_in_reverse_order(server, control, tmp_path):
    before = dict(server.phone.settings)
    record(runner(server, tmp_path, **ALL), tmp_path, control)
    on, recorded, off = changes(server.phone)[:5], changes(server.phone)[5], changes(server.phone)[6:]
    assert on[:4] == [
        "cmd power set-fixed-performance-mode-enabled true",
        "cmd connectivity airplane-mode enable",
        "settings put system screen_brightness_mode 0",
        "settings put system screen_brightness 40",
    ]
    assert "ENABLE_TRACING_COLD_START --es persistent true" in on[4]
    assert recorded.startswith("perfetto")
    assert "DISABLE_TRACING_COLD_START" in off[0]
    assert off[1:] == [
        "settings put system screen_brightness 120",
        "settings put system screen_brightness_mode 1",
        "cmd connectivity airplane-mode disable",
        "cmd power set-fixed-performance-mode-enabled false",
    ]
    assert server.phone.settings == before
    assert control.text.count("warning") == 0


@pytest.mark.parametrize(
    "at", ["^cmd power", "airplane-mode enable", "settings put", "COLD_START", "^perfetto"]
)
@pytest.mark.parametrize("how", [Cut, Reply(err="no\n", code=1)])
def test_whatever_step_breaks_off_the_changes_before_it_are_undone(server, control, tmp_path, at, how):
    before = dict(server.phone.settings)
    server.phone.scripts.append((Once(at), how, 0))
    with contextlib.suppress(CollectError):  # a refused knob is none
        record(runner(server, tmp_path, **ALL), tmp_path, control)
    assert server.phone.scripts[0][0].met
    assert server.phone.settings == before
    assert not server.phone.airplane
    assert server.phone.min_freq == "300000"
    assert not server.phone.names


class Once:
    """A pattern that matches the first line it fits, and none after."""

    def __init__(self, pattern):
        self.pattern, self.met = pattern, False

    def search(self, line):
        if self.met or not re.search(self.pattern, line):
            return None
        self.met = True
        return True


def test_a_refused_knob_is_said_and_not_undone(server, control, tmp_path):
    server.phone.on("airplane-mode enable", Reply(err="Security exception: not allowed\n", code=255))
    record(runner(server, tmp_path, airplane_mode=True, brightness=5), tmp_path, control)
    expected = "warning: runner.airplane_mode: the device refuses (Security exception: not allowed)"
    assert expected in control.text
    assert server.phone.said("airplane-mode disable") == []
    assert server.phone.said("screen_brightness 5")


def test_a_device_without_the_performance_mode(server, control, tmp_path):
    server.phone.on("^cmd power", Reply(err="Failed to set FIXED_PERFORMANCE mode\n", code=255))
    record(runner(server, tmp_path, fixed_performance=True), tmp_path, control)
    assert (
        "runner.fixed_performance: the device refuses (Failed to set FIXED_PERFORMANCE mode)" in control.text
    )
    assert server.phone.said("enabled false") == []


def test_a_performance_mode_that_does_nothing_is_said(server, control, tmp_path):
    server.phone.fixed_works = False
    record(runner(server, tmp_path, fixed_performance=True), tmp_path, control)
    assert "changed no clock limit" in control.text


def test_clock_limits_nobody_may_read(server, control, tmp_path):
    server.phone.on("^cat /sys", Reply(err="cat: Permission denied\n", code=1))
    record(runner(server, tmp_path, fixed_performance=True), tmp_path, control)
    assert "does not show whether that changed the clock" in control.text


def test_airplane_mode_that_is_on_stays_on(server, control, tmp_path):
    server.phone.airplane = True
    record(runner(server, tmp_path, airplane_mode=True), tmp_path, control)
    assert server.phone.airplane
    assert server.phone.said("airplane-mode (enable|disable)") == []


def test_a_device_on_the_network_keeps_its_network(server, control, tmp_path):
    server.devices = [("192.168.0.7:5555", "device")]
    record(runner(server, tmp_path, airplane_mode=True), tmp_path, control)
    assert "reached over the network" in control.text
    assert server.phone.said("airplane-mode") == []


def test_a_brightness_nobody_had_set_is_deleted_again(server, control, tmp_path):
    server.phone.settings = {}
    record(runner(server, tmp_path, brightness=0), tmp_path, control)
    assert server.phone.settings == {}
    assert server.phone.said("settings put system screen_brightness 0")


def test_an_undo_the_device_refuses_stops_no_other(server, control, tmp_path):
    server.phone.on("airplane-mode disable", Reply(err="no\n", code=1))
    record(runner(server, tmp_path, fixed_performance=True, airplane_mode=True), tmp_path, control)
    assert "airplane mode could not be put back (no); do it by hand" in control.text
    assert server.phone.min_freq == "300000"


def test_what_a_killed_set_left_is_put_back_by_the_next(server, control, tmp_path, monkeypatch):
    killed = runner(server, tmp_path, brightness=40, airplane_mode=True)
    killed.prepare(control)
    assert server.phone.settings["screen_brightness"] == "40"

    monkeypatch.setattr(held, "_PROCESS", "another")
    record(runner(server, tmp_path, brightness=90), tmp_path, control)
    assert (
        "an earlier set did not put back airplane mode, screen brightness mode, screen brightness"
        in control.text
    )
    assert server.phone.settings == {"screen_brightness": "120", "screen_brightness_mode": "1"}
    assert not server.phone.airplane
    assert list((tmp_path / "state").iterdir()) == []


def test_what_a_vanished_device_keeps_is_put_back_by_the_next_set(server, control, tmp_path, monkeypatch):
    server.phone.pull = "cut"
    with pytest.raises(CollectError, match="broke off"):
        record(runner(server, tmp_path, brightness=40), tmp_path, control)
    assert server.phone.settings["screen_brightness"] == "40"

    monkeypatch.setattr(held, "_PROCESS", "another")
    server.devices, server.phone.pull = [(SERIAL, "device")], "whole"
    record(runner(server, tmp_path), tmp_path, control)
    assert server.phone.settings == {"screen_brightness": "120", "screen_brightness_mode": "1"}


def test_two_arms_on_one_device_do_not_undo_each_other(server, control, tmp_path):
    first, second = (runner(server, tmp_path, brightness=level) for level in (40, 90))
    first.prepare(control)
    second.prepare(control)
    assert server.phone.settings["screen_brightness"] == "90"
    second.finish(control)
    first.finish(control)
    assert server.phone.settings == {"screen_brightness": "120", "screen_brightness_mode": "1"}


def test_a_damaged_memory_of_changes_is_an_error(server, control, tmp_path):
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / f"device-{SERIAL}.old.0.json").write_bytes(b"[{")
    with pytest.raises(CollectError, match="put brightness, airplane mode and performance mode back by hand"):
        record(runner(server, tmp_path), tmp_path, control)


def test_a_change_is_written_down_before_it_is_made(server, control, tmp_path):
    seen = []

    def look(line):
        (path,) = (tmp_path / "state").iterdir()
        seen.append(msgspec.json.decode(path.read_bytes())[-1])
        return Reply()

    server.phone.on("airplane-mode enable", look)
    record(runner(server, tmp_path, airplane_mode=True), tmp_path, control)
    assert seen == [{"what": "airplane mode", "undo": "cmd connectivity airplane-mode disable"}]


# cooling down


def test_it_waits_until_the_battery_is_cool(server, control, tmp_path):
    server.phone.battery_tenths = [400, 400, 391, 380]  # the first answers whether there is a sensor
    record(runner(server, tmp_path, cooldown=Cooldown(max_c=38)), tmp_path, control)
    assert control.slept[:2] == [10.0, 10.0]
    assert control.states[0] == "cooling"
    assert "battery is at 40.0 °C, waiting for 38 °C" in control.text


def test_each_run_waits(server, control, tmp_path):
    server.phone.battery_tenths = [300, 300, 400, 300]
    record(runner(server, tmp_path, cooldown=Cooldown(max_c=38)), tmp_path, control, runs=2)
    assert control.states == ["recording", "pulling", "cooling", "recording", "pulling"]


def test_after_the_patience_it_records_anyway_and_says_so(server, control, tmp_path):
    server.phone.battery_tenths = [450]
    record(runner(server, tmp_path, cooldown=Cooldown(max_c=38, timeout_s=25)), tmp_path, control)
    assert control.slept[:3] == [10.0, 10.0, 5.0]
    assert "battery is still at 45.0 °C after 25 s, recording anyway" in control.text
    assert (tmp_path / "run0").exists()


@pytest.mark.parametrize("sensor", ["battery", "gpu", "skin"])
def test_a_missing_sensor_stops_before_anything_changes(server, control, tmp_path, sensor):
    server.phone.battery_tenths = []
    with pytest.raises(CollectError, match=f"has no {sensor} temperature to wait for"):
        record(runner(server, tmp_path, cooldown=Cooldown(max_c=38, sensor=sensor), **ALL), tmp_path, control)
    assert changes(server.phone) == []
    assert server.phone.said("force-stop") == []


def test_a_stop_while_it_cools_changes_everything_back(server, control, tmp_path):
    server.phone.battery_tenths = [450]
    control.stop_after_sleeps = 2
    with pytest.raises(Stopped):
        record(runner(server, tmp_path, cooldown=Cooldown(max_c=38), brightness=3), tmp_path, control)
    assert server.phone.settings["screen_brightness"] == "120"
    assert server.phone.said("perfetto") == []


@pytest.mark.parametrize(
    ("sensor", "celsius"), [("battery", 27.3), ("cpu", 44.5), ("gpu", None), ("skin", 33.0)]
)
def test_sensors(server, sensor, celsius):
    server.phone.hal = "".join(
        f"\tTemperature{{mValue={value}, mType={kind}, mName=s, mStatus=0}}\n"
        for value, kind in ((41.0, 0), (44.5, 0), (0.0, 1), (33.0, 3), (50.0, 2))
    )
    assert read_celsius(AdbServer(server.address).choose(None), sensor) == celsius


def test_force_stop_that_is_refused(server, control, tmp_path):
    server.phone.on("^am force-stop", Reply(err="SecurityException\n", code=255))
    with pytest.raises(CollectError, match=rf"{PACKAGE} cannot be stopped \(SecurityException\)"):
        record(runner(server, tmp_path), tmp_path, control)
