"""The one store: what every screen shows, replaced as a whole, told at most five times a second.

A slot holds one frozen model or says why there is none. Only the bridge writes; screens read and
are told when something changed. The last value wins: a screen never sees news that is already old.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from msgspec.structs import replace

from echolot_tui.calibrate.model import Calibration
from echolot_tui.collect.model import Progress
from echolot_tui.collect.run_line import RunLine
from echolot_tui.compare.model import Comparison
from echolot_tui.compare.view import View, ViewOptions
from echolot_tui.frozen import Frozen
from echolot_tui.investigate.model import Hunt
from echolot_tui.investigate.view import HuntView
from echolot_tui.measure.plan import Decision
from echolot_tui.measure.probe import Probe
from echolot_tui.report.model import AllRows, Report
from echolot_tui.report.view import Section
from echolot_tui.report.what_if import Passing
from echolot_tui.selfcheck.model import Doctor

if TYPE_CHECKING:
    from echolot_tui.history.model import HistoryReport
    from echolot_tui.present.profile_screen import ProfileTree

T = TypeVar("T")

QUIET_S: Final = 0.2
"""Seconds between two tellings."""


class Empty(Frozen, frozen=True, kw_only=True):
    """Nothing was asked for yet."""


class Working(Frozen, frozen=True, kw_only=True):
    """Being made; what is done right now."""

    text: str


class Failed(Frozen, frozen=True, kw_only=True):
    """Could not be made."""

    sentence: str
    log: str | None = None
    """File with the traceback, when this is a bug."""


class Ready(Frozen, Generic[T], frozen=True, kw_only=True):
    """There it is."""

    value: T


class ComparisonAsk(Frozen, frozen=True, kw_only=True):
    """Which sides to compare, under which names, with which further flags of the verb."""

    sides: tuple[str, ...]
    names: tuple[str, ...] = ()
    """In the order of the sides; blank leaves the default."""
    flags: tuple[str, ...] = ()
    first_flags: tuple[str, ...] = ()
    """Flags that choose the sides, where none are named."""
    folder: str | None = None
    """Where an export goes."""


class ShownComparison(Frozen, frozen=True, kw_only=True):
    """A comparison, how it was asked for, and what of it is looked at."""

    ask: ComparisonAsk
    comparison: Comparison
    options: ViewOptions
    view: View


class ProfileAsk(Frozen, frozen=True, kw_only=True):
    """Which two sides to lay over each other, with which further flags of the verb."""

    before: str
    """File, folder or pattern."""
    after: str
    names: tuple[str, ...] = ()
    """What the sides are called; empty leaves the default."""
    flags: tuple[str, ...] = ()
    folder: str | None = None
    """Where an export goes."""


class ShownProfile(Frozen, frozen=True, kw_only=True):
    """A differential profile and how it was asked for."""

    ask: ProfileAsk
    tree: ProfileTree


class ShownReport(Frozen, frozen=True, kw_only=True):
    """A report, every row behind it, and the detectors' settings of today."""

    path: str
    report: Report
    all_rows: AllRows | None
    rows_note: str | None
    """Why there are no rows under the bar."""
    decisions: tuple[Decision, ...]
    """Empty where the config does not load; ``settings_note`` says why."""
    settings_note: str | None = None
    text: str = ""
    """Only rows that hold it."""
    sections: tuple[Section, ...] = ()
    """What of the report is looked at."""


class Place(Frozen, frozen=True, kw_only=True):
    """A report found in the project or beside it."""

    path: str
    text: str


class HomeView(Frozen, frozen=True, kw_only=True):
    """What there is to open."""

    standing: tuple[tuple[str, str], ...]
    """Where the project stands: a word and what there is to say of it."""
    next_step: str
    reports: tuple[Place, ...]
    next_word: str = ""
    """The next step for programs; Home knows the key that does it."""
    config: str | None = None
    """``None`` where there is none, or it does not load."""
    has_config: bool = True
    """A config is there, whether it loads or not."""
    hunts: tuple[Hunt, ...] = ()
    """Newest first."""
    shown: HuntView | None = None
    """The hunt whose rounds are looked at."""
    at: str = ""
    """When all this was read."""


