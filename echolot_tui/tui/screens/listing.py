"""What screens with a list share: a head, the rows, and what is said of the row under the cursor."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.app import ComposeResult
from textual.containers import Container

from echolot_tui.present.spans import Line
from echolot_tui.tui.screens.base import BaseScreen
from echolot_tui.tui.store import Failed
from echolot_tui.tui.widgets.grid import Grid
from echolot_tui.tui.widgets.lines import Lines
from echolot_tui.tui.widgets.prompt import Prompt


class ListScreen(BaseScreen):
    """Head on top, then the rows with the pane beside or below them."""

    def __init__(self) -> None:
        super().__init__()
        self._failed: Failed | None = None

    def compose_middle(self) -> ComposeResult:
        """Head, rows, pane."""
        yield Lines(self._head, id="head")
        with Container(id="body"):
            yield Grid(id="rows")
            yield Lines(self._pane, id="pane")

    def _head(self, width: int) -> Sequence[Line]:
        """What is said of all rows."""
        raise NotImplementedError

    def _pane(self, width: int) -> Sequence[Line]:
        """What is said of the row under the cursor."""
        raise NotImplementedError

    def show_pane(self, nothing: str = "") -> None:
        """What is said of the row under the cursor, and which that is; ``nothing`` where there is none."""
        self.status.place(self.query_one(Grid).place or nothing)
        self.query_one("#pane", Lines).show(self._pane)

    def show_not_ready(self, slot: object) -> None:
        """Nothing yet, still at work, or failed: the status line says so, a failure also the head."""
        self.say_slot(slot)
        self._failed = slot if isinstance(slot, Failed) else None
        self.query_one("#head", Lines).remake()

    def ask_filter(self, old: str, look: Callable[[str], object]) -> None:
        """Ask for a text that rows must hold; they follow while it is typed.

        Args:
            old: The text so far.
            look: Shows the rows that hold a text.
        """

        def chosen(text: str) -> None:
            look(text)
            self.to_rows()

        self.say("only rows that hold this text; enter keeps it, esc does not", "muted")
        self.query_one(Prompt).ask("text", old, chosen, cancel=lambda: chosen(old), live=look)

    def to_rows(self) -> None:
        """The keys go to the rows again."""
        self.say("")
        self.query_one(Grid).focus()
