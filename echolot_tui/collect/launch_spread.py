"""What the launch times the system itself took say about a set. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_UNSETTLED_PCT: Final = 30.0


def launch_range(totals_ms: Sequence[float]) -> str | None:
    """How far the launches lie apart, a plain fact; one launch has no spread.

    The spread is ``(max − min) / min``; launches it gave 0 for are counted and left out.

    Args:
        totals_ms: ``TotalTime`` of every launch, in run order.
    """
    told = _told(totals_ms)
    zeros = len(totals_ms) - len(told)
    without = f"{zeros} launches said TotalTime 0 and are left out" if zeros > 1 else ""
    if zeros == 1:
        without = "1 launch said TotalTime 0 and is left out"
    if not told:
        return f"am start -W: {without}" if without else None
    if len(told) == 1 and not zeros:
        return None
    first = f"am start -W: from {min(told):.0f} to {max(told):.0f} ms (spread {_spread_pct(told):.0f}%)"
    return f"{first}; {without}" if without else first


def unsettled(totals_ms: Sequence[float]) -> str | None:
    """What to do when the launches lie too far apart for the device to have settled."""
    told = _told(totals_ms)
    if not told or _spread_pct(told) <= _UNSETTLED_PCT:
        return None
    return (
        f"launches differ by more than {_UNSETTLED_PCT:.0f}%: the device has not settled; "
        "let it rest, use runner.cooldown, and record again"
    )


def _told(totals_ms: Sequence[float]) -> list[float]:
    return [total for total in totals_ms if total > 0]


def _spread_pct(told: Sequence[float]) -> float:
    return 100 * (max(told) - min(told)) / min(told)