class CollectPlan(Frozen, frozen=True, kw_only=True):
    """What a collect would record."""

    config: str
    scenario: str
    mode: str
    iterations: int | None
    """``None`` where the runner decides."""
    commands: tuple[str, ...]
    """Run on this machine."""
    hunt: str | None = None
    """The question it would be a round of."""


class ShownCollect(Frozen, frozen=True, kw_only=True):
    """The collect in flight or the last one, and what the next would be; or a folder that is watched."""

    plan: CollectPlan | None = None
    problem: str | None = None
    """Why nothing can be recorded here."""
    progress: Progress | None = None
    """Of the collect in flight, or of the last one."""
    running: bool = False
    lost: bool = False
    """The recording process is gone without a word."""
    lines: tuple[RunLine, ...] = ()
    """One a run."""
    notes: tuple[str, ...] = ()
    """What can still be helped."""
    left_s: float | None = None
    """Seconds until the set is full, at the pace so far."""
    log: tuple[str, ...] = ()
    """The last lines of the recorder."""
    report: str | None = None
    """The report, once there is one."""
    watching: str | None = None
    """The folder that is watched instead."""
    asked: str | None = None
    """What the recording process was asked and has not done yet."""


class SetupView(Frozen, frozen=True, kw_only=True):
    """A trace as it is looked into before there is a config."""

    trace: str
    probe: Probe


class ShownCalibration(Frozen, frozen=True, kw_only=True):
    """Thresholds from healthy runs, and where they would be written."""

    calibration: Calibration
    traces: tuple[str, ...]
    path: str
    """``echolot.calibrated.yml`` beside the config."""
    section: str
    """What would be written."""


class SidePassing(Frozen, frozen=True, kw_only=True):
    """What the thresholds list in one set of runs."""

    name: str
    labels: tuple[str, ...]
    """Of its runs."""
    passing: Passing


class WhatIf(Frozen, frozen=True, kw_only=True):
    """One detector under moved thresholds, on every side that is open."""

    detector: str
    params: dict[str, int | float | str]
    sides: tuple[SidePassing, ...]
    """The report that is open first."""


class State(Frozen, frozen=True, kw_only=True):
    """Everything the screens show."""

    home: Empty | Working | Failed | Ready[HomeView] = Empty()
    comparison: Empty | Working | Failed | Ready[ShownComparison] = Empty()
    report: Empty | Working | Failed | Ready[ShownReport] = Empty()
    what_if: Empty | Working | Failed | Ready[WhatIf] = Empty()
    collect: Empty | Working | Failed | Ready[ShownCollect] = Empty()
    setup: Empty | Working | Failed | Ready[SetupView] = Empty()
    calibration: Empty | Working | Failed | Ready[ShownCalibration] = Empty()
    doctor: Empty | Working | Failed | Ready[Doctor] = Empty()
    history: Empty | Working | Failed | Ready[HistoryReport] = Empty()
    profile: Empty | Working | Failed | Ready[ShownProfile] = Empty()


Slot = Empty | Working | Failed | Ready[T]


class Store:
    """Holds the state and tells its readers.

    Args:
        later: Calls a function after some seconds.
        clock: Seconds, monotonic.
    """

    def __init__(
        self, later: Callable[[float, Callable[[], None]], object], clock: Callable[[], float]
    ) -> None:
        self.state = State()
        self._later = later
        self._clock = clock
        self._readers: list[Callable[[State], None]] = []
        self._told_at = -QUIET_S
        self._waiting = False

    def put(self, **slots: object) -> None:
        """Replace slots; readers are told now, or together with what else comes in the quiet time."""
        self.state = replace(self.state, **slots)
        if self._waiting:
            return
        wait = self._told_at + QUIET_S - self._clock()
        if wait <= 0:
            self._tell()
        else:
            self._waiting = True
            self._later(wait, self._tell)

    def answer(self, **slots: object) -> None:
        """Replace slots because a key asked for it: readers are told at once, however often."""
        self.state = replace(self.state, **slots)
        for reader in tuple(self._readers):
            reader(self.state)

    def subscribe(self, reader: Callable[[State], None]) -> Callable[[], None]:
        """Tell ``reader`` every new state, beginning with this one; returns what ends it."""
        self._readers.append(reader)
        reader(self.state)
        return lambda: self._readers.remove(reader)

    def _tell(self) -> None:
        self._waiting = False
        self._told_at = self._clock()
        for reader in tuple(self._readers):
            reader(self.state)
