"""The two lines at the bottom: what is going on, and the keys of this screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from textual import events
from textual.message import Message

from echolot_tui.present.spans import Line, Span, columns, cut_line, line, wrapped
from echolot_tui.tui.actions import Action, key_words
from echolot_tui.tui.widgets.lines import Lines

_MOST: Final = 3


class StatusLine(Lines):
    """What was done or is being done, and where the cursor is: one line, three for a long sentence."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(self._make, id=id)
        self._said: Line = ()
        self._whole = False
        self._place = ""

    def say(self, said: Line, *, whole: bool = False) -> None:
        """Show a message until the next one; a ``whole`` one takes the lines it needs."""
        if (said, whole) != (self._said, self._whole):
            self._said, self._whole = said, whole
            self.remake()

    def place(self, text: str) -> None:
        """Show where the cursor is, at the right."""
        if text != self._place:
            self._place = text
            self.remake()

    def _make(self, width: int) -> Sequence[Line]:
        room = width - columns(self._place) - 1
        if self._whole and sum(columns(span.text) for span in self._said) > room > 0:
            first, *rest = wrapped(self._said, room)[:_MOST]
            return [*self._with_place(first, room, width), *rest]
        return self._with_place(cut_line(self._said, max(room, 0)), room, width)

    def _with_place(self, said: Line, room: int, width: int) -> list[Line]:
        gap = " " * max(room + 1 - sum(columns(span.text) for span in said), 0)
        return [cut_line(line(*said, gap, Span(self._place, "muted")), width)]


class KeysLine(Lines):
    """The keys that work here, as many as there is room for; a click presses one."""

    class Pressed(Message):
        """An action was clicked."""

        def __init__(self, action_id: str) -> None:
            self.action_id = action_id
            super().__init__()

    def __init__(
        self,
        actions: Sequence[Action],
        why_not: Callable[[str], str | None],
        *,
        id: str | None = None,  # noqa: A002 - Textual's name
    ) -> None:
        super().__init__(self._make, id=id, bar=True)
        self._actions = [action for action in actions if action.footer]
        self._why_not = why_not
        self._ends: list[tuple[int, str]] = []

    def _make(self, width: int) -> Sequence[Line]:
        """Back, help and quit come first: they are the way out."""
        parts: list[str | Span] = []
        used = 0
        self._ends = []
        ways_out = [action for action in self._actions if action.id in {"back", "help", "quit"}]
        for action in (*ways_out, *(one for one in self._actions if one not in ways_out)):
            key = f" {key_words(action.keys[:1])} "
            words = f"{action.words} "
            size = columns(key + words)
            if used + size > width:
                break
            can = self._why_not(action.id) is None
            parts += [Span(key, "strong" if can else "muted"), Span(words, "plain" if can else "muted")]
            used += size
            self._ends.append((used, action.id))
        return [line(*parts)]

    def on_click(self, event: events.Click) -> None:
        """Press what is under the pointer."""
        found = next((action_id for end, action_id in self._ends if event.x < end), None)
        if found is not None:
            self.post_message(self.Pressed(found))
