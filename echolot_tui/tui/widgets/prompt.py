"""One line to type into, in the place of the status line."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Input


class Prompt(Input):
    """Hidden until somebody is asked something; enter answers, escape does not."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", show=False, priority=True)]

    DEFAULT_CSS = """
    Prompt { display: none; height: 1; border: none; padding: 0; }
    Prompt:focus { border: none; }
    Prompt.-asking { display: block; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, select_on_focus=False)
        self.cursor_blink = False  # each blink would be a repaint, over ssh too
        self._answer: Callable[[str], None] | None = None
        self._cancel: Callable[[], None] | None = None
        self._live: Callable[[str], object] | None = None

    def ask(
        self,
        question: str,
        value: str,
        answer: Callable[[str], None],
        *,
        cancel: Callable[[], None],
        live: Callable[[str], object] | None = None,
    ) -> None:
        """Ask one thing.

        Args:
            question: Shown while nothing is typed.
            value: What is there to begin with.
            answer: Told what was typed.
            cancel: Called when the person gives up.
            live: Told what is there after each key.
        """
        self.placeholder = question
        self.value = value
        self.cursor_position = len(value)
        self._answer, self._cancel, self._live = answer, cancel, live
        self.add_class("-asking")
        self.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Another key."""
        event.stop()
        if self._live is not None:
            self._live(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Answered."""
        event.stop()
        answer = self._answer
        self._close()
        if answer is not None:
            answer(event.value)

    def action_cancel(self) -> None:
        """Given up."""
        cancel = self._cancel
        self._close()
        if cancel is not None:
            cancel()

    def _close(self) -> None:
        self._answer = self._cancel = self._live = None
        self.remove_class("-asking")
