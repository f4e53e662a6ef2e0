"""A pane of lines that are made for its width; scrolls when there are more than fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.strip import Strip

from echolot_tui.present.numbers import plural
from echolot_tui.present.spans import Line, Role, Span, columns, line
from echolot_tui.tui.widgets.roles import RoleWidget

Content = Callable[[int], Sequence[Line]]
"""Lines for a width in terminal columns."""


def nothing(width: int) -> Sequence[Line]:
    """No lines."""
    del width
    return ()


def changed_part(before: Line, after: Line, y: int, width: int) -> Region | None:
    """The columns of a row that one line in another's place changes; ``None`` when it changes none.

    The whole row where a character is not one column wide: half of it cannot be painted.
    """
    if before == after:
        return None
    old, new = _characters(before), _characters(after)
    if old is None or new is None:
        return Region(0, y, width, 1)
    blank: tuple[str, Role] = (" ", "plain")
    old, new = ([*some[:width], *[blank] * (width - len(some))] for some in (old, new))
    same = [one == other for one, other in zip(old, new, strict=True)]
    if all(same):
        return None
    start = sum(1 for _ in takewhile(bool, same))
    end = width - sum(1 for _ in takewhile(bool, reversed(same)))
    return Region(start, y, end - start, 1)


def _characters(spans: Line) -> list[tuple[str, Role]] | None:
    """Every character with its role, if each is one column wide."""
    if any(columns(character) != 1 for span in spans for character in span.text):
        return None
    return [(character, span.role) for span in spans for character in span.text]


class Lines(RoleWidget):
    """Shows what a function makes for the width there is.

    As high as its lines where its height is ``auto``; else its last line says how many are below.
    """

    DEFAULT_CSS = """
    Lines { width: 1fr; height: auto; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll(-1)", show=False),
        Binding("down,j", "scroll(1)", show=False),
        Binding("pageup", "scroll(-10)", show=False),
        Binding("pagedown", "scroll(10)", show=False),
        Binding("home", "scroll(-1000000)", show=False),
        Binding("end", "scroll(1000000)", show=False),
    ]

    def __init__(self, content: Content = nothing, *, id: str | None = None, bar: bool = False) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._content = content
        self._bar = bar
        self._lines: Sequence[Line] = ()
        self._lines_width = -1
        self._top = 0

    def show(self, content: Content) -> None:
        """Other content, from its first line."""
        self._content = content
        self._remake(top=0)

    def remake(self) -> None:
        """Make the lines again: what they are made from changed."""
        self._remake(top=self._top)

    def _remake(self, *, top: int) -> None:
        """Make the lines again and paint those that differ from what is on the screen."""
        width, height = self.size
        before = [self._shown_at(y) for y in range(height)]
        count = len(self._lines)
        self._top = top
        self._lines_width = -1
        wanted = self.styles.height
        if width and wanted is not None and wanted.is_auto and count != len(self.lines(width)):
            self.refresh(layout=True)
        else:
            parts = [changed_part(before[y], self._shown_at(y), y, width) for y in range(height)]
            changed = [part for part in parts if part is not None]
            if changed or not width:
                self.refresh(*changed)

    def lines(self, width: int) -> Sequence[Line]:
        """All lines for a width."""
        if width != self._lines_width:
            self._lines = self._content(width)
            self._lines_width = width
        return self._lines

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """As many rows as there are lines."""
        return len(self.lines(width))

    def render_line(self, y: int) -> Strip:
        """One line."""
        return self.strip(self._shown_at(y), self.size.width, over="role--bar" if self._bar else None)

    def _shown_at(self, y: int) -> Line:
        """The line at a row of the screen; on the last one, how many are below."""
        width, height = self.size
        every = self.lines(width)
        at = min(self._top, max(len(every) - height, 0)) + y
        below = len(every) - (at - y + height)
        if y == height - 1 and below > 0:
            return line(Span(f"… {plural(below + 1, 'more line')} below", "muted"))
        return every[at] if at < len(every) else ()

    def action_scroll(self, by: int) -> None:
        """Move by some lines."""
        last = max(len(self.lines(self.size.width)) - self.size.height, 0)
        top = min(max(self._top + by, 0), last)
        if top != self._top:
            self._top = top
            self.refresh()

    def bring_up(self, at: int) -> None:
        """Scroll as little as shows a line; the last row may be taken by the count of lines below."""
        height = self.size.height
        top = min(self._top, at)
        if at - top > height - 2:
            top = at - height + 2
        self.action_scroll(top - self._top)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel."""
        event.stop()
        self.action_scroll(3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel."""
        event.stop()
        self.action_scroll(-3)
