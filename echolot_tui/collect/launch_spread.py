"""What the launch times the system itself took say about a set. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_UNSETTLED_PCT: Final = 30.0


def spread_lines(totals_ms: Sequence[float]) -> tuple[str, ...]:
    """The line on the spread, and one more when the device has not settled; one launch has no spread.

    The spread is ``(max − min) / min``; launches it gave 0 for are counted and left out.

    Args:
        totals_ms: ``TotalTime`` of every launch, in run order.
    """
    told = [total for total in totals_ms if total > 0]
    zeros = len(totals_ms) - len(told)
    without = f"{zeros} launches said TotalTime 0 and are left out" if zeros > 1 else ""
    if zeros == 1:
        without = "1 launch said TotalTime 0 and is left out"
    if not told:
        return (f"am start -W: {without}",) if without else ()
    if len(told) == 1 and not zeros:
        return ()
    low, high = min(told), max(told)
    spread = 100 * (high - low) / low
    first = f"am start -W: from {low:.0f} to {high:.0f} ms (spread {spread:.0f}%)"
    lines = [f"{first}; {without}" if without else first]
    if spread > _UNSETTLED_PCT:
        lines.append(
            f"launches differ by more than {_UNSETTLED_PCT:.0f}%: the device has not settled; "
            "let it rest, use runner.cooldown, and record again"
        )
    return tuple(lines)
