"""The runs of one side as dots on a line: where each lies between the lowest and the highest."""

from __future__ import annotations

from collections.abc import Sequence

from echolot_tui.present.dots import Axis, strip
from echolot_tui.present.spans import Line, Role
from echolot_tui.tui.widgets.lines import Lines


class RunsStrip(Lines):
    """One line, one dot a run."""

    def show_runs(
        self, values: Sequence[float | None], *, axis: Axis | None = None, role: Role = "number"
    ) -> None:
        """Draw runs; ``axis`` when several strips share one."""
        self.show(lambda width: [self._draw(values, axis, role, width)])

    def _draw(self, values: Sequence[float | None], axis: Axis | None, role: Role, width: int) -> Line:
        known = [value for value in values if value is not None]
        if not known:
            return ()
        axis = Axis.over(known, width) if axis is None else Axis(low=axis.low, high=axis.high, width=width)
        return strip(values, axis, glyphs=self.glyphs, role=role)
