"""A sentence with roles, and how it reads in Markdown and on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from echolot_tui.frozen import Frozen
from echolot_tui.present.spans import Line, Span, line, wrapped
from echolot_tui.text import escape_cell, visible

NAME_LIMIT = 160
"""Most characters of a name inside a sentence."""


class Statement(Frozen, frozen=True, kw_only=True):
    """One fact or warning."""

    label: str = ""
    """What it is about, in a word or two."""
    spans: Line
    warning: bool = False


def fact(label: str, *parts: str | Span) -> Statement:
    """A fact."""
    return Statement(label=label, spans=line(*parts))


def warning(*parts: str | Span) -> Statement:
    """A reason to read the figures with care."""
    return Statement(spans=line(*parts), warning=True)


def name(text: str | None) -> Span:
    """A text from a trace or a file system, made harmless."""
    return Span(visible(text or "(no name)", NAME_LIMIT), "name")


def strong(text: str) -> Span:
    """A figure to stand out."""
    return Span(text, "strong")


def markdown_statements(statements: Iterable[Statement]) -> list[str]:
    """Facts as list items, warnings as quotes, blocks parted by empty lines."""
    blocks: list[str] = []
    for statement in statements:
        text = markdown_spans(statement.spans)
        if statement.warning:
            blocks += ["", f"> ⚠️ {text}", ""]
        else:
            blocks.append(f"- {statement.label}: {text}" if statement.label else f"- {text}")
    return without_double_blanks(blocks)


def markdown_spans(spans: Sequence[Span]) -> str:
    """A line as Markdown: figures bold, names escaped."""
    return "".join(_markdown_span(span) for span in spans)


def text_statements(statements: Iterable[Statement], width: int) -> list[Line]:
    """Statements as wrapped lines."""
    lines: list[Line] = []
    for statement in statements:
        if statement.warning:
            spans = line(Span("! ", "warning"), *statement.spans)
        else:
            spans = line(Span(f"{statement.label}: " if statement.label else "", "muted"), *statement.spans)
        lines += wrapped(spans, width, indent=2)
    return lines


def without_double_blanks(lines: Iterable[str]) -> list[str]:
    """Lines with no empty one at either end and never two empty ones in a row."""
    kept: list[str] = []
    for text in lines:
        if text or (kept and kept[-1]):
            kept.append(text)
    return kept[:-1] if kept and not kept[-1] else kept


def _markdown_span(span: Span) -> str:
    text = escape_cell(span.text)
    return f"**{text}**" if span.role == "strong" and text.strip() else text
