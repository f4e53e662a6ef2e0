"""One rounding rule a unit, used wherever a number leaves a computation."""

from __future__ import annotations

NS_PER_MS = 1_000_000


def ms(nanoseconds: float) -> float:
    """Nanoseconds as milliseconds, rounded to 2 decimals."""
    return round2(nanoseconds / NS_PER_MS)


def round2(value: float) -> float:
    """Round to 2 decimals; never ``-0.0``."""
    return round(float(value), 2) + 0.0


def round1(value: float) -> float:
    """Round to 1 decimal; never ``-0.0``."""
    return round(float(value), 1) + 0.0


def ratio(after: float, before: float) -> float | None:
    """``after / before`` to 2 decimals; ``None`` when ``before`` is 0."""
    return round2(after / before) if before else None


def percent(part: float, whole: float) -> float | None:
    """Share of ``whole`` in percent to 1 decimal; ``None`` when ``whole`` is 0."""
    return round1(100.0 * part / whole) if whole else None
