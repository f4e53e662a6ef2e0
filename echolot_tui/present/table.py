"""One table, two renderers: Markdown, and plain text that fits a width.

A cell's text is what the model says, verbatim; the renderers make it harmless, so a name from a trace
cannot end a cell, start an escape sequence or become markup.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from echolot_tui.frozen import Frozen
from echolot_tui.present.spans import Line, Role, Span, columns, cut, cut_line, pad
from echolot_tui.text import escape_cell, visible

NOTHING = "—"
"""What an absent value prints as."""

_GAP = "  "


class Cell(Frozen, frozen=True, kw_only=True):
    """One value of a table, formatted."""

    text: str
    role: Role = "plain"
    strong: bool = False
    note: str = ""
    """A word of ours after the text: italics in Markdown, in brackets in plain text."""


class Column(Frozen, frozen=True, kw_only=True):
    """How one column is shown and what gives way when the room is small."""

    title: str
    align: Literal["left", "right"] = "left"
    drop: int = 0
    """Order of leaving when the table is too wide: highest first; 0 always stays."""
    shrink_to: int | None = None
    """Fewest terminal columns a text may be cut to before columns are dropped; ``None`` is never cut."""
    limit: int = 300
    """Most characters of a cell, in Markdown too."""


class Table(Frozen, frozen=True, kw_only=True):
    """Rows of cells; ``None`` is a value the row does not have."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell | None, ...], ...]


def cell(text: str | None, role: Role = "plain", *, strong: bool = False, note: str = "") -> Cell | None:
    """A cell, or ``None`` for an absent text."""
    return None if text is None else Cell(text=text, role=role, strong=strong, note=note)


def without_empty_columns(table: Table) -> Table:
    """The table without the columns in which no row has a value."""
    kept = [at for at in range(len(table.columns)) if any(row[at] is not None for row in table.rows)]
    return _select(table, kept)


def markdown_table(table: Table) -> list[str]:
    """The table as lines of GitHub Markdown: header, rule, one line a row."""
    head = "| " + " | ".join(escape_cell(column.title) for column in table.columns) + " |"
    rule = "|" + "|".join("---:" if column.align == "right" else "---" for column in table.columns) + "|"
    return [head, rule, *(_markdown_row(table.columns, row) for row in table.rows)]


def text_table(table: Table, width: int) -> list[Line]:
    """The table as lines of at most ``width`` terminal columns: header, then one line a row.

    Texts that may shrink are cut first, evenly from the longest; when that is not enough, columns
    leave by their ``drop`` order. A column that always stays is cut only when nothing else is left.
    """
    shown = [text_cells(table.columns, row) for row in table.rows]
    sizes = fit_columns(table.columns, _natural(table, shown), width)
    header = tuple(Span(visible(column.title), "heading") for column in table.columns)
    return [text_row(table.columns, sizes, spans, width) for spans in (header, *shown)]


def fit_columns(heads: Sequence[Column], natural: Sequence[int], width: int) -> dict[int, int]:
    """Which columns are shown and how wide, so that a row takes at most ``width`` terminal columns.

    Args:
        heads: The columns.
        natural: Terminal columns each would like.
        width: What there is.

    Returns:
        Position of each column that stays, in order, with its width.
    """
    kept = list(range(len(heads)))
    while _floor(heads, natural, kept) > width and any(heads[at].drop for at in kept):
        kept.remove(max(kept, key=lambda at: (heads[at].drop, at)))
    return _squeeze(heads, {at: natural[at] for at in kept}, width)


def text_cells(heads: Sequence[Column], row: Sequence[Cell | None]) -> tuple[Span, ...]:
    """A row's cells as harmless text with roles."""
    return tuple(_text_cell(*pair) for pair in zip(heads, row, strict=True))


def text_row(heads: Sequence[Column], sizes: dict[int, int], spans: Sequence[Span], width: int) -> Line:
    """One line of a table whose columns were fitted."""
    parts: list[Span] = []
    for at, size in sizes.items():
        right = heads[at].align == "right"
        parts += [Span(_GAP)] if parts else []
        parts.append(Span(pad(cut(spans[at].text, size), size, right=right), spans[at].role))
    return _trimmed(cut_line(tuple(parts), width))


def _select(table: Table, kept: Sequence[int]) -> Table:
    return Table(
        columns=tuple(table.columns[at] for at in kept),
        rows=tuple(tuple(row[at] for at in kept) for row in table.rows),
    )


def _markdown_row(heads: Sequence[Column], row: Sequence[Cell | None]) -> str:
    return "| " + " | ".join(_markdown_cell(*pair) for pair in zip(heads, row, strict=True)) + " |"


def _markdown_cell(column: Column, value: Cell | None) -> str:
    if value is None:
        return NOTHING
    text = escape_cell(visible(value.text, column.limit)).strip()
    strong = f"**{text}**" if value.strong and text else text
    return f"{strong} *({escape_cell(value.note)})*" if value.note else strong


def _text_cell(column: Column, value: Cell | None) -> Span:
    if value is None:
        return Span(NOTHING, "muted")
    text = visible(value.text, column.limit)
    return Span(f"{text} ({value.note})" if value.note else text, value.role)


def _natural(table: Table, shown: Sequence[tuple[Span, ...]]) -> list[int]:
    """Terminal columns each column would like."""
    return [
        max([columns(visible(column.title)), *(columns(row[at].text) for row in shown)])
        for at, column in enumerate(table.columns)
    ]


def _floor(heads: Sequence[Column], widths: Sequence[int], kept: Sequence[int]) -> int:
    """Fewest terminal columns the kept columns take without losing one."""
    return sum(_least(heads[at], widths[at]) for at in kept) + len(_GAP) * (len(kept) - 1)


def _least(column: Column, width: int) -> int:
    return width if column.shrink_to is None else min(width, column.shrink_to)


def _squeeze(heads: Sequence[Column], sizes: dict[int, int], width: int) -> dict[int, int]:
    """Take what is too much from the widest shrinkable columns, down to their least width."""
    excess = sum(sizes.values()) + len(_GAP) * (len(sizes) - 1) - width
    least = {at: _least(heads[at], size) for at, size in sizes.items()}
    while excess > 0:
        slack = [at for at in sizes if sizes[at] > least[at]]
        if not slack:
            break
        widest = max(slack, key=lambda at: sizes[at])
        sizes[widest] -= 1
        excess -= 1
    return sizes


def _trimmed(spans: Line) -> Line:
    """The line without spaces at its end."""
    kept = list(spans)
    while kept and not kept[-1].text.rstrip(" "):
        kept.pop()
    return (*kept[:-1], Span(kept[-1].text.rstrip(" "), kept[-1].role)) if kept else ()
