"""A series over its commits: one column a commit, gaps left open, columns merged when there are too many."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from echolot_tui.present.glyphs import Glyphs
from echolot_tui.present.spans import Line, Span

Plotted = Sequence[tuple[int, float]]
"""Commit index and value, oldest first."""


def columns_of(points: Plotted, width: int) -> list[float | None]:
    """One value a column: of a commit, or the median of several neighbours; ``None`` where there is none."""
    if not points:
        return []
    first, last = points[0][0], points[-1][0]
    commits = last - first + 1
    many = min(commits, width)
    held: list[list[float]] = [[] for _ in range(many)]
    for index, value in points:
        held[(index - first) * many // commits].append(value)
    return [median(each) if each else None for each in held]


def history_sparkline(points: Plotted, width: int, glyphs: Glyphs) -> str:
    """The series on one line."""
    shown = columns_of(points, width)
    levels = _levels(shown, len(glyphs.levels))
    return "".join(" " if level is None else glyphs.levels[level] for level in levels).rstrip()


def history_chart(points: Plotted, width: int, height: int, glyphs: Glyphs) -> list[Line]:
    """The series as dots on ``height`` lines, highest value on top."""
    levels = _levels(columns_of(points, width), height)
    rows = [
        "".join(glyphs.dot if level == row else " " for level in levels) for row in range(height - 1, -1, -1)
    ]
    return [(Span(row.rstrip()),) if row.strip() else () for row in rows]


def _levels(values: Sequence[float | None], many: int) -> list[int | None]:
    """Each value's place between the smallest and the largest; all the same are in the middle."""
    known = [value for value in values if value is not None]
    if not known:
        return [None] * len(values)
    low, high = min(known), max(known)
    if low == high:
        return [None if value is None else (many - 1) // 2 for value in values]
    return [None if value is None else round((value - low) / (high - low) * (many - 1)) for value in values]
