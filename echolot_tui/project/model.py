"""The keys of ``echolot.yml``: types, defaults and what they mean. The JSON Schema is made from this."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from echolot_tui.frozen import Frozen

Positive = Annotated[int, Meta(ge=1)]
DetectorSetting = bool | dict[str, bool | int | float | str] | None
"""``false`` turns a detector off; a mapping sets its parameters; nothing leaves it as shipped;
``true`` is refused, because it would say nothing."""


class Anchor(Frozen, frozen=True, kw_only=True):
    """Start or end of the scenario: a GLOB over slice names."""

    name: str | None
    """The GLOB; null or blank means no anchor."""
    source: Any = msgspec.field(default=None, name="_source")
    """Who chose it; ``confirmed_by_user`` marks a person's choice."""
    evidence: Any = msgspec.field(default=None, name="_evidence")
    """Free text: why this slice."""


class Cooldown(Frozen, frozen=True, kw_only=True):
    """Wait for the device to cool before each run."""

    max_c: float
    """Start a run only at or below this temperature, in Celsius."""
    sensor: Literal["battery", "cpu", "gpu", "skin"] = "battery"
    """Whose temperature it is."""
    timeout_s: Annotated[float, Meta(gt=0)] = 600
    """Record anyway after this long, and say so."""


class Runner(Frozen, frozen=True, kw_only=True):
    """How a set of traces is recorded."""

    mode: Literal["launch", "command", "gradle", "host"] = "launch"
    """Launch the app; run a command while the device records; a Gradle task; a command here that records."""
    iterations: Positive = 5
    """Runs of a set."""
    duration_ms: Positive = 12_000
    """Length of one recording."""
    reset_policy: str = "force-stop"
    """What happens to the app before each run: ``force-stop`` or ``none``; anything else is said and taken
    for ``force-stop``. Clearing its data is not offered."""
    environment: bool = True
    """Record clock, temperature, block reasons and memory as well."""
    sampling: bool | Annotated[float, Meta(ge=1)] = False
    """Sample call stacks: true is 100 Hz, or a rate."""
    compose_names: bool = False
    """Switch the app's composable names on for the set."""
    atrace_categories: tuple[str, ...] = (
        "am",
        "wm",
        "gfx",
        "view",
        "dalvik",
        "binder_driver",
        "res",
        "database",
    )
    """What atrace records."""
    buffer_kb: Positive = 131_072
    """Size of the recording's buffer."""
    device: str | None = None
    """Serial of the device; without it the single ready one."""
    activity: str | None = None
    """Activity to launch; without it the device resolves the launcher activity."""
    command: str | None = None
    """Shell line of modes ``command`` and ``host``."""
    suffix: str = ".json"
    """Ending of the trace a ``host`` command writes."""
    gradle_task: str | None = None
    """Task of mode ``gradle``; it records the traces."""
    gradle_args: tuple[str, ...] = ()
    """Arguments of the task."""
    gradle: str = "./gradlew"
    """The Gradle to run."""
    project_root: str | None = None
    """Where Gradle runs; without it the config's folder."""
    timeout_s: Positive = 3600
    """Seconds a Gradle task, or a ``host`` command, may take."""
    cooldown: Cooldown | None = None
    """Wait for the device to cool before each run."""
    fixed_performance: bool = False
    """Hold the device's clocks for the set, where it can."""
    airplane_mode: bool = False
    """Switch the radios off for the set."""
    brightness: Annotated[int, Meta(ge=0, le=255)] | None = None
    """Hold the screen's brightness for the set."""


class ProjectBlock(Frozen, frozen=True, kw_only=True):
    """The app under measurement."""

    package: str | None = None
    """Application id; the process's name unless ``process`` says another."""
    process: str | None = None
    """GLOB over process names, or ``pid:N``."""
    mapping: str | None = None
    """R8 ``mapping.txt``, relative to the config."""
    source_root: str | None = None
    """Where the sources are; for readers."""


class ScenarioBlock(Frozen, frozen=True, kw_only=True):
    """The part of a trace that counts."""

    name: str = "run"
    """Names traces and the report."""
    start: str | Anchor | None = None
    """GLOB of the slice the window starts with."""
    end: str | Anchor | None = None
    """GLOB of the slice whose end closes the window."""
    window: Literal["first", "each"] = "first"
    """Measure the first occurrence in a trace, or each of them."""
    budget_ms: float | None = None
    """What the team considers acceptable; for readers, never a gate."""
    runner: dict[str, Any] | None = None
    """Overrides of ``runner`` for this scenario."""
    detectors: dict[str, DetectorSetting] | None = None
    """Thresholds of this scenario, over the top-level ones."""


class Instrumentation(Frozen, frozen=True, kw_only=True):
    """Temporary markers in the sources."""

    temp_prefix: Annotated[str, Meta(min_length=1)] = "AGENTTMP_"
    """Prefix of temporary markers' names."""
    allowed: tuple[str, ...] = ()
    """Path globs that may be edited."""
    cleanup: Any = None
    """For readers."""


class Domain(Frozen, frozen=True, kw_only=True):
    """Slices that are always measured in the markers table."""

    slice: Annotated[str, Meta(min_length=1)]
    """GLOB over slice names."""
    module: str | None = None
    """Where its code is; for readers."""
    hint: str | None = None
    """What it stands for; for readers."""


class ToolchainBlock(Frozen, frozen=True, kw_only=True):
    """The engine."""

    tp_binary: str | None = None
    """A native ``trace_processor_shell`` instead of the embedded engine."""


class CompareBlock(Frozen, frozen=True, kw_only=True):
    """Settings of ``compare``."""

    pinned: tuple[str, ...] = ()
    """GLOBs of row names decided before looking; judged by their own range."""
    floor_ms: Annotated[float, Meta(ge=0)] = 5.0
    """A row has moved when it moved by more than this, in milliseconds, and by more than ``floor_pct``."""
    floor_pct: Annotated[float, Meta(ge=0)] = 10.0
    """Share of a row's value before, in percent; see ``floor_ms``."""


class Threads(Frozen, frozen=True, kw_only=True):
    """Thread names, for readers."""

    own: tuple[str, ...] = ()
    """The app's own threads; for readers."""
    ignore: tuple[str, ...] = ()
    """Threads of no interest; for readers."""


class Loop(Frozen, frozen=True, kw_only=True):
    """Limits of an investigation, for readers."""

    max_rounds: Positive = 3
    """For readers."""
    on_exhausted: Any = None
    """For readers."""


class HistoryBlock(Frozen, frozen=True, kw_only=True):
    """Settings of the history store."""

    auto: bool = False
    """Add every report analyzed inside a git checkout."""


class Config(Frozen, frozen=True, kw_only=True):
    """``echolot.yml``."""

    project: ProjectBlock = ProjectBlock()
    scenario: ScenarioBlock | None = None
    scenarios: dict[str, ScenarioBlock | None] | None = None
    """Several scenarios by name; not together with ``scenario``."""
    detectors: dict[str, DetectorSetting] = {}
    """Thresholds and switches."""
    detectors_dir: str | None = None
    """Folder of the project's own detectors, relative to the config."""
    runner: Runner = Runner()
    instrumentation: Instrumentation = Instrumentation()
    domains: tuple[Domain, ...] = ()
    toolchain: ToolchainBlock = ToolchainBlock()
    tp_binary: str | None = None
    """Older place of ``toolchain.tp_binary``."""
    compare: CompareBlock = CompareBlock()
    history: HistoryBlock = HistoryBlock()
    threads: Threads = Threads()
    loop: Loop = Loop()
