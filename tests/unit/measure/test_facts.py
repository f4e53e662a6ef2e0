"""The facts of a window, each planted in a small trace and computed by hand. Times are milliseconds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from echolot_tui.engine.model import Columns, QueryError, TraceSession
from echolot_tui.generate import kernel, packets
from echolot_tui.generate.builder import TraceBuilder
from echolot_tui.generate.samples import Sample, StackFrame, add_samples
from echolot_tui.generate.sched import Segment, State
from echolot_tui.measure.derived import DerivedTables
from echolot_tui.measure.environment import cpu_clock, environment_facts, memory_facts, thermal_facts
from echolot_tui.measure.facts import window_facts
from echolot_tui.measure.markers import markers
from echolot_tui.measure.model import (
    AppNames,
    Budget,
    ComposeNames,
    CpuClock,
    Marker,
    Memory,
    OpenedInside,
    Sampling,
    Startup,
    Thermal,
)
from echolot_tui.measure.sampling import compose_names, sampling_facts
from echolot_tui.measure.startup import startup_facts
from echolot_tui.measure.tables import create_tables
from echolot_tui.measure.window_facts import main_thread_budget, opened_inside

MS = 1_000_000
APP, WORKER, SERVER, OTHER = 4242, 4243, 1000, 77
PACKAGE = "com.example.app"

Load = Callable[[TraceBuilder], TraceSession]
Open = Callable[..., TraceSession]


def at(ms: float) -> int:
    return round(ms * MS)


def recording() -> TraceBuilder:
    builder = TraceBuilder()
    packets.system_info(builder, packets.System())
    builder.process(SERVER, "system_server", uid=1000)
    builder.process(APP, PACKAGE, uid=10100)
    builder.thread(APP, WORKER, "worker")
    builder.process(OTHER, "com.example.other", uid=10200)
    builder.slice(APP, APP, at(1), at(400), "whole")
    return builder


@pytest.fixture
def windowed(load: Load) -> Open:
    """Open a trace and cut the app's window out of it."""

    def cut(builder: TraceBuilder, start: float = 100, end: float = 200) -> TraceSession:
        session = load(builder)
        cut_window(session, at(start), at(end))
        return session

    return cut


def cut_window(session: TraceSession, start_ns: int, end_ns: int) -> None:
    upid, utid = next(
        session.query(
            f"SELECT upid, utid FROM process JOIN thread USING (upid) WHERE pid = {APP} AND tid = {APP}"
        ).tuples()
    )
    assert isinstance(upid, int)
    assert isinstance(utid, int)
    create_tables(
        session,
        upid=upid,
        main_utid=utid,
        start_ns=start_ns,
        end_ns=end_ns,
        process_name=PACKAGE,
        package=PACKAGE,
        claimed_globs=(),
    )


# --- main-thread budget -------------------------------------------------------------------------


def scheduled(builder: TraceBuilder) -> TraceBuilder:
    """The main thread from 50 to 230: see the numbers."""
    states = [
        (50, 60, State.RUNNING),
        (60, 110, State.SLEEPING),
        (110, 115, State.RUNNABLE),
        (115, 150, State.RUNNING),
        (150, 160, State.BLOCKED),
        (160, 161, State.RUNNABLE),
        (161, 190, State.RUNNING),
        (190, 193, State.PREEMPTED),
        (193, 230, State.RUNNING),
    ]
    builder.segments(
        APP,
        [
            Segment(at(start), at(end), state, waker=None if state is State.RUNNING else OTHER)
            for start, end, state in states
        ],
    )
    return builder


def test_budget_adds_up_the_clipped_states(windowed: Open) -> None:
    session = windowed(scheduled(recording()))
    assert main_thread_budget(session, window_ns=at(100)) == Budget(
        on_cpu=71.0,  # 115..150, 161..190, 193..200
        waiting_for_cpu=9.0,  # 110..115, 160..161, 190..193
        in_kernel=10.0,
        sleeping=10.0,  # 100..110 of 60..110
        other=0.0,
        accounted_ms=100.0,
        window_ms=100.0,
        accounted_pct=100.0,
    )


