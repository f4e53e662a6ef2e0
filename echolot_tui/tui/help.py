"""The keys of the screen one is on, over it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from echolot_tui.present.spans import Line, Role, Span, line, wrapped
from echolot_tui.tui.actions import MOVES, Action, key_words
from echolot_tui.tui.widgets.lines import Lines


class HelpScreen(ModalScreen[None]):
    """Every action of a screen with its key; those that cannot be done now say why."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,question_mark,q", "dismiss", show=False)]

    def __init__(self, title: str, available: Sequence[tuple[Action, str | None]]) -> None:
        super().__init__()
        self._title = title
        self._available = available

    def compose(self) -> ComposeResult:
        """One pane."""
        pane = Lines(self._make, id="help")
        pane.can_focus = True
        yield pane

    def _make(self, width: int) -> list[Line]:
        entries: list[tuple[str, str, Role]] = [(keys, words, "plain") for keys, words in MOVES]
        for action, reason in self._available:
            text = action.help if reason is None else f"{action.help} (not now: {reason})"
            entries.append((key_words(action.keys), text, "plain" if reason is None else "muted"))
        indent = max(len(keys) for keys, _, _ in entries) + 2
        lines = [line(Span(f"{self._title}: keys", "heading"), Span("   esc closes", "muted")), ()]
        for keys, words, role in entries:
            lines += wrapped(
                line(Span(keys.ljust(indent), "strong"), Span(words, role)), width, indent=indent
            )
        return lines
