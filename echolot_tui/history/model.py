"""What a history analysis says; ``--json`` prints these fields, ``echolot schema history`` describes them."""

from __future__ import annotations

from typing import Literal

from echolot_tui.frozen import Frozen, always
from echolot_tui.history.ladder import Gate
from echolot_tui.history.series import Blessing, SetName

SCHEMA = 1

Mode = Literal["history", "branch"]
Method = Literal["step", "drift", "branch"]
Direction = Literal["regression", "improvement"]
Reason = Literal[
    "ghost",
    "too_few_points",
    "too_few_points_since_blessing",
    "not_measured_on_branch",
    "too_few_base_commits",
    "too_few_base_commits_since_blessing",
    "current_base_regime_unresolved",
]
CensusState = Literal["no_series", "nothing_in_scope", "nothing_judged", "partial", "full"]


class CommitRef(Frozen, frozen=True, kw_only=True):
    """A commit, or a place in an imported line."""

    id: str
    title: str = ""
    index: int
    """On the first-parent line that was analysed, 0 the oldest."""


class BranchBlock(Frozen, frozen=True, kw_only=True):
    """What a branch finding was compared with."""

    low: float
    high: float
    """Smallest and largest level of the base's current stretch."""
    references: int
    """Base commits in it."""
    value: float
    excess: float
    """Signed distance beyond the nearest end."""
    regime_start: CommitRef
    matches_previous: bool
    """The value lies in the range of the stretch before."""
    in_comparison: bool
    """The series takes part in the comparison with past base commits."""


class Finding(Frozen, frozen=True, kw_only=True):
    """A level that moved."""

    name: str
    """The identity's segments, joined."""
    set: SetName
    segments: tuple[str, ...]
    metric: str
    unit: str | None = always(None)
    method: Method
    direction: Direction
    baseline: float
    """Level before; of a drift the line's start; of a branch the nearest end of the observed range."""
    latest: float
    delta: float
    relative: float
    """``delta / baseline``; plus or minus 1 from nothing."""
    commit: CommitRef
    """Of a step: near where the level begins, an estimate. Of a drift: the newest. Of a branch: its own."""
    suspects: tuple[str, ...] = ()
    """Of a step: every commit since the last one measured before it, the one named above last."""
    window_start: CommitRef | None = None
    """Of a drift: the oldest commit of the window it goes over."""
    further: tuple[CommitRef, ...] = ()
    """Of a step: other places where the level seems to change; untested, for the reader."""
    serial_lag1: float | None = None
    """Rank autocorrelation of the residuals at lag one."""
    serially_dependent: bool = False
    """The noise goes together from commit to commit, and the finding would not survive allowing for that."""
    blessing: Blessing | None = None
    """The series was judged since this one."""
    branch: BranchBlock | None = None
    group: int | None = None
    """Number of the group of findings of one set that begin in the same gap."""
    points: tuple[tuple[int, float], ...] = always(())
    """Every level that was looked at: commit index and value."""


class Group(Frozen, frozen=True, kw_only=True):
    """Steps of one set that may have begun at the same commit; grouped by position, no claim of a cause."""

    number: int
    set: SetName
    findings: int
    after: CommitRef
    """Newest commit measured before all of them."""
    first: CommitRef
    """Oldest commit at which one of them shows."""


class Census(Frozen, frozen=True, kw_only=True):
    """What the report's silence covers."""

    total: int = always(0)
    in_scope: int = always(0)
    """Total without ghosts."""
    judged: int = always(0)
    unjudged: int = always(0)
    reasons: dict[Reason, int] = always({})
    state: CensusState = always("no_series")


class Comparison(Frozen, frozen=True, kw_only=True):
    """The branch report of one set beside turns of past base commits."""

    series: int
    commits: int
    """Comparable base commits."""
    as_extreme: int
    """Of those, how many show as much out-of-range movement as the branch."""


class Lag(Frozen, frozen=True, kw_only=True):
    """Base commits newer than the newest one the set was compared with."""

    commits: int
    reason: Literal["partition mismatch", "no newer data"]


class SetSummary(Frozen, frozen=True, kw_only=True):
    """One set."""

    set: SetName
    series: int
    judged: int
    findings: int
    runs: int = 0
    comparison: Comparison | None = None
    """Of a branch report; absent when too few base commits compare."""
    lag: Lag | None = None


class SeriesState(Frozen, frozen=True, kw_only=True):
    """One series and what became of it; only listed when asked for."""

    name: str
    set: SetName
    metric: str
    points: int
    """Levels that counted."""
    judged: bool
    reason: Reason | None = None
    found: bool = always(value=False)
    declined_by: str | None = None
    """The last gate that said no, as ``stage: gate``."""
    gates: tuple[Gate, ...] = ()
    unit: str | None = None
    levels: tuple[tuple[int, float], ...] = ()
    """Every level there is, commit index and value; of a branch report the branch's own last."""
    blessing: Blessing | None = None
    """Only levels since this one counted."""
    counted_from: int | None = None
    """Commit index of the oldest level that counted."""


class HistoryReport(Frozen, frozen=True, kw_only=True):
    """Everything one analysis says."""

    schema: int = always(SCHEMA)
    kind: Literal["history"] = always("history")
    source: str = always("")
    """The store or file that was analysed."""
    mode: Mode
    context: CommitRef | None = always(None)
    """The analysed commit; none for a file of series."""
    context_dirty: bool = False
    """The working tree had uncommitted changes."""
    base: CommitRef | None = None
    """Where the base stands."""
    oldest: CommitRef | None = None
    """The first commit with a level."""
    notable: bool = always(value=False)
    runs: int = always(0)
    series: int = always(0)
    regressions: int = always(0)
    improvements: int = always(0)
    ghosts: int = always(0)
    census: Census = always(Census())
    findings: tuple[Finding, ...] = always(())
    groups: tuple[Group, ...] = always(())
    sets: tuple[SetSummary, ...] = always(())
    expected_outside: float | None = None
    """Branch: how many unchanged series would lie outside, before any floor: the sum of 2/(k+1)."""
    notes: tuple[str, ...] = ()
    every: tuple[SeriesState, ...] = ()
