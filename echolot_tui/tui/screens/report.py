"""stub"""

from __future__ import annotations
from textual.app import ComposeResult
from echolot_tui.tui.actions import bindings
from echolot_tui.tui.screens.base import BaseScreen
from echolot_tui.tui.widgets.grid import Grid


class ReportScreen(BaseScreen):
    WHERE = "report"
    BINDINGS = bindings("report")

    def compose_middle(self) -> ComposeResult:
        yield Grid(id="rows")

    def on_state(self, state) -> None:
        pass
