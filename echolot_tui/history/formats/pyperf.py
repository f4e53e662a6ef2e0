"""The JSON of pyperf: values per run, in seconds unless the metadata names another unit."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from echolot_tui.frozen import Frozen
from echolot_tui.history.measured import Measured, Run, measured
from echolot_tui.history.series import SetName

_UNITS: Final = {"second": "s", "byte": "bytes", "integer": None}

Metadata = dict[str, Any]


class _Run(Frozen, frozen=True, kw_only=True):
    values: tuple[float, ...] = ()
    metadata: Metadata = {}


class _Benchmark(Frozen, frozen=True, kw_only=True):
    runs: tuple[_Run, ...]
    metadata: Metadata = {}


class _File(Frozen, frozen=True, kw_only=True):
    benchmarks: tuple[_Benchmark, ...]
    version: str
    metadata: Metadata = {}


def recognises(document: dict[str, Any]) -> bool:
    """Whether it is one: benchmarks that hold runs."""
    benchmarks = document.get("benchmarks")
    first = benchmarks[0] if isinstance(benchmarks, list) and benchmarks else None
    return "version" in document and isinstance(first, dict) and "runs" in first and "className" not in first


def read(document: dict[str, Any]) -> Run:
    """Every benchmark that has values; runs that only calibrate have none."""
    file = msgspec.convert(document, _File)
    found, commit, host = list[Measured](), None, ""
    for benchmark in file.benchmarks:
        first = benchmark.runs[0].metadata if benchmark.runs else {}
        facts = first | file.metadata | benchmark.metadata
        values = [value for run in benchmark.runs for value in run.values]
        commit, host = commit or facts.get("commit_id"), host or facts.get("hostname", "")
        if values:
            unit = str(facts.get("unit", "second"))
            name = str(facts.get("name", "benchmark"))
            found.append(measured((name,), "value", _UNITS.get(unit, unit), values))
    return Run(
        set=SetName(scenario="pyperf", model=str(host) or "unknown", engine=f"pyperf {file.version}"),
        measured=tuple(found),
        commit=str(commit) if commit else None,
    )
