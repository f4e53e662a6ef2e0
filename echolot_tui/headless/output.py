"""The only writer to stdout: results, never talk."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TextIO

PIPED_WIDTH = 200
"""Columns of a table that is not read on a terminal."""


def prepare_streams() -> None:
    """Let both streams carry any text: what their encoding cannot is written as an escape."""
    for stream in (sys.stdout, sys.stderr):
        _make_safe(stream)


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


def write_bytes(data: bytes) -> None:
    """Write a file's content as it is, and end its last line."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data if data.endswith(b"\n") else data + b"\n")
    sys.stdout.buffer.flush()
