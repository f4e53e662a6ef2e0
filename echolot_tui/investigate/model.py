"""Hunts, rounds and what belongs to them, as read from the database."""

from __future__ import annotations

from typing import Any

from echolot_tui.frozen import Frozen, always
from echolot_tui.investigate.states import HuntState, RoundState, RunState

Plain = str | int | float | bool | None


class TraceFile(Frozen, frozen=True, kw_only=True):
    """A trace as somebody hands it in."""

    path: str
    sha256: str


class Trace(Frozen, frozen=True, kw_only=True):
    """A recording of a round, complete in its place."""

    run: int
    """Which run of the round, from 0."""
    path: str
    """From the project's root, or absolute when it lies elsewhere."""
    sha256: str | None = None
    """Unknown only in imported rounds."""


class Run(Frozen, frozen=True, kw_only=True):
    """One run of a round."""

    run: int
    """From 0, as in the trace's file name."""
    state: RunState
    reason: str | None = None
    """Why it failed; of a run that is done, why its trace gave no measurement when it came."""
    since: str
    """When it came into this state."""


class ReportLink(Frozen, frozen=True, kw_only=True):
    """The report a round has."""

    id: int
    path: str
    """From the project's root."""
    sha256: str
    generated_at: str | None = None
    config_sha: str | None = None
    runs: tuple[int, ...] = always(())
    """Which of the round's runs it was made from."""


class ComparisonLink(Frozen, frozen=True, kw_only=True):
    """The latest comparison that has a round as its after side."""

    before_k: int
    before_report: int
    """Id of the report that was the before side."""
    after_report: int
    path: str
    """``comparison.json``, from the project's root."""
    at: str


class Note(Frozen, frozen=True, kw_only=True):
    """What a person wrote down."""

    at: str
    text: str
    k: int | None = None
    """The round it is about; ``None`` is the hunt."""


class Round(Frozen, frozen=True, kw_only=True):
    """One set recorded and its report."""

    id: int
    """The same for as long as the project lives."""
    hunt: int | None
    """``None`` for a set recorded outside any hunt."""
    k: int
    """Number within the hunt, from 1."""
    scenario: str
    label: str | None = None
    state: RoundState
    opened_at: str
    touched_at: str
    pid: int | None = None
    """Process that records it, or did last."""
    plan: dict[str, Plain] = {}
    """How it is recorded, as the collect wrote it: mode, device, seed, arm …"""
    runs: tuple[Run, ...] = always(())
    traces: tuple[Trace, ...] = always(())
    report: ReportLink | None = None
    """The latest."""
    comparison: ComparisonLink | None = None
    notes: tuple[Note, ...] = ()

    @property
    def name(self) -> str:
        """The label a person gave it, else its number."""
        return self.label or f"round {self.k}"

    @property
    def done(self) -> tuple[int, ...]:
        """Runs that have their trace."""
        return tuple(run.run for run in self.runs if run.state == "done")

    @property
    def missing(self) -> tuple[int, ...]:
        """Runs a resumed collect has to record."""
        return tuple(run.run for run in self.runs if run.state != "done")

    @property
    def is_measured(self) -> bool:
        """Whether the report was made from every trace there is."""
        return self.report is not None and set(self.done) <= set(self.report.runs)


class Hunt(Frozen, frozen=True, kw_only=True):
    """An investigation."""

    n: int
    question: str
    since: str | None = None
    """The change the question is about, as the person wrote it."""
    scenario: str
    state: HuntState
    current: bool = always(value=False)
    """Whether verbs without a number mean this one."""
    opened_at: str
    touched_at: str
    closed_at: str | None = None
    conclusion: str | None = None
    config_sha: str | None = None
    confirmed: dict[str, Any] = {}
    """Config values a person had confirmed when it opened, by dotted key."""
    anchors: dict[str, str | None] = {}
    """The scenario's process, start and end when it opened."""
    imported_from: str | None = None
    """The original's file it was read from."""
    rounds: tuple[Round, ...] = always(())
    notes: tuple[Note, ...] = ()

    @property
    def measured(self) -> tuple[Round, ...]:
        """Rounds that have a report, in order."""
        return tuple(each for each in self.rounds if each.report is not None)


class JournalLine(Frozen, frozen=True, kw_only=True):
    """One transition, as it was written."""

    id: int
    at: str
    subject: str
    """``hunt``, ``round``, ``run``, or what else changed: ``note``, ``report``, ``label`` …"""
    event: str
    hunt: int | None = None
    k: int | None = None
    run: int | None = None
    source: str | None = None
    target: str | None = None
    detail: dict[str, Any] = {}
