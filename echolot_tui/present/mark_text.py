"""Proposed markers, removed ones and unnamed threads as lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from echolot_tui.checkout.mark_targets import MarkPlan
from echolot_tui.checkout.pools import UnnamedThreads
from echolot_tui.present.numbers import plural
from echolot_tui.present.spans import Line, Span, line
from echolot_tui.present.table import Cell, Column, Table, text_table

_COLUMNS: Final = (
    Column(title="Where", shrink_to=30),
    Column(title="Section"),
    Column(title="Why", drop=1, shrink_to=20),
)
_THREADS: Final = (Column(title="Where", shrink_to=30), Column(title="Call"), Column(title="In a trace"))


def plan_lines(plan: MarkPlan, width: int) -> list[Line]:
    """The markers, what is left out and why, and what to do with them."""
    rows = tuple(
        (
            Cell(text=f"{mark.file}:{mark.line}"),
            Cell(text=mark.section, role="name"),
            Cell(text=mark.why, role="muted"),
        )
        for mark in plan.marks
    )
    lines = text_table(Table(columns=_COLUMNS, rows=rows), width) if rows else [line("nothing to mark")]
    if plan.skipped:
        lines += [line(), line(Span("left out", "heading"))]
        lines += [line(f"  {one.what}  ", Span(one.reason, "muted")) for one in plan.skipped]
    return lines


def threads_lines(found: Sequence[UnnamedThreads], width: int) -> list[Line]:
    """Places that start threads without a name, and what names them."""
    if not found:
        return [line("every thread these sources start has a name of its own")]
    rows = tuple(
        (Cell(text=f"{one.file}:{one.line}"), Cell(text=one.call), Cell(text=one.threads, role="name"))
        for one in found
    )
    places = plural(len(found), "place")
    return [
        *text_table(Table(columns=_THREADS, rows=rows), width),
        line(),
        line(f"{places}: give them a ThreadFactory, or a name, so that a trace tells them apart"),
    ]
