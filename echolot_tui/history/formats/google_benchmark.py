"""The JSON of Google Benchmark: one entry a repetition, or only aggregates."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from echolot_tui.frozen import Frozen
from echolot_tui.history.measured import Measured, Run, measured
from echolot_tui.history.series import SetName

_TIMES: Final = ("real_time", "cpu_time")
_AGGREGATES: Final = ("median", "mean")
"""Taken where the repetitions themselves are not in the file, the first there is."""


class _Context(Frozen, frozen=True, kw_only=True):
    host_name: str = "unknown"
    library_version: str = ""


class _Entry(Frozen, frozen=True, kw_only=True):
    name: str
    run_name: str | None = None
    run_type: str = "iteration"
    aggregate_name: str | None = None
    error_occurred: bool = False
    skipped: bool = False
    real_time: float | None = None
    cpu_time: float | None = None
    time_unit: str = "ns"


class _File(Frozen, frozen=True, kw_only=True):
    benchmarks: tuple[_Entry, ...]
    context: _Context = _Context()


def recognises(document: dict[str, Any]) -> bool:
    """Whether it is one: a context, and benchmarks that hold times."""
    benchmarks = document.get("benchmarks")
    first = benchmarks[0] if isinstance(benchmarks, list) and benchmarks else None
    timed = isinstance(first, dict) and ("real_time" in first or "run_type" in first)
    return "context" in document and timed


def read(document: dict[str, Any]) -> Run:
    """Real and processor time of every benchmark; those that did not run, failed or are fits are left out."""
    file = msgspec.convert(document, _File)
    by_name: dict[str, list[_Entry]] = {}
    for entry in file.benchmarks:
        if not (entry.error_occurred or entry.skipped):
            by_name.setdefault(entry.run_name or entry.name, []).append(entry)
    found: list[Measured] = []
    for name, entries in by_name.items():
        chosen = _chosen(entries)
        for metric in _TIMES:
            values = [value for entry in chosen if (value := getattr(entry, metric)) is not None]
            if values:
                found.append(measured(name.split("/"), metric, chosen[0].time_unit, values))
    version = file.context.library_version
    return Run(
        set=SetName(
            scenario="google-benchmark",
            model=file.context.host_name,
            engine=f"google-benchmark {version}".strip(),
        ),
        measured=tuple(found),
    )


def _chosen(entries: list[_Entry]) -> list[_Entry]:
    repetitions = [entry for entry in entries if entry.run_type == "iteration"]
    if repetitions:
        return repetitions
    for aggregate in _AGGREGATES:
        chosen = [entry for entry in entries if entry.aggregate_name == aggregate]
        if chosen:
            return chosen
    return []
