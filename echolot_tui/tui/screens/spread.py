"""One row with the whole screen: its spread, its words, and every run of both sides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult

from echolot_tui.compare.model import Comparison, Row
from echolot_tui.present.comparison_markdown import row_markdown
from echolot_tui.present.comparison_screen import missing_runs, row_title, row_words
from echolot_tui.present.run_table import RowRun, longest_run, paired_rows, run_table, runs_of
from echolot_tui.present.spans import Line, wrapped
from echolot_tui.present.spread import spread_lines
from echolot_tui.present.table import text_table
from echolot_tui.tui.actions import Where, bindings
from echolot_tui.tui.intents import Copy, OpenCollect, OpenInPerfetto
from echolot_tui.tui.perfetto import run_ask
from echolot_tui.tui.screens.base import BaseScreen
from echolot_tui.tui.store import State
from echolot_tui.tui.widgets.lines import Lines

_DOT_LINES = 6


class SpreadScreen(BaseScreen):
    """The spread of one row; left and right go through the rows, tab through its runs."""

    WHERE: ClassVar[Where] = "spread"
    BINDINGS = bindings("spread")
    AUTO_FOCUS = "#spread"

    def __init__(self, comparison: Comparison, rows: Sequence[Row], at: int) -> None:
        super().__init__()
        self._comparison = comparison
        self._rows = rows
        self._at = at
        self._run_at = longest_run(self._runs)
        self._run_lines = 0
        """Where the first run stands in the pane."""

    def compose_middle(self) -> ComposeResult:
        """One pane."""
        pane = Lines(self._make, id="spread")
        pane.can_focus = True
        yield pane

    def on_state(self, state: State) -> None:
        """The row is what was opened; a newer comparison does not change it under the reader."""
        del state
        self.status.place(f"row {self._at + 1} of {len(self._rows)}")

    def _make(self, width: int) -> list[Line]:
        row = self._rows[self._at]
        glyphs = self.echolot.glyphs
        width = max(width - 2, 1)
        lines = list(wrapped(row_title(row), width, indent=2))
        for pair, same in paired_rows(row, self._comparison):
            lines += [(), *spread_lines(same, pair, width, glyphs=glyphs, height=_DOT_LINES)]
            lines += [(), *row_words(same, pair, width, glyphs=glyphs)]
        table = text_table(run_table(self._runs, self._run_at, glyphs=glyphs), width)
        self._run_lines = len(lines) + 2
        return [*lines, (), *table]

    @property
    def _runs(self) -> Sequence[RowRun]:
        return runs_of(self._rows[self._at], self._comparison)

    def why_not(self, action_id: str) -> str | None:
        """At the ends there is no further row."""
        if action_id == "next_row" and self._at + 1 >= len(self._rows):
            return "this is the last row"
        if action_id == "previous_row" and self._at == 0:
            return "this is the first row"
        if action_id in {"next_run", "previous_run", "perfetto"} and not self._runs:
            return "the reports do not say which traces they were made of"
        return None

    def do_next_row(self) -> None:
        """The next row."""
        self._go(1)

    def do_previous_row(self) -> None:
        """The row before."""
        self._go(-1)

    def do_next_run(self) -> None:
        """Mark the next run."""
        self._mark(1)

    def do_previous_run(self) -> None:
        """Mark the run before."""
        self._mark(-1)

    def do_perfetto(self) -> None:
        """The marked run, at this row's longest slice."""
        run = self._runs[self._run_at]
        self.post_message(OpenInPerfetto(run_ask(run.side, run.repeats[0], self._rows[self._at])))

    def do_collect(self) -> None:
        """The runs that would settle the row, on top of the set recorded last."""
        self.post_message(OpenCollect(missing_runs(self._rows[self._at], self._comparison)))

    def do_copy(self) -> None:
        """The row as Markdown."""
        self.post_message(Copy(row_markdown(self._rows[self._at], self._comparison), "the row"))

    def _mark(self, by: int) -> None:
        self._run_at = (self._run_at + by) % len(self._runs)
        pane = self.query_one("#spread", Lines)
        pane.remake()
        pane.bring_up(self._run_lines + self._run_at)

    def _go(self, by: int) -> None:
        self._at += by
        self._run_at = longest_run(self._runs)
        self.query_one("#spread", Lines).show(self._make)
        self.status.place(f"row {self._at + 1} of {len(self._rows)}")
        self.say("")
        self.refresh_keys()
