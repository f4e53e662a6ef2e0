"""A comparison's rows as its grid shows them."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Literal

from echolot_tui.compare.model import Row
from echolot_tui.compare.view import key_of
from echolot_tui.present.comparison_screen import follow_line, steady_line
from echolot_tui.present.comparison_table import ComparisonTable
from echolot_tui.present.glyphs import Glyphs
from echolot_tui.present.spans import Line, Span, line
from echolot_tui.tui.store import ShownComparison
from echolot_tui.tui.widgets.grid import Banner, Cells

BannerId = Literal["empty", "follow", "steady"]


class ComparisonRows:
    """The rows of a view as a grid shows them: moved ones, then folds that open."""

    def __init__(self, shown: ShownComparison, *, follow_opened: bool, glyphs: Glyphs) -> None:
        self._table = ComparisonTable(shown.comparison)
        self.columns = self._table.columns
        self.sorted_by = self._table.sorted_column(shown.options.sort)
        following = follow_line(shown.view, opened=follow_opened, glyphs=glyphs)
        own = [row for row in shown.view.rows if following is None or row.follows is None]
        self.items: list[Row | BannerId] = [*own]
        self._banners: dict[BannerId, Line] = {}
        if shown.view.empty is not None:
            self._banners["empty"] = line(Span(shown.view.empty, "strong"))
            self.items.append("empty")
        if following is not None:
            self._banners["follow"] = following
            self.items.append("follow")
            if follow_opened:
                self.items += [row for row in shown.view.rows if row.follows is not None]
        if shown.comparison.summary.steady:
            self._banners["steady"] = steady_line(
                shown.comparison, opened=shown.options.steady, glyphs=glyphs
            )
            self.items.append("steady")

    def __len__(self) -> int:
        return len(self.items)

    def row(self, at: int) -> Cells | Banner:
        """Cells of a row, or the line of a fold."""
        item = self.items[at]
        return self._table.cells(item) if isinstance(item, Row) else Banner(line=self._banners[item])

    def key(self, at: int) -> Hashable:
        """What the row is known by across comparisons."""
        item = self.items[at]
        return key_of(item) if isinstance(item, Row) else item