def test_budget_says_how_much_of_the_window_is_known(windowed: Open) -> None:
    session = windowed(scheduled(recording()), 20, 70)
    budget = main_thread_budget(session, window_ns=at(50))
    assert budget is not None
    assert (budget.on_cpu, budget.sleeping) == (10.0, 10.0)
    assert (budget.accounted_ms, budget.accounted_pct) == (20.0, 40.0)


def test_no_states_or_no_window_no_budget(windowed: Open) -> None:
    assert main_thread_budget(windowed(recording()), window_ns=at(100)) is None
    assert main_thread_budget(windowed(scheduled(recording()), 120, 120), window_ns=0) is None


class WithStates:
    """A session whose main thread was in these states, in nanoseconds."""

    def __init__(self, spent: dict[str | None, int]) -> None:
        self._spent = spent

    def query(self, _: str) -> Columns:
        states = {
            "state": np.array(list(self._spent), dtype=object),
            "spent": np.array(list(self._spent.values()), dtype=np.int64),
        }
        return Columns(names=("state", "spent"), arrays=states, rows=len(self._spent))


def test_every_state_has_its_bucket() -> None:
    kinds = ("Running", "R", "R+", "D", "DK", "S", "T", "I", "X (dead)", None)
    spent = {state: (1 << at) * MS for at, state in enumerate(kinds)}
    budget = main_thread_budget(WithStates(spent), window_ns=1600 * MS)
    assert budget == Budget(
        on_cpu=1.0,
        waiting_for_cpu=2.0 + 4.0,
        in_kernel=8.0 + 16.0,
        sleeping=32.0,
        other=64.0 + 128.0 + 256.0 + 512.0,
        accounted_ms=1023.0,
        window_ms=1600.0,
        accounted_pct=63.9,
    )


def test_a_worker_is_not_in_the_budget(windowed: Open) -> None:
    builder = recording()
    builder.segments(WORKER, [Segment(at(110), at(120), State.RUNNING)])
    assert main_thread_budget(windowed(builder), window_ns=at(100)) is None


# --- what the start cut through -----------------------------------------------------------------


def test_a_sleep_counts_only_inside_a_section(windowed: Open) -> None:
    assert opened_inside(windowed(scheduled(recording()))) is None
    waits_outside = scheduled(recording())
    waits_outside.slice(APP, APP, at(111), at(112), "later")
    waits_outside.slice(APP, WORKER, at(50), at(150), "other thread")
    waits_outside.slice(APP, WORKER, at(60), at(140), "other thread inner")
    assert opened_inside(windowed(waits_outside)) is None

    waits_inside = scheduled(recording())
    waits_inside.slice(APP, APP, at(55), at(112), "waits")
    assert opened_inside(windowed(waits_inside)) == OpenedInside(
        state="S", thread_name=PACKAGE[-15:], before_ms=40.0, total_ms=50.0, inside_ms=10.0, material=True
    )


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (120, 200, None),  # running
        (60, 200, None),  # begins with the window
        (111, 200, ("R", 1.0, 5.0, 4.0, False)),
        (113, 200, ("R", 3.0, 5.0, 2.0, False)),  # more before than inside, but under 5
        (154, 200, ("D", 4.0, 10.0, 6.0, False)),
        (155, 200, ("D", 5.0, 10.0, 5.0, True)),
        (158, 159, ("D", 8.0, 10.0, 1.0, True)),  # the window ends first
        (192, 200, ("R+", 2.0, 3.0, 1.0, False)),
    ],
)
def test_waiting_for_a_cpu_and_in_the_kernel_always_count(
    windowed: Open, start: float, end: float, expected: tuple[str, float, float, float, bool] | None
) -> None:
    opened = opened_inside(windowed(scheduled(recording()), start, end))
    if expected is None:
        assert opened is None
        return
    assert opened is not None
    assert (opened.state, opened.before_ms, opened.total_ms, opened.inside_ms, opened.material) == expected


