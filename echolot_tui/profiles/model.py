"""The differential profile: two sides on one tree, what moved, and what the figures rest on."""

from __future__ import annotations

from typing import Final, Literal

from msgspec import field

from echolot_tui.frozen import Frozen, always
from echolot_tui.profiles.noise import Ruler
from echolot_tui.profiles.stacks import Unit

SCHEMA: Final = 1

State = Literal["grew", "shrank", "quiet", "unresolved", "withheld"]
"""``quiet``: a move of a tenth of the node would have been seen, and was not. ``unresolved``: it would not
have been. ``withheld``: the sides' stacks are cut at different depths, so this level is not compared."""

JudgedBy = Literal["runs", "bins", "floor"]
"""``runs``: all nodes together, by relabelling whole runs. ``bins``: the same over bins of a few runs.
``floor``: nothing was judged; what passes the floor is only shaded."""

Cause = Literal["own", "spread", "even", "new", "gone"]
"""``own``: its own body. ``spread``: several callees, none of which passes alone. ``even``: all its parts in
proportion, so it is called more often or is slower as a whole. ``new``, ``gone``: on one side only."""

Status = Literal["ok", "differs", "refused", "unknown"]
BucketVerdict = Literal["slower", "faster", "no change", "can't tell"]
SuspectKind = Literal["rename", "inlining"]


class Amount(Frozen, frozen=True, kw_only=True):
    """One node on one side."""

    own: float = field(name="self")
    """Taken in the node itself, per run, in the profile's unit."""
    total: float
    """With everything it calls."""
    folded: float = 0.0
    """In callees under the count floor, which are not listed."""
    share: float
    """``total`` in percent of the side."""
    self_share: float
    count: float
    """Samples, over all runs."""


class Judged(Frozen, frozen=True, kw_only=True):
    """What is said about one move."""

    state: State
    floor: float
    """The least move that passes: percentage points for shares, else the profile's unit."""
    p_family: float | None = None
    """Share of relabellings in which any node moves as clearly; null where nothing was relabelled."""
    q: float | None = None


class Node(Frozen, frozen=True, kw_only=True):
    """One frame in one place of the union tree."""

    id: int
    parent: int | None = None
    label: str
    depth: int
    before: Amount
    after: Amount
    delta: float = always(0.0)
    """After minus before, with callees, per run."""
    delta_share: float = always(0.0)
    """Percentage points."""
    self_delta_share: float = always(0.0)
    share: Judged
    absolute: Judged | None = None
    """Null where raw amounts must not be subtracted."""
    self_share: Judged
    folded_nodes: int = 0
    """Callees under the count floor."""
    resolved: bool = True
    suspect: SuspectKind | None = None
    values_before: tuple[float, ...] | None = None
    """Per run, with callees; of the heaviest nodes where a side has several runs."""
    values_after: tuple[float, ...] | None = None


class Finding(Frozen, frozen=True, kw_only=True):
    """A frame that explains a move: the deepest one that still does."""

    node: int
    label: str
    direction: Literal["rise", "fall"]
    cause: Cause
    confirmed: bool
    """Judged against runs; else only over the floor, which unchanged code passes often enough."""
    path: tuple[str, ...]
    """What contains it, outermost first."""
    before: float
    after: float
    share_before: float
    share_after: float
    delta: float
    delta_share: float
    explains: float
    """Part of ``delta_share`` its listed callees do not explain."""
    p_family: float | None = None
    q: float | None = None


class Suspect(Frozen, frozen=True, kw_only=True):
    """A pair of moves that are perhaps no change at all."""

    kind: SuspectKind
    before: int
    """Node that fell."""
    after: int
    """Node that rose."""
    before_label: str
    after_label: str
    parent: str
    fall: float
    """Percentage points."""
    rise: float
    why: str


class Precondition(Frozen, frozen=True, kw_only=True):
    """One thing the two sides have to have in common."""

    name: str
    status: Status
    before: str
    after: str
    text: str


