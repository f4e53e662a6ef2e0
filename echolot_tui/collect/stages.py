"""How many runs a side: a number, which somebody may change on the way."""

from __future__ import annotations

from collections.abc import Callable


class Fixed:
    """So many runs, in one stage; more when somebody asks for more while it is recorded.

    Args:
        iterations: Runs of each side.
        asked: Another number somebody asked for meanwhile.
    """

    def __init__(self, iterations: int, asked: Callable[[], int | None]) -> None:
        self._iterations = iterations
        self._asked = asked

    def next(self, each: int) -> int:
        """As :class:`~echolot_tui.collect.record.Stages`."""
        return max((self._asked() or self._iterations) - each, 0)
