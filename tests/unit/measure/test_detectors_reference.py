"""Every slice and state detector on random traces, against loops over the raw slices and states."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

import pytest

from detectors_asked import MS, PID, Asked, windowed
from detectors_reference import Found, Reference
from echolot_tui.engine.model import TraceSession
from echolot_tui.generate.builder import TraceBuilder
from echolot_tui.measure.catalogue import load_catalogue
from echolot_tui.measure.coverage import unpack
from echolot_tui.measure.derived import DerivedTables
from echolot_tui.measure.markers import markers
from echolot_tui.measure.measure import Request, measure_trace
from echolot_tui.measure.model import Marker, TraceIdentity
from echolot_tui.measure.plan import Override, plan
from echolot_tui.measure.spec import MeasureSpec
from echolot_tui.report.build import ReportContext, build_report
from random_app import random_app, random_window
from raw_window import Slice, united

Load = Callable[[TraceBuilder], TraceSession]

BARS: dict[str, dict[str, float]] = {
    "main_thread_block": {"min_slice_ms": 6},
    "background_work": {"min_self_ms": 8},
    "main_thread_outlier": {"factor": 2, "min_abs_ms": 5, "min_occurrences": 3},
    "binder_txn": {"min_txn_ms": 10, "max_total_ms": 12},
    "monitor_contention": {"min_block_ms": 8, "max_total_ms": 14},
    "gc_pressure": {"max_events": 3, "max_total_ms": 10},
    "repeated_work": {"max_callers": 5, "min_total_ms": 5, "max_spread": 3},
    "app_init": {"min_stretch_ms": 5},
    "composables": {"min_self_ms": 3},
    "io_wait": {"min_io_wait_ms": 5},
    "runnable_starvation": {"min_runnable_ms": 10},
    "uninstrumented_cpu": {"min_running_ms": 20, "max_covered_pct": 60},
    "anr_risk": {"min_stall_ms": 20, "max_gap_ms": 2},
    "main_thread_waits": {"min_total_ms": 5},
}
"""Low enough for windows of a quarter of a second to have rows over and under each."""


@pytest.mark.parametrize(
    "seed", [*range(8), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(8, 60))]
)
def test_rows_and_what_they_stand_for(load: Load, seed: int) -> None:
    session = load(random_app(seed))
    start, end = random_window(seed)
    reference = Reference(session, PID, start, end)
    settings = {f"{name}.{key}": str(value) for name, bars in BARS.items() for key, value in bars.items()}
    asked = Asked(session, PID, start * MS, end * MS, only=" ".join(BARS), settings=settings)
    for detector, bars in BARS.items():
        expected: Found = getattr(reference, detector)(**bars)
        assert listed(asked, detector, expected) == expected, detector


@pytest.mark.parametrize("seed", range(3))
def test_the_report_counts_each_moment_of_the_main_thread_once(load: Load, seed: int) -> None:
    settings = [
        Override(detector=detector, param=key, text=str(value))
        for detector, bars in BARS.items()
        for key, value in bars.items()
    ]
    made = plan(load_catalogue(), overrides=settings)
    spec = MeasureSpec(process="app", detectors=made.detectors, claimed_globs=made.claimed_globs)
    session = load(random_app(seed))
    trace = TraceIdentity(path="a", sha256="b", bytes=1)
    measurement = measure_trace(session, Request(trace=trace, spec=spec, key="c"))
    (window,) = measurement.occurrences
    reference = Reference(session, PID, window.start_ns // MS, window.end_ns // MS)
    stood_for = united(
        row["moments"]
        for detector, bars in BARS.items()
        if detector != "background_work"
        for row in getattr(reference, detector)(**bars).values()
    )
    budget = build_report([measurement], made, context=ReportContext())[0].window.main_thread
    assert budget is not None
    assert 0 < budget.in_rows_ms == len(stood_for) < budget.window_ms
    assert budget.in_rows_pct == round(100 * len(stood_for) / budget.window_ms, 1)
    assert budget.in_rows_uncounted == ()
    mine = [one for one in reference.states if one.tid == PID]
    for states, told in (
        (("Running",), budget.on_cpu),
        (("R", "R+"), budget.waiting_for_cpu),
        (("D", "DK"), budget.in_kernel),
        (("S",), budget.sleeping),
    ):
        assert told == sum(one.dur for one in mine if one.state in states), states


@pytest.mark.parametrize("seed", range(3))
def test_markers_of_every_name(load: Load, seed: int) -> None:
    session = load(random_app(seed))
    start, end = random_window(seed)
    reference = Reference(session, PID, start, end)
    windowed(session, PID, start * MS, end * MS)
    found = markers(DerivedTables(session), prefix="AGENTTMP_", domain_globs=("AGENTTMP_x", "*", "[x]"))
    groups: defaultdict[str, list[Slice]] = defaultdict(list)
    for one in reference.slices:
        groups[one.name].append(one)
    expected = []
    for name, group in groups.items():
        outer = [one for one in group if all(upper.name != name for upper in reference.above(one))]
        threads = sorted({reference.names[one.tid] for one in group})
        more = f" +{len(threads) - 3}" if len(threads) > 3 else ""
        expected.append(
            Marker(
                location=name,
                count=len(group),
                self_ms=sum(map(reference.self_time, group)),
                total_ms=sum(one.dur for one in outer),
                max_ms=max(one.dur for one in group),
                detail=", ".join(threads[:3]) + more,
                unfinished=any(one.never_ended for one in group),
            )
        )
    assert found.rows == tuple(sorted(expected, key=lambda row: (-row.total_ms, row.location)))
    assert found.absent == ("[x]",)


def listed(asked: Asked, detector: str, expected: Found) -> Found:
    """The rows over the bar by identity, with the columns the reference has."""
    identity = next(one.identity for one in asked.plan.detectors if one.id == detector)
    columns = next(iter(expected.values()), {})
    moments = painted(asked, detector)
    found = {}
    for row in asked.listed(detector):
        named = tuple(str(row[column]) for column in identity)
        found[named] = {key: row.get(key) for key in columns}
        if "moments" in columns:
            found[named]["moments"] = moments[id(row)]
    return found


def painted(asked: Asked, detector: str) -> defaultdict[int, set[int]]:
    """Milliseconds of the main thread each row stands for, by the row's id."""
    moments: defaultdict[int, set[int]] = defaultdict(set)
    coverage = asked[detector].coverage
    if coverage is not None:
        rows = asked[detector].rows
        for number, first, length in zip(*(column.tolist() for column in unpack(coverage)), strict=True):
            moments[id(rows[number].columns)] |= set(range(first // MS, (first + length) // MS))
    return moments
