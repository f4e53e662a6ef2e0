from __future__ import annotations

import pytest
from google.protobuf import text_format
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as protos

from adb_server import ACTIVITY, PACKAGE, SERIAL, TRACE_PATH, AdbServerScript, Cut, Reply
from device_control import Control
from device_loop import record, runner
from echolot_tui.collect.runner import CollectError, Runner, Stopped
from echolot_tui.project.model import Cooldown


@pytest.fixture
def server():
    script = AdbServerScript()
    yield script
    script.close()


@pytest.fixture
def control():
    return Control()


def test_a_whole_set(server, control, tmp_path):
    server.phone.totals = [500, 520, 510]
    one = runner(server, tmp_path, mode="launch", duration_ms=2000)
    assert isinstance(one, Runner)
    assert one.resource == f"device {SERIAL}"
    assert not one.here
    recorded = record(one, tmp_path, control, runs=3)

    assert [each.launch_ms for each in recorded] == [500, 520, 510]
    assert all((tmp_path / f"run{k}").read_bytes() == server.phone.trace for k in range(3))
    assert control.told == []
    assert control.states == ["recording", "pulling"] * 3
    assert server.phone.files == {}, "nothing is left on the device"
    config = text_format.Parse(server.phone.configs[2], protos.TraceConfig())
    assert config.duration_ms == 2000
    assert list((tmp_path / "state").glob("*")) == []


def test_the_order_within_a_run(server, control, tmp_path):
    record(runner(server, tmp_path, cooldown=Cooldown(max_c=40)), tmp_path, control)
    run = server.phone.lines[server.phone.lines.index("dumpsys battery", 5) :]
    kinds = [line for line in run if not line.startswith(("test -d", "df"))]
    assert kinds == [
        "dumpsys battery",
        "dumpsys power",
        "dumpsys window policy",
        f"am force-stop {PACKAGE}",
        f"rm -f {TRACE_PATH}",
        f"perfetto -c - --txt --background-wait -o {TRACE_PATH}",
        f"am start -W -n {ACTIVITY}",
        f"rm -f {TRACE_PATH}",
    ]


def test_the_trace_is_pulled_only_when_perfetto_has_left(server, control, tmp_path):
    server.phone.polls = 7
    record(runner(server, tmp_path), tmp_path, control)
    assert len(server.phone.said("test -d")) == 8
    assert control.slept == [0.5] * 7


def test_perfetto_that_never_leaves(server, control, tmp_path):
    server.phone.polls = 1_000_000
    with pytest.raises(CollectError, match=r"perfetto still runs 61 s after a recording of 1 s began"):
        record(runner(server, tmp_path), tmp_path, control)
    assert server.phone.running == {}, "it is ended"


def test_reset_policy_none_stops_nothing(server, control, tmp_path):
    record(runner(server, tmp_path, reset_policy="none"), tmp_path, control)
    assert server.phone.said("force-stop") == []
    assert control.text.count("warning") == 0


def test_an_unknown_policy_is_said_and_stops_the_app(server, control, tmp_path):
    record(runner(server, tmp_path, reset_policy="clear"), tmp_path, control, runs=2)
    assert 'runner.reset_policy is "clear"; force-stop is used' in control.text
    assert len(server.phone.said("^am force-stop")) == 2
    assert server.phone.said("pm clear") == []


def test_a_high_sampling_rate_is_said(server, control, tmp_path):
    record(runner(server, tmp_path, sampling=1000), tmp_path, control)
    assert "sampling at 1000 Hz slows the app" in control.text


def test_the_configured_activity_is_started(server, control, tmp_path):
    record(runner(server, tmp_path, activity=".Other"), tmp_path, control)
    assert server.phone.said("resolve-activity") == []
    assert server.phone.said("^am start") == [f"am start -W -n {PACKAGE}/.Other"]


def test_an_activity_with_a_dollar_stays_one_word(server, control, tmp_path):
    record(runner(server, tmp_path, activity=f"{PACKAGE}/.Outer$Inner"), tmp_path, control)
    assert server.phone.said("^am start") == [f"am start -W -n '{PACKAGE}/.Outer$Inner'"]


def test_what_is_no_activity(server, tmp_path):
    server.devices = []  # refused before anybody plugs anything in
    with pytest.raises(CollectError, match=f"expected PACKAGE/ACTIVITY; for example {PACKAGE}/.MainActivity"):
        runner(server, tmp_path, activity="x; reboot")


@pytest.mark.parametrize("code", [0, 1])
def test_an_app_that_is_not_installed(server, control, tmp_path, code):
    server.phone.on("^pm path", Reply(code=code))
    with pytest.raises(CollectError, match=f"{PACKAGE} is not installed; install the build"):
        record(runner(server, tmp_path, brightness=10), tmp_path, control)
    assert server.phone.settings["screen_brightness"] == "120", "nothing was changed"


