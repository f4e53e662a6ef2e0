"""Whole reports of real recordings say what is known of them: facts, states and sentences together."""

from __future__ import annotations

from pathlib import Path

import pytest

from echolot_tui.engine.model import EngineChoice
from echolot_tui.measure.catalogue import load_catalogue
from echolot_tui.measure.measure_set import measure_set
from echolot_tui.measure.plan import plan
from echolot_tui.measure.spec import MeasureSpec
from echolot_tui.present.report_markdown import report_markdown
from echolot_tui.report.build import ReportContext, build_report
from echolot_tui.report.model import ConfigRef, Report, Toolchain

pytestmark = [pytest.mark.traces, pytest.mark.slow]


def reported(path: Path, process: str) -> tuple[Report, str]:
    """The report of one recording as ``analyze --process`` makes it, and its Markdown."""
    decided = plan(load_catalogue())
    spec = MeasureSpec(process=process, detectors=decided.detectors, claimed_globs=decided.claimed_globs)
    measured = measure_set([path], spec, EngineChoice(), jobs=1, cache=None)
    context = ReportContext(
        generated_at="2026-01-01T00:00:00Z",
        scenario="run",
        config=ConfigRef(),
        toolchain=Toolchain(perfetto_package=None),
    )
    report, _ = build_report(measured.measurements, decided, context=context)
    return report, report_markdown(report)


def test_a_warm_start_by_name_and_length(shared_traces: Path) -> None:
    report, text = reported(
        shared_traces / "android/api32_startup_warm.perfetto-trace",
        "androidx.benchmark.integration.macrobenchmark.target",
    )
    assert report.window.startup is not None
    assert (report.window.startup.type, report.window.startup.dur_ms) == ("warm", 156.52)
    assert "- Startup: warm **156.52 ms** (activity\\_resume 102.84 ms, " in text
    assert report.environment.missing == ("thermal",)


def test_130_sampled_stacks(shared_traces: Path) -> None:
    report, text = reported(shared_traces / "android/cpu-sampling-emulator.pftrace", "com.android.chrome")
    sampling = report.environment.sampling
    assert sampling is not None
    assert (sampling.hz, sampling.samples, sampling.with_stack) == (50.0, 130, 130)
    assert "sampled at 50 Hz: 130 samples of this process in the window, 130 with a stack" in text


def test_a_lock_names_its_owner_and_the_method(shared_traces: Path) -> None:
    report, text = reported(
        shared_traces / "android/lock-contention-before.pftrace", "com.example.perfetto.lockcontention"
    )
    (contention,) = (one for one in report.detectors if one.id == "monitor_contention")
    row = next(row for row in contention.rows if row.location == "pool-4-thread-1")
    assert row.max_ms == 5069.49
    assert "owner tid: 8175) · owner pool-4-thread-1" in text
    assert "LockActivity.lambda$onCreate$0" in str(row.detail)


def test_frames_without_scheduling_are_no_data_where_they_must(shared_traces: Path) -> None:
    report, text = reported(shared_traces / "android/nowinandroid-compose.perfetto-trace", "pid:9305")
    states = {one.id: one.state for one in report.detectors}
    without = {name for name, state in states.items() if state == "no data"}
    assert without >= {
        "anr_risk",
        "io_wait",
        "main_thread_waits",
        "runnable_starvation",
        "uninstrumented_cpu",
    }
    assert without.isdisjoint({"frame_jank", "main_thread_block", "main_thread_outlier", "background_work"})
    assert states["frame_jank"] == "fired"
    assert report.window.main_thread is None
    assert report.environment.missing == ("cpu", "memory", "thermal")
    assert text.count("the trace has no scheduling of this process's threads; record") == 5
