"""Doctor: what this terminal can do, and whether this machine computes correctly."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult

from echolot_tui.present.doctor_text import doctor_lines
from echolot_tui.present.home_screen import standing_lines
from echolot_tui.present.spans import Line, wrapped
from echolot_tui.selfcheck.model import Doctor
from echolot_tui.tui.actions import Where, bindings
from echolot_tui.tui.intents import OpenDoctor
from echolot_tui.tui.screens.base import BaseScreen
from echolot_tui.tui.store import Failed, Ready, State
from echolot_tui.tui.widgets.lines import Lines


class DoctorScreen(BaseScreen):
    """One pane."""

    WHERE: ClassVar[Where] = "doctor"
    BINDINGS = bindings("doctor")
    AUTO_FOCUS = "#spread"

    def __init__(self) -> None:
        super().__init__()
        self._found: Doctor | None = None
        self._failed: Failed | None = None

    def compose_middle(self) -> ComposeResult:
        """One pane."""
        pane = Lines(self._make, id="spread")
        pane.can_focus = True
        yield pane

    def on_state(self, state: State) -> None:
        """Checked, or why not."""
        slot = state.doctor
        if isinstance(slot, Ready) and slot.value is not self._found:
            self._found, self._failed = slot.value, None
            self.say("")
        elif not isinstance(slot, Ready):
            self.say_slot(slot)
            self._failed = slot if isinstance(slot, Failed) else None
        self.query_one("#spread", Lines).remake()

    def _make(self, width: int) -> list[Line]:
        terminal = self.echolot.terminal
        size = self.app.size
        told = [
            ("terminal", f"{terminal.term}, {size.width} columns by {size.height} lines"),
            ("encoding", terminal.encoding),
            ("colours", f"{terminal.colours}; theme {self.app.theme.removeprefix('echolot-')}, T changes it"),
            ("signs", f"{self.echolot.glyph_level}, G changes them"),
            ("mouse", "taken from the terminal" if terminal.mouse else "the terminal's own; M takes it"),
            ("line", "over ssh" if terminal.remote else "local"),
            ("inside", "tmux or screen" if terminal.multiplexed else "no tmux or screen"),
        ]
        lines = [self.title_line(), (), *standing_lines(told, width), ()]
        if self._failed is not None:
            return lines + self.failure_lines(self._failed, width)
        found = doctor_lines(self._found) if self._found is not None else []
        return lines + [part for each in found for part in wrapped(each, max(width - 1, 1), indent=4)]

    def do_reload(self) -> None:
        """Check again."""
        self.post_message(OpenDoctor())
