"""Every planted fact, asked of the engine in SQL of its own; and by hand what the description promises."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from echolot_tui.engine.model import EngineChoice, TraceSession
from echolot_tui.engine.open import open_trace
from echolot_tui.generate import cast
from echolot_tui.generate.planted import Planted, PlantedRow
from echolot_tui.generate.scene import Scene, cold_start, empty, truncated
from echolot_tui.generate.world import APP, MS, Options

SceneFile = Callable[[Options], tuple[Path, Scene]]

DETECTORS = {
    "anr",
    "app_init",
    "background_work",
    "binder_txn",
    "composables",
    "frame_jank",
    "gc_pressure",
    "io_wait",
    "main_thread_block",
    "main_thread_outlier",
    "main_thread_waits",
    "monitor_contention",
    "repeated_work",
    "runnable_starvation",
    "uninstrumented_cpu",
}
"""All but anr_risk, which needs seconds of its own."""


@pytest.fixture(scope="module")
def planted(cold_start_scene: Scene) -> Planted:
    return cold_start_scene.planted


def rows(planted: Planted, detector: str) -> dict[str, PlantedRow]:
    return {row.location: row for row in planted.rows[detector]}


# ── what the description promises, by hand ──


def test_every_detector_but_the_long_stall_has_a_row_and_a_control(planted: Planted):
    assert set(planted.rows) == DETECTORS
    assert set(planted.below) == DETECTORS - {"anr", "app_init"}


def test_numbers_are_the_ones_written_in_the_story(planted: Planted):
    block = rows(planted, "main_thread_block")
    assert (block["SdkInit"].count, block["SdkInit"].self_ms) == (1, 18.0)
    assert (block["inflate"].count, block["inflate"].self_ms, block["inflate"].max_ms) == (9, 84.0, 60.0)
    assert (block["visit"].count, block["visit"].self_ms, block["visit"].total_ms) == (2, 42.0, 63.0)
    assert rows(planted, "io_wait")["com.example.app"].total_ms == 28.0
    assert rows(planted, "main_thread_waits")["pool-#-thread-#"].total_ms == 19.0
    assert rows(planted, "uninstrumented_cpu")["DefaultDispatch"].total_ms == 58.2
    assert {row.location: row.total_ms for row in planted.rows["app_init"]} == {
        "androidx.work.WorkManagerInitializer": 20.0,
        "com.example.app.FirebaseInitializer": 24.0,
        "class initialization (ART)": 15.0,
        "openDatabase": 31.02,
        "(no section)": 9.0,
    }
    assert planted.window_ms == 1049.62
    budget = planted.budget
    assert budget is not None
    assert budget.on_cpu + budget.waiting_for_cpu + budget.in_kernel + budget.sleeping == pytest.approx(
        1049.62
    )


# ── the same, from the engine ──


def window(planted: Planted) -> str:
    return f"{planted.start_ns}, {planted.end_ns}"


def slices(session: TraceSession, planted: Planted) -> list[dict[str, Any]]:
    """Thread slices of the app in the window, clipped, and what their children leave them."""
    columns = session.query(f"""
        WITH clipped AS (
          SELECT s.id, s.parent_id, s.name, t.tid, t.name AS thread,
            MAX(s.ts, {planted.start_ns}) AS since,
            MIN(IIF(s.dur < 0, {planted.end_ns}, s.ts + s.dur), {planted.end_ns}) AS until
          FROM slice s JOIN thread_track tt ON s.track_id = tt.id JOIN thread t USING (utid)
          JOIN process p USING (upid) WHERE p.pid = {APP}
        )
        SELECT *, until - since AS dur,
          until - since - (SELECT IFNULL(SUM(MAX(c.until - c.since, 0)), 0) FROM clipped c
                           WHERE c.parent_id = clipped.id) AS self
        FROM clipped WHERE until > since ORDER BY id""")
    return columns.records()


def test_the_window_is_between_the_anchors(cold_start_session: TraceSession, planted: Planted):
    anchor = cold_start_session.query(f"""
        SELECT s.ts FROM slice s JOIN process_track t ON s.track_id = t.id JOIN process p USING (upid)
        WHERE s.name GLOB '{planted.start_glob}' AND p.pid = {APP}""")
    assert list(anchor.tuples()) == [(planted.start_ns,)]
    ends = cold_start_session.query(
        f"SELECT ts, dur FROM slice WHERE name GLOB '{planted.end_glob}' ORDER BY ts"
    ).records()
    assert [end["ts"] < planted.start_ns for end in ends] == [True, False]
    assert ends[1]["ts"] + ends[1]["dur"] == planted.end_ns


def test_main_thread_slices_are_all_accounted_for(cold_start_session: TraceSession, planted: Planted):
    found: dict[str, list[dict[str, Any]]] = {}
    for one in slices(cold_start_session, planted):
        if one["tid"] == APP:
            found.setdefault(one["name"], []).append(one)
    expected = planted.rows["main_thread_block"] + planted.below["main_thread_block"]
    assert {row.location for row in expected} == set(found)
    for row in expected:
        group = found[row.location]
        assert row.count == len(group)
        assert row.self_ms == pytest.approx(sum(one["self"] for one in group) / MS, abs=0.006)
        assert row.total_ms == pytest.approx(sum(one["dur"] for one in group) / MS, abs=0.006)
        assert row.max_ms == pytest.approx(max(one["dur"] for one in group) / MS, abs=0.006)


def test_bars_divide_rows_from_controls(planted: Planted):
    for detector, metric, bar in (
        ("main_thread_block", "self_ms", 16),
        ("background_work", "self_ms", 40),
        ("composables", "self_ms", 8),
        ("io_wait", "total_ms", 20),
        ("runnable_starvation", "total_ms", 20),
        ("main_thread_waits", "total_ms", 16),
    ):
        assert min(getattr(row, metric) for row in planted.rows[detector]) >= bar
        assert max(getattr(row, metric) for row in planted.below[detector]) < bar


def test_worker_slices_are_all_accounted_for(cold_start_session: TraceSession, planted: Planted):
    found: Counter[str] = Counter()
    for one in slices(cold_start_session, planted):
        if one["tid"] != APP:
            found[one["name"]] += one["self"]
    expected: Counter[str] = Counter()
    for row in planted.rows["background_work"] + planted.below["background_work"]:
        assert row.self_ms is not None
        expected[row.location] += round(row.self_ms * 100)
    assert {name: round(total / MS * 100) for name, total in found.items()} == dict(expected)


def test_a_slice_cut_by_the_window_counts_with_the_part_inside(planted: Planted):
    below = {row.location: row for row in planted.below["background_work"]}
    assert below["preload"].self_ms == 30.0  # 60 in full
    assert rows(planted, "background_work")["upload"].self_ms == 45.0  # 105 in full


def states(session: TraceSession, planted: Planted) -> list[dict[str, Any]]:
    return session.query(f"""
        SELECT t.tid, t.name AS thread, s.state, s.io_wait, s.blocked_function, s.cpu, s.ts,
          w.tid AS waker,
          MIN(IIF(s.dur < 0, {planted.end_ns}, s.ts + s.dur), {planted.end_ns})
            - MAX(s.ts, {planted.start_ns}) AS inside
        FROM thread_state s JOIN thread t USING (utid) JOIN process p USING (upid)
        LEFT JOIN thread w ON w.utid = s.waker_utid
        WHERE p.pid = {APP} AND inside > 0 ORDER BY s.ts""").records()


def test_the_main_threads_budget(cold_start_session: TraceSession, planted: Planted):
    sums: Counter[str] = Counter()
    for state in states(cold_start_session, planted):
        if state["tid"] == APP:
            sums[state["state"]] += state["inside"]
    budget = planted.budget
    assert budget is not None
    assert set(sums) == {"Running", "R", "R+", "D", "S"}
    assert round(sums["Running"] / MS, 2) == budget.on_cpu
    assert round((sums["R"] + sums["R+"]) / MS, 2) == budget.waiting_for_cpu
    assert round(sums["D"] / MS, 2) == budget.in_kernel
    assert round(sums["S"] / MS, 2) == budget.sleeping


def test_waiting_for_the_disk_and_for_a_cpu(cold_start_session: TraceSession, planted: Planted):
    disk: Counter[tuple[str, bool]] = Counter()
    ready: Counter[tuple[str, str, bool]] = Counter()
    functions = set()
    for state in states(cold_start_session, planted):
        main = state["tid"] == APP
        if state["state"] == "D" and state["io_wait"]:
            disk[state["thread"], main] += state["inside"]
            functions.add(state["blocked_function"])
        if state["state"] in ("R", "R+"):
            ready[state["thread"], f"state {state['state']}", main] += state["inside"]
    expected = planted.rows["io_wait"] + planted.below["io_wait"]
    assert {(row.location, row.thread == "main"): row.total_ms for row in expected} == {
        key: round(total / MS, 2) for key, total in disk.items()
    }
    assert functions == {"filemap_fault", "ext4_file_read_iter", "ext4_sync_file"}
    listed = planted.rows["runnable_starvation"] + planted.below["runnable_starvation"]
    assert Counter((row.location, row.detail, row.total_ms) for row in listed) == Counter(
        (thread, detail, round(total / MS, 2)) for (thread, detail, _), total in ready.items()
    )


def test_running_inside_and_outside_slices(cold_start_session: TraceSession, planted: Planted):
    running: Counter[tuple[str, bool]] = Counter()
    for state in states(cold_start_session, planted):
        if state["state"] == "Running":
            running[state["thread"], state["tid"] == APP] += state["inside"]
    listed = planted.rows["uninstrumented_cpu"] + planted.below["uninstrumented_cpu"]
    assert sorted((row.location, row.total_ms) for row in listed) == sorted(
        (thread, round(total / MS, 2)) for (thread, _), total in running.items()
    )
    covered = {(row.location, row.total_ms): row.covered_ms for row in listed}
    assert covered["HalfCovered", 100.0] == 51.0
    assert covered["Analytics", 49.9] == 0.0


def test_sleeps_and_their_wakers(cold_start_session: TraceSession, planted: Planted):
    mine = [state for state in states(cold_start_session, planted) if state["tid"] == APP]
    sums: Counter[int | None] = Counter()
    for state, following in pairwise(mine):
        if state["state"] == "S":
            sums[following["waker"]] += state["inside"]
    assert {waker: round(total / MS, 2) for waker, total in sums.items()} == {
        cast.DISPATCH_1: 28.16 + 12.0,  # of it 12 in the lock, which are monitor contention
        cast.POOL_1: 10.0,
        cast.POOL_2: 9.0,
        cast.ANALYTICS: 15.9,
        cast.HEAP: 9.0,
        cast.RENDER: 30.0,
        cast.APP_BINDER: 20.0,
        cast.OTHER_WORKER: 20.0,
        cast.SERVER_FOR_MAIN: 14.0,
    }
    assert rows(planted, "main_thread_waits")["DefaultDispatch"].total_ms == 28.16


def test_the_chain_of_waits_is_three_hops_deep(cold_start_session: TraceSession):
    """loadConfig waits for the dispatcher, that for the pool, that for the writer, that for the disk."""
    chain = cold_start_session.query(f"""
        SELECT t.tid, n.state AS woken, w.tid AS waker FROM thread_state s
        JOIN thread t USING (utid)
        JOIN slice c ON c.name = 'loadConfig' AND s.ts >= c.ts AND s.ts + s.dur <= c.ts + c.dur
        JOIN thread_state n ON n.utid = s.utid AND n.ts = s.ts + s.dur
        LEFT JOIN thread w ON w.utid = n.waker_utid
        WHERE s.state IN ('S', 'D') AND t.tid IN ({APP}, {cast.DISPATCH_1}, {cast.POOL_1}, {cast.DISK})""")
    assert {(row["tid"], row["waker"]) for row in chain.records()} == {
        (APP, cast.DISPATCH_1),
        (cast.DISPATCH_1, cast.POOL_1),
        (cast.POOL_1, cast.DISK),
        (cast.DISK, 0),
    }


def test_what_opens_inside_a_block(cold_start_session: TraceSession, planted: Planted):
    cut = cold_start_session.query(f"""
        SELECT s.state, s.ts, s.dur FROM thread_state s JOIN thread t USING (utid)
        WHERE t.tid = {APP} AND s.ts < {planted.start_ns} AND s.ts + s.dur > {planted.start_ns}""").records()
    opened = planted.opened_inside
    assert opened is not None
    assert [(row["state"], (planted.start_ns - row["ts"]) / MS, row["dur"] / MS) for row in cut] == [
        (opened.state, opened.before_ms, opened.total_ms)
    ]
    assert (opened.before_ms, opened.inside_ms) == (7.0, 3.0)


def test_the_clock_weighted_by_running_time(cold_start_session: TraceSession, planted: Planted):
    changes = cold_start_session.query("""
        SELECT t.cpu, c.ts, c.value FROM counter c JOIN cpu_counter_track t ON c.track_id = t.id
        WHERE t.name = 'cpufreq' ORDER BY c.ts""").records()
    weighted = total = 0.0
    for state in states(cold_start_session, planted):
        if state["state"] != "Running":
            continue
        at = max(state["ts"], planted.start_ns)
        end = at + state["inside"]
        steps = [change for change in changes if change["cpu"] == state["cpu"]]
        for step, until in zip(steps, [*(later["ts"] for later in steps[1:]), planted.end_ns], strict=True):
            length = max(0, min(end, until) - max(at, step["ts"]))
            weighted += length * step["value"]
            total += length
    clock = planted.environment.clock
    assert clock is not None
    assert clock.mean_mhz == round(weighted / total / 1000, 1)
    assert (clock.min_mhz, clock.max_mhz) == (1200.0, 2400.0)
    assert clock.on_cpu_ms == pytest.approx(total / MS, abs=0.006)


def test_frames(cold_start_session: TraceSession, planted: Planted):
    late = cold_start_session.query(f"""
        SELECT a.jank_type, COUNT(*) AS count, SUM(a.ts + a.dur - e.ts - e.dur) AS total
        FROM actual_frame_timeline_slice a
        JOIN expected_frame_timeline_slice e USING (surface_frame_token, upid)
        JOIN process p ON a.upid = p.upid
        WHERE p.pid = {APP} AND a.jank_tag != 'No Jank'
          AND a.ts < {planted.end_ns} AND a.ts + a.dur > {planted.start_ns}
          AND a.ts + a.dur - e.ts - e.dur >= 4000000
        GROUP BY 1""").records()
    listed = planted.rows["frame_jank"] + planted.below["frame_jank"]
    assert sorted((row["jank_type"], row["count"], row["total"] / MS) for row in late) == sorted(
        (row.location, row.count, row.total_ms) for row in listed
    )
    assert [row.location for row in planted.rows["frame_jank"]] == ["App Deadline Missed"]


def test_the_platforms_view_of_the_start(cold_start_session: TraceSession, planted: Planted):
    starts = cold_start_session.query("""
        INCLUDE PERFETTO MODULE android.startup.startups;
        SELECT package, startup_type, ts, dur FROM android_startups""").records()
    startup = planted.startup
    assert startup is not None
    assert [(row["package"], row["startup_type"], row["dur"] / MS) for row in starts] == [
        (planted.package, startup.type, startup.dur_ms)
    ]
    assert (starts[0]["ts"] - planted.start_ns) / MS == startup.from_window_start_ms


def test_reasons_of_the_start(cold_start_session: TraceSession):
    reasons = cold_start_session.query("""
        INCLUDE PERFETTO MODULE android.startup.startup_breakdowns;
        SELECT reason, SUM(dur) / 1e6 AS ms FROM android_startup_opinionated_breakdown
        GROUP BY 1""").records()
    by_reason = {row["reason"]: row["ms"] for row in reasons}
    assert by_reason["io"] == pytest.approx(35.0)
    assert by_reason["binder"] == pytest.approx(14.02)
    assert by_reason["monitor_contention"] == pytest.approx(12.02)


def test_the_anr_and_anothers(cold_start_session: TraceSession, planted: Planted):
    recorded = cold_start_session.query("""
        INCLUDE PERFETTO MODULE android.anrs;
        SELECT process_name, pid, subject, error_id FROM android_anrs ORDER BY pid""").records()
    assert [(row["process_name"], row["pid"]) for row in recorded] == [
        ("com.example.app", APP),
        ("com.example.other", 4500),
    ]
    assert [row.location for row in planted.rows["anr"]] == [recorded[0]["subject"]]


def test_gauges(cold_start_session: TraceSession, planted: Planted):
    inside = f"c.ts BETWEEN {planted.start_ns} AND {planted.end_ns}"
    query = "SELECT {} AS x FROM counter c JOIN track t ON c.track_id = t.id WHERE t.type = '{}' AND {}"
    environment = planted.environment

    def value(what: str, kind: str, extra: str = inside) -> Any:
        return cold_start_session.query(query.format(what, kind, extra)).scalar()

    assert value("MAX(value) / 1000", "thermal_temperature") == environment.max_celsius == 46.8
    assert value("MIN(value) / 1e6", "meminfo") == pytest.approx(environment.available_mb_min, abs=0.06)
    assert value("MAX(value) - MIN(value)", "vmstat") == environment.major_faults == 41
    assert value("MAX(t.name)", "cooling_device_counter") == f"{environment.throttle_device} Cooling Device"


def test_composables_by_name(cold_start_session: TraceSession, planted: Planted):
    calls = cold_start_session.query("SELECT COUNT(*) FROM slice WHERE name GLOB '* ([A-Za-z]*.kt:[0-9]*)'")
    assert calls.scalar() == planted.environment.compose_calls == 9
    hold = cold_start_session.query(f"""
        SELECT SUM(c.dur) - (SELECT SUM(i.dur) FROM slice i JOIN slice o ON i.parent_id = o.id
                             WHERE o.name = '{cast.HOME}' AND i.name GLOB 'com.example.app.ui.*') AS self
        FROM slice c WHERE c.name = '{cast.HOME}'""")
    assert hold.scalar() == rows(planted, "composables")[cast.HOME].self_ms * MS == 13 * MS  # type: ignore[operator]


def test_contention_is_written_as_art_does(cold_start_session: TraceSession):
    nested = cold_start_session.query("""
        SELECT p.name AS outer_name FROM slice s JOIN slice p ON s.parent_id = p.id
        WHERE s.name GLOB 'Lock contention on a monitor lock*'""").records()
    assert [row["outer_name"] for row in nested] == [cast.HELD]


def test_nothing_is_wrong_with_the_recording(cold_start_session: TraceSession):
    wrong = cold_start_session.query(
        "SELECT name FROM stats WHERE value != 0 AND severity IN ('error', 'data_loss')"
    )
    assert list(wrong.tuples()) == []


# ── variants ──


def count(path: Path, table: str) -> Any:
    session = open_trace(path, EngineChoice())
    try:
        return session.query(f"SELECT COUNT(*) FROM {table}").scalar()
    finally:
        session.close()


@pytest.mark.parametrize(
    ("options", "table", "gone"),
    [
        (Options(frames=False), "actual_frame_timeline_slice", {"frame_jank"}),
        (
            Options(sched=False),
            "thread_state",
            {"io_wait", "runnable_starvation", "uninstrumented_cpu", "main_thread_waits"},
        ),
        (Options(platform=False), "cpu_counter_track WHERE name = 'cpufreq'", set()),
        (
            Options(compose_names=False),
            "slice WHERE name GLOB '*.kt:*)' AND name NOT GLOB '*contention*'",
            {"composables"},
        ),
        (Options(sampling="asked"), "perf_session", set()),
        (Options(named=False), "process WHERE name IS NOT NULL", None),
    ],
)
def test_a_variant_lacks_its_source(
    scene_file: SceneFile, options: Options, table: str, gone: set[str] | None
):
    path, scene = scene_file(options)
    assert count(path, table) == 0
    if gone is not None:
        assert set(scene.planted.rows) == DETECTORS - gone


@pytest.mark.parametrize("variant", ["arrived", "minified"])
def test_a_sampler_that_ran(scene_file: SceneFile, variant: Any):
    path, scene = scene_file(Options(sampling=variant))
    planted = scene.planted
    expected = planted.environment.sampling
    assert expected is not None
    assert expected.minified == (3 if variant == "minified" else 0)
    session = open_trace(path, EngineChoice())
    own = session.query(f"""
        SELECT COUNT(*) AS samples, COUNT(callsite_id) AS with_stack
        FROM perf_sample s JOIN thread t USING (utid) JOIN process p USING (upid)
        WHERE p.pid = {APP} AND s.ts BETWEEN {planted.start_ns} AND {planted.end_ns}""").records()
    assert (own[0]["samples"], own[0]["with_stack"]) == (expected.samples, expected.with_stack)
    methods = session.query(f"""
        SELECT COUNT(DISTINCT f.name) FROM perf_sample s
        JOIN thread t USING (utid) JOIN process p USING (upid)
        JOIN stack_profile_callsite c ON c.id = s.callsite_id JOIN stack_profile_frame f ON f.id = c.frame_id
        JOIN stack_profile_mapping m ON m.id = f.mapping
        WHERE p.pid = {APP} AND s.ts BETWEEN {planted.start_ns} AND {planted.end_ns}
          AND (m.name GLOB '*/com.example.app-*' OR m.name GLOB '*jit-cache*')""").scalar()
    assert methods == expected.methods == 4
    assert session.query("SELECT COUNT(*) FROM perf_session").scalar() == 1
    config = str(session.query("SELECT str_value FROM metadata WHERE name = 'trace_config_pbtxt'").scalar())
    assert "linux.perf" in config
    assert "frequency: 100" in config
    session.close()


def test_a_restart_leaves_two_processes_of_one_name(scene_file: SceneFile):
    path, scene = scene_file(Options(restarted=True))
    session = open_trace(path, EngineChoice())
    processes = session.query(f"""
        SELECT p.pid, COUNT(s.id) AS slices, p.end_ts < {scene.planted.start_ns} AS died FROM process p
        JOIN thread USING (upid) JOIN thread_track tt USING (utid) JOIN slice s ON s.track_id = tt.id
        WHERE p.name = 'com.example.app' GROUP BY p.upid ORDER BY p.pid""").records()
    session.close()
    assert [(row["pid"], row["died"]) for row in processes] == [(3900, 1), (APP, None)]
    assert processes[0]["slices"] > processes[1]["slices"]


def test_several_occurrences_follow_each_other(scene_file: SceneFile):
    path, scene = scene_file(Options(occurrences=3))
    session = open_trace(path, EngineChoice())
    starts = session.query(f"""
        SELECT s.ts FROM slice s JOIN process_track t ON s.track_id = t.id JOIN process p USING (upid)
        WHERE s.name = 'ColdStart' AND p.pid = {APP} ORDER BY 1""")
    assert [row[0] for row in starts.tuples()] == [one.start_ns for one in scene.occurrences]
    for one in scene.occurrences:
        assert one.window_ms == scene.planted.window_ms
        total = sum(slice_["self"] for slice_ in slices(session, one) if slice_["tid"] == APP)
        listed = one.rows["main_thread_block"] + one.below["main_thread_block"]
        assert sum(row.self_ms or 0 for row in listed) == pytest.approx(total / MS, abs=0.2)
    session.close()
    assert "anr" not in scene.occurrences[1].rows


def statistics(path: Path, severity: str) -> list[tuple[Any, ...]]:
    session = open_trace(path, EngineChoice())
    try:
        found = session.query(
            f"SELECT name, value FROM stats WHERE value != 0 AND severity = '{severity}' ORDER BY 1"
        )
        return list(found.tuples())
    finally:
        session.close()


def test_a_lossy_recording_says_so(scene_file: SceneFile):
    path, _ = scene_file(Options(lossy=True))
    assert statistics(path, "data_loss") == [
        ("ftrace_cpu_has_data_loss", 1),
        ("traced_buf_trace_writer_packet_loss", 3),
    ]
    assert ("traced_buf_chunks_discarded", 37) in statistics(path, "info")
    assert statistics(path, "error") == []


def test_a_damaged_recording_says_so(scene_file: SceneFile):
    path, _ = scene_file(Options(damaged=True))
    assert statistics(path, "error") == [("systrace_parse_failure", 2)]
    assert statistics(path, "data_loss") == []


def test_an_empty_recording_has_no_events(tmp_path: Path):
    path = tmp_path / "empty.perfetto-trace"
    path.write_bytes(empty())
    assert path.stat().st_size > 100
    with pytest.raises(Exception, match="empty"):
        open_trace(path, EngineChoice())


def test_a_truncated_recording_is_a_prefix(cold_start_scene: Scene):
    cut = truncated(cold_start_scene.trace)
    assert cold_start_scene.trace.startswith(cut)
    assert 0 < len(cut) < len(cold_start_scene.trace)


# ── repeats ──


def test_same_seed_same_bytes_other_run_other_bytes():
    def noisy(run: int) -> Scene:
        return cold_start(Options(run_factor=1.03, spread=0.04, seed="x", run=run))

    assert noisy(0).trace == noisy(0).trace
    assert noisy(0).trace != noisy(1).trace
    assert cold_start().trace == cold_start().trace


def test_noise_moves_every_row_on_its_own_but_the_run_together():
    calm = cold_start().planted
    fast = cold_start(Options(run_factor=2.0)).planted
    assert rows(fast, "main_thread_block")["SdkInit"].self_ms == 36.0
    noisy = cold_start(Options(spread=0.05, seed="y")).planted
    ratios = {
        row.location: row.self_ms / rows(calm, "main_thread_block")[row.location].self_ms  # type: ignore[operator]
        for row in noisy.rows["main_thread_block"]
    }
    assert len(set(ratios.values())) == len(ratios)
    assert all(0.75 < ratio < 1.3 for ratio in ratios.values())
