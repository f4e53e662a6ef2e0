"""Measurements and decisions written by hand, for tests of everything that is made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from echolot_tui.engine.model import EngineInfo
from echolot_tui.frozen import Cell
from echolot_tui.measure.coverage import pack
from echolot_tui.measure.detector_file import DetectorFile, Parameter
from echolot_tui.measure.model import (
    Coverage,
    DetectorMeasurement,
    MainThread,
    Measurement,
    Occurrence,
    OpenRow,
    ProcessFacts,
    TraceIdentity,
)
from echolot_tui.measure.plan import Decision, Plan

ENGINE = EngineInfo(kind="embedded", version="v52.0", sha256="e" * 64)


def answer(
    detector_id: str,
    *rows: Mapping[str, Cell],
    covers: Sequence[tuple[int, int, int]] | None = None,
    total: int | None = None,
    **fields: Any,
) -> DetectorMeasurement:
    """A detector's answer; ``covers`` are ``(row, ts_ns, dur_ns)``."""
    coverage: Coverage | None = None
    if covers is not None:
        coverage = pack([one[0] for one in covers], [one[1] for one in covers], [one[2] for one in covers])
    return DetectorMeasurement(
        id=detector_id,
        rows=tuple(OpenRow(columns=dict(row)) for row in rows),
        rows_total=len(rows) if total is None else total,
        coverage=coverage,
        **fields,
    )


def occurrence(
    *answers: DetectorMeasurement, number: int = 1, duration_ms: float = 1000.0, **facts: Any
) -> Occurrence:
    """A window that starts at 0."""
    end = round(duration_ms * 1_000_000)
    return Occurrence(
        number=number, start_ns=0, end_ns=end, duration_ms=duration_ms, detectors=answers, **facts
    )


def measurement(
    *occurrences: Occurrence, path: str = "run_iter000.perfetto-trace", **fields: Any
) -> Measurement:
    """One trace of ``com.example.app``."""
    given: dict[str, Any] = {
        "process": ProcessFacts(name="com.example.app", upid=1, pid=42, slices=10),
        "main": MainThread(name="com.example.app", tid=42, utid=1, rule="tid == pid"),
    }
    return Measurement(
        trace=TraceIdentity(path=path, sha256=f"{hash_of(path):064x}", bytes=1000),
        engine=fields.pop("engine", ENGINE),
        spec_key="k",
        occurrences=occurrences,
        **(given | fields),
    )


def hash_of(path: str) -> int:
    """A number that depends on the path alone."""
    return int.from_bytes(path.encode("utf-8", "surrogateescape")[-8:], "big")


def traces(*answers: DetectorMeasurement, **facts: Any) -> list[Measurement]:
    """One trace a detector answer, named in order."""
    return [
        measurement(occurrence(one, **facts), path=f"run_iter{index:03}.perfetto-trace")
        for index, one in enumerate(answers)
    ]


def detector(detector_id: str, **fields: Any) -> DetectorFile:
    """A detector whose query nobody runs."""
    given: dict[str, Any] = {
        "title": f"Title of {detector_id}",
        "why": f"Why {detector_id}?",
        "identity": ("location",),
        "rank": "self_ms",
        "query": "SELECT 1",
    }
    return DetectorFile(id=detector_id, **(given | fields))


def decision(
    detector_id: str,
    *,
    params: Mapping[str, Any] | None = None,
    source: str = "default",
    overridden: Mapping[str, Any] | None = None,
    on: bool = True,
    **fields: Any,
) -> Decision:
    """A decision about a detector with these parameters."""
    shipped = {**(params or {}), **(overridden or {})}
    file = detector(
        detector_id,
        params=tuple(Parameter(name=name, default=value) for name, value in shipped.items()),
        **fields,
    )
    return Decision(
        detector=file,
        params=dict(params or {}),
        params_source=source,
        overridden=dict(overridden) if overridden else None,
        on=on,
    )


def plan_of(*decisions: Decision, **fields: Any) -> Plan:
    """A plan that asks nothing new."""
    return Plan(detectors=(), claimed_globs=(), decisions=decisions, **fields)
