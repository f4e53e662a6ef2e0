"""Values in their order on one line."""

from __future__ import annotations

from collections.abc import Sequence

from echolot_tui.present.dots import sparkline
from echolot_tui.present.spans import Role, Span
from echolot_tui.tui.widgets.lines import Lines


class Sparkline(Lines):
    """One sign a value, from the lowest to the highest; the newest where not all fit."""

    def show_values(self, values: Sequence[float | None], *, role: Role = "number") -> None:
        """Draw values."""
        self.show(lambda width: [(Span(sparkline(values, glyphs=self.glyphs, most=width), role),)])
