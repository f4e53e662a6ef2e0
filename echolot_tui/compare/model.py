"""The comparison: two (or more) reports side by side. JSON keys are these fields, in this order."""

from __future__ import annotations

from typing import Literal

import msgspec

from echolot_tui.frozen import Frozen
from echolot_tui.report.model import Count, Repeat

SCHEMA = 2

Change = Literal["appeared", "grew", "shrank", "vanished", "steady"]
Verdict = Literal["slower", "faster", "no change", "can't tell", "new", "gone"]
SmallVerdict = Literal["slower", "faster", "higher", "lower", "no change", "can't tell", "new", "gone"]
"""Of a short table: ``higher`` and ``lower`` where more is neither slower nor faster."""

MatchedBy = Literal["exact", "family"]


class CompareWarning(Frozen, frozen=True, kw_only=True):
    """One reason to read the table with care."""

    id: str
    text: str
    """What it means for the table and what to do."""
    level: Literal["warning", "information"] = "warning"


class Side(Frozen, frozen=True, kw_only=True, omit_defaults=False):
    """One side of the comparison."""

    name: str
    path: str
    runs: int
    """Measured traces."""
    runs_given: int
    generated_at: str | None
    config_sha: str | None
    defaults: bool
    scenario: str | None = None
    engine: str | None = None
    repeats: tuple[Repeat, ...] = ()
    """In run order. Every ``by_run`` list of this side has one value per ``trace_index``, in this order."""


class Shift(Frozen, frozen=True, kw_only=True):
    """The row's own move: Hodges-Lehmann estimate and 95 % Moses range."""

    ms: float
    low_ms: float
    high_ms: float
    resolves_ms: float
    runs_needed: int | None


class ShareShift(Frozen, frozen=True, kw_only=True):
    """A move as share of the window, in percentage points."""

    before_pct: float
    after_pct: float
    delta_pct: float
    low_pct: float | None
    high_pct: float | None


class Shares(Frozen, frozen=True, kw_only=True):
    """In which part of its runs each side has the row, where the parts differ."""

    before: str
    after: str


class Face(Frozen, frozen=True, kw_only=True, omit_defaults=False):
    """One side of a row."""

    self_ms: float | msgspec.UnsetType = msgspec.UNSET
    total_ms: float | msgspec.UnsetType = msgspec.UNSET
    min: float | None = None
    max: float | None = None
    values: tuple[float, ...] | None = None
    count: Count | None = None
    runs: str | None = None
    covered_ms: float | None = None
    detail: str | None = None
    by_run: tuple[float | None, ...] | None = None
    """One value per trace of the side, the mean over its occurrences where it has several; 0 where the
    trace lacks the row, null where it was not measured."""
    passed: bool = True
    """Over its detector's bar on this side."""


class Row(Frozen, frozen=True, kw_only=True):
    """One row of the table."""

    location: str
    detector: str
    metric: Literal["self_ms", "total_ms"]
    change: Change
    matched_by: MatchedBy
    before: Face | None
    after: Face | None
    delta_ms: float
    ratio: float | None
    shift: Shift | None
    holds: bool | None
    verdict: Verdict | None
    """Null when there are too few runs to test anything."""
    q: float | None
    """Share of false finds among the rows at least as clear as this one; shown, it decides nothing."""
    p_family: float | None
    """Chance that an unchanged build shows a move as clear as this anywhere in the table."""
    resolves_ms: float | None
    """Smallest move these runs could call real on the bar that applies to this row."""
    runs_needed: int | None
    """Runs a side that would settle it on that bar; null when settled or when more runs will not."""
    impact: float | None
    """``delta_ms`` as a fraction of the before window; null without a window."""
    share: ShareShift | None
    follows: Literal["window"] | None = None
    pinned: bool = False
    tied: bool = False
    """More than 10 % of the cross pairs tie: judged by the mean difference."""
    thread: str | None = None
    detail: str | None = None
    code: str | None = None
    """Where the row points in the code of the after side; of before where it is gone."""
    shares: Shares | None = None
    sentence: str | None = None
    """The row in words, with the sides' names."""


class WindowMove(Frozen, frozen=True, kw_only=True):
    """The window before and after, with its own range."""

    before_ms: float | None
    after_ms: float | None
    delta_ms: float | None
    ratio: float | None
    shift: Shift | None = None
    holds: bool | None = None
    verdict: Verdict | None = None
    before_values: tuple[float | None, ...] = ()
    after_values: tuple[float | None, ...] = ()


class NoiseFloor(Frozen, frozen=True, kw_only=True):
    """What counts as a move at all: the larger of the two."""

    abs_ms: float
    ratio: float


class StateChange(Frozen, frozen=True, kw_only=True):
    """A detector whose state differs."""

    id: str
    before: str
    after: str


class Summary(Frozen, frozen=True, kw_only=True, omit_defaults=False):
    """Counts over the table."""

    moved: int
    appeared: int
    vanished: int
    steady: int
    fired_before: tuple[str, ...] = ()
    fired_after: tuple[str, ...] = ()
    state_changed: tuple[StateChange, ...] = ()
    silent_both: tuple[str, ...] = ()
    no_data_both: tuple[str, ...] = ()
    """Neither side recorded the source: nothing of it can be compared, and nothing looks as if it moved."""
    verdicts: dict[str, int] = {}


class FamilyTest(Frozen, frozen=True, kw_only=True):
    """How the table as a whole was tested."""

    rows: int
    """Rows that could clear the floor: the family corrected for."""
    method: Literal["exact", "drawn"] | None
    relabellings: int
    seed: int | None = None
    smallest_p: float | None = None
    """Smallest p this many runs allow at all."""
    note: str | None = None
    """In words, when the number of relabellings alone forbids a finding."""
    level: float = 0.05
    """Family-wise p up to which a row is a finding."""


class SmallRow(Frozen, frozen=True, kw_only=True):
    """One line of a short table: a number that is not a detector's row."""

    name: str
    unit: Literal["ms", "%", "MHz", "°C", "MB", "count"]
    before: float | None
    after: float | None
    delta: float | None
    low: float | None = None
    high: float | None = None
    holds: bool | None = None
    verdict: SmallVerdict | None = None
    before_values: tuple[float | None, ...] = ()
    after_values: tuple[float | None, ...] = ()


class SmallTable(Frozen, frozen=True, kw_only=True):
    """What else moved: budget, startup, markers, coverage, environment."""

    id: Literal["budget", "startup", "markers", "coverage", "environment"]
    title: str
    rows: tuple[SmallRow, ...]


class RenameSuspect(Frozen, frozen=True, kw_only=True):
    """Two rows that may be the same work under two names."""

    gone: str
    new: str
    detector: str
    gone_ms: float
    new_ms: float
    reason: str
    new_detector: str | None = None
    """Where the new row is, when another detector lists it."""


class Comparison(Frozen, frozen=True, kw_only=True, omit_defaults=False):
    """Two reports side by side, rows sorted by how far they moved."""

    schema: int = SCHEMA
    kind: Literal["comparison"] = "comparison"
    generated_at: str | None = None
    comparable: bool
    warnings: tuple[CompareWarning, ...] = ()
    before: Side
    after: Side
    window: WindowMove
    noise_floor: NoiseFloor
    confidence: float = 0.95
    summary: Summary
    family: FamilyTest | None = None
    whole_run: str | None = None
    """Said on top when the whole run moved, not single rows."""
    rows: tuple[Row, ...]
    suspects: tuple[RenameSuspect, ...] = ()
    also: tuple[SmallTable, ...] = ()
    others: tuple[Comparison, ...] = ()
    """With more than two sides: the same base against each further side."""
