"""The spread of a row: its runs on one axis, the move's range, and the row in words."""

from __future__ import annotations

from echolot_tui.compare.model import Comparison, Row
from echolot_tui.present.comparison_screen import row_title, row_words
from echolot_tui.present.spans import Line, cut_line
from echolot_tui.present.spread import spread_lines
from echolot_tui.tui.widgets.lines import Lines

_HIGHEST = 5


class SpreadPlot(Lines):
    """Dot histograms, range bar and words of one row."""

    def show_row(self, row: Row, comparison: Comparison) -> None:
        """Draw a row."""
        self.show(lambda width: self._make(row, comparison, width))

    def _make(self, row: Row, comparison: Comparison, width: int) -> list[Line]:
        """Title, plot, words; flatter where the pane is low."""
        width = max(width - 1, 1)
        height = 1 if self.size.height < 14 else 3 if self.size.height < 30 else _HIGHEST
        gap: list[Line] = [()] if self.size.height >= 16 else []
        return [
            cut_line(row_title(row), width),
            *spread_lines(
                row, comparison, width, glyphs=self.glyphs, height=height, compact=self.size.height < 14
            ),
            *gap,
            *row_words(row, comparison, width, glyphs=self.glyphs),
        ]
