"""The facts around the rows over a set of runs: window, environment, markers.

A single run's facts are reported as they are: no ``k/n``, no smallest and largest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeVar

import msgspec

from echolot_tui.frozen import Frozen
from echolot_tui.measure.model import (
    AnchorFacts,
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
from echolot_tui.report.model import (
    AnchorReport,
    BudgetReport,
    ComposeNamesReport,
    CpuReport,
    EnvironmentReport,
    MarkerRow,
    MarkersReport,
    MemoryReport,
    OpenedInsideReport,
    SamplingReport,
    StartupReport,
    ThermalReport,
    WindowReport,
)
from echolot_tui.report.over_runs import (
    median_count,
    median_ms,
    median_tenths,
    of_runs,
    present,
    resolution_ms,
    spread,
)
from echolot_tui.report.runs import Run
from echolot_tui.units import ms, percent, round2

T = TypeVar("T")

BUCKETS: Final = ("on_cpu", "waiting_for_cpu", "in_kernel", "sleeping", "other")
"""Where the main thread's time can be, as ``Budget`` names it."""

_MARKER_METRICS: Final = ("self_ms", "total_ms", "max_ms")


class InRows(Frozen, frozen=True, kw_only=True):
    """Main-thread time of one run that the listed rows stand for."""

    covered_ns: int
    """Union of their stretches inside the window."""
    uncounted: tuple[str, ...] = ()
    """Detectors whose rows could not be located."""


def merge_window(runs: Sequence[Run], in_rows: Sequence[InRows] = ()) -> WindowReport:
    """Merge the windows of at least one run.

    Args:
        runs: The set, in order.
        in_rows: One entry per run, or none at all when coverage is not known.
    """
    first = runs[0].measurement
    durations = tuple(run.occurrence.duration_ms for run in runs)
    names = tuple(dict.fromkeys(run.measurement.process.name for run in runs))
    several = len(runs) > 1
    empty = sum(run.occurrence.end_ns <= run.occurrence.start_ns for run in runs)
    doubtful = next((run.measurement.process for run in runs if run.measurement.process.alternatives), None)
    return WindowReport(
        duration_ms=median_ms(durations),
        duration_ms_min=min(durations) if several else None,
        duration_ms_max=max(durations) if several else None,
        values=durations,
        resolves_ms=resolution_ms(durations, [run.trace_index for run in runs]),
        empty=f"{empty}/{len(runs)}" if empty else None,
        process=first.process.name,
        processes=names if len(names) > 1 else None,
        pid=first.process.pid,
        ts_start=runs[0].occurrence.start_ns,
        start=_merge_anchors([run.occurrence.start for run in runs]),
        end=_merge_anchors([run.occurrence.end for run in runs]),
        process_chosen_by=first.process.chosen_by,
        process_alternatives=doubtful.alternatives if doubtful else None,
        process_alternatives_total=doubtful.alternatives_total if doubtful else None,
        restarts=max(run.measurement.process.restarts for run in runs),
        main=first.main,
        main_thread=_merge_budgets(runs, in_rows),
        opened_inside=_merge_opened_inside([run.occurrence.opened_inside for run in runs]),
        startup=_merge_startups([run.occurrence.startup for run in runs]),
        clipped_slices=max(run.measurement.clipped_slices for run in runs),
        unfinished_slices=max(run.measurement.unfinished_slices for run in runs),
        occurrences_total=max(run.measurement.occurrences_total for run in runs),
    )


def _merge_anchors(anchors: Sequence[AnchorFacts | None]) -> AnchorReport | None:
    found = present(anchors)
    if not found:
        return None
    fewest = min(found, key=lambda anchor: anchor.matches)
    missed = sum(anchor.matches == 0 for anchor in found)
    return AnchorReport(
        glob=fewest.glob,
        matches=fewest.matches,
        before_start=fewest.before_start,
        unfinished=any(anchor.unfinished for anchor in found),
        missed=of_runs(missed, len(anchors)) if missed else None,
    )


