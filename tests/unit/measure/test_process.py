"""Which process is measured, which of its threads is the main one, and why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from echolot_tui.engine.model import EngineChoice, TraceSession
from echolot_tui.engine.open import open_trace
from echolot_tui.generate.builder import TraceBuilder
from echolot_tui.generate.sched import Segment, State
from echolot_tui.measure.main_thread import main_thread, running_ns
from echolot_tui.measure.model import MainThread, ProcessFacts
from echolot_tui.measure.process import NoProcessError, choose_process
from echolot_tui.measure.survey import survey

MS = 1_000_000
APP = "com.example.app"


def choose(session: TraceSession, mask: str | None = None, start: str | None = None) -> ProcessFacts:
    return choose_process(session, survey(session), running_ns(session), mask=mask, start=start)[1]


def main_of(session: TraceSession, mask: str | None = None) -> MainThread:
    seen, running = survey(session), running_ns(session)
    main = main_thread(choose_process(session, seen, running, mask=mask, start=None)[0], running)
    assert main is not None
    return main


def running(tid: int, *stretches: tuple[int, int], builder: TraceBuilder, cpu: int = 0) -> None:
    builder.segments(tid, [Segment(start * MS, end * MS, State.RUNNING, cpu=cpu) for start, end in stretches])


def slices(builder: TraceBuilder, pid: int, count: int, *, first: int = 10, name: str = "work") -> None:
    for index in range(count):
        builder.slice(pid, pid, (first + 2 * index) * MS, (first + 2 * index + 1) * MS, name)


def device() -> TraceBuilder:
    """An app, its remote process, and what runs on every device."""
    builder = TraceBuilder()
    builder.process(1200, "system_server", uid=1000)
    builder.process(600, "/system/bin/surfaceflinger", uid=1000)
    builder.process(700, "com.android.systemui", uid=10_050)
    builder.process(4000, APP, uid=10_100)
    builder.process(4100, f"{APP}:remote", uid=10_100)
    slices(builder, 1200, 40)
    slices(builder, 600, 30)
    slices(builder, 700, 20)
    slices(builder, 4000, 5)
    slices(builder, 4100, 3)
    return builder


def test_a_mask_takes_the_process_with_most_slices_and_counts_the_others(load) -> None:
    facts = choose(load(device()), mask="com.*")
    assert (facts.name, facts.pid, facts.slices, facts.chosen_by) == ("com.android.systemui", 700, 20, "mask")
    assert [(other.name, other.pid, other.slices) for other in facts.alternatives] == [
        (APP, 4000, 5),
        (f"{APP}:remote", 4100, 3),
    ]
    assert facts.alternatives_total == 2
    assert facts.restarts == 0


def test_a_mask_is_a_glob_over_the_whole_name_that_minds_case(load) -> None:
    session = load(device())
    assert choose(session, mask=APP).alternatives_total == 0
    assert choose(session, mask="*[:]remote").pid == 4100
    with pytest.raises(NoProcessError):
        choose(session, mask="COM.EXAMPLE.APP")


def test_the_process_that_owns_the_start_anchor_wins(load) -> None:
    builder = device()
    builder.slice(4100, 4100, 500 * MS, 510 * MS, "Begin here")
    session = load(builder)
    facts = choose(session, mask="com.*", start="Begin*")
    assert (facts.pid, facts.chosen_by) == (4100, "start anchor")
    facts = choose(session, start="Begin*")
    assert (facts.pid, facts.chosen_by) == (4100, "start anchor")


def test_an_asynchronous_anchor_has_an_owner_too(load) -> None:
    builder = device()
    builder.async_slice(4100, 500 * MS, 510 * MS, "Begin here")
    assert choose(load(builder), mask="com.*", start="Begin*").pid == 4100


def test_an_anchor_nobody_owns_changes_nothing(load) -> None:
    facts = choose(load(device()), mask="com.*", start="nothing")
    assert (facts.pid, facts.chosen_by) == (700, "mask")


def test_at_most_five_alternatives_are_named(load) -> None:
    builder = TraceBuilder()
    for pid in range(100, 108):
        builder.process(pid, f"com.example.part{pid}", uid=10_100)
        slices(builder, pid, pid - 99)
    facts = choose(load(builder), mask="com.example.*")
    assert facts.pid == 107
    assert [other.pid for other in facts.alternatives] == [106, 105, 104, 103, 102]
    assert facts.alternatives_total == 7


def test_without_a_mask_the_app_is_chosen_over_busier_parts_of_the_system(load) -> None:
    facts = choose(load(device()))
    assert (facts.name, facts.chosen_by) == (APP, "most main-thread work")
    assert [other.name for other in facts.alternatives][:2] == [f"{APP}:remote", "com.android.systemui"]
    assert facts.alternatives_total == 4


def test_without_a_mask_cpu_time_of_the_main_thread_decides_where_it_was_recorded(load) -> None:
    builder = TraceBuilder()
    builder.process(100, "com.example.many", uid=10_100)
    builder.process(200, "com.example.busy", uid=10_101)
    slices(builder, 100, 50)
    slices(builder, 200, 10)
    running(100, (10, 20), builder=builder)
    running(200, (10, 60), builder=builder, cpu=1)
    assert choose(load(builder)).name == "com.example.busy"


def test_a_wrapper_with_one_long_slice_is_not_the_program(load) -> None:
    events = [{"ph": "X", "pid": 1_000, "tid": 1, "ts": 0, "dur": 1_000_000, "name": "Profiler"}]
    events += [{"ph": "X", "pid": 50, "tid": 50, "ts": n * 10, "dur": 5, "name": "op"} for n in range(200)]
    session = load(json.dumps({"traceEvents": events}).encode())
    assert choose(session).pid == 50


def test_the_only_process_says_so(load) -> None:
    builder = TraceBuilder()
    builder.process(4000, APP, uid=10_100)
    slices(builder, 4000, 3)
    assert choose(load(builder)).chosen_by == "only process"


def test_a_nameless_process_is_shown_and_found_by_its_pid(load) -> None:
    builder = TraceBuilder()
    slices(builder, 9305, 3)
    session = load(builder)
    for mask in ("pid:9305", "pid 9305", None):
        facts = choose(session, mask=mask)
        assert (facts.name, facts.pid, facts.slices) == ("pid 9305", 9305, 3)
    assert choose(session, mask="pid:9305").chosen_by == "pid"


def test_a_pid_finds_named_processes_as_well(load) -> None:
    facts = choose(load(device()), mask="pid:4100")
    assert (facts.name, facts.chosen_by, facts.alternatives_total) == (f"{APP}:remote", "pid", 0)


def test_a_restart_is_told_apart_and_counted(load) -> None:
    builder = TraceBuilder()
    builder.process(100, APP, uid=10_100)
    builder.process(200, APP, uid=10_100)
    slices(builder, 100, 9)
    builder.exit(100, 90 * MS)
    slices(builder, 200, 4, first=100, name="after")
    builder.slice(200, 200, 200 * MS, 210 * MS, "Begin")
    session = load(builder)
    facts = choose(session, mask=APP)
    assert (facts.pid, facts.restarts, facts.alternatives_total) == (100, 1, 1)
    facts = choose(session, mask=APP, start="Begin")
    assert (facts.pid, facts.restarts, facts.chosen_by) == (200, 1, "start anchor")


def test_processes_of_one_name_that_live_at_the_same_time_are_no_restarts(load) -> None:
    builder = TraceBuilder()
    for pid in (100, 200):
        builder.process(pid, "Renderer")
        slices(builder, pid, 5)
    assert choose(load(builder), mask="Renderer").restarts == 0


@pytest.mark.parametrize(
    ("mask", "advice"),
    [
        ("com.example.ap", "the nearest are com.example.app"),
        ("com.exmaple.app", "the nearest are com.example.app"),
        ("example", "the nearest are com.example.app, com.example.app:remote"),
        (
            "com.google.surfaceflinger",
            "most slices: system_server, /system/bin/surfaceflinger, com.android.systemui",
        ),
        ("pid:77", "most slices: system_server, /system/bin/surfaceflinger, com.android.systemui"),
    ],
)
def test_a_mask_that_matches_nothing_names_the_nearest(load, mask: str, advice: str) -> None:
    with pytest.raises(NoProcessError) as refused:
        choose(load(device()), mask=mask)
    assert f"no process matches {mask}" in refused.value.what
    assert advice in refused.value.todo


def test_a_name_the_kernel_cut_is_recognised(load) -> None:
    package = "com.example.verylongname"
    builder = TraceBuilder()
    builder.process(100, package[-15:])
    slices(builder, 100, 3)
    with pytest.raises(NoProcessError, match=r"15 characters of a name: try \*le.verylongname"):
        choose(load(builder), mask=package)
    assert choose(load(builder), mask="*le.verylongname").pid == 100


def test_a_trace_without_names_lists_pids(load) -> None:
    builder = TraceBuilder()
    slices(builder, 9305, 3)
    with pytest.raises(
        NoProcessError, match="no process of this trace has a name; those with slices are pid:9305"
    ):
        choose(load(builder), mask="com.example.app")


def test_samples_of_threads_without_a_process_are_told_with_what_to_do(load) -> None:
    script = "".join(
        f"worker {tid} [000] {at}.000000: 1 cpu-clock: \n\t 6f1 spin (/bin/worker)\n\n"
        for at, tid in enumerate((7, 7, 8), start=1)
    )
    with pytest.raises(NoProcessError, match="only 2 threads that name no process") as refused:
        choose(load(script.encode()))
    assert "perf script -F +pid" in str(refused.value)
    named = "".join(
        f"worker 7/7 [000] {at}.000000: 1 cpu-clock: \n\t 6f1 spin (/bin/worker)\n\n" for at in (1, 2)
    )
    assert choose(load(named.encode())).pid == 7


@pytest.mark.traces
def test_slices_on_tracks_of_no_thread_are_counted(shared_traces: Path) -> None:
    with (
        open_trace(shared_traces / "edge/nested-tracks.perfetto-trace", EngineChoice()) as session,
        pytest.raises(NoProcessError, match="its 1364 slices are on tracks of no thread"),
    ):
        choose(session)


def test_a_mask_is_text_never_sql(load) -> None:
    with pytest.raises(NoProcessError):
        choose(load(device()), mask="' OR 1=1 --")


def test_hostile_names_are_harmless_in_messages(load) -> None:
    builder = TraceBuilder()
    builder.process(100, "evil\x1b[31m", uid=10_100)
    slices(builder, 100, 3)
    with pytest.raises(NoProcessError) as refused:
        choose(load(builder), mask="evil")
    assert "evil\\x1b[31m" in str(refused.value)


# ── the main thread ──


def json_threads(*threads: tuple[int, str | None, int, int], pid: int = 50) -> bytes:
    """tid, name, number of slices and length of each in microseconds."""
    events: list[dict[str, object]] = []
    for tid, name, count, length in threads:
        if name is not None:
            meta = {"ph": "M", "pid": pid, "tid": tid, "name": "thread_name", "args": {"name": name}}
            events.append(meta)
        for index in range(count):
            ts = index * 1000
            events.append({"ph": "X", "pid": pid, "tid": tid, "ts": ts, "dur": length, "name": "op"})
    return json.dumps({"traceEvents": events}).encode()


@pytest.mark.parametrize(
    ("threads", "tid", "rule"),
    [
        ([(50, None, 1, 5), (51, "main", 9, 100)], 50, "tid == pid"),
        ([(50, None, 9, 0), (52, "50", 2, 5), (53, "main", 9, 100)], 52, "named like the pid"),
        ([(60, "Worker", 9, 100), (61, "CrRendererMain", 2, 5)], 61, "known name"),
        ([(60, "Worker", 9, 100), (61, "Main Thread", 2, 5)], 61, "known name"),
        ([(60, "Worker", 9, 100), (61, "main", 9, 0)], 60, "most slice time"),
        ([(60, "Worker", 2, 100), (61, "domain", 9, 5)], 60, "most slice time"),
    ],
)
def test_the_rule_that_finds_the_main_thread(
    load, threads: list[tuple[int, str | None, int, int]], tid: int, rule: str
) -> None:
    main = main_of(load(json_threads(*threads)), mask="pid:50")
    assert (main.tid, main.rule) == (tid, rule)


def test_one_thread_alone_is_the_main_one(load) -> None:
    main = main_of(load(json_threads((60, "Worker", 2, 5), pid=60)), mask="pid:60")
    assert (main.tid, main.rule) == (60, "tid == pid")


def test_a_pid_that_is_none_does_not_make_a_main_thread(load) -> None:
    trace = json_threads((1, "Critical Path", 9, 500), (70, "Main Thread", 5, 100), pid=1)
    main = main_of(load(trace), mask="pid:1")
    assert (main.name, main.rule) == ("Main Thread", "known name")


def test_a_main_thread_seen_running_needs_no_slices(load) -> None:
    builder = TraceBuilder()
    builder.process(4000, APP, uid=10_100)
    builder.thread(4000, 4001, "Worker")
    running(4000, (10, 12), builder=builder)
    builder.slice(4000, 4001, 20 * MS, 90 * MS, "parse")
    main = main_of(load(builder))
    assert (main.tid, main.rule, main.name) == (4000, "tid == pid", APP)


# ── real recordings ──


@pytest.mark.traces
@pytest.mark.parametrize(
    ("trace", "name", "pid", "main"),
    [
        ("android/app-startup-before.pftrace", "com.example.perfetto.startup", 7244, "tid == pid"),
        ("android/cpu-spin-before.pftrace", "com.example.perfetto.cpuspin", 9476, "tid == pid"),
        ("android/nowinandroid-compose.perfetto-trace", "pid 9305", 9305, "tid == pid"),
        ("android/api32_startup_warm.perfetto-trace", None, 7663, "tid == pid"),
        ("repeats/resnet50-workers0-run1.json.gz", "python", 25738, "named like the pid"),
        ("repeats/bazel-jobs-4.json.gz", "pid 1", 1, "known name"),
        ("repeats/clang-13-main.json", "clang.exe", 14796, "most slice time"),
        ("chrome/blocking-time.json.gz", "Renderer", 82927, "known name"),
        ("samples/simpleperf-repeat1.data", "pid 17559", 17559, "tid == pid"),
    ],
)
def test_real_recordings(shared_traces: Path, trace: str, name: str | None, pid: int, main: str) -> None:
    with open_trace(shared_traces / trace, EngineChoice()) as session:
        facts = choose(session)
        assert facts.pid == pid
        assert name is None or facts.name == name
        assert main_of(session).rule == main
