"""Copying through the terminal (OSC 52), which works over ssh; a file where the terminal would refuse it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Final

MOST_BYTES: Final = 74_000
"""What terminals take in one sequence."""


def fits(text: str) -> bool:
    """Whether a terminal takes the text."""
    return len(text.encode("utf-8", "replace")) <= MOST_BYTES


def write_aside(text: str) -> Path:
    """Write a text that is too long to a file of its own."""
    handle, name = tempfile.mkstemp(prefix="echolot-copy-", suffix=".md")
    with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as stream:
        stream.write(text)
    return Path(name)