# --- app start ----------------------------------------------------------------------------------


def launch(builder: TraceBuilder, number: int, start: float, end: float, kind: str, package: str) -> None:
    name = f"launchingActivity#{number}"
    builder.async_slice(SERVER, at(start), at(end), name)
    done = f"{name}:completed-{kind}:{package}"
    builder.slice(SERVER, SERVER, at(end) + MS // 100, at(end) + MS // 100, done)


def starts(session: TraceSession, start: float = 100, end: float = 200) -> Startup | None:
    return startup_facts(session, package=PACKAGE, start_ns=at(start), end_ns=at(end))


def test_the_start_that_shares_most_with_the_window(windowed: Open) -> None:
    builder = recording()
    launch(builder, 1, 70, 120, "cold", PACKAGE)
    launch(builder, 2, 130.5, 180, "warm", PACKAGE)
    launch(builder, 3, 185, 300, "hot", "com.example.other")
    session = windowed(builder)
    assert starts(session) == Startup(
        type="warm",
        dur_ms=49.5,
        from_window_start_ms=30.5,
        from_window_end_ms=-20.0,
        in_window_ms=49.5,
        startups=2,
    )
    early = starts(session, 60, 135)
    assert early is not None
    assert (early.type, early.dur_ms, early.in_window_ms) == ("cold", 50.0, 50.0)
    assert (early.from_window_start_ms, early.from_window_end_ms) == (10.0, -15.0)
    cut = starts(session, 100, 121)
    assert cut is not None
    assert (cut.type, cut.in_window_ms, cut.from_window_start_ms) == ("cold", 20.0, -30.0)


def test_of_equal_starts_the_earliest_also_outside_the_window(windowed: Open) -> None:
    builder = recording()
    launch(builder, 1, 10, 20, "cold", PACKAGE)
    launch(builder, 2, 30, 40, "warm", PACKAGE)
    outside = starts(windowed(builder))
    assert outside is not None
    assert (outside.type, outside.in_window_ms, outside.startups) == ("cold", 0.0, 2)
    assert (outside.from_window_start_ms, outside.from_window_end_ms) == (-90.0, -180.0)


def test_no_start_of_this_package(windowed: Open) -> None:
    assert starts(windowed(recording())) is None
    builder = recording()
    launch(builder, 3, 110, 150, "cold", "com.example.other")
    assert starts(windowed(builder)) is None


def test_reasons_are_the_blended_breakdown_largest_first(windowed: Open) -> None:
    builder = scheduled(recording())
    launch(builder, 1, 40, 240, "cold", PACKAGE)
    builder.slice(APP, APP, at(112), at(149), "bindApplication")
    builder.slice(APP, APP, at(120), at(130), "inflate")
    builder.slice(APP, APP, at(195), at(196), "activityResume")
    session = windowed(builder)
    facts = starts(session)
    assert facts is not None
    # 112..149 is bindApplication less the inflate inside it; the rest goes by state; nothing known before 50.
    assert facts.reasons["bind_application"] == 27.0
    assert facts.reasons["inflate"] == 10.0
    assert facts.reasons["activity_resume"] == 1.0
    assert facts.reasons["D"] == 10.0
    assert facts.reasons["S"] == 50.0
    assert facts.reasons["launch_delay"] == 10.0
    assert list(facts.reasons.values()) == sorted(facts.reasons.values(), reverse=True)
    assert window_facts(session, package=PACKAGE, start_ns=at(100), end_ns=at(200)).startup == facts


class WithoutLibrary:
    """A session whose engine has no standard library."""

    def __init__(self, session: TraceSession) -> None:
        self._session = session

    def query(self, sql: str) -> Columns:
        if "INCLUDE PERFETTO MODULE" in sql:
            raise QueryError("unknown module", where="trace")
        return self._session.query(sql)


def test_a_library_that_cannot_tell_costs_that_fact_alone(windowed: Open) -> None:
    builder = scheduled(recording())
    launch(builder, 1, 110, 150, "cold", PACKAGE)
    session = WithoutLibrary(windowed(builder))
    facts = window_facts(session, package=PACKAGE, start_ns=at(100), end_ns=at(200))
    assert facts.startup is None
    assert facts.notes == ("app start unknown: unknown module",)
    assert facts.main_thread is not None


def test_the_library_is_not_asked_when_nothing_was_launched(windowed: Open) -> None:
    assert starts(WithoutLibrary(windowed(recording()))) is None


# --- environment --------------------------------------------------------------------------------


def clocked(builder: TraceBuilder) -> TraceBuilder:
    for ms, cpu, khz in [(1, 0, 1_000_000), (150, 0, 2_000_000), (110, 1, 1_500_000), (201, 0, 9_000_000)]:
        builder.event(0, at(ms), kernel.cpu_frequency(cpu, khz))
    builder.segments(WORKER, [Segment(at(90), at(120), State.RUNNING, cpu=1)])
    builder.segments(OTHER, [Segment(at(120), at(180), State.RUNNING, cpu=1)])
    return builder


def test_the_clock_is_weighted_by_the_process_own_time(windowed: Open) -> None:
    session = windowed(clocked(scheduled(recording())))
    # CPU 0: 35 ms at 1000 MHz, 29 + 7 ms at 2000. CPU 1: 20 ms of the worker, 10 of them at 1500.
    assert cpu_clock(session, end_ns=at(200)) == CpuClock(
        mean_mhz=round((35 * 1000 + 36 * 2000 + 10 * 1500) / 81, 1),
        min_mhz=1000.0,
        max_mhz=2000.0,
        on_cpu_ms=91.0,
        measured_ms=81.0,
    )


def test_no_clock_without_samples_or_without_running(windowed: Open) -> None:
    assert cpu_clock(windowed(scheduled(recording())), end_ns=at(200)) is None
    idle = recording()
    idle.event(0, at(1), kernel.cpu_frequency(0, 1))
    assert cpu_clock(windowed(idle), end_ns=at(200)) is None


def thermal(session: TraceSession) -> Thermal | None:
    return thermal_facts(session, start_ns=at(100), end_ns=at(200))


def heated(*events: tuple[float, str, int]) -> TraceBuilder:
    builder = recording()
    for ms, zone, milli in events:
        builder.event(0, at(ms), kernel.temperature(zone, milli))
    return builder


def cooled(builder: TraceBuilder, *events: tuple[float, str, int]) -> TraceBuilder:
    for ms, device, level in events:
        builder.event(0, at(ms), kernel.cooling(device, level))
    return builder


def test_the_hottest_sample_inside_the_window_edges_included(windowed: Open) -> None:
    hot = heated((99.9, "skin", 90_000), (100, "skin", 41_260), (200, "big", 55_049), (200.1, "big", 80_000))
    assert thermal(windowed(hot)) == Thermal(max_celsius=55.0, hottest_zone="big")
    assert thermal(windowed(heated((100, "skin", 41_260), (150, "big", 41_000)))) == Thermal(
        max_celsius=41.3, hottest_zone="skin"
    )
    assert thermal(windowed(heated((99, "skin", 41_000), (201, "skin", 41_000)))) is None


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([(20, "fan", 2), (90, "fan", 0)], Thermal(throttled=False)),
        ([(20, "fan", 2), (100, "fan", 0)], Thermal(throttled=False)),  # ends as the window starts
        ([(20, "fan", 2), (100.1, "fan", 0)], Thermal(throttled=True, throttle_device="fan")),
        ([(20, "fan", 2)], Thermal(throttled=True, throttle_device="fan")),  # holds to the end
        ([(50, "fan", 0), (199, "gpu", 1), (190, "fan", 3)], Thermal(throttled=True, throttle_device="fan")),
        ([(200, "fan", 3)], None),  # nothing is known of the window
        ([(50, "fan", 0), (200, "fan", 3)], Thermal(throttled=False)),
    ],
)
def test_a_cooling_level_holds_to_the_next(
    windowed: Open, events: list[tuple[float, str, int]], expected: Thermal | None
) -> None:
    assert thermal(windowed(cooled(recording(), *events))) == expected


