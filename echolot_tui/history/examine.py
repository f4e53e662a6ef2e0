"""Every recorded value of one series, commit by commit, without judging any."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from echolot_tui.errors import EcholotError
from echolot_tui.frozen import Frozen, always
from echolot_tui.history.lines import Line
from echolot_tui.history.model import CommitRef, SeriesState
from echolot_tui.history.select import Filters
from echolot_tui.history.series import SetName, median_interval
from echolot_tui.history.store import Store, StoredPoint, StoredRun
from echolot_tui.project.validate import did_you_mean, nearest


class Observation(Frozen, frozen=True, kw_only=True):
    """One value at one commit, or that there is none."""

    commit: CommitRef
    value: float | None = always(None)
    runs: tuple[float, ...] = ()
    low: float | None = None
    high: float | None = None
    dirty: bool = False
    source: str | None = None


class ExaminedSet(Frozen, frozen=True, kw_only=True):
    """One set's values over the line."""

    set: SetName
    unit: str | None = always(None)
    observations: tuple[Observation, ...] = always(())
    gates: SeriesState | None = None
    """How the series was judged, when that was asked for."""


class Examination(Frozen, frozen=True, kw_only=True):
    """One series in every set that has it, over the same commits."""

    name: str
    metric: str
    sets: tuple[ExaminedSet, ...] = always(())
    hint: str | None = None
    """What to do about an empty listing."""


def examine(store: Store, line: Line, name: str, metric: str, filters: Filters) -> Examination:
    """List a series from the earliest commit at which any set has it to the analysed one.

    Raises:
        EcholotError: No series has such a metric.
    """
    known = [series for series in store.series() if filters.take(series.set)]
    metrics = sorted({series.metric for series in known})
    if not metrics:
        raise EcholotError("the store holds no series of these sets", where=str(store.path))
    if metric not in metrics:
        raise EcholotError(f'no series has a metric "{metric}"', todo=did_you_mean(metric, metrics))
    meant = [series for series in known if series.metric == metric and "/".join(series.segments) == name]
    place = {identifier: at for at, (identifier, _) in enumerate(_listed(line))}
    runs = {run.id: run for run in store.runs() if run.commit in place and filters.take(run.set)}
    points = defaultdict[int, list[StoredPoint]](list)
    for point in store.points(sorted(runs)):
        points[point.series].append(point)
    shown = [series for series in meant if points[series.id]]
    if not shown:
        names = sorted({"/".join(series.segments) for series in known if series.metric == metric})
        return Examination(name=name, metric=metric, hint=_hint(name, names))
    earliest = min(place[runs[point.run].commit] for series in shown for point in points[series.id])
    return Examination(
        name=name,
        metric=metric,
        sets=tuple(
            ExaminedSet(
                set=series.set,
                unit=series.unit,
                observations=_observations(points[series.id], runs, line, earliest),
            )
            for series in shown
        ),
    )


def _listed(line: Line) -> tuple[tuple[str, str], ...]:
    """The line's commits; a base's tip whose dirty state is the branch is listed once."""
    return line.named()[: len(line.commits)] if line.own_dirty_only else line.named()


def _hint(name: str, names: Sequence[str]) -> str:
    close = nearest(name, names)
    if close:
        return f'no series of that name; did you mean "{close}"?'
    return f"no series of that name; {len(names)} others have this metric, analyze --verbose lists them"


def _observations(
    points: Sequence[StoredPoint], runs: Mapping[int, StoredRun], line: Line, earliest: int
) -> tuple[Observation, ...]:
    by_commit = defaultdict[str, list[StoredPoint]](list)
    for point in points:
        by_commit[runs[point.run].commit].append(point)
    found = []
    for at, (identifier, title) in enumerate(_listed(line)[earliest:], start=earliest):
        commit = CommitRef(id=identifier, title=title, index=at)
        here = sorted(by_commit[identifier], key=lambda point: (runs[point.run].dirty, point.run))
        found += [_observation(commit, point, runs[point.run]) for point in here] or [
            Observation(commit=commit)
        ]
    return tuple(found)


def _observation(commit: CommitRef, point: StoredPoint, run: StoredRun) -> Observation:
    low, high = median_interval(point.runs) or (None, None)
    return Observation(
        commit=commit,
        value=point.value,
        runs=point.runs,
        low=low,
        high=high,
        dirty=run.dirty,
        source=run.source,
    )