@pytest.mark.parametrize(
    ("launcher", "sentence"),
    [
        ("android/com.android.internal.app.ResolverActivity", "would be answered by android/com.android"),
        ("", r"has no launcher activity \(No activity found\)"),
    ],
)
def test_nothing_of_its_own_to_start(server, control, tmp_path, launcher, sentence):
    server.phone.launcher = launcher
    with pytest.raises(CollectError, match=f"{sentence}.*runner.activity"):
        record(runner(server, tmp_path), tmp_path, control)


def test_no_application_id(server, tmp_path):
    with pytest.raises(CollectError, match=r"project\.package: recording on a device needs"):
        runner(server, tmp_path, package=None)


def test_settings_are_refused_before_adb_is_asked(server, tmp_path):
    server.devices = []
    with pytest.raises(CollectError, match="no category name"):
        runner(server, tmp_path, atrace_categories=("a b",))


# perfetto


def test_perfetto_refuses(server, control, tmp_path):
    server.phone.on("^perfetto", Reply(err="Failed to connect to traced\n", code=1))
    with pytest.raises(CollectError, match=r"perfetto did not start \(Failed to connect to traced\)"):
        record(runner(server, tmp_path), tmp_path, control)


def test_perfetto_that_gave_up_waiting_is_not_left_running(server, control, tmp_path):
    server.phone.running[77] = 100
    server.phone.on("^perfetto", Reply(out="77\n", err="Timeout waiting for the data sources\n", code=1))
    with pytest.raises(CollectError, match="Timeout waiting"):
        record(runner(server, tmp_path), tmp_path, control)
    assert server.phone.running == {}


def test_a_recording_a_killed_set_left_is_ended(server, control, tmp_path):
    server.phone.running[77] = 1000
    record(runner(server, tmp_path), tmp_path, control, runs=2)
    assert server.phone.running == {}
    assert control.told == ["a recording an earlier set had left running was ended"]


def test_an_older_perfetto_is_given_two_seconds(server, control, tmp_path):
    server.phone.knows_background_wait = False
    record(runner(server, tmp_path), tmp_path, control)
    assert control.slept[0] == 2.0
    assert len(server.phone.configs) == 1


def test_an_empty_trace(server, control, tmp_path):
    server.phone.trace = b""
    with pytest.raises(CollectError, match="perfetto left an empty trace; record again"):
        record(runner(server, tmp_path), tmp_path, control)


def test_an_empty_trace_on_a_full_device(server, control, tmp_path):
    server.phone.trace, server.phone.free_kb = b"", 12
    with pytest.raises(CollectError, match="perfetto left an empty trace; its storage is full"):
        record(runner(server, tmp_path), tmp_path, control)


def test_no_trace_at_all(server, control, tmp_path):
    server.phone.on("^am start", lambda line: server.phone.files.clear() or Reply(out="TotalTime: 5\n"))
    with pytest.raises(CollectError, match=r"perfetto left no trace \(there is no such file\)"):
        record(runner(server, tmp_path), tmp_path, control)


def test_the_device_vanishes_in_the_middle_of_the_pull(server, control, tmp_path):
    server.phone.pull = "cut"
    with pytest.raises(CollectError, match=rf"device {SERIAL}, pull of .*broke off.*--resume"):
        record(runner(server, tmp_path, brightness=10), tmp_path, control)
    assert "screen brightness could not be put back" in control.text
    assert "the next set tries again" in control.text


def test_the_connection_is_reset_while_the_app_starts(server, control, tmp_path):
    server.phone.on("^am start", Cut)
    with pytest.raises(CollectError, match=r"am start -W.*broke off"):
        record(runner(server, tmp_path, brightness=10), tmp_path, control)
    assert server.phone.running == {}, "the recording is ended"
    assert server.phone.settings["screen_brightness"] == "120"


def test_a_stop_ends_the_recording_and_puts_everything_back(server, control, tmp_path):
    server.phone.polls = 1000
    control.stop_after_sleeps = 3
    with pytest.raises(Stopped):
        record(runner(server, tmp_path, brightness=10, airplane_mode=True), tmp_path, control)
    assert server.phone.running == {}
    assert server.phone.files == {}
    assert server.phone.settings == {"screen_brightness": "120", "screen_brightness_mode": "1"}
    assert not server.phone.airplane


# launches


