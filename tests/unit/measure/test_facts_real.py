"""Facts of real recordings: known answers, and brute force over the engine's raw tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from echolot_tui.engine.model import EngineChoice, TraceSession
from echolot_tui.engine.open import open_trace
from echolot_tui.measure.environment import cpu_clock, environment_facts
from echolot_tui.measure.facts import WindowFacts, window_facts
from echolot_tui.measure.model import EnvironmentFacts, Sampling
from echolot_tui.measure.startup_reasons import blame
from echolot_tui.measure.tables import create_tables
from echolot_tui.measure.window_facts import main_thread_budget, opened_inside

pytestmark = pytest.mark.traces

WARM, WARM_APP = (
    "android/api32_startup_warm.perfetto-trace",
    "androidx.benchmark.integration.macrobenchmark.target",
)
COLD, COLD_APP = "android/app-startup-before.pftrace", "com.example.perfetto.startup"


@contextmanager
def windowed(
    path: Path, where: str, bounds: tuple[float, float] = (0.0, 1.0)
) -> Iterator[tuple[TraceSession, int, int, int]]:
    """A trace cut between two shares of its length: session, main thread's utid, start, end."""
    with open_trace(path, EngineChoice()) as session:
        upid, utid = next(
            session.query(
                f"SELECT upid, utid FROM process AS p JOIN thread USING (upid) WHERE p.{where} AND tid = pid"
            ).tuples()
        )
        first, last = next(session.query("SELECT start_ts, end_ts FROM trace_bounds").tuples())
        assert isinstance(first, int)
        assert isinstance(last, int)
        assert isinstance(upid, int)
        assert isinstance(utid, int)
        start, end = (first + round((last - first) * share) for share in bounds)
        create_tables(
            session,
            upid=upid,
            main_utid=utid,
            start_ns=start,
            end_ns=end,
            process_name=where,
            package=None,
            claimed_globs=(),
        )
        yield session, utid, start, end


def facts(path: Path, where: str, package: str) -> tuple[WindowFacts, EnvironmentFacts]:
    with windowed(path, where) as (session, _, start, end):
        return (
            window_facts(session, package=package, start_ns=start, end_ns=end),
            environment_facts(session, package=package, start_ns=start, end_ns=end),
        )


def test_a_warm_start_of_156_ms(shared_traces: Path) -> None:
    window, environment = facts(shared_traces / WARM, f"name = '{WARM_APP}'", WARM_APP)
    assert window.startup is not None
    assert (window.startup.type, window.startup.dur_ms) == ("warm", 156.52)
    assert window.startup.startups == 1
    assert window.startup.reasons["activity_resume"] == 102.84
    assert environment.cpu is not None
    assert 300.0 <= environment.cpu.min_mhz < environment.cpu.mean_mhz < environment.cpu.max_mhz <= 2802.0
    assert environment.missing == ("thermal",)


def test_a_cold_start_of_3469_ms(shared_traces: Path) -> None:
    window, environment = facts(shared_traces / COLD, f"name = '{COLD_APP}'", COLD_APP)
    assert window.startup is not None
    assert (window.startup.type, window.startup.dur_ms) == ("cold", 3468.91)
    assert next(iter(window.startup.reasons.items())) == ("bind_application", 2616.36)
    assert environment.missing == ("cpu", "memory", "thermal")


def test_130_sampled_stacks_of_chrome(shared_traces: Path) -> None:
    path = shared_traces / "android/cpu-sampling-emulator.pftrace"
    window, environment = facts(path, "name = 'com.android.chrome'", "com.android.chrome")
    assert isinstance(environment.sampling, Sampling)
    assert (environment.sampling.samples, environment.sampling.with_stack) == (130, 130)
    assert (environment.sampling.hz, environment.sampling.asked, environment.sampling.started) == (
        50.0,
        True,
        True,
    )
    assert environment.sampling.names is not None
    assert 0 < environment.sampling.names.minified < environment.sampling.names.methods
    assert environment.sampling.names.renamed is None
    assert window.startup is None


def test_frames_without_scheduling_have_no_budget(shared_traces: Path) -> None:
    window, environment = facts(
        shared_traces / "android/nowinandroid-compose.perfetto-trace", "pid = 9305", ""
    )
    assert window == WindowFacts()
    assert environment.missing == ("cpu", "memory", "thermal")


@pytest.mark.parametrize(
    ("name", "where"),
    [
        (WARM, f"name = '{WARM_APP}'"),
        (WARM, "name = 'system_server'"),
        (COLD, f"name = '{COLD_APP}'"),
        ("android/lock-contention-before.pftrace", "name = 'com.example.perfetto.lockcontention'"),
    ],
)
def test_budget_opening_and_clock_equal_brute_force(shared_traces: Path, name: str, where: str) -> None:
    rng = np.random.default_rng(11)
    for _ in range(4):
        low, high = sorted(rng.random(2))
        with windowed(shared_traces / name, where, (float(low), float(high))) as (session, main, start, end):
            check_budget(session, main, start, end)
            check_opening(session, main, start, end)
            check_clock(session, main, start, end)


