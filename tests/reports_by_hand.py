"""Reports written by hand, for tests of comparisons: values per run in, a report out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from echolot_tui.compare.inputs import SideInput
from echolot_tui.report.model import (
    AllRows,
    DetectorReport,
    Repeat,
    Report,
    Row,
    Spread,
    WindowReport,
)
from echolot_tui.units import round2

Runs = Sequence[float | None]
"""One value per run; None where the run lacks the row."""


def row(location: str | None, runs: Runs, *, metric: str = "self_ms", **fields: Any) -> Row:
    """A row keyed by run, as this program writes it."""
    found = [value for value in runs if value is not None]
    fields = {metric: round2(median(found)) if found else 0.0} | fields
    return Row(
        location=location,
        runs=f"{len(found)}/{len(runs)}" if len(runs) > 1 else None,
        spread={metric: Spread(min=min(found), max=max(found), values=tuple(found))} if found else None,
        by_run={metric: tuple(runs)},
        **fields,
    )


def old_row(location: str | None, runs: Runs, *, metric: str = "self_ms", **fields: Any) -> Row:
    """A row as the original writes it: values of the runs that have it, without saying which."""
    keyed = row(location, runs, metric=metric, **fields)
    return Row(**{name: getattr(keyed, name) for name in keyed.__struct_fields__ if name != "by_run"})


def detector(identifier: str, *rows: Row, **fields: Any) -> DetectorReport:
    """A detector's section."""
    return DetectorReport(id=identifier, rows=rows, **fields)


def repeats(runs: int, side: str = "a", **fields: Any) -> tuple[Repeat, ...]:
    """One occurrence in each of ``runs`` traces."""
    return tuple(
        Repeat(
            label=f"{at + 1}",
            trace=f"{side}/run_iter{at:03}.perfetto-trace",
            trace_index=at,
            sha256=f"{side}{at:03}",
            **fields,
        )
        for at in range(runs)
    )


def report(
    *detectors: DetectorReport,
    runs: int = 5,
    window: Sequence[float] | None = None,
    side: str = "a",
    repeat: Mapping[str, Any] | None = None,
    **fields: Any,
) -> Report:
    """A report of ``runs`` traces, as this program writes it."""
    lengths = None if window is None else tuple(window)
    fields = {
        "window": WindowReport(
            duration_ms=None if lengths is None else round2(median(lengths)),
            values=lengths,
            process="com.example.app",
        ),
        "repeats": repeats(runs, side, **(repeat or {})),
        "runs": runs,
        "runs_given": runs,
        "clipped": True,
    } | fields
    return Report(detectors=detectors, **fields)


def old_report(*detectors: DetectorReport, runs: int = 5, **fields: Any) -> Report:
    """A report as the original writes it: no runs by name, no values of the window."""
    return Report(detectors=detectors, runs=runs if runs > 1 else None, **fields)


def sides(before: Report, after: Report) -> tuple[SideInput, SideInput]:
    """Two sides with the default names."""
    return (
        SideInput(name="before", path="a/report.json", report=before),
        SideInput(name="after", path="b/report.json", report=after),
    )


def all_rows(*detectors: DetectorReport) -> AllRows:
    """``rows.json`` beside a report."""
    return AllRows(report_sha256="0" * 64, detectors=detectors)