def test_memory_is_the_low_point_inside_the_window(windowed: Open) -> None:
    builder = recording()
    for ms, available, faults in [
        (90, 1000, 1),
        (100, 2_000_000, 5),
        (150, 1_500_000, 9),
        (200, 1_800_000, 12),
        (210, 1000, 99),
    ]:
        packets.memory(builder, at(ms), available_kb=available, major_faults=faults)
    assert memory_facts(windowed(builder)) == Memory(available_mb_min=1536.0, major_faults=7)
    assert memory_facts(windowed(builder, 95, 120)) == Memory(available_mb_min=2048.0)
    assert memory_facts(windowed(builder, 101, 120)) is None


def test_what_is_missing_is_named_in_order(windowed: Open) -> None:
    facts = environment_facts(windowed(recording()), package=PACKAGE, start_ns=at(100), end_ns=at(200))
    assert facts.missing == ("cpu", "memory", "thermal")
    assert (facts.sampling, facts.compose_names) == (None, None)
    some = cooled(clocked(scheduled(recording())), (20, "fan", 0))
    facts = environment_facts(windowed(some), package=PACKAGE, start_ns=at(100), end_ns=at(200))
    assert facts.missing == ("memory",)
    assert facts.cpu is not None


# --- sampling and composable names --------------------------------------------------------------