def check_budget(session: TraceSession, main: int, start: int, end: int) -> None:
    spent: Counter[str] = Counter()
    trace_end = session.query("SELECT end_ts FROM trace_bounds").scalar()
    for ts, dur, state in session.query(
        f"SELECT ts, dur, state FROM thread_state WHERE utid = {main}"
    ).tuples():
        until = trace_end if dur == -1 else ts + dur
        share = min(until, end) - max(ts, start)
        spent[str(state)] += max(share, 0)
    budget = main_thread_budget(session, window_ns=end - start)
    if not spent.total():
        assert budget is None
        return
    assert budget is not None
    assert budget.on_cpu == pytest.approx(spent["Running"] / 1e6, abs=0.00501)
    assert budget.waiting_for_cpu == pytest.approx((spent["R"] + spent["R+"]) / 1e6, abs=0.00501)
    assert budget.in_kernel == pytest.approx((spent["D"] + spent["DK"]) / 1e6, abs=0.00501)
    assert budget.sleeping == pytest.approx(spent["S"] / 1e6, abs=0.00501)
    assert budget.accounted_ms == pytest.approx(spent.total() / 1e6, abs=0.00501)


def check_opening(session: TraceSession, main: int, start: int, end: int) -> None:
    trace_end = session.query("SELECT end_ts FROM trace_bounds").scalar()
    rows = session.query(
        f"SELECT ts, IIF(dur = -1, {trace_end}, ts + dur) AS until, state "
        f"FROM thread_state WHERE utid = {main}"
    )
    cut = [(ts, until, state) for ts, until, state in rows.tuples() if ts < start < until]
    depths = session.query(
        "SELECT s.depth FROM slice AS s JOIN thread_track AS t ON s.track_id = t.id "
        f"WHERE t.utid = {main} AND s.ts < {start} AND (s.dur = -1 OR s.ts + s.dur > {start})"
    )["depth"]
    opened = opened_inside(session)
    counts = [
        one
        for one in cut
        if one[2] in ("R", "R+", "D", "DK") or (one[2] != "Running" and any(depth >= 1 for depth in depths))
    ]
    if not counts:
        assert opened is None
        return
    ((ts, until, state),) = counts
    assert opened is not None
    assert opened.state == state
    assert opened.before_ms == pytest.approx((start - ts) / 1e6, abs=0.00501)
    assert opened.inside_ms == pytest.approx((min(until, end) - start) / 1e6, abs=0.00501)


def check_clock(session: TraceSession, main: int, start: int, end: int) -> None:
    """The engine's own span join over the same two sources."""
    session.query(
        "DROP TABLE IF EXISTS brute_clock; "
        "CREATE OR REPLACE PERFETTO TABLE brute_freq AS SELECT c.ts, t.cpu, c.value AS khz, "
        f"MIN(LEAD(c.ts, 1, {end}) OVER (PARTITION BY t.cpu ORDER BY c.ts), {end}) - c.ts AS dur "
        "FROM counter AS c JOIN cpu_counter_track AS t ON c.track_id = t.id "
        f"WHERE t.name = 'cpufreq' AND c.ts < {end}; "
        "CREATE OR REPLACE PERFETTO TABLE brute_running AS SELECT MAX(s.ts, "
        f"{start}) AS ts, MIN(s.ts + s.dur, {end}) - MAX(s.ts, {start}) AS dur, s.cpu FROM sched AS s "
        f"JOIN thread USING (utid) WHERE upid = (SELECT upid FROM thread WHERE utid = {main}) "
        f"AND s.dur > 0 AND s.ts < {end} AND s.ts + s.dur > {start}; "
        "CREATE VIRTUAL TABLE brute_clock "
        "USING SPAN_JOIN(brute_freq PARTITIONED cpu, brute_running PARTITIONED cpu)"
    )
    weighted, measured, low, high = next(
        session.query(
            "SELECT SUM(dur * khz), SUM(dur), MIN(khz), MAX(khz) FROM brute_clock WHERE dur > 0"
        ).tuples()
    )
    clock = cpu_clock(session, end_ns=end)
    if not measured:
        assert clock is None
        return
    assert clock is not None
    assert clock.mean_mhz == pytest.approx(weighted / measured / 1000, abs=0.0501)
    assert (clock.min_mhz, clock.max_mhz) == (round(low / 1000, 1), round(high / 1000, 1))
    assert clock.measured_ms == pytest.approx(measured / 1e6, abs=0.00501)


@pytest.mark.parametrize(
    "name",
    [
        WARM,
        COLD,
        "android/app-startup-after.pftrace",
        "synthetic/android_startup_breakdown.pb",
        "synthetic/android_startup_breakdown_slow.pb",
    ],
)
def test_reasons_equal_the_librarys(shared_traces: Path, name: str) -> None:
    with open_trace(shared_traces / name, EngineChoice()) as session:
        library = session.query(
            "INCLUDE PERFETTO MODULE android.startup.startup_breakdowns; "
            "SELECT startup_id, reason, SUM(dur) AS spent FROM android_startup_opinionated_breakdown "
            "WHERE reason IS NOT NULL GROUP BY 1, 2"
        )
        assert library.rows > 5
        ours: Counter[tuple[int, str]] = Counter()
        for number, ts, dur, utid in session.query(
            "SELECT s.startup_id, s.ts, s.dur, t.utid FROM android_startups AS s "
            "JOIN android_startup_processes USING (startup_id) JOIN thread AS t USING (upid) "
            "WHERE t.is_main_thread"
        ).tuples():
            assert isinstance(number, int)
            assert isinstance(ts, int)
            assert isinstance(dur, int)
            assert isinstance(utid, int)
            for reason, spent in blame(session, utid=utid, start_ns=ts, end_ns=ts + dur).items():
                ours[number, reason] += spent
        assert ours == {(number, reason): spent for number, reason, spent in library.tuples()}
