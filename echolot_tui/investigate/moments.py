"""Moments as they are written down, and how far apart they are."""

from __future__ import annotations

from datetime import UTC, datetime

MINUTE_S = 60.0
DAY_S = 86_400.0


def seconds_between(earlier: str, later: str) -> float:
    """From one moment to another; negative when a clock was set back."""
    return (_parsed(later) - _parsed(earlier)).total_seconds()


def normalized(text: object) -> str | None:
    """Any ISO moment as UTC in whole seconds with a ``Z``; ``None`` when it is none."""
    if not isinstance(text, str):
        return None
    try:
        return written(_parsed(text))
    except (ValueError, OverflowError):
        return None


def written(moment: datetime) -> str:
    """UTC, whole seconds, ``2026-01-31T12:00:00Z``."""
    return moment.astimezone(UTC).replace(microsecond=0, tzinfo=None).isoformat() + "Z"


def _parsed(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