def test_a_start_that_fails(server, control, tmp_path):
    error = "Error: Activity class {com.example.app/.Gone} does not exist."
    server.phone.on("^am start", Reply(out=f"Starting: Intent\nError type 3\n{error}\n"))
    with pytest.raises(CollectError, match=r"did not start \(Error: Activity class .* does not exist"):
        record(runner(server, tmp_path), tmp_path, control)
    assert server.phone.running == {}


def test_a_start_command_that_is_not_there(server, control, tmp_path):
    server.phone.on("^am start", Reply(err="cmd: Failure calling service activity\n", code=20))
    with pytest.raises(CollectError, match=r"did not start \(cmd: Failure calling service"):
        record(runner(server, tmp_path), tmp_path, control)


def test_unknown_after_a_stop_with_a_screen_gone_dark(server, control, tmp_path):
    server.phone.launch_state = "UNKNOWN"

    def dark(line):
        server.phone.awake = server.phone.wakes = False
        return Reply(out="LaunchState: UNKNOWN (0)\nTotalTime: 0\n")

    server.phone.on("^am start", dark)
    with pytest.raises(CollectError, match="the screen went dark or locked"):
        record(runner(server, tmp_path), tmp_path, control)


def test_unknown_with_the_screen_on_is_a_launch(server, control, tmp_path):
    server.phone.launch_state = "UNKNOWN"
    assert record(runner(server, tmp_path), tmp_path, control)[0].launch_ms == 500


def test_a_launch_the_system_has_no_time_for_is_zero(server, control, tmp_path):
    server.phone.totals = [0, 400]
    recorded = record(runner(server, tmp_path), tmp_path, control, runs=2)
    assert [each.launch_ms for each in recorded] == [0, 400]


def test_a_device_that_tells_no_time_at_all(server, control, tmp_path):
    server.phone.on("^am start", Reply(out="Starting: Intent\nStatus: ok\n"))
    assert record(runner(server, tmp_path), tmp_path, control)[0].launch_ms is None


# the screen


def test_a_dark_screen_is_woken_and_a_swipe_lock_dismissed(server, control, tmp_path):
    server.phone.awake, server.phone.locked = False, True
    record(runner(server, tmp_path), tmp_path, control)
    assert server.phone.said("KEYCODE_WAKEUP")
    assert not server.phone.locked


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        ({"awake": False, "wakes": False}, "its screen stays dark"),
        ({"locked": True, "secure": True}, "locked with a PIN, pattern or password; unlock it"),
        ({"locked": True, "dismisses": False}, "its lock screen does not go away"),
    ],
)
def test_a_screen_nothing_can_be_drawn_on(server, control, tmp_path, state, sentence):
    for name, value in state.items():
        setattr(server.phone, name, value)
    with pytest.raises(CollectError, match=sentence):
        record(runner(server, tmp_path, brightness=10), tmp_path, control)
    assert server.phone.said("perfetto|settings put") == []


def test_a_lock_with_a_secret_is_not_waited_for(server, control, tmp_path):
    server.phone.locked = server.phone.secure = True
    with pytest.raises(CollectError):
        record(runner(server, tmp_path), tmp_path, control)
    assert control.slept == [1.0]


def test_the_screen_is_looked_at_before_each_run(server, control, tmp_path):
    def lock(line):
        server.phone.locked = server.phone.secure = True
        return Reply(out="LaunchState: COLD\nTotalTime: 300\n")

    server.phone.on("^am start", lock, after=1)
    with pytest.raises(CollectError, match="locked with a PIN"):
        record(runner(server, tmp_path), tmp_path, control, runs=5)
    assert (tmp_path / "run1").exists()
    assert not (tmp_path / "run2").exists()


def test_a_vendor_whose_dumps_say_nothing_is_trusted(server, control, tmp_path):
    server.phone.on("^dumpsys (power|window)", Reply(out="no such section\n"))
    assert record(runner(server, tmp_path), tmp_path, control)


# composable names


def test_names_are_on_for_the_set_and_off_afterwards(server, control, tmp_path):
    record(runner(server, tmp_path, compose_names=True), tmp_path, control, runs=2)
    assert server.phone.names_at_launch == [True, True]
    assert not server.phone.names
    assert control.slept[0] == 2.0
    assert server.phone.said("^perfetto") == [f"perfetto -c - --txt --background -o {TRACE_PATH}"] * 2
    assert "rendering" in server.phone.configs[0]


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ("result=0", "no receiver for it; add androidx.tracing:tracing-perfetto"),
        (
            'result=11, data="{"exitCode":11,"requiredVersion":"1.0.0"}"',
            "add androidx.tracing:tracing-perfetto-bin",
        ),
        ('result=12, data="{"exitCode":12}"', "different versions"),
        ('result=13, data="{"exitCode":13}"', "damaged"),
        ('result=99, data="{"exitCode":99,"message":"x"}"', "message"),
    ],
)
def test_an_app_that_cannot_name_its_composables(server, control, tmp_path, answer, sentence):
    server.phone.handshake = answer
    with pytest.raises(CollectError, match=f"did not switch composable names on.*{sentence}"):
        record(runner(server, tmp_path, compose_names=True), tmp_path, control)
    assert server.phone.said("DISABLE_TRACING_COLD_START"), "the switch is put back"


