"""What one trace answers, before any threshold: the measurement and its facts.

Times named ``*_ns`` are engine timestamps; ``*_ms`` are milliseconds rounded to 2 decimals.
"""

from __future__ import annotations

from typing import Literal

from echolot_tui.engine.model import EngineInfo
from echolot_tui.frozen import Cell, Frozen, always


class TraceIdentity(Frozen, frozen=True, kw_only=True):
    """Which recording this is."""

    path: str
    sha256: str
    bytes: int


class ProcessChoice(Frozen, frozen=True, kw_only=True):
    """A process of the trace and its thread slices."""

    name: str
    pid: int | None = None
    slices: int = 0


class ProcessFacts(Frozen, frozen=True, kw_only=True):
    """The process everything is measured in."""

    name: str
    """Its name; ``pid N`` where the trace gives none."""
    upid: int
    pid: int | None = None
    slices: int = 0
    chosen_by: Literal["mask", "pid", "start anchor", "most main-thread work", "only process"] = "mask"
    alternatives: tuple[ProcessChoice, ...] = ()
    """Up to 5 others the mask matches, most slices first."""
    alternatives_total: int = 0
    restarts: int = 0
    """How many other processes carry exactly the same name and lived wholly before or after this one."""


class MainThread(Frozen, frozen=True, kw_only=True):
    """Which thread counts as the main one, and why."""

    name: str
    tid: int | None
    utid: int
    rule: Literal["tid == pid", "named like the pid", "known name", "most slice time", "only thread"]


class AnchorFacts(Frozen, frozen=True, kw_only=True):
    """How often an anchor was seen."""

    glob: str
    matches: int
    before_start: int = 0
    unfinished: bool = False


class Budget(Frozen, frozen=True, kw_only=True):
    """The main thread's time inside the window by state, and what the rows stand for."""

    on_cpu: float
    waiting_for_cpu: float
    in_kernel: float
    sleeping: float
    other: float
    accounted_ms: float
    window_ms: float
    accounted_pct: float | None


class OpenedInside(Frozen, frozen=True, kw_only=True):
    """The main-thread state the window's start cut through."""

    state: str
    thread_name: str | None
    before_ms: float
    total_ms: float
    inside_ms: float
    material: bool


class Startup(Frozen, frozen=True, kw_only=True):
    """The platform's own view of the app start that shares most time with the window."""

    type: str | None
    dur_ms: float
    reasons: dict[str, float] = {}
    """Opinionated breakdown: reason to milliseconds, largest first."""
    from_window_start_ms: float
    from_window_end_ms: float
    in_window_ms: float
    startups: int = 1


class CpuClock(Frozen, frozen=True, kw_only=True):
    """Clock weighted by the time the process itself was running."""

    mean_mhz: float
    min_mhz: float
    max_mhz: float
    on_cpu_ms: float
    measured_ms: float


class Thermal(Frozen, frozen=True, kw_only=True):
    """Temperature and throttling inside the window."""

    max_celsius: float | None = None
    hottest_zone: str | None = None
    throttled: bool | None = None
    throttle_device: str | None = None


class Memory(Frozen, frozen=True, kw_only=True):
    """Free memory and major faults inside the window."""

    available_mb_min: float | None = None
    major_faults: int | None = None


class AppNames(Frozen, frozen=True, kw_only=True):
    """How many of the sampled app methods carry a minified name."""

    methods: int
    minified: int
    """Those whose name is still minified where a mapping gave some back."""
    renamed: int | None = None
    """Those a mapping gave their name back; ``None`` when there was none for this trace."""


class Sampling(Frozen, frozen=True, kw_only=True):
    """Whether a callstack sampler was asked for, ran, and what it got for this process."""

    hz: float | None
    asked: bool
    started: bool
    samples: int = 0
    with_stack: int = 0
    names: AppNames | None = None


class ComposeNames(Frozen, frozen=True, kw_only=True):
    """Whether composable names were asked for, and how many calls carry one."""

    asked: bool
    calls: int


class EnvironmentFacts(Frozen, frozen=True, kw_only=True):
    """What the machine was doing while the window ran."""

    cpu: CpuClock | None = None
    thermal: Thermal | None = None
    memory: Memory | None = None
    sampling: Sampling | None = None
    compose_names: ComposeNames | None = None
    missing: tuple[str, ...] = ()


