"""The only writer to stdout: results, never talk."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO

import click

from echolot_tui.present.spans import Line, Role, Span

UNLIMITED = 1_000_000
"""Columns of a table in which nothing is cut."""

PIPED_WIDTH = 200
"""Columns of a table that is not read on a terminal."""

_STYLES: dict[Role, dict[str, Any]] = {
    "muted": {"dim": True},
    "strong": {"bold": True},
    "heading": {"bold": True},
    "warning": {"fg": "yellow"},
    "error": {"fg": "red"},
    "ok": {"fg": "green"},
    "slower": {"fg": "yellow", "bold": True},
    "faster": {"fg": "blue", "bold": True},
    "unsure": {"dim": True},
    "new": {"fg": "yellow"},
    "gone": {"fg": "blue"},
}
"""Yellow and blue, which most colour-blind readers tell apart; every state is a word as well."""


def prepare_streams() -> None:
    """Let both streams carry any text: what their encoding cannot is written as an escape.

    A stream the caller closed (``>&-``) is none to Python; what would go there is lost, as was asked for.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - until the end
        _make_safe(getattr(sys, name))


def _make_safe(stream: TextIO) -> None:
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is None:
        return
    try:
        "→↑≠⚠✓…−×".encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        reconfigure(encoding="utf-8", errors="backslashreplace")
    else:
        reconfigure(errors="backslashreplace")


def width() -> int:
    """Columns a table may use: the terminal's, or a wide sheet when nobody watches."""
    if sys.stdout.isatty() or os.environ.get("COLUMNS"):
        return max(shutil.get_terminal_size().columns, 20)
    return PIPED_WIDTH


def write(text: str) -> None:
    """Write ``text`` and end its last line."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")


def flush() -> None:
    """Let a reader of the pipe have what was written so far."""
    sys.stdout.flush()


def write_bytes(data: bytes) -> None:
    """Write a file's content as it is, and end its last line."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data if data.endswith(b"\n") else data + b"\n")
    sys.stdout.buffer.flush()


def write_json(value: object) -> None:
    """Write a model, or several, as indented JSON."""
    import msgspec  # noqa: PLC0415 - not for --help

    from echolot_tui.report.codec import encode_json  # noqa: PLC0415

    write_bytes(msgspec.json.format(encode_json(value), indent=2))


def write_lines(lines: Iterable[Line]) -> None:
    """Write lines of spans, coloured by role where a terminal shows colours."""
    coloured = sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    for line in lines:
        write("".join(_styled(span) if coloured else span.text for span in line))


def _styled(span: Span) -> str:
    style = _STYLES.get(span.role)
    return click.style(span.text, **style) if style else span.text
