"""The Marker Report: a set of runs merged and gated.

The JSON keys of ``report.json`` (schema 1) are these fields, in this order. A file written by the
original program loads as well: every key but ``detectors`` may be absent.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from echolot_tui.frozen import Frozen, always
from echolot_tui.measure.model import (
    AnchorFacts,
    AppNames,
    DeviceFacts,
    Health,
    MainThread,
    OpenedInside,
    ProcessChoice,
    Unreadable,
)
from echolot_tui.report.code_model import Place, RemovedMarkers, UnbuiltMarkers

SCHEMA = 1

DetectorState = Literal["fired", "silent", "no data", "failed"]
"""Found rows over the bar; looked and found none; its source is not in the traces; broke in all of them."""

Count = int | float
"""Whole per run; a median over an even number of runs may be ``x.5``."""


class Spread(Frozen, frozen=True, kw_only=True):
    """One metric of a row over the runs that had the row."""

    min: float
    max: float
    values: tuple[float, ...]
    """In run order, only of runs that had the row."""
    resolves_ms: float | None = None
    """Smallest move a comparison against as many runs spread the same way could call real."""
    resolves_pct: float | None = None


class Row(Frozen, frozen=True, kw_only=True):
    """One answer of a detector over the set."""

    location: str | None = always(None)
    thread: str | None = None
    runs: str | None = None
    """``k/n``: runs with the row / runs in which the detector did not fail."""
    count: Count | None = None
    self_ms: float | None = None
    total_ms: float | None = None
    max_ms: float | None = None
    covered_ms: float | None = None
    full_ms: float | None = None
    """Total of whole slices where the window clipped some; absent when nothing was clipped."""
    spread: dict[str, Spread] | None = None
    by_run: dict[str, tuple[Count | None, ...]] | None = None
    """Metric to one value per entry of the report's ``repeats``; null where that run lacks the row."""
    detail: str | None = None
    stacks: dict[str, Any] | None = None
    places: tuple[Place, ...] | None = None
    code: str | None = None
    """The places that have a file, in a few words."""
    extra: dict[str, str | int | float | None] | None = None
    """Columns a user's detector invents, from the run with the largest ranking value; those of the
    identity among them."""
    passed: bool = True
    """Over the detector's bar. Only ``rows.json`` holds rows that did not pass."""

    def value(self, metric: str) -> float | None:
        """The merged value of ``metric``."""
        found: float | None = getattr(self, metric, None)
        return found


class DetectorReport(Frozen, frozen=True, kw_only=True):
    """One detector's section."""

    id: str
    title: str = always("")
    why: str = always("")
    params: dict[str, Any] = always({})
    params_source: str = always("default")
    identity: tuple[str, ...] = always(("location",))
    rows: tuple[Row, ...] = always(())
    error: str | None = always(None)
    state: DetectorState | None = None
    """Absent in files of the original; there ``error`` and ``rows`` say it."""
    no_data: str | None = None
    """Which source is missing and how to record it."""
    no_data_runs: str | None = None
    """``k/n`` runs that lack the source."""
    rank: str | None = None
    rows_measured: int | None = None
    """Distinct rows over all runs, also those under the bar."""
    truncated: bool = False
    """Some run had more rows than a measurement keeps."""
    defaults: dict[str, Any] | None = None
    failed_runs: str | None = None
    unseen: tuple[str, ...] = ()
    """Labels of the runs this detector could not look at: it failed there or the source is missing.
    A null in ``by_run`` means *not measured* for these and *no such row* for the others."""


class BudgetReport(Frozen, frozen=True, kw_only=True):
    """Main-thread time by state, median over runs; see ``measure.model.Budget``."""

    on_cpu: float = always(0.0)
    waiting_for_cpu: float = always(0.0)
    in_kernel: float = always(0.0)
    sleeping: float = always(0.0)
    other: float = always(0.0)
    accounted_ms: float = always(0.0)
    window_ms: float = always(0.0)
    accounted_pct: float | None = always(None)
    in_rows_ms: float | None = always(None)
    in_rows_pct: float | None = always(None)
    in_rows_uncounted: tuple[str, ...] = always(())
    runs: str | None = None
    by_run: dict[str, tuple[Count | None, ...]] | None = None


