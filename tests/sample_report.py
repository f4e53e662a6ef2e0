"""A set with something of everything, for golden files: four runs of a start, one trace unreadable."""

from __future__ import annotations

from echolot_tui.measure.model import (
    AnchorFacts,
    AppNames,
    Budget,
    CpuClock,
    DeviceFacts,
    EnvironmentFacts,
    Health,
    HealthIssue,
    Marker,
    Markers,
    Measurement,
    OpenedInside,
    Sampling,
    Startup,
    Thermal,
    Unreadable,
)
from echolot_tui.report.build import ReportContext, build_report
from echolot_tui.report.model import AllRows, ConfigRef, Report, Toolchain
from echolot_tui.units import round2
from hand_built import answer, decision, measurement, occurrence, plan_of

PLAN = plan_of(
    decision(
        "main_thread_block",
        params={"min_slice_ms": 12},
        overridden={"min_slice_ms": 16},
        source="config",
        gate="self_ms >= min_slice_ms",
        identity=("location", "detail"),
        title="Where the main thread spent its time",
        why="Which slices kept the main thread busy?",
    ),
    decision("frame_jank", rank="total_ms", title="Late frames"),
    decision("gc_pressure", rank="total_ms", title="Garbage collection"),
    decision("own", title="The project's own"),
    decision("io_wait", rank="total_ms", on=False),
)


def sample_measurements() -> list[Measurement]:
    """Four runs, each longer or shorter by a factor."""
    return [_run(index, factor) for index, factor in enumerate((1.0, 1.1, 0.9, 1.05))]


def sample() -> tuple[Report, AllRows]:
    """The set merged and gated."""
    return build_report(
        sample_measurements(),
        PLAN,
        context=ReportContext(
            generated_at="2026-01-02T03:04:05Z",
            scenario="cold_start",
            config=ConfigRef(path="echolot.yml", sha="0123456789ab"),
            toolchain=Toolchain(perfetto_package="0.57.2", source="embedded", echolot="1.0"),
        ),
        unreadable=[Unreadable(path="traces/run_iter004.perfetto-trace", reason="it holds no events")],
    )


def _run(index: int, factor: float) -> Measurement:
    lossy = HealthIssue(
        name="traced_buf_packets_lost",
        value=3,
        severity="data loss",
        text="packets are missing; times may be short",
    )
    return measurement(
        occurrence(
            answer(
                "main_thread_block",
                _block("draw", round2(120.8 * factor), 7),
                _block("inflate | <merge>", round2(30.0 * factor), 2),
                *([_block("in two runs", 14.0 + index, 1)] if index % 2 else []),
                _block("small", 4.0, 3),
                covers=[(0, 0, 100_000_000)],
            ),
            answer(
                "frame_jank",
                state="no data",
                reason="no frame timeline; record android.surfaceflinger.frametimeline",
            ),
            answer("gc_pressure"),
            answer("own", state="failed", reason="no such column: foo") if index == 1 else answer("own"),
            duration_ms=round2(1136.05 * factor),
            start=AnchorFacts(glob="bindApplication", matches=1),
            end=AnchorFacts(glob="reportFullyDrawn*", matches=int(index > 0), before_start=int(index == 0)),
            main_thread=Budget(
                on_cpu=round2(450 * factor),
                waiting_for_cpu=30.0,
                in_kernel=2.0,
                sleeping=500.0,
                other=0.0,
                accounted_ms=1000.0,
                window_ms=round2(1136.05 * factor),
                accounted_pct=88.1,
            ),
            opened_inside=OpenedInside(
                state="S", thread_name="main", before_ms=20.0, total_ms=30.0, inside_ms=10.0, material=True
            ),
            startup=Startup(
                type="cold",
                dur_ms=round2(900.5 * factor),
                reasons={"dex to code": 200.0, "gc": 10.0},
                from_window_start_ms=-12.0,
                from_window_end_ms=5.0,
                in_window_ms=880.0,
            ),
            environment=EnvironmentFacts(
                cpu=CpuClock(
                    mean_mhz=1400 + 50.0 * index,
                    min_mhz=300.0,
                    max_mhz=2000.0,
                    on_cpu_ms=500.0,
                    measured_ms=400.0,
                ),
                thermal=Thermal(
                    max_celsius=54.4,
                    hottest_zone="cpu-big",
                    throttled=index == 0,
                    throttle_device="cpufreq-0",
                ),
                sampling=Sampling(
                    hz=100.0,
                    asked=True,
                    started=True,
                    samples=120,
                    with_stack=100,
                    names=AppNames(methods=40, minified=10),
                ),
                missing=("memory",),
            ),
            markers=Markers(
                rows=(
                    Marker(
                        location="AGENTTMP_load",
                        count=2,
                        self_ms=1.0,
                        total_ms=5.0,
                        max_ms=3.0,
                        detail="main",
                        unfinished=True,
                    ),
                ),
                absent=("nav*",),
            ),
        ),
        path=f"traces/run_iter{index:03}.perfetto-trace",
        device=DeviceFacts(manufacturer="Google", model="Pixel 6", android="14"),
        health=Health(state="lossy", issues=(lossy,)) if index == 2 else Health(),
        notes=("2 restarts of the process",) if index == 3 else (),
    )


def _block(location: str, self_ms: float, count: int) -> dict[str, str | int | float | None]:
    return {
        "location": location,
        "detail": "com.example.app",
        "count": count,
        "self_ms": round2(self_ms),
        "total_ms": round2(self_ms + 10),
        "max_ms": round2(self_ms / 2),
    }
