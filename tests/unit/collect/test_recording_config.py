from __future__ import annotations

import pytest
from google.protobuf import text_format
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as protos

from echolot_tui.collect.recording_config import recording_config, sampling_warning
from echolot_tui.collect.runner import CollectError
from echolot_tui.project.model import Runner

PACKAGE = "com.example.app"
ALWAYS = {
    "sched/sched_switch",
    "sched/sched_waking",
    "sched/sched_process_exit",
    "sched/sched_process_free",
    "task/task_newtask",
    "task/task_rename",
}
ENVIRONMENT = {
    "power/cpu_frequency",
    "sched/sched_blocked_reason",
    "thermal/thermal_temperature",
    "thermal/cdev_update",
}


def parsed(**keys):
    config = protos.TraceConfig()
    text_format.Parse(recording_config(Runner(**keys), PACKAGE), config)
    return config


def sources(config):
    return {source.config.name: source.config for source in config.data_sources}


def test_as_shipped():
    config = parsed()
    assert [(each.size_kb, each.fill_policy) for each in config.buffers] == [
        (131_072, protos.TraceConfig.BufferConfig.DISCARD)
    ]
    assert config.duration_ms == 12_000
    by_name = sources(config)
    assert set(by_name) == {
        "linux.ftrace",
        "linux.process_stats",
        "android.surfaceflinger.frametimeline",
        "linux.sys_stats",
    }
    ftrace = by_name["linux.ftrace"].ftrace_config
    assert set(ftrace.ftrace_events) == ALWAYS | ENVIRONMENT
    assert list(ftrace.atrace_categories) == [
        "am",
        "wm",
        "gfx",
        "view",
        "dalvik",
        "binder_driver",
        "res",
        "database",
    ]
    assert list(ftrace.atrace_apps) == [PACKAGE]
    assert by_name["linux.process_stats"].process_stats_config.scan_all_processes_on_start
    stats = by_name["linux.sys_stats"].sys_stats_config
    assert (stats.meminfo_period_ms, stats.vmstat_period_ms) == (1000, 1000)


def test_idle_states_are_never_recorded():
    assert "cpu_idle" not in recording_config(Runner(sampling=True, compose_names=True), PACKAGE)


def test_without_environment():
    config = parsed(environment=False)
    assert set(sources(config)["linux.ftrace"].ftrace_config.ftrace_events) == ALWAYS
    assert "linux.sys_stats" not in sources(config)


@pytest.mark.parametrize(("sampling", "hz"), [(True, 100), (50, 50), (250.0, 250)])
def test_sampling(sampling, hz):
    config = parsed(sampling=sampling, buffer_kb=4096)
    assert [each.size_kb for each in config.buffers] == [4096, 4096]
    perf = sources(config)["linux.perf"]
    assert perf.target_buffer == 1
    assert perf.perf_event_config.timebase.frequency == hz
    assert perf.perf_event_config.HasField("callstack_sampling")
    assert perf.perf_event_config.callstack_sampling.HasField("kernel_frames")
    assert not perf.perf_event_config.callstack_sampling.kernel_frames
    assert not perf.perf_event_config.callstack_sampling.HasField("scope")
    assert all(source.target_buffer == 0 for name, source in sources(config).items() if name != "linux.perf")


def test_composable_names():
    track = sources(parsed(compose_names=True))["track_event"].track_event_config
    assert list(track.disabled_categories) == ["*"]
    assert list(track.enabled_categories) == ["rendering"]
    assert "track_event" not in sources(parsed())


def test_own_categories_and_length():
    config = parsed(atrace_categories=("view", "input"), duration_ms=3000)
    assert list(sources(config)["linux.ftrace"].ftrace_config.atrace_categories) == ["view", "input"]
    assert config.duration_ms == 3000


@pytest.mark.parametrize("category", ["view gfx", 'view"', "", "../x"])
def test_what_is_no_category_is_refused(category):
    with pytest.raises(CollectError, match="no category name"):
        recording_config(Runner(atrace_categories=(category,)), PACKAGE)


@pytest.mark.parametrize("package", ["app", "com.example.app; reboot", 'com.example"', ""])
def test_what_is_no_application_id_is_refused(package):
    with pytest.raises(CollectError, match="no application id"):
        recording_config(Runner(), package)


def test_only_a_high_rate_warns():
    assert sampling_warning(Runner(sampling=200)) is None
    assert sampling_warning(Runner(sampling=True)) is None
    assert "201 Hz" in (sampling_warning(Runner(sampling=201)) or "")