class HealthIssue(Frozen, frozen=True, kw_only=True):
    """One data-loss or error statistic of the engine that is not zero."""

    name: str
    value: int
    severity: Literal["data loss", "error"]
    text: str
    """What it means for the numbers, in one sentence."""


class Health(Frozen, frozen=True, kw_only=True):
    """Whether the recording is whole."""

    state: Literal["healthy", "lossy"] = always("healthy")
    issues: tuple[HealthIssue, ...] = ()


class DeviceFacts(Frozen, frozen=True, kw_only=True):
    """What the trace says about the machine and the app build; absent facts are ``None``."""

    model: str | None = None
    manufacturer: str | None = None
    fingerprint: str | None = None
    android: str | None = None
    sdk: int | None = None
    kernel: str | None = None
    machine: str | None = None
    cpus: int | None = None
    app_version: str | None = None
    app_version_code: int | None = None


class Marker(Frozen, frozen=True, kw_only=True):
    """One named section the config always measures, or a temporary marker."""

    location: str
    count: int
    self_ms: float
    total_ms: float
    max_ms: float
    detail: str
    unfinished: bool = False


class Markers(Frozen, frozen=True, kw_only=True):
    """Markers of the window."""

    rows: tuple[Marker, ...] = ()
    absent: tuple[str, ...] = ()
    """Configured globs no slice matched."""
    in_trace: tuple[str, ...] = ()
    """Every temporary marker's name anywhere in the trace, any process."""


class OpenRow(Frozen, frozen=True, kw_only=True, gc=False):
    """One row of a detector's query, no gate applied.

    There may be half a million of them; cells refer to nothing, so none can be part of a cycle.
    """

    columns: dict[str, Cell]


class Coverage(Frozen, frozen=True, kw_only=True):
    """Main-thread stretches the rows stand for: parallel arrays as little-endian int64 bytes.

    ``row`` indexes the detector's ``rows``; a stretch of a row beyond the stored ones is left out.
    """

    row: bytes = b""
    ts_ns: bytes = b""
    dur_ns: bytes = b""


class DetectorMeasurement(Frozen, frozen=True, kw_only=True):
    """What one detector's query answered."""

    id: str
    state: Literal["ok", "no data", "failed"] = "ok"
    reason: str = ""
    """Why it has no data (the missing source) or failed (the engine's message)."""
    rows: tuple[OpenRow, ...] = ()
    """At most 2,000, by rank."""
    rows_total: int = 0
    coverage: Coverage | None = None
    coverage_error: str = ""


class Occurrence(Frozen, frozen=True, kw_only=True):
    """One occurrence of the scenario in a trace: a window and everything measured in it."""

    number: int = 1
    start_ns: int
    end_ns: int
    duration_ms: float
    start: AnchorFacts | None = None
    end: AnchorFacts | None = None
    main_thread: Budget | None = None
    opened_inside: OpenedInside | None = None
    startup: Startup | None = None
    environment: EnvironmentFacts = EnvironmentFacts()
    markers: Markers = Markers()
    detectors: tuple[DetectorMeasurement, ...] = ()


class Measurement(Frozen, frozen=True, kw_only=True):
    """Everything one trace answers with all bars open."""

    trace: TraceIdentity
    engine: EngineInfo
    spec_key: str
    """Hash of what was asked: SQL after substitution, anchors, process mask."""
    process: ProcessFacts
    main: MainThread | None
    clipped_slices: int = 0
    """Slices of the process the window's ends cut."""
    unfinished_slices: int = 0
    occurrences_total: int = 1
    """How many the trace holds; ``occurrences`` has the measured ones."""
    occurrences: tuple[Occurrence, ...]
    health: Health = Health()
    device: DeviceFacts = DeviceFacts()
    checkout: dict[str, bool] = {}
    """What the checkout was asked about the app's own code, and what it answered."""
    recorded_at: str | None = None
    """Wall-clock time of the recording's start, UTC ISO, where the trace has one."""
    notes: tuple[str, ...] = ()


class Unreadable(Frozen, frozen=True, kw_only=True):
    """A trace that gave no measurement, with the reason."""

    path: str
    reason: str
