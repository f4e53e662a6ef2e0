"""The wall clock, for how long ago something was."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> str:
    """UTC, whole seconds."""
    return datetime.now(UTC).replace(microsecond=0).isoformat().replace("+00:00", "Z")