APK = f"/data/app/~~Qw==/{PACKAGE}-Zx==/base.apk"
LIBC = "/apex/com.android.runtime/lib64/bionic/libc.so"


def stack(*functions: tuple[str, str]) -> tuple[StackFrame, ...]:
    return tuple(StackFrame(function=function, mapping=mapping) for function, mapping in functions)


def test_sampling_counts_this_process_in_the_window(windowed: Open) -> None:
    builder = recording()
    packets.trace_config(builder, sampling_hz=100, compose_names=False)
    start = ("__start_thread", LIBC)
    samples = [
        Sample(ts=at(99), cpu=0, pid=APP, tid=APP, stack=stack(start, ("early.Class.run", APK))),
        Sample(ts=at(100), cpu=0, pid=APP, tid=APP, stack=stack(start, ("com.example.app.Main.draw", APK))),
        Sample(
            ts=at(150),
            cpu=0,
            pid=APP,
            tid=WORKER,
            stack=stack(start, ("com.example.app.Main.draw", APK), ("a.b.c", APK), ("d.e", LIBC)),
        ),
        Sample(ts=at(160), cpu=0, pid=APP, tid=APP),
        Sample(ts=at(170), cpu=0, pid=OTHER, tid=OTHER, stack=stack(start, ("z.z.z", APK))),
        Sample(
            ts=at(200), cpu=0, pid=APP, tid=APP, stack=stack(start, ("q1.run", "/memfd:jit-cache (deleted)"))
        ),
        Sample(ts=at(201), cpu=0, pid=APP, tid=APP, stack=stack(start, ("late.Class.run", APK))),
    ]
    add_samples(builder, 100, samples)
    assert sampling_facts(windowed(builder), package=PACKAGE) == Sampling(
        hz=100.0,
        asked=True,
        started=True,
        samples=4,
        with_stack=3,
        names=AppNames(methods=3, minified=2),
    )


