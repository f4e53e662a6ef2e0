"""What the comparison shows: head, filters, table, and the spread of the row under the cursor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual.app import ComposeResult
from textual.containers import Container

from echolot_tui.compare.model import Row
from echolot_tui.compare.view import ViewOptions
from echolot_tui.present.comparison_screen import beside_lines, head_lines
from echolot_tui.present.spans import Line
from echolot_tui.tui.screens.comparison_rows import BannerId, ComparisonRows
from echolot_tui.tui.screens.listing import ListScreen
from echolot_tui.tui.store import ShownComparison
from echolot_tui.tui.widgets.chips import Chips
from echolot_tui.tui.widgets.grid import Grid
from echolot_tui.tui.widgets.lines import Lines
from echolot_tui.tui.widgets.spread_plot import SpreadPlot

_HEAD_LINES: Final = 5


class ComparisonPanes(ListScreen):
    """Composes the comparison and fills it."""

    def __init__(self) -> None:
        super().__init__()
        self._shown: ShownComparison | None = None
        self._options = ViewOptions()
        """What was asked for last; what is shown may be a moment behind."""
        self._rows: ComparisonRows | None = None
        self._warnings_opened = False
        self._follow_opened = True
        self._also = False

    def compose_middle(self) -> ComposeResult:
        """Head, chips, body."""
        yield Lines(self._head, id="head")
        yield Chips(id="chips")
        with Container(id="body"):
            yield Grid(id="rows")
            yield SpreadPlot(id="pane")

    def _show(self, *, new: bool) -> None:
        shown = self._shown
        if shown is None:
            return
        self._rows = ComparisonRows(shown, follow_opened=self._follow_opened, glyphs=self.echolot.glyphs)
        if new:
            self.query_one("#head", Lines).remake()
            self.say("")
        self.query_one(Chips).show_chips(shown.view.chips, shown.options)
        self.query_one(Grid).show(self._rows)
        self._show_pane()

    def _head(self, width: int) -> Sequence[Line]:
        if self._shown is None:
            return [self.title_line(), *self.failure_lines(self._failed, width)]
        most = _HEAD_LINES if self.size.height >= 30 else 4 if self.size.height >= 20 else 3
        return head_lines(self._shown.comparison, width, most=most, opened=self._warnings_opened)

    def _show_pane(self) -> None:
        grid, pane = self.query_one(Grid), self.query_one(SpreadPlot)
        shown, row = self._shown, self.row
        self.status.place(grid.place or "no rows")
        if shown is None:
            return
        if row is None or self._also:
            pane.show(lambda width: beside_lines(shown.view, shown.comparison, width))
        else:
            pane.show_row(row, shown.comparison)

    @property
    def row(self) -> Row | None:
        """The row under the cursor."""
        item = self._item
        return item if isinstance(item, Row) else None

    @property
    def _item(self) -> Row | BannerId | None:
        at = self.query_one(Grid).cursor
        return self._rows.items[at] if self._rows is not None and at < len(self._rows) else None
