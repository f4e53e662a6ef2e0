"""A table beside another one: its cursor is lit only with the focus, and letters are left to the screen."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from echolot_tui.tui.widgets.grid import Grid


class SideGrid(Grid, inherit_bindings=False):
    """As a grid, but ``k`` and ``j`` do not move its cursor: they are keys of the screen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", show=False),
        Binding("down", "move(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("home", "move(-1000000)", show=False),
        Binding("end", "move(1000000)", show=False),
    ]

    @property
    def is_lit(self) -> bool:
        """Only with the focus, so that one sees where the keys go."""
        return self.has_focus

    def watch_has_focus(self, value: bool) -> None:
        """The cursor is drawn another way."""
        super().watch_has_focus(value)
        self.refresh()