def test_methods_a_mapping_gave_their_name_back(windowed: Open) -> None:
    builder = recording()
    samples = [
        Sample(
            ts=at(150),
            cpu=0,
            pid=APP,
            tid=APP,
            stack=stack(("a.b.c", APK), ("a.b.d", APK), ("com.example.app.Main.run", APK)),
        )
    ]
    add_samples(builder, 100, samples)
    mapping = builder.tail().deobfuscation_mapping
    mapping.package_name = PACKAGE
    renamed = mapping.obfuscated_classes.add(obfuscated_name="a.b", deobfuscated_name=f"{PACKAGE}.Feed")
    renamed.obfuscated_methods.add(obfuscated_name="c", deobfuscated_name="load")
    facts = sampling_facts(windowed(builder), package=PACKAGE)
    assert facts is not None
    assert facts.names == AppNames(methods=3, minified=1, renamed=1)


def test_sampling_asked_that_never_started(windowed: Open) -> None:
    builder = recording()
    packets.trace_config(builder, sampling_hz=250, compose_names=False)
    assert sampling_facts(windowed(builder), package=PACKAGE) == Sampling(hz=250.0, asked=True, started=False)


def test_sampling_nobody_asked_for(windowed: Open) -> None:
    builder = recording()
    packets.trace_config(builder, sampling_hz=None, compose_names=False)
    assert sampling_facts(windowed(builder), package=PACKAGE) is None
    assert sampling_facts(windowed(recording()), package=PACKAGE) is None


def test_sampling_that_ran_without_the_config_saying_so(windowed: Open) -> None:
    builder = recording()
    add_samples(builder, 100, [Sample(ts=at(150), cpu=0, pid=OTHER, tid=OTHER)])
    assert sampling_facts(windowed(builder), package=PACKAGE) == Sampling(hz=None, asked=False, started=True)


def test_composable_calls_of_the_main_thread_in_the_window(windowed: Open) -> None:
    builder = recording()
    packets.trace_config(builder, sampling_hz=None, compose_names=True)
    builder.slice(APP, APP, at(110), at(130), "com.example.app.Feed (Feed.kt:12)")
    builder.slice(APP, APP, at(115), at(120), "androidx.compose.Text (Text.kt:7)")
    builder.slice(APP, APP, at(131), at(132), "Feed (Feed.java:12)")
    builder.slice(APP, APP, at(205), at(206), "com.example.app.Feed (Feed.kt:12)")
    builder.slice(APP, WORKER, at(110), at(130), "com.example.app.Feed (Feed.kt:12)")
    assert compose_names(windowed(builder)) == ComposeNames(asked=True, calls=2)


def test_composable_names_asked_or_there(windowed: Open) -> None:
    asked = recording()
    packets.trace_config(asked, sampling_hz=None, compose_names=True)
    assert compose_names(windowed(asked)) == ComposeNames(asked=True, calls=0)
    there = recording()
    there.slice(APP, APP, at(110), at(130), "Feed (Feed.kt:12)")
    assert compose_names(windowed(there)) == ComposeNames(asked=False, calls=1)
    assert compose_names(windowed(recording())) is None


# --- markers ------------------------------------------------------------------------------------


def test_markers_are_clipped_nested_once_and_sorted(windowed: Open) -> None:
    builder = recording()
    builder.slice(APP, APP, at(90), at(120), "AGENTTMP_load")  # 20 inside
    builder.slice(APP, APP, at(105), at(115), "AGENTTMP_load")  # inside itself: not in the total
    builder.slice(APP, APP, at(106), at(107), "child")
    builder.slice(APP, APP, at(150), at(155), "AGENTTMP_load")
    builder.slice(APP, WORKER, at(110), at(112), "Repo.get")
    builder.slice(APP, WORKER, at(300), at(310), "AGENTTMP_later")
    builder.slice(OTHER, OTHER, at(110), at(112), "AGENTTMP_other")
    found = markers(
        DerivedTables(windowed(builder)), prefix="AGENTTMP_", domain_globs=("Repo.*", "Never*", "AGENTTMP_*")
    )
    assert found.rows == (
        Marker(
            location="AGENTTMP_load",
            count=3,
            self_ms=10.0 + 9.0 + 5.0,
            total_ms=25.0,
            max_ms=20.0,
            detail=PACKAGE[-15:],
        ),
        Marker(location="Repo.get", count=1, self_ms=2.0, total_ms=2.0, max_ms=2.0, detail="worker"),
    )
    assert found.absent == ("Never*",)
    assert found.in_trace == ("AGENTTMP_later", "AGENTTMP_load", "AGENTTMP_other")


