"""How numbers are written: one form a unit, the same in Markdown, on a terminal and on a screen."""

from __future__ import annotations

from collections.abc import Iterable

from echolot_tui.units import percent


def ms(value: float) -> str:
    """Milliseconds to 2 decimals, without the unit: ``1200.59``."""
    return f"{value:.2f}"


def whole(value: float) -> str:
    """A number without decimals, halves kept: ``9``, ``9.5``."""
    return f"{value:g}" if value % 1 in (0, 0.5) and abs(value) < 1e6 else f"{value:.0f}"


def tenths(value: float) -> str:
    """A number to 1 decimal: ``54.4``."""
    return f"{value:.1f}"


def share(part: float, whole_part: float) -> str | None:
    """A share in whole percent, ``<1%`` instead of a zero that is none; ``None`` of nothing."""
    value = percent(part, whole_part)
    if value is None:
        return None
    return "<1%" if part > 0 and value < 1 else f"{value:.0f}%"


def plural(number: float, one: str, many: str | None = None) -> str:
    """``1 row``, ``2 rows``."""
    return f"{whole(number)} {one if number == 1 else many or one + 's'}"


def listed(words: Iterable[str], most: int = 8) -> str:
    """``a, b, c and 4 more``: at most ``most`` words."""
    everything = list(words)
    shown, rest = everything[:most], len(everything) - most
    return f"{', '.join(shown)} and {rest} more" if rest > 0 else ", ".join(shown)
