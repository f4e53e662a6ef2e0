"""A series: the points of one (set, identity, metric), ordered by their commits on the first-parent line."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Final, Literal

from echolot_tui.frozen import Frozen, always
from echolot_tui.history.levels import Levels

Better = Literal["lower", "higher"]

_TWO_SIDED: Final = 0.05
"""Most that a point's own interval may miss."""


class SetName(Frozen, frozen=True, kw_only=True, order=True):
    """The partition inside which numbers may be compared."""

    scenario: str
    model: str
    """Device model, or the machine's name."""
    engine: str
    """What measured: the engine with its version."""

    @property
    def label(self) -> str:
        """``coldStart · Pixel 8 · embedded v52``."""
        return " · ".join(part for part in (self.scenario, self.model, self.engine) if part)


class Point(Frozen, frozen=True, kw_only=True):
    """One level: everything measured of one series at one commit."""

    index: int
    """Place of the commit on the first-parent line, 0 the oldest."""
    commit: str
    value: float
    low: float | None = None
    """Interval of the value, where its runs are enough for one."""
    high: float | None = None
    runs: int = 1
    dirty: bool = False


class Blessing(Frozen, frozen=True, kw_only=True):
    """An intentional change, accepted: detection starts anew at its commit."""

    commit: str
    prefix: str
    """Of the joined identity; empty for everything."""
    reason: str = ""
    at: str = always("")
    set: SetName


class Series(Frozen, frozen=True, kw_only=True):
    """The points of one (set, identity, metric)."""

    set: SetName
    segments: tuple[str, ...]
    metric: str
    unit: str | None
    better: Better = "lower"
    points: tuple[Point, ...]
    """Oldest first, one a commit; of a branch report: of the base."""
    start: int = 0
    """First point that counts; those before it are older than a blessing."""
    blessing: Blessing | None = None
    context: Point | None = None
    """Of a branch report: the analysed commit's level."""
    ghost: bool = False
    """No metric of the identity was measured at the analysed commit."""

    @property
    def name(self) -> str:
        """The identity's segments, joined."""
        return "/".join(self.segments)

    @property
    def active(self) -> tuple[Point, ...]:
        """The points that count."""
        return self.points[self.start :]


def levels_of(points: Sequence[Point]) -> Levels:
    """The points as the detectors look at them."""
    return Levels.of([point.value for point in points], [_interval(point) for point in points])


def _interval(point: Point) -> tuple[float, float] | None:
    return None if point.low is None or point.high is None else (point.low, point.high)


def level_at(index: int, commit: str, runs: Sequence[float]) -> Point:
    """The level of one measurement: the median of its runs, and its interval where there is one."""
    return level_of(index, commit, [(float(median(runs)), runs)])


def level_of(
    index: int, commit: str, measurements: Sequence[tuple[float, Sequence[float]]], *, dirty: bool = False
) -> Point:
    """One level a commit: the median of its measurements, between the medians of their intervals' ends.

    Args:
        index: The commit's place on the line.
        commit: Its identifier.
        measurements: Value and runs of each.
        dirty: They come from a tree with uncommitted changes.
    """
    intervals = [each for _, runs in measurements if (each := median_interval(runs)) is not None]
    return Point(
        index=index,
        commit=commit,
        value=float(median(value for value, _ in measurements)) + 0.0,
        low=median(low for low, _ in intervals) if intervals else None,
        high=median(high for _, high in intervals) if intervals else None,
        runs=sum(len(runs) for _, runs in measurements),
        dirty=dirty,
    )


def median_interval(values: Sequence[float]) -> tuple[float, float] | None:
    """The narrowest pair of order statistics that holds the median with 95 %; ``None`` below six values.

    The median lies outside the k-th smallest and k-th largest of n with twice the chance of fewer than k
    heads in n throws (Thompson 1936), whatever the distribution.
    """
    n = len(values)
    ordered = sorted(values)
    missed, ways, kept = 0.0, 1, -1
    for below in range(n // 2):
        missed += 2 * ways / 2**n
        if missed > _TWO_SIDED:
            break
        kept = below
        ways = ways * (n - below) // (below + 1)
    return None if kept < 0 else (float(ordered[kept]), float(ordered[n - 1 - kept]))
