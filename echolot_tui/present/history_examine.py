"""One series commit by commit, blessings, and what was added, as lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from echolot_tui.history.examine import Examination, ExaminedSet, Observation
from echolot_tui.history.series import Blessing
from echolot_tui.present.glyphs import GLYPHS, Glyphs
from echolot_tui.present.history_chart import history_chart
from echolot_tui.present.history_text import series_lines
from echolot_tui.present.history_words import commit_words, figure
from echolot_tui.present.spans import Line, Span, line, wrapped
from echolot_tui.present.statement import name
from echolot_tui.present.table import Cell, Column, Table, cell, text_table

_HEIGHT: Final = 6
_CHART: Final = 120


def examination_lines(
    examination: Examination, width: int, *, glyphs: Glyphs = GLYPHS["blocks"]
) -> list[Line]:
    """A chart and a row a commit, once a set."""
    lines = wrapped(line(name(examination.name), Span(f"  {examination.metric}", "muted")), width, indent=2)
    if examination.hint is not None:
        lines += wrapped(line(examination.hint), width)
    for one in examination.sets:
        lines += [(), *_set(one, width, glyphs)]
    return lines


def _set(one: ExaminedSet, width: int, glyphs: Glyphs) -> list[Line]:
    points = [(each.commit.index, each.value) for each in one.observations if each.value is not None]
    lines = wrapped(line(Span("Set: ", "muted"), name(one.set.label)), width, indent=2)
    if len(points) >= 2:
        lines += [(), *history_chart(points, min(width, _CHART), _HEIGHT, glyphs), ()]
    table = Table(
        columns=(
            Column(title="Commit"),
            Column(title=f"Value{f' [{one.unit}]' if one.unit else ''}", align="right"),
            Column(title="Runs", align="right", drop=2),
            Column(title="Tree", drop=1),
            Column(title="Title", drop=3, shrink_to=10, limit=50),
        ),
        rows=tuple(map(_row, one.observations)),
    )
    lines += text_table(table, width)
    return [*lines, (), *series_lines(one.gates, width)] if one.gates is not None else lines


def _row(each: Observation) -> tuple[Cell | None, ...]:
    return (
        cell(commit_words(each.commit, title=False), "name"),
        cell("n/a", "muted") if each.value is None else cell(figure(each.value)),
        cell(str(len(each.runs))) if each.runs else None,
        cell("dirty", "warning") if each.dirty else None,
        cell(each.commit.title or None, "muted"),
    )


def blessing_lines(blessings: Sequence[Blessing], width: int) -> list[Line]:
    """Blessings, one a line."""
    if not blessings:
        return [line("no blessings")]
    table = Table(
        columns=(
            Column(title="Commit"),
            Column(title="Series", shrink_to=10),
            Column(title="Set", shrink_to=10),
            Column(title="At", drop=2),
            Column(title="Reason", drop=1, shrink_to=10),
        ),
        rows=tuple(
            (
                cell(each.commit[:12], "name"),
                cell(f"{each.prefix}*" if each.prefix else "all"),
                cell(each.set.label),
                cell(each.at),
                cell(each.reason or None),
            )
            for each in blessings
        ),
    )
    return text_table(table, width)