# arms


def test_an_arms_command_installs_its_build_before_each_run(server, control, tmp_path):
    line = f'echo "$ANDROID_SERIAL" >> {tmp_path}/installed'
    record(runner(server, tmp_path, command=line), tmp_path, control, runs=2)
    assert (tmp_path / "installed").read_text() == f"{SERIAL}\n" * 2


def test_composables_are_named_in_each_build_an_arm_installs(server, control, tmp_path):
    """Before the first is there nothing could be switched on, and a build installed anew has lost it."""
    server.phone.on("^pm path", lambda line: forget_names(server))
    record(runner(server, tmp_path, command="true", compose_names=True), tmp_path, control, runs=2)
    told = ["DISABLE" if "DISABLE" in line else "ENABLE" for line in server.phone.said("am broadcast")]
    assert told == ["ENABLE", "ENABLE", "DISABLE"]
    assert server.phone.names_at_launch == [True, True]


def forget_names(server):
    server.phone.names = False
    return Reply(out="package:/data/app/base.apk\n")


def test_an_arm_that_cannot_be_installed(server, control, tmp_path):
    line = "echo INSTALL_FAILED_VERSION_DOWNGRADE; exit 1"
    with pytest.raises(
        CollectError, match="run 1: the arm's command ended with exit code 1; its last line: "
    ):
        record(runner(server, tmp_path, command=line), tmp_path, control)


# temporary markers


def sources(folder, *names):
    kotlin = folder / "app" / "src" / "Main.kt"
    kotlin.parent.mkdir(parents=True)
    kotlin.write_text("\n".join(f'trace("{name}") {{ }}' for name in names))
    (folder / "build").mkdir()
    (folder / "build" / "Generated.java").write_text('"AGENTTMP_generated"')


def code_of(server, *names):
    server.phone.on(
        "^unzip -p .* grep", Reply(out="".join(f"{name}\n" for name in names), code=0 if names else 1)
    )


def test_a_build_with_the_markers_of_the_checkout(server, control, tmp_path):
    sources(tmp_path, "AGENTTMP_load", "AGENTTMP_row$i", "other")
    code_of(server, "AGENTTMP_load", "AGENTTMP_row")
    assert record(runner(server, tmp_path), tmp_path, control)
    (line,) = server.phone.said("unzip")
    assert line == "unzip -p /data/app/x/base.apk | grep -a -o -E 'AGENTTMP_[A-Za-z0-9_]*'"


@pytest.mark.parametrize(
    ("built", "named"),
    [
        ((), r"AGENTTMP_a, AGENTTMP_b, AGENTTMP_c and 1 more"),
        (("AGENTTMP_a", "AGENTTMP_b", "AGENTTMP_c"), "AGENTTMP_d"),
    ],
)
def test_a_build_without_them_is_refused_before_anything_changes(server, control, tmp_path, built, named):
    sources(tmp_path, *(f"AGENTTMP_{letter}" for letter in "dcba"))
    code_of(server, *built)
    with pytest.raises(CollectError, match=rf"lacks temporary markers the sources have \({named}\)"):
        record(runner(server, tmp_path, brightness=4), tmp_path, control)
    assert server.phone.said("settings put|perfetto") == []


def test_without_markers_in_the_sources_the_build_is_not_read(server, control, tmp_path):
    sources(tmp_path, "plain")
    record(runner(server, tmp_path), tmp_path, control)
    assert server.phone.said("unzip") == []


def test_a_device_without_unzip_is_said(server, control, tmp_path):
    sources(tmp_path, "AGENTTMP_load")
    server.phone.on("^unzip", Reply(err="sh: unzip: inaccessible or not found\n", code=1))
    assert record(runner(server, tmp_path), tmp_path, control)
    assert "cannot show whether the installed build has" in control.text


def test_a_build_an_arm_installs_is_looked_at_before_its_first_run(server, control, tmp_path):
    sources(tmp_path, "AGENTTMP_load")
    code_of(server)
    with pytest.raises(CollectError, match="lacks temporary markers"):
        record(runner(server, tmp_path, command="true"), tmp_path, control)
    assert server.phone.configs == []
