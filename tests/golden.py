"""Golden files: the bytes a view had when a person last looked at them."""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).parent / "golden"


def check(name: str, actual: str) -> None:
    """Compare with ``tests/golden/<name>``; with ``ECHOLOT_UPDATE_GOLDEN=1`` write it instead."""
    path = FOLDER / name
    if os.environ.get("ECHOLOT_UPDATE_GOLDEN") == "1":
        path.parent.mkdir(exist_ok=True)
        path.write_text(actual, encoding="utf-8")
    assert actual == path.read_text(encoding="utf-8"), (
        f"{name} changed; look at it, then update the golden file"
    )