def _merge_budgets(runs: Sequence[Run], in_rows: Sequence[InRows]) -> BudgetReport | None:
    budgets = [run.occurrence.main_thread for run in runs]
    if not present(budgets):
        return None
    by_run: dict[str, tuple[float | None, ...]] = {
        field: _column(budgets, field) for field in (*BUCKETS, "accounted_ms", "accounted_pct")
    }
    by_run.update(_coverage_by_run(runs, budgets, in_rows))
    buckets = {name: median_ms(by_run[name]) or 0.0 for name in BUCKETS}
    return BudgetReport(
        **buckets,
        accounted_ms=round2(sum(buckets.values())),
        window_ms=median_ms(_column(budgets, "window_ms")) or 0.0,
        accounted_pct=median_tenths(by_run["accounted_pct"]),
        in_rows_ms=median_ms(by_run.get("in_rows_ms", ())),
        in_rows_pct=median_tenths(by_run.get("in_rows_pct", ())),
        in_rows_uncounted=tuple(sorted({name for entry in in_rows for name in entry.uncounted})),
        runs=_seen(budgets),
        by_run=by_run,
    )


def _coverage_by_run(
    runs: Sequence[Run], budgets: Sequence[Budget | None], in_rows: Sequence[InRows]
) -> dict[str, tuple[float | None, ...]]:
    if not in_rows:
        return {}
    covered = [
        None if budget is None else (entry.covered_ns, run.occurrence.end_ns - run.occurrence.start_ns)
        for run, budget, entry in zip(runs, budgets, in_rows, strict=True)
    ]
    return {
        "in_rows_ms": tuple(None if pair is None else ms(pair[0]) for pair in covered),
        "in_rows_pct": tuple(None if pair is None else percent(*pair) for pair in covered),
    }


def _merge_opened_inside(opened: Sequence[OpenedInside | None]) -> OpenedInsideReport | None:
    found = present(opened)
    if len(opened) > 1:
        found = [one for one in found if one.material]
    if not found:
        return None
    worst = max(found, key=lambda one: one.before_ms)
    return OpenedInsideReport(**msgspec.structs.asdict(worst), runs=of_runs(len(found), len(opened)))


def _merge_startups(startups: Sequence[Startup | None]) -> StartupReport | None:
    found = present(startups)
    if not found:
        return None
    types = sorted({one.type for one in found if one.type is not None})
    reasons = sorted({reason for one in found for reason in one.reasons})
    by_run: dict[str, tuple[float | None, ...]] = {"dur_ms": _column(startups, "dur_ms")}
    by_run |= {
        reason: tuple(None if one is None else one.reasons.get(reason, 0.0) for one in startups)
        for reason in reasons
    }
    medians = {reason: median_ms(by_run[reason]) or 0.0 for reason in reasons}
    return StartupReport(
        type=" and ".join(types) or None,
        dur_ms=median_ms(by_run["dur_ms"]) or 0.0,
        reasons=dict(sorted(medians.items(), key=lambda item: (-item[1], item[0]))),
        from_window_start_ms=median_ms(_column(startups, "from_window_start_ms")) or 0.0,
        from_window_end_ms=median_ms(_column(startups, "from_window_end_ms")) or 0.0,
        in_window_ms=median_ms(_column(startups, "in_window_ms")) or 0.0,
        startups=max(one.startups for one in found),
        runs=_seen(startups),
        by_run=by_run,
    )


def merge_environment(runs: Sequence[Run]) -> EnvironmentReport:
    """Merge what the machine was doing over at least one run."""
    environments = [run.occurrence.environment for run in runs]
    cpu = _merge_clocks([one.cpu for one in environments])
    thermal = _merge_thermal([one.thermal for one in environments])
    memory = _merge_memory([one.memory for one in environments])
    measured = {"cpu": cpu, "memory": memory, "thermal": thermal}
    return EnvironmentReport(
        cpu=cpu,
        thermal=thermal,
        memory=memory,
        sampling=_merge_sampling([one.sampling for one in environments]),
        compose_names=_merge_compose_names([one.compose_names for one in environments]),
        missing=tuple(name for name, block in measured.items() if block is None),
    )


def _merge_clocks(clocks: Sequence[CpuClock | None]) -> CpuReport | None:
    found = present(clocks)
    if not found:
        return None
    means = [clock.mean_mhz for clock in found]
    several = len(clocks) > 1
    return CpuReport(
        mean_mhz=median_tenths(means) or 0.0,
        mean_mhz_min=min(means) if several else None,
        mean_mhz_max=max(means) if several else None,
        min_mhz=min(clock.min_mhz for clock in found),
        max_mhz=max(clock.max_mhz for clock in found),
        on_cpu_ms=median_ms(_column(clocks, "on_cpu_ms")),
        measured_ms=median_ms(_column(clocks, "measured_ms")),
        runs=_seen(clocks),
        by_run=_column(clocks, "mean_mhz"),
    )