class TotalMove(Frozen, frozen=True, kw_only=True):
    """The whole of both sides."""

    before: float
    """Per run, in the profile's unit."""
    after: float
    ratio: float | None = None
    low: float | None = None
    """95 % range of the move over the runs."""
    high: float | None = None
    verdict: Literal["slower", "faster", "no change", "can't tell"] | None = None
    """Null where no runs were compared."""
    whole_program: bool = False
    """The whole moved and no share did: look at clocks and counters, not at the shape."""


class Side(Frozen, frozen=True, kw_only=True):
    """Where one side comes from."""

    name: str
    paths: tuple[str, ...]
    source: str
    runs: int
    samples: float
    """Over all runs."""
    left_out: float = 0.0
    """Samples of the sampler's own threads."""
    depth_median: float = 0.0
    depth_most: int = 0


class Drift(Frozen, frozen=True, kw_only=True):
    """One node that costs more late in a run than early."""

    node: int
    label: str
    path: tuple[str, ...]
    share_early: float
    share_late: float
    delta_share: float
    p_family: float | None = None


class EarlyLate(Frozen, frozen=True, kw_only=True):
    """Late against early inside the runs of one side."""

    side: Literal["before", "after"]
    state: Literal["ok", "too few", "no moments"]
    boundary_ms: float | None = None
    """After the first sample; null is the middle of each run."""
    samples_early: float = 0.0
    samples_late: float = 0.0
    pairs: int = 0
    judged_by: JudgedBy = "floor"
    rises: tuple[Drift, ...] = ()
    falls: tuple[Drift, ...] = ()


class Bucket(Frozen, frozen=True, kw_only=True):
    """A part of the tree; every sample is in exactly one."""

    node: int
    label: str
    without: tuple[str, ...] = ()
    """Parts inside it that are buckets of their own."""
    before: float
    after: float
    delta: float
    statistic: float | None = None
    """Signed; null for an infinite one: sides without spread that differ."""
    resolves: float | None = None
    """The least delta that would have been told apart."""
    verdict: BucketVerdict


class Buckets(Frozen, frozen=True, kw_only=True):
    """Parts chosen by relabelling, so that searching for them costs nothing."""

    rows: tuple[Bucket, ...]
    gain_bar: float | None
    """A split has to gain more than this; null when too few relabellings exist."""
    bar: float | None
    """A bucket moved when its statistic passes this."""
    relabellings: int
    sum_of_deltas: float
    total_delta: float


class ProfileDiff(Frozen, frozen=True, kw_only=True):
    """``profile.json``."""

    kind: Literal["profile"] = always("profile")
    schema: int = always(SCHEMA)
    unit: Unit
    totals: TotalMove
    before: Side
    after: Side
    control: Side | None = None
    judged_by: JudgedBy
    basis: Literal["share", "absolute"] = always("share")
    """What findings are read from."""
    columns_before: int = 0
    """Runs or bins that were judged."""
    columns_after: int = 0
    bin_ms: float | None = None
    relabellings: int = 0
    tested: int = 0
    """Different rows that were relabelled together."""
    ruler: Ruler
    """What the floor comes from."""
    stretch: float = 1.0
    """How much further nodes of the same code stray than counting says."""
    count_floor: float
    """Samples under which a node is folded into its caller."""
    nodes_total: int
    nodes_folded: int
    withheld_below: int | None = None
    """Depth from which on nothing is said."""
    preconditions: tuple[Precondition, ...]
    refused: bool = False
    """The sides were sampled by different events: no flame graph, no findings."""
    findings: tuple[Finding, ...] = always(())
    follow: tuple[int, ...] = ()
    """Nodes along the largest rise, from the uppermost that moved down to the one that explains it."""
    share_only: int = 0
    """Nodes whose share moved only because something else did."""
    suspects: tuple[Suspect, ...] = always(())
    early_late: tuple[EarlyLate, ...] = ()
    buckets: Buckets | None = None
    notes: tuple[str, ...] = ()
    nodes: tuple[Node, ...]
