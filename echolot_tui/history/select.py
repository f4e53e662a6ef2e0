"""From the store to series: which runs count, one level a commit, ghosts, blessings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from msgspec.structs import replace

from echolot_tui.frozen import Frozen
from echolot_tui.history.lines import Line
from echolot_tui.history.model import Lag
from echolot_tui.history.series import Blessing, Point, Series, SetName, level_of
from echolot_tui.history.store import Store, StoredPoint, StoredRun, StoredSeries

Identity = tuple[SetName, tuple[str, ...]]


class Filters(Frozen, frozen=True, kw_only=True):
    """Which sets are meant; ``None`` means every."""

    scenario: str | None = None
    machine: str | None = None
    engine: str | None = None

    def take(self, name: SetName) -> bool:
        """Whether a set is meant."""
        wanted = ((self.scenario, name.scenario), (self.machine, name.model), (self.engine, name.engine))
        return all(asked is None or asked == given for asked, given in wanted)

    @property
    def one_set(self) -> SetName | None:
        """The set the filters name in full."""
        if self.scenario is None or self.machine is None or self.engine is None:
            return None
        return SetName(scenario=self.scenario, model=self.machine, engine=self.engine)


@dataclass(frozen=True, slots=True)
class Selection:
    """The series of one analysis."""

    series: tuple[Series, ...]
    runs: dict[SetName, int]
    lags: dict[SetName, Lag]
    notes: tuple[str, ...]


def select(store: Store, line: Line, filters: Filters) -> Selection:
    """Reconstruct every series of the sets that are meant."""
    index = line.index()
    meant = [run for run in store.runs() if filters.take(run.set)]
    base = [run for run in meant if not run.dirty and run.commit in index]
    branch = [run for run in meant if _on_branch(run, line)]
    chosen = {run.id: run for run in (*base, *branch)}
    analysed = _analysed(base, branch, line)
    meta = {series.id: series for series in store.series()}
    found = []
    for key, group in groupby(store.points(sorted(chosen)), key=lambda point: point.series):
        points = list(group)
        if any(point.listed for point in points):
            found.append(_series(meta[key], points, chosen, line, index))
    measured = {_identity(series) for series in found if _measured(series, analysed, line)}
    blessings = store.blessings()
    series = tuple(
        _blessed(_with_ghost(each, measured), blessings, index) for each in sorted(found, key=_order)
    )
    counts = dict[SetName, int]()
    for run in chosen.values():
        counts[run.set] = counts.get(run.set, 0) + 1
    return Selection(series, counts, _lags(base, line, index), _notes(meant, chosen, line))


def _on_branch(run: StoredRun, line: Line) -> bool:
    if line.branch is None or run.commit != line.branch.id:
        return False
    return run.dirty or not line.own_dirty_only


def _analysed(base: Sequence[StoredRun], branch: Sequence[StoredRun], line: Line) -> dict[SetName, str]:
    """Per set, the commit whose measurements keep an identity from being a ghost.

    A line of git ends at the analysed commit; one in stored order is many sets after each other, each of
    which ends where its own runs end.
    """
    context = line.context
    if line.stored:
        return {run.set: run.commit for run in base}
    return {run.set: context.id for run in (*base, *branch) if context is not None}


def _series(
    meta: StoredSeries,
    points: Sequence[StoredPoint],
    runs: Mapping[int, StoredRun],
    line: Line,
    index: Mapping[str, int],
) -> Series:
    by_commit: dict[str, list[StoredPoint]] = {}
    own: list[StoredPoint] = []
    for point in points:
        run = runs[point.run]
        if _on_branch(run, line):
            own.append(point)
        if not run.dirty and run.commit in index:
            by_commit.setdefault(run.commit, []).append(point)
    return Series(
        set=meta.set,
        segments=meta.segments,
        metric=meta.metric,
        unit=meta.unit,
        better=meta.better,
        points=tuple(
            _level(index[commit], commit, by_commit[commit], dirty=False)
            for commit in sorted(by_commit, key=index.__getitem__)
        ),
        context=_context(own, runs, line),
    )


def _context(own: Sequence[StoredPoint], runs: Mapping[int, StoredRun], line: Line) -> Point | None:
    """The analysed commit's level: from its dirty runs where there are any, else from its clean ones."""
    if line.branch is None or not own:
        return None
    dirty = [point for point in own if runs[point.run].dirty]
    return _level(len(line.commits), line.branch.id, dirty or own, dirty=bool(dirty))


def _level(index: int, commit: str, points: Iterable[StoredPoint], *, dirty: bool) -> Point:
    return level_of(index, commit, [(point.value, point.runs) for point in points], dirty=dirty)


def _measured(series: Series, analysed: Mapping[SetName, str], line: Line) -> bool:
    """Whether the series has a level at the analysed commit."""
    if line.branch is not None:
        return series.context is not None
    return bool(series.points) and series.points[-1].commit == analysed.get(series.set)


def _identity(series: Series) -> Identity:
    return series.set, series.segments


def _order(series: Series) -> tuple[SetName, tuple[str, ...], str]:
    return series.set, series.segments, series.metric


def _with_ghost(series: Series, measured: set[Identity]) -> Series:
    return replace(series, ghost=_identity(series) not in measured)


def _blessed(series: Series, blessings: Sequence[Blessing], index: Mapping[str, int]) -> Series:
    """The series with its start at the newest matching blessing on the line."""
    matching = [
        each
        for each in blessings
        if each.set == series.set and each.commit in index and series.name.startswith(each.prefix)
    ]
    if not matching:
        return series
    newest = max(matching, key=lambda each: index[each.commit])
    at = index[newest.commit]
    start = next(
        (place for place, point in enumerate(series.points) if point.index >= at), len(series.points)
    )
    return replace(series, start=start, blessing=newest)


def _lags(base: Sequence[StoredRun], line: Line, index: Mapping[str, int]) -> dict[SetName, Lag]:
    """Of a branch's sets: base commits newer than the newest one with data."""
    if line.branch is None:
        return {}
    newest: dict[SetName, int] = {}
    for run in base:
        newest[run.set] = max(newest.get(run.set, 0), index[run.commit])
    lags: dict[SetName, Lag] = {}
    for name, at in newest.items():
        behind = len(line.commits) - 1 - at
        if behind:
            elsewhere = max(newest.values()) > at
            lags[name] = Lag(commits=behind, reason="partition mismatch" if elsewhere else "no newer data")
    return lags


def _notes(meant: Sequence[StoredRun], chosen: Mapping[int, StoredRun], line: Line) -> tuple[str, ...]:
    notes = []
    left = len(meant) - len(chosen)
    if left:
        notes.append(f"{left} of {len(meant)} runs are left out: of other lines, too old, or of a dirty tree")
    if left and line.shallow:
        notes.append(
            f"this clone is shallow: git knows {len(line.commits)} commits of the line, runs of older ones "
            "cannot count; fetch them with git fetch --unshallow"
        )
    context = line.context
    if meant and context is not None and not any(run.commit == context.id for run in chosen.values()):
        notes.append(
            f"the analysed commit {context.id[:12]} has no run; add one, or name another with --context"
        )
    return tuple(notes)
