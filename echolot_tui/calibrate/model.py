"""A calibration: what healthy runs say each threshold should be. JSON keys are these fields, in order."""

from __future__ import annotations

from typing import Literal

from echolot_tui.frozen import Frozen, always

SCHEMA = 1

Setting = int | float | str
Number = int | float

DetectorState = Literal["measured", "off", "failed", "no data"]
"""``off``: the printed section turns it off, so it was not measured."""

Outcome = Literal["proposed", "sample", "degenerate", "failed", "no data", "no column", "truncated", "spread"]
"""A number was found; or why not: too few rows (or runs), a statistic of nearly nothing, the detector broke
or lacks its source in every run, its query returns no such column, a percentile of rows that were not all
stored, or (by report size) runs that do not vouch for each other."""

Source = Literal["shipped", "config", "scenario"]


class Asked(Frozen, frozen=True, kw_only=True):
    """How thresholds are derived."""

    min_sample: int = always(10)
    """Fewest rows of a run a statistic is taken from."""
    report_size: int | None = always(None)
    """At most this many rows a run: bars by the size of the report instead of by the detectors' rules."""


class Threshold(Frozen, frozen=True, kw_only=True):
    """One calibrated parameter: today, proposed, and why."""

    param: str
    statistic: str
    """What is taken of each run: ``top10(self_ms)``."""
    factor: float
    """What the median over the runs is multiplied with; by report size, what the largest bar is."""
    shipped: Number
    today: Number
    today_source: Source
    own: Number | None = None
    """What the printed section sets now."""
    above: Number | None = None
    """What the top-level section sets, when the printed one is a scenario's."""
    proposed: Number | None = always(None)
    after: Number
    """In force once the printed section has replaced the present one."""
    outcome: Outcome
    reason: str = ""
    """Why nothing is proposed, in one clause."""
    value: float | None = None
    """The statistic over the runs; also where it is too small to make a threshold of."""
    per_run: tuple[float | None, ...] = ()
    """The statistic of each run; null where the run has too few rows, or was not looked at."""
    sample: tuple[int | None, ...] = ()
    """Rows of each run; null where it was not looked at."""
    runs_used: int = 0
    """Runs with enough rows; by report size, all runs looked at."""
    held: str | None = None
    """By report size, ``k/n``: traces that list no more rows than asked under a bar made from the others."""


class DetectorCalibration(Frozen, frozen=True, kw_only=True):
    """One detector's part."""

    id: str
    state: DetectorState
    error: str | None = None
    failed_runs: str | None = None
    """``k/n``: in how many runs it failed, when in some."""
    thresholds: tuple[Threshold, ...] = ()
    carried: dict[str, Setting] = {}
    """What the printed section sets that is not calibrated: kept as it stands."""
    before: tuple[int | None, ...] | None = None
    """Rows each run of ``effect_on`` lists with today's thresholds; null where it was not looked at."""
    after: tuple[int | None, ...] | None = None
    """The same with the proposed ones."""


class CalibratedRun(Frozen, frozen=True, kw_only=True):
    """One run the calibration is made from."""

    label: str
    trace: str
    sha256: str
    window_ms: float


class EffectOn(Frozen, frozen=True, kw_only=True):
    """The runs ``before`` and ``after`` are counted on."""

    what: Literal["these runs", "the latest report"]
    path: str | None = None
    generated_at: str | None = None
    labels: tuple[str, ...] = ()


class SuspectRow(Frozen, frozen=True, kw_only=True):
    """A row that got slower, or is new, against the earlier calibration."""

    detector: str
    location: str
    verdict: Literal["slower", "new"]
    before_ms: float
    after_ms: float


class Suspicion(Frozen, frozen=True, kw_only=True):
    """These runs against the scenario's last healthy calibration."""

    against: str
    """Name of that calibration."""
    made_at: str | None
    runs: int
    """How many runs it was made from."""
    tested: bool
    """False: too few runs on a side to tell."""
    rows: tuple[SuspectRow, ...] = ()
    """Furthest moved first."""
    window: tuple[float, float] | None = None
    """Window before and after, in ms, when it got slower."""

    @property
    def suspected(self) -> bool:
        """These runs hold something slower than the healthy ones did."""
        return bool(self.rows) or self.window is not None


class Calibration(Frozen, frozen=True, kw_only=True):
    """Proposed thresholds of one scenario, with what they rest on."""

    schema: int = always(SCHEMA)
    kind: Literal["calibration"] = always("calibration")
    made_at: str | None = always(None)
    scenario: str
    several: bool = always(value=False)
    """The config names several scenarios: the section printed is this scenario's own."""
    asked: Asked = always(Asked())
    process: str | None = None
    """Mask of the process measured."""
    start: str | None = None
    """Anchors of the window, as GLOBs."""
    end: str | None = None
    device: str | None = None
    config_sha: str | None = None
    runs: tuple[CalibratedRun, ...]
    warnings: tuple[str, ...] = ()
    detectors: tuple[DetectorCalibration, ...]
    effect_on: EffectOn | None = None
    suspicion: Suspicion | None = None
    trusted: bool = False
    """A person said these runs are healthy, whatever they differ from."""

    @property
    def healthy(self) -> bool:
        """Whether later runs may be held against these."""
        return self.trusted or self.suspicion is None or not self.suspicion.suspected

    @property
    def proposed(self) -> int:
        """How many thresholds got a number."""
        return sum(one.proposed is not None for detector in self.detectors for one in detector.thresholds)

    @property
    def kept(self) -> int:
        """How many did not."""
        return sum(len(detector.thresholds) for detector in self.detectors) - self.proposed

    @property
    def failed(self) -> tuple[str, ...]:
        """Detectors that failed on every run."""
        return tuple(detector.id for detector in self.detectors if detector.state == "failed")
