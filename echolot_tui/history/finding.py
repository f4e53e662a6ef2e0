"""What the detectors saw of a series, as a finding with commits and a direction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from echolot_tui.history.branch import BranchReading
from echolot_tui.history.census import evidence
from echolot_tui.history.detect import Candidate
from echolot_tui.history.levels import relative_move
from echolot_tui.history.model import BranchBlock, CommitRef, Direction, Finding
from echolot_tui.history.series import Better, Point, Series


@dataclass(frozen=True, slots=True)
class Line:
    """The commits that indexes mean, oldest first: identifier and title."""

    commits: Sequence[tuple[str, str]]

    def ref(self, index: int) -> CommitRef:
        """The commit at a place of the line."""
        identifier, title = self.commits[index]
        return CommitRef(id=identifier, title=title, index=index)

    def between(self, after: int, until: int) -> tuple[str, ...]:
        """Identifiers of the commits after one place, up to and with another."""
        return tuple(identifier for identifier, _ in self.commits[after + 1 : until + 1])


def direction_of(delta: float, better: Better) -> Direction:
    """A rise is a regression where lower is better."""
    return "regression" if (delta > 0) == (better == "lower") else "improvement"


def history_finding(series: Series, candidate: Candidate, line: Line) -> Finding:
    """A step with its suspects, or a drift over its window."""
    points = evidence(series, "history")
    at = candidate.at
    return Finding(
        name=series.name,
        set=series.set,
        segments=series.segments,
        metric=series.metric,
        unit=series.unit,
        method=candidate.method,
        direction=direction_of(candidate.delta, series.better),
        baseline=candidate.baseline,
        latest=candidate.latest,
        delta=candidate.delta,
        relative=relative_move(candidate.delta, candidate.baseline),
        commit=line.ref(points[-1 if at is None else at].index),
        suspects=() if at is None else line.between(points[at - 1].index, points[at].index),
        window_start=line.ref(points[0].index) if at is None else None,
        further=tuple(line.ref(points[each].index) for each in candidate.further),
        serial_lag1=candidate.serial.lag1,
        serially_dependent=candidate.serial.dependent,
        blessing=series.blessing,
        points=plotted(series.points),
    )


def branch_finding(series: Series, reading: BranchReading, line: Line, *, in_comparison: bool) -> Finding:
    """An excursion beyond the base's observed range: the baseline is its nearest end, the move the excess."""
    base, context, excursion = evidence(series, "branch"), series.context, reading.excursion
    assert context is not None
    assert excursion is not None
    return Finding(
        name=series.name,
        set=series.set,
        segments=series.segments,
        metric=series.metric,
        unit=series.unit,
        method="branch",
        direction=direction_of(excursion.excess, series.better),
        baseline=excursion.edge,
        latest=context.value,
        delta=excursion.excess,
        relative=excursion.relative,
        commit=line.ref(context.index),
        blessing=series.blessing,
        branch=BranchBlock(
            low=reading.low,
            high=reading.high,
            references=reading.references,
            value=context.value,
            excess=excursion.excess,
            regime_start=line.ref(base[reading.regime.start].index),
            matches_previous=reading.matches_previous,
            in_comparison=in_comparison,
        ),
        points=plotted((*series.points, context)),
    )


def plotted(points: Sequence[Point]) -> tuple[tuple[int, float], ...]:
    """Commit index and value of each level."""
    return tuple((point.index, point.value) for point in points)
