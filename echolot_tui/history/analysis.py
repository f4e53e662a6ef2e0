"""One analysis of the store, from its selection to the report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec.structs import replace

from echolot_tui.frozen import Frozen
from echolot_tui.history import finding
from echolot_tui.history.git import Git
from echolot_tui.history.judge import judge_branch, judge_history
from echolot_tui.history.lines import Line, git_line, stored_line
from echolot_tui.history.model import HistoryReport
from echolot_tui.history.select import Filters, select
from echolot_tui.history.store import Store, StoredRun

Order = Literal["git", "stored"]


class Asked(Frozen, frozen=True, kw_only=True):
    """What is analysed."""

    context: str | None = None
    base: str | None = None
    since: str | None = None
    order: Order | None = None
    """``None``: git's where the checkout knows a commit of the store, else the order they were added in."""
    filters: Filters = Filters()


def analyze(
    store: Store, git: Git | None, asked: Asked, *, jobs: int = 1, every: bool = False
) -> HistoryReport:
    """Judge the store's series.

    Args:
        store: Open.
        git: The checkout; ``None`` outside of one.
        asked: What to look at.
        jobs: Worker processes.
        every: List every series with its gates.

    Raises:
        EcholotError: A commit that git does not know, or a base that shares none with it.
    """
    line = line_of(store.runs(), git, asked)
    selection = select(store, line, asked.filters)
    judge = judge_branch if line.mode == "branch" else judge_history
    names = finding.Line(line.named())
    report = judge(selection.series, names, jobs=jobs, every=every)
    first = min((series.points[0].index for series in selection.series if series.points), default=None)
    return replace(
        report,
        source=str(store.path),
        context=line.context,
        context_dirty=line.tree_dirty,
        base=line.base,
        oldest=None if first is None else names.ref(first),
        runs=sum(selection.runs.values()),
        sets=tuple(
            replace(one, runs=selection.runs.get(one.set, 0), lag=selection.lags.get(one.set))
            for one in report.sets
        ),
        notes=selection.notes,
    )


def line_of(runs: Sequence[StoredRun], git: Git | None, asked: Asked) -> Line:
    """The line the runs lie on."""
    if git is not None and (asked.order == "git" or (asked.order is None and _known(runs, git, asked))):
        return git_line(git, runs, context=asked.context, base=asked.base, since=asked.since)
    meant = [run for run in runs if asked.filters.take(run.set) and not run.dirty]
    return stored_line([run.commit for run in meant])


def _known(runs: Sequence[StoredRun], git: Git, asked: Asked) -> bool:
    """Whether git is meant: something of git's was named, or its line holds a commit of the store."""
    if asked.context or asked.base or not runs:
        return True
    if git.find("HEAD") is None:
        return False
    line = {commit.id for commit in git.first_parents("HEAD")}
    return any(run.commit in line for run in runs)
