"""Sampled stacks of a row: in which functions it was met, and under which of the app's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from echolot_tui.present.numbers import plural
from echolot_tui.present.spans import Line, Span, line, wrapped
from echolot_tui.present.table import Cell, Column, Table, cell, text_table
from echolot_tui.text import visible

_SHOWN: Final = 12
_FRAME_LIMIT: Final = 300
_KINDS: Final = {"leaf": "Met in", "ours": "Under the app's own"}
_NO_FRAME: Final = {
    "cut": "(the stack ends before any frame of the app)",
    "whole": "(no frame of the app in the whole stack)",
}
"""Entries that stand for stacks without a frame of the app's own, by how far the stack reaches."""


def stack_lines(stacks: Mapping[str, Any] | None, width: int) -> list[Line]:
    """The stacks of a row as ``uninstrumented_cpu`` counts them; of another shape, entry by entry.

    Args:
        stacks: What the row carries: ``samples``, ``with_stack``, ``leaf`` and ``ours`` with ``frame``,
            ``samples`` and ``pct`` each, ``more`` with how many are not listed. A detector of one's own may
            carry anything.
        width: Terminal columns.
    """
    if not stacks:
        return []
    tables = {kind: entries for kind in _KINDS if (entries := _counted(stacks.get(kind))) is not None}
    lines: list[Line] = [(), line(Span("Sampled stacks", "heading"), Span(_how_many(stacks), "muted"))]
    for kind, entries in tables.items():
        lines += text_table(_table(_KINDS[kind], entries), width)
        more = _more(stacks, kind)
        lines += [line(Span(f"… and {plural(more, 'other')}", "muted"))] if more else []
    told = {*tables, "samples", "with_stack", "more"} if tables else set()
    rest = {key: value for key, value in stacks.items() if key not in told}
    return [*lines, *_listed(rest, width)]


def _counted(entries: Any) -> list[Mapping[str, Any]] | None:
    """The entries, if each is a frame with its count; ``None`` for another shape."""
    if not isinstance(entries, list | tuple) or not entries:
        return None
    is_known = all(isinstance(one, Mapping) and {"frame", "samples", "pct"} <= one.keys() for one in entries)
    return list(entries) if is_known else None


def _how_many(stacks: Mapping[str, Any]) -> str:
    samples, known = stacks.get("samples"), stacks.get("with_stack")
    if not isinstance(samples, int) or not isinstance(known, int):
        return ""
    return f"  {plural(samples, 'sample')}, {known} with a stack"


def _more(stacks: Mapping[str, Any], kind: str) -> int:
    more = stacks.get("more")
    count = more.get(kind) if isinstance(more, Mapping) else None
    return count if isinstance(count, int) else 0


def _table(title: str, entries: Sequence[Mapping[str, Any]]) -> Table:
    columns = (
        Column(title=title, shrink_to=16, limit=_FRAME_LIMIT),
        Column(title="Samples", align="right", drop=1),
        Column(title="Share", align="right"),
    )
    return Table(columns=columns, rows=tuple(map(_cells, entries)))


def _cells(entry: Mapping[str, Any]) -> tuple[Cell | None, ...]:
    nobody = _NO_FRAME.get(str(entry.get("stack")))
    frame = cell(nobody, "muted") if nobody else cell(str(entry["frame"]), "name")
    return frame, cell(str(entry["samples"]), "number"), cell(f"{entry['pct']} %", "number")


def _listed(content: Mapping[str, Any], width: int) -> list[Line]:
    """A mapping of any shape, line by line."""
    lines: list[Line] = []
    for label, value in list(content.items())[:_SHOWN]:
        for part in _entries(value):
            told = line(Span(f"{visible(str(label), 60)}: ", "muted"), visible(part, _FRAME_LIMIT))
            lines += wrapped(told, width, indent=2)
    return lines


def _entries(value: Any) -> Sequence[str]:
    if isinstance(value, Mapping):
        return [f"{key}: {one}" for key, one in list(value.items())[:_SHOWN]]
    if isinstance(value, list | tuple):
        return [
            " ".join(map(str, one)) if isinstance(one, list | tuple) else str(one) for one in value[:_SHOWN]
        ]
    return [str(value)]
