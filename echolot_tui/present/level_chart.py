"""A series with what was found in it: levels, splits, slope, a base's range, blessings, gaps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from typing import Final

from echolot_tui.frozen import Frozen
from echolot_tui.history.model import Finding, SeriesState
from echolot_tui.present.glyphs import Glyphs
from echolot_tui.present.history_chart import columns_of
from echolot_tui.present.history_words import figure
from echolot_tui.present.spans import Line, Role, Span

_LEAST: Final = 4
"""Columns below which there is no room for a chart."""

Sign = tuple[str, Role]


class Guide(Frozen, frozen=True, kw_only=True):
    """A line through the chart, from one commit's index and value to another's."""

    start: tuple[int, float]
    end: tuple[int, float]


def guides_of(finding: Finding | None, state: SeriesState) -> tuple[Guide, ...]:
    """The levels on both sides of a step, the slope of a drift, the ends of a base's range."""
    if finding is None or not state.levels:
        return ()
    first, last = max(state.levels[0][0], state.counted_from or 0), state.levels[-1][0]
    if finding.branch is not None:
        start, end = finding.branch.regime_start.index, last
        ends = (finding.branch.low, finding.branch.high)
        return tuple(Guide(start=(start, value), end=(end, value)) for value in ends)
    if finding.method == "drift":
        return (Guide(start=(first, finding.baseline), end=(last, finding.latest)),)
    split = finding.commit.index
    return (
        Guide(start=(first, finding.baseline), end=(max(split - 1, first), finding.baseline)),
        Guide(start=(split, finding.latest), end=(last, finding.latest)),
    )


def level_chart(
    state: SeriesState, finding: Finding | None, width: int, height: int, glyphs: Glyphs
) -> list[Line]:
    """``height`` lines of dots and guides with the largest and smallest value, then a line of places.

    On the line of places a commit with a level has a stroke, one without has none; the split of a step
    and the first commit after a blessing are marked.
    """
    guides = guides_of(finding, state)
    every = [value for _, value in state.levels]
    every += [value for guide in guides for _, value in (guide.start, guide.end)]
    if not every:
        return []
    low, high = min(every), max(every)
    labels = [figure(high), figure(low)]
    margin = max(map(len, labels))
    shown = columns_of(state.levels, max(width - margin - 1, _LEAST))
    row = _Rows(low, high, height)
    place = _Places(state.levels[0][0], state.levels[-1][0], len(shown))
    rows: list[list[Sign]] = [[(" ", "plain")] * len(shown) for _ in range(height)]
    for guide in guides:
        for column in range(place.of(guide.start[0]), place.of(guide.end[0]) + 1):
            rows[row.of(_on(guide, place.commit(column)))][column] = (glyphs.axis, "muted")
    for column, value in enumerate(shown):
        if value is not None:
            rows[row.of(value)][column] = (glyphs.dot, "number")
    edge = {0: labels[0], height - 1: labels[1]}
    lines = [_line(edge.get(at, "").rjust(margin), signs) for at, signs in enumerate(rows)]
    return [*lines, _line(" " * margin, _places(state, finding, place, shown, glyphs))]


def _places(
    state: SeriesState, finding: Finding | None, place: _Places, shown: Sequence[float | None], glyphs: Glyphs
) -> list[Sign]:
    signs: list[Sign] = [(" " if value is None else glyphs.axis, "muted") for value in shown]
    if state.blessing is not None and state.counted_from is not None:
        signs[place.of(state.counted_from)] = (glyphs.zero, "warning")
    if finding is not None and finding.method == "step":
        signs[place.of(finding.commit.index)] = (glyphs.median_above, "warning")
    return signs


class _Rows:
    """Which line a value is on, the largest on the first."""

    def __init__(self, low: float, high: float, height: int) -> None:
        self._low, self._high, self._last = low, high, height - 1

    def of(self, value: float) -> int:
        if self._high == self._low:
            return self._last // 2
        # The range of two finite numbers need not be finite; half of each has one that is.
        scale = 1.0 if math.isfinite(self._high - self._low) else 0.5
        share = (value * scale - self._low * scale) / (self._high * scale - self._low * scale)
        return self._last - min(max(round(share * self._last), 0), self._last)


class _Places:
    """Which column a commit is in, and a column's commit."""

    def __init__(self, first: int, last: int, columns: int) -> None:
        self._first, self._commits, self._columns = first, last - first + 1, columns

    def of(self, commit: int) -> int:
        return min(max((commit - self._first) * self._columns // self._commits, 0), self._columns - 1)

    def commit(self, column: int) -> float:
        return self._first + column * self._commits / self._columns


def _on(guide: Guide, commit: float) -> float:
    (first, before), (last, after) = guide.start, guide.end
    share = min(max((commit - first) / (last - first), 0.0), 1.0) if last > first else 0.0
    return before * (1 - share) + after * share


def _line(label: str, signs: Sequence[Sign]) -> Line:
    runs = ((role, "".join(sign for sign, _ in run)) for role, run in groupby(signs, key=lambda one: one[1]))
    return (Span(label + " ", "muted"), *(Span(text, role) for role, text in runs))
