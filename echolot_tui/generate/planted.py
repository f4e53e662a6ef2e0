"""What a generated trace holds, as numbers to assert: from the description, never from the trace."""

from __future__ import annotations

from echolot_tui.frozen import Frozen


class PlantedRow(Frozen, frozen=True, kw_only=True):
    """One row a detector should answer; ``None`` where nothing is promised."""

    location: str
    detail: str | None = None
    thread: str | None = None
    count: int | None = None
    self_ms: float | None = None
    total_ms: float | None = None
    max_ms: float | None = None
    covered_ms: float | None = None


class PlantedBudget(Frozen, frozen=True, kw_only=True):
    """The main thread's time inside the window by state, milliseconds to 2 decimals."""

    on_cpu: float
    waiting_for_cpu: float
    in_kernel: float
    sleeping: float


class PlantedClock(Frozen, frozen=True, kw_only=True):
    """Clock weighted by the process's own running time inside the window."""

    mean_mhz: float
    min_mhz: float
    max_mhz: float
    on_cpu_ms: float


class PlantedOpenedInside(Frozen, frozen=True, kw_only=True):
    """The main-thread state the window's start cuts."""

    state: str
    before_ms: float
    total_ms: float
    inside_ms: float


class PlantedStartup(Frozen, frozen=True, kw_only=True):
    """The platform's view of the start."""

    type: str
    dur_ms: float
    from_window_start_ms: float
    """Negative: it began before the window."""
    from_window_end_ms: float


class PlantedSampling(Frozen, frozen=True, kw_only=True):
    """The sampler's harvest inside the window."""

    hz: float
    started: bool
    samples: int
    with_stack: int
    methods: int
    """Distinct app methods on the stacks."""
    minified: int


class PlantedEnvironment(Frozen, frozen=True, kw_only=True):
    """What the machine was doing; ``None`` where the recording does not say."""

    clock: PlantedClock | None = None
    max_celsius: float | None = None
    hottest_zone: str | None = None
    throttle_device: str | None = None
    available_mb_min: float | None = None
    major_faults: int | None = None
    sampling: PlantedSampling | None = None
    compose_calls: int | None = None
    """Main-thread slices that carry a composable's name, the library's too; ``None`` when not asked for."""


class Planted(Frozen, frozen=True, kw_only=True):
    """One occurrence of the scenario: its window and everything planted in it."""

    process: str
    """Its name; ``pid N`` in a recording without names."""
    pid: int
    package: str
    start_glob: str
    end_glob: str
    start_ns: int
    end_ns: int
    window_ms: float
    rows: dict[str, tuple[PlantedRow, ...]]
    """By detector: exactly the rows over its shipped bars, in no order. Silent ones are not in it.

    A recording without names promises nothing of the detectors that group by thread."""
    below: dict[str, tuple[PlantedRow, ...]]
    """By detector: negative controls, which stay under a bar."""
    absent: dict[str, tuple[str, ...]]
    """By detector: locations it must not measure at all (other process, claimed name, wrong kind)."""
    budget: PlantedBudget | None = None
    opened_inside: PlantedOpenedInside | None = None
    startup: PlantedStartup | None = None
    environment: PlantedEnvironment = PlantedEnvironment()