class AnchorReport(AnchorFacts, frozen=True, kw_only=True):
    """An anchor over the set: the run that saw it least often."""

    missed: str | None = None


class StartupReport(Frozen, frozen=True, kw_only=True):
    """App start over the set."""

    type: str | None = always(None)
    dur_ms: float = always(0.0)
    reasons: dict[str, float] = always({})
    from_window_start_ms: float = always(0.0)
    from_window_end_ms: float = always(0.0)
    in_window_ms: float = always(0.0)
    startups: int = 1
    runs: str | None = None
    by_run: dict[str, tuple[Count | None, ...]] | None = None
    """``dur_ms`` and each reason, per run."""


class OpenedInsideReport(OpenedInside, frozen=True, kw_only=True):
    """The material run with the largest ``before_ms``."""

    runs: str | None = None


class WindowReport(Frozen, frozen=True, kw_only=True):
    """The scenario's window over the set."""

    duration_ms: float | None = always(None)
    duration_ms_min: float | None = None
    duration_ms_max: float | None = None
    values: tuple[float | None, ...] | None = None
    """One per entry of ``repeats``."""
    resolves_ms: float | None = None
    empty: str | None = None
    """In how many runs it begins and ends at the same moment: ``k/n``; ``None`` when it never does."""
    process: str | None = always(None)
    processes: tuple[str, ...] | None = None
    pid: int | None = always(None)
    ts_start: int | None = None
    """Where the first run's window begins, on the clock of its trace."""
    start: AnchorReport | None = always(None)
    end: AnchorReport | None = always(None)
    process_chosen_by: str | None = None
    process_alternatives: tuple[ProcessChoice, ...] | None = None
    process_alternatives_total: int | None = None
    restarts: int | None = None
    main: MainThread | None = None
    main_thread: BudgetReport | None = always(None)
    opened_inside: OpenedInsideReport | None = always(None)
    startup: StartupReport | None = always(None)
    clipped_slices: int | None = None
    unfinished_slices: int | None = None
    occurrences_total: int | None = None


class CpuReport(Frozen, frozen=True, kw_only=True):
    """Clock over the set: median of means."""

    mean_mhz: float
    mean_mhz_min: float | None = None
    mean_mhz_max: float | None = None
    min_mhz: float | None = always(None)
    max_mhz: float | None = always(None)
    on_cpu_ms: float | None = always(None)
    measured_ms: float | None = always(None)
    runs: str | None = None
    by_run: tuple[float | None, ...] | None = None


class ThermalReport(Frozen, frozen=True, kw_only=True):
    """Temperature and throttling over the set."""

    max_celsius: float | None = always(None)
    hottest_zone: str | None = always(None)
    throttled: bool | None = always(None)
    throttle_device: str | None = always(None)
    throttled_runs: str | None = None
    runs: str | None = None
    by_run: tuple[float | None, ...] | None = None


class MemoryReport(Frozen, frozen=True, kw_only=True):
    """Free memory and faults over the set."""

    available_mb_min: float | None = always(None)
    major_faults: Count | None = always(None)
    runs: str | None = None
    by_run: dict[str, tuple[Count | None, ...]] | None = None


class SamplingReport(Frozen, frozen=True, kw_only=True):
    """The callstack sampler over the set."""

    hz: float | None = always(None)
    asked: bool | None = None
    started: bool = always(value=False)
    samples: Count = always(0)
    with_stack: Count = always(0)
    runs: str | None = None
    runs_with_stack: str | None = None
    names: AppNames | None = None


class ComposeNamesReport(Frozen, frozen=True, kw_only=True):
    """Composable names over the set."""

    asked: bool = always(value=False)
    calls: Count = always(0)
    runs: str | None = None


class EnvironmentReport(Frozen, frozen=True, kw_only=True):
    """What the machine was doing, over the set."""

    cpu: CpuReport | None = always(None)
    thermal: ThermalReport | None = always(None)
    memory: MemoryReport | None = always(None)
    sampling: SamplingReport | msgspec.UnsetType | None = msgspec.UNSET
    compose_names: ComposeNamesReport | msgspec.UnsetType | None = msgspec.UNSET
    missing: tuple[str, ...] = always(())


