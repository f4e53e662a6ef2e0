"""History: what levels over commits say. Findings with their charts, and every series with its gates."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult

from echolot_tui.history.model import HistoryReport
from echolot_tui.present.history_text import history_lines
from echolot_tui.present.spans import Line, Span, line
from echolot_tui.tui.actions import Where, bindings
from echolot_tui.tui.intents import JudgeHistory
from echolot_tui.tui.screens.base import BaseScreen
from echolot_tui.tui.store import Failed, Ready, State
from echolot_tui.tui.widgets.lines import Lines


class HistoryScreen(BaseScreen):
    """One pane with the report the verb prints."""

    WHERE: ClassVar[Where] = "history"
    BINDINGS = bindings("history")
    AUTO_FOCUS = "#spread"

    def __init__(self) -> None:
        super().__init__()
        self._report: HistoryReport | None = None
        self._failed: Failed | None = None
        self._file = ""

    def compose_middle(self) -> ComposeResult:
        """One pane."""
        pane = Lines(self._make, id="spread")
        pane.can_focus = True
        yield pane

    def on_state(self, state: State) -> None:
        """Another report."""
        slot = state.history
        if isinstance(slot, Ready) and slot.value is not self._report:
            self._report, self._failed = slot.value, None
            self.say("")
            self.query_one("#spread", Lines).show(self._make)
        elif not isinstance(slot, Ready):
            self.say_slot(slot)
            self._failed = slot if isinstance(slot, Failed) else None
            self.query_one("#spread", Lines).remake()
        self.refresh_keys()

    def _make(self, width: int) -> list[Line]:
        head = [self.title_line(), ()]
        if self._failed is not None:
            return [*head, *self.failure_lines(self._failed, width)]
        if self._report is None:
            return [*head, line(Span("o names a file of series to judge", "muted"))]
        return [*head, *history_lines(self._report, max(width - 1, 20), glyphs=self.echolot.glyphs)]

    def why_not(self, action_id: str) -> str | None:
        """Judging again needs a file."""
        return "no file was named yet: o names one" if action_id == "reload" and not self._file else None

    def do_file(self) -> None:
        """Ask for a file."""
        self.ask(
            'file of series to judge: {"series": [{"name", "unit", "values"}]}',
            "file",
            self._named,
            value=self._file,
        )

    def _named(self, text: str) -> None:
        self._file = text.strip()
        self.do_reload()

    def do_reload(self) -> None:
        """Judge the file again."""
        if self._file:
            self.post_message(JudgeHistory(self._file))