def _merge_thermal(blocks: Sequence[Thermal | None]) -> ThermalReport | None:
    found = present(blocks)
    if not found:
        return None
    hottest = max(found, key=lambda one: float("-inf") if one.max_celsius is None else one.max_celsius)
    known = [one for one in found if one.throttled is not None]
    throttled = [one for one in known if one.throttled]
    return ThermalReport(
        max_celsius=hottest.max_celsius,
        hottest_zone=hottest.hottest_zone,
        throttled=bool(throttled) if known else None,
        throttle_device=throttled[0].throttle_device if throttled else None,
        throttled_runs=f"{len(throttled)}/{len(found)}" if known and len(blocks) > 1 else None,
        runs=_seen(blocks),
        by_run=_column(blocks, "max_celsius"),
    )


def _merge_memory(blocks: Sequence[Memory | None]) -> MemoryReport | None:
    found = present(blocks)
    if not found:
        return None
    return MemoryReport(
        available_mb_min=min(present(one.available_mb_min for one in found), default=None),
        major_faults=median_count(one.major_faults for one in found),
        runs=_seen(blocks),
        by_run={name: _column(blocks, name) for name in ("available_mb_min", "major_faults")},
    )


def _merge_sampling(blocks: Sequence[Sampling | None]) -> SamplingReport | None:
    found = present(blocks)
    if not found:
        return None
    started = [one for one in found if one.started]
    rates = {one.hz for one in found}
    names = present(one.names for one in found)
    return SamplingReport(
        hz=found[0].hz if len(rates) == 1 else None,
        asked=any(one.asked for one in found),
        started=bool(started),
        samples=median_count(one.samples for one in started) or 0,
        with_stack=median_count(one.with_stack for one in started) or 0,
        runs=of_runs(len(started), len(blocks)),
        runs_with_stack=of_runs(sum(one.with_stack > 0 for one in found), len(blocks)),
        names=max(names, key=_minified_share) if names else None,
    )


def _minified_share(names: AppNames) -> float:
    return names.minified / names.methods if names.methods else 0.0


def _merge_compose_names(blocks: Sequence[ComposeNames | None]) -> ComposeNamesReport | None:
    found = present(blocks)
    if not found:
        return None
    return ComposeNamesReport(
        asked=any(one.asked for one in found),
        calls=median_count(one.calls for one in found) or 0,
        runs=_seen(blocks),
    )


def merge_markers(runs: Sequence[Run]) -> MarkersReport:
    """Merge the markers of at least one run: rows by name, largest total first."""
    tables = [run.occurrence.markers for run in runs]
    by_name = [{row.location: row for row in table.rows} for table in tables]
    names = {name for rows in by_name for name in rows}
    traces = [run.trace_index for run in runs]
    merged = [_merge_marker([rows.get(name) for rows in by_name], traces) for name in names]
    return MarkersReport(
        rows=tuple(sorted(merged, key=lambda row: (-row.total_ms, row.location))),
        absent=tuple(name for name in tables[0].absent if all(name in table.absent for table in tables)),
        in_trace=tuple(sorted({name for table in tables for name in table.in_trace})),
    )


def _merge_marker(rows: Sequence[Marker | None], traces: Sequence[int]) -> MarkerRow:
    """One marker over the runs; the evidence comes from the run that spent most in it."""
    found = present(rows)
    by_run = {metric: _column(rows, metric) for metric in ("count", *_MARKER_METRICS)}
    spreads = {metric: spread(by_run[metric], traces) for metric in _MARKER_METRICS}
    return MarkerRow(
        location=found[0].location,
        runs=_seen(rows),
        count=median_count(row.count for row in found) or 0,
        self_ms=median_ms(by_run["self_ms"]) or 0.0,
        total_ms=median_ms(by_run["total_ms"]) or 0.0,
        max_ms=median_ms(by_run["max_ms"]) or 0.0,
        spread=_known(spreads) if len(rows) > 1 else None,
        by_run=by_run,
        detail=max(found, key=lambda row: row.total_ms).detail,
        unfinished=any(row.unfinished for row in found),
    )


def _column(blocks: Iterable[Any], field: str) -> tuple[float | None, ...]:
    """One number field of a block, per run; ``None`` where a run lacks the block."""
    return tuple(None if block is None else getattr(block, field) for block in blocks)


def _seen(blocks: Sequence[object]) -> str | None:
    return of_runs(len(present(blocks)), len(blocks))


def _known(values: dict[str, T | None]) -> dict[str, T]:
    return {name: value for name, value in values.items() if value is not None}