def test_async_markers_and_those_that_never_closed(windowed: Open) -> None:
    builder = recording()
    builder.async_slice(APP, at(110), at(150), "AGENTTMP_job", cookie=1)
    builder.async_slice(APP, at(120), at(190), "AGENTTMP_job", cookie=2)
    builder.async_slice(APP, at(180), None, "AGENTTMP_open")
    builder.slice(APP, WORKER, at(160), at(161), "AGENTTMP_job")
    rows = markers(DerivedTables(windowed(builder)), prefix="AGENTTMP_").rows
    assert rows == (
        Marker(
            location="AGENTTMP_job",
            count=3,
            self_ms=111.0,
            total_ms=111.0,
            max_ms=70.0,
            detail="(async), worker",
        ),
        Marker(
            location="AGENTTMP_open",
            count=1,
            self_ms=20.0,
            total_ms=20.0,
            max_ms=20.0,
            detail="(async)",
            unfinished=True,
        ),
    )


def test_the_first_three_threads_and_how_many_more(windowed: Open) -> None:
    builder = recording()
    for index in range(5):
        builder.thread(APP, 5000 + index, f"pool-{4 - index}")
        builder.slice(APP, 5000 + index, at(110), at(111), "work")
    (row,) = markers(DerivedTables(windowed(builder)), prefix="AGENTTMP_", domain_globs=("work",)).rows
    assert row.detail == "pool-0, pool-1, pool-2 +2"
    assert (row.count, row.total_ms) == (5, 5.0)


def test_a_thread_without_a_name_is_its_number(windowed: Open) -> None:
    builder = recording()
    builder.thread(APP, 6000, "")
    builder.slice(APP, 6000, at(110), at(111), "work")
    (row,) = markers(DerivedTables(windowed(builder)), prefix="AGENTTMP_", domain_globs=("work",)).rows
    assert row.detail == "tid 6000"


def test_numbers_of_one_run_are_no_part_of_a_markers_name(windowed: Open) -> None:
    builder = recording()
    for number in range(4):
        builder.slice(APP, APP, at(110 + number), at(110.5 + number), f"DrawFrames {8 + number}")
    builder.async_slice(APP, at(120), at(122), "commit 7 vsyncIn 1.5ms", cookie=1)
    builder.async_slice(APP, at(130), at(133), "commit 8 vsyncIn 2.5ms", cookie=2)
    session = windowed(builder)
    found = {
        glob: markers(DerivedTables(session), prefix="AGENTTMP_", domain_globs=(glob,))
        for glob in ("DrawFrames *", "DrawFrames #", "DrawFrames [89]", "commit *", "DrawFrames 7")
    }
    numbers = {
        glob: [(row.location, row.count, row.total_ms) for row in table.rows] for glob, table in found.items()
    }
    assert numbers == {
        "DrawFrames *": [("DrawFrames #", 4, 2.0)],
        "DrawFrames #": [("DrawFrames #", 4, 2.0)],
        "DrawFrames [89]": [("DrawFrames #", 2, 1.0)],
        "commit *": [("commit # vsyncIn #ms", 2, 5.0)],
        "DrawFrames 7": [],
    }
    assert found["DrawFrames 7"].absent == ("DrawFrames 7",)


def test_names_with_quotes_do_no_harm(windowed: Open) -> None:
    builder = recording()
    builder.slice(APP, APP, at(110), at(111), "it's [red] | '; DROP TABLE slice; --")
    found = markers(DerivedTables(windowed(builder)), prefix="A'B", domain_globs=("it's *", "'"))
    assert [row.location for row in found.rows] == ["it's [red] | '; DROP TABLE slice; --"]
    assert found.absent == ("'",)
