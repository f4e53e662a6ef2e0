"""Checkouts written by hand."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

KOTLIN = "app/src/main/kotlin/com/example/app"
JAVA = "app/src/main/java/com/example/app"


def checkout(root: Path, files: Mapping[str, str]) -> Path:
    """Write files under a folder; their names are relative to it."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root