class MarkerRow(Frozen, frozen=True, kw_only=True):
    """A marker over the set, merged like a detector's row."""

    location: str
    runs: str | None = None
    count: Count = always(0)
    self_ms: float = always(0.0)
    total_ms: float = always(0.0)
    max_ms: float = always(0.0)
    spread: dict[str, Spread] | None = None
    by_run: dict[str, tuple[Count | None, ...]] | None = None
    detail: str | None = always(None)
    unfinished: bool = False


class MarkersReport(Frozen, frozen=True, kw_only=True):
    """Markers over the set."""

    rows: tuple[MarkerRow, ...] = always(())
    absent: tuple[str, ...] = always(())
    in_trace: tuple[str, ...] = always(())
    unbuilt: UnbuiltMarkers | None = None
    removed: RemovedMarkers | None = None


class Toolchain(Frozen, frozen=True, kw_only=True):
    """What answered: engine, version and hash."""

    perfetto_package: str | None = always(None)
    trace_processor: str | None = always(None)
    source: str | None = always(None)
    binary: str | None = always(None)
    engine: str | None = None
    """``embedded``, ``embedded64`` or ``native``; more than one joined by ``+``."""
    engine_sha256: str | None = None
    echolot: str | None = None


class Summary(Frozen, frozen=True, kw_only=True):
    """Counts over the detectors."""

    detectors_run: int = always(0)
    detectors_fired: int = always(0)
    fired_ids: tuple[str, ...] = always(())
    absent_ids: tuple[str, ...] = always(())
    """Turned off."""


class MappingFile(Frozen, frozen=True, kw_only=True):
    """The R8 mapping the config names."""

    path: str
    found: bool


class Retrace(Frozen, frozen=True, kw_only=True):
    """What the mapping did for the frames in the evidence of lock waits, each counted once."""

    frames: int = always(0)
    """Told as the source has them."""
    outside: int = always(0)
    """R8 wrote them, and this mapping does not have them."""
    map_id: str | None = None
    """R8's own name for the mapping."""
    other_map_ids: tuple[str, ...] = ()
    """Mappings the frames themselves name, other than this one."""


class ConfigRef(Frozen, frozen=True, kw_only=True):
    """Which settings produced the report."""

    path: str | None = always(None)
    sha: str | None = always(None)
    local: str | None = always(None)
    defaults: bool = always(value=False)
    set: dict[str, Any] | None = always(None)
    mapping: MappingFile | None = always(None)


class Repeat(Frozen, frozen=True, kw_only=True):
    """One run of the set: where its values come from."""

    label: str
    """``3``, or ``3.2`` for the second occurrence in the third trace."""
    trace: str
    trace_index: int
    """Position in ``traces``; statistics relabel traces, never single occurrences."""
    sha256: str | None = None
    occurrence: int = 1
    window_ms: float | None = None
    cpu_mhz: float | None = None
    throttled: bool | None = None
    recorded_at: str | None = None
    health: Health = always(Health())
    device: DeviceFacts = always(DeviceFacts())


class Report(Frozen, frozen=True, kw_only=True):
    """A Marker Report."""

    schema: int = always(SCHEMA)
    generated_at: str | None = always(None)
    trace: str | None = always(None)
    scenario: str | None = always(None)
    toolchain: Toolchain = always(Toolchain())
    window: WindowReport = always(WindowReport())
    environment: EnvironmentReport = always(EnvironmentReport())
    markers: MarkersReport = always(MarkersReport())
    summary: Summary = always(Summary())
    detectors: tuple[DetectorReport, ...]
    traces: tuple[str, ...] | None = None
    runs: int | None = None
    """Measured traces."""
    runs_given: int | None = None
    unreadable: tuple[Unreadable, ...] = ()
    repeats: tuple[Repeat, ...] = ()
    clipped: bool | None = None
    """True when slice times are clipped to the window; the original's are not."""
    retrace: Retrace | None = None
    """Present when a mapping was applied."""
    config: ConfigRef = always(ConfigRef())
    notes: tuple[str, ...] = ()


class AllRows(Frozen, frozen=True, kw_only=True):
    """``rows.json``: every measured row of the report, also those under the bar."""

    schema: int = always(SCHEMA)
    kind: Literal["rows"] = always("rows")
    report_sha256: str
    """Of the ``report.json`` it lies beside; another one means it belongs elsewhere."""
    detectors: tuple[DetectorReport, ...]
