"""The JSON of Android's Macrobenchmark and Microbenchmark libraries: metrics with one value a run."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from echolot_tui.frozen import Frozen
from echolot_tui.history.measured import Measured, Run, measured
from echolot_tui.history.series import SetName

_ENDINGS: Final = (
    ("Ms", "ms"),
    ("Ns", "ns"),
    ("Us", "us"),
    ("allocationCount", "allocations"),
    ("Count", "count"),
    ("Bytes", "bytes"),
)


class _Version(Frozen, frozen=True, kw_only=True):
    sdk: int | None = None


class _Build(Frozen, frozen=True, kw_only=True):
    model: str = "unknown"
    version: _Version = _Version()


class _Context(Frozen, frozen=True, kw_only=True):
    build: _Build = _Build()


class _Metric(Frozen, frozen=True, kw_only=True):
    median: float | None = None
    runs: tuple[float, ...] = ()


class _Sampled(Frozen, frozen=True, kw_only=True):
    runs: tuple[tuple[float, ...], ...] = ()
    P50: float | None = None
    P90: float | None = None
    P95: float | None = None
    P99: float | None = None


class _Benchmark(Frozen, frozen=True, kw_only=True):
    name: str
    class_name: str = msgspec.field(name="className")
    metrics: dict[str, _Metric] = {}
    sampled: dict[str, _Sampled] = msgspec.field(name="sampledMetrics", default_factory=dict)


class _File(Frozen, frozen=True, kw_only=True):
    benchmarks: tuple[_Benchmark, ...]
    context: _Context = _Context()


def recognises(document: dict[str, Any]) -> bool:
    """Whether it is one: benchmarks that name their test class."""
    benchmarks = document.get("benchmarks")
    first = benchmarks[0] if isinstance(benchmarks, list) and benchmarks else None
    return isinstance(first, dict) and "className" in first and "metrics" in first


def read(document: dict[str, Any]) -> Run:
    """Every metric of every test; of sampled ones, such as frame times, each percentile the file gives."""
    file = msgspec.convert(document, _File)
    found: list[Measured] = []
    for benchmark in file.benchmarks:
        segments = (benchmark.class_name, benchmark.name)
        for name, metric in benchmark.metrics.items():
            values = metric.runs or (() if metric.median is None else (metric.median,))
            if values:
                found.append(measured(segments, name, unit_of(name), values, value=metric.median))
        for name, sampled in benchmark.sampled.items():
            for percentile in ("P50", "P90", "P95", "P99"):
                value = getattr(sampled, percentile)
                if value is not None:
                    found.append(measured(segments, f"{name} {percentile}", unit_of(name), (value,)))
    build = file.context.build
    sdk = "" if build.version.sdk is None else f" API {build.version.sdk}"
    return Run(
        set=SetName(scenario="androidx-benchmark", model=build.model, engine=f"androidx-benchmark{sdk}"),
        measured=tuple(found),
    )


def unit_of(metric: str) -> str | None:
    """The unit a metric's name ends with; one allocation more counts, as five of other things do."""
    return next((unit for ending, unit in _ENDINGS if metric.endswith(ending)), None)
