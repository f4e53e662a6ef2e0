"""The generator's own account of a cold start against what is read back from its trace."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest

from echolot_tui.engine.model import EngineChoice, TraceSession
from echolot_tui.engine.open import open_trace
from echolot_tui.generate import demo
from echolot_tui.generate.demo_app import DemoStart
from echolot_tui.generate.ledger import Ledger
from echolot_tui.generate.planted import Planted
from echolot_tui.generate.scene import Scene
from echolot_tui.generate.world import APP, BOOT_NS, Options
from echolot_tui.measure.environment import cpu_clock, environment_facts
from echolot_tui.measure.facts import window_facts
from echolot_tui.measure.tables import create_tables
from echolot_tui.units import round1

SceneFile = Callable[[Options], tuple[Path, Scene]]


def cut(session: TraceSession, pid: int, start_ns: int, end_ns: int) -> None:
    upid, utid = next(
        session.query(
            "SELECT upid, utid FROM process JOIN thread USING (upid) "
            f"WHERE pid = {pid} AND tid = pid ORDER BY upid DESC"
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
        process_name="com.example.app",
        package="com.example.app",
        claimed_globs=(),
    )


def check(session: TraceSession, planted: Planted) -> None:
    bounds = {"start_ns": planted.start_ns, "end_ns": planted.end_ns}
    cut(session, planted.pid, **bounds)
    window = window_facts(session, package=planted.process, **bounds)
    facts = environment_facts(session, package=planted.process, **bounds)

    if planted.budget is None:
        assert window.main_thread is None
    else:
        assert window.main_thread is not None
        for bucket in ("on_cpu", "waiting_for_cpu", "in_kernel", "sleeping"):
            assert getattr(window.main_thread, bucket) == getattr(planted.budget, bucket), bucket
        assert window.main_thread.other == 0.0
        assert window.main_thread.window_ms == planted.window_ms
        assert window.main_thread.accounted_pct == 100.0
    for block, expected in (
        (window.opened_inside, planted.opened_inside),
        (window.startup, planted.startup),
        (facts.cpu, planted.environment.clock),
        (facts.sampling, planted.environment.sampling),
    ):
        assert (block is None) == (expected is None)
        for field in expected.__struct_fields__ if expected is not None else ():
            if field in ("methods", "minified"):
                continue
            assert getattr(block, field) == getattr(expected, field), field
    seen = planted.environment
    assert (facts.thermal.max_celsius if facts.thermal else None) == seen.max_celsius
    assert (facts.thermal.hottest_zone if facts.thermal else None) == seen.hottest_zone
    assert (facts.thermal.throttle_device if facts.thermal else None) == seen.throttle_device
    assert (facts.memory.available_mb_min if facts.memory else None) == seen.available_mb_min
    assert (facts.memory.major_faults if facts.memory else None) == seen.major_faults
    if seen.sampling is not None and seen.sampling.with_stack:
        assert facts.sampling is not None
        assert facts.sampling.names is not None
        assert facts.sampling.names.methods == seen.sampling.methods
        assert facts.sampling.names.minified == seen.sampling.minified


@pytest.mark.parametrize(
    "options",
    [
        Options(),
        Options(sched=False),
        Options(platform=False),
        Options(sampling="asked"),
        Options(sampling="arrived"),
        Options(sampling="minified"),
        Options(named=False),
        Options(compose_names=False),
        Options(spread=0.2, run_factor=1.1, seed="x", run=3),
        Options(occurrences=3),
    ],
    ids=str,
)
def test_every_planted_fact_is_read_back(scene_file: SceneFile, options: Options) -> None:
    path, scene = scene_file(options)
    with open_trace(path, EngineChoice()) as session:
        for planted in scene.occurrences:
            check(session, planted)


@pytest.mark.parametrize("side", ["before", "after"])
def test_the_clock_of_a_demo_round_is_the_generators(
    tmp_path: Path, side: Literal["before", "after"]
) -> None:
    means = []
    for run in range(demo.RUNS):
        options = Options(
            run=run if side == "before" else 50 + run, spread=demo.ROW_SPREAD, seed=str(demo.SEED)
        )
        start = DemoStart(options, held=1.0 if side == "before" else demo.HELD_FACTOR)
        path = tmp_path / f"{run}.perfetto-trace"
        path.write_bytes(start.record())
        bounds = BOOT_NS, start.main.now
        ledger = Ledger(start.world.stage, *bounds)
        with open_trace(path, EngineChoice()) as session:
            cut(session, APP, *bounds)
            clock = cpu_clock(session, end_ns=bounds[1])
        assert clock is not None
        tids = start.world.tids(APP)
        means.append(clock.mean_mhz)
        assert clock.mean_mhz == round1(ledger.mean_khz(tids, start.world.clocks) / 1000)
        assert clock.measured_ms == clock.on_cpu_ms
    assert len(set(means)) > 1, "a clock that never differs cannot tell a right weight from a wrong one"
