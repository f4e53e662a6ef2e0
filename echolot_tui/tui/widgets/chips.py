"""All filters with their counts; the cursor is on one of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from textual.binding import Binding, BindingType
from textual.message import Message

from echolot_tui.compare.view import Chip, ViewOptions
from echolot_tui.present.comparison_screen import chip_lines
from echolot_tui.present.spans import Line
from echolot_tui.tui.widgets.lines import Lines

_ROOM_FOR_ALL: Final = 45
"""Lines a screen has that shows every choice all the time."""


class Chips(Lines, can_focus=True):
    """One line saying which filters are set; with the focus, every choice of every filter."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "step(-1)", show=False),
        Binding("right,l", "step(1)", show=False),
        Binding("up,k", "filter(-1)", show=False),
        Binding("down,j", "filter(1)", show=False),
        Binding("space,enter", "choose", show=False),
        Binding("escape,f", "leave", show=False),
    ]

    class Toggled(Message):
        """A choice was taken or given back."""

        def __init__(self, chip: Chip) -> None:
            self.chip = chip
            super().__init__()

    class Left(Message):
        """The person is done with the filters."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(self._make, id=id)
        self._chips: Sequence[Chip] = ()
        self._options = ViewOptions()
        self._at: tuple[str, str] = ("direction", "both")

    def show_chips(self, chips: Sequence[Chip], options: ViewOptions) -> None:
        """Show other counts or choices."""
        self._chips, self._options = chips, options
        self.remake()

    def watch_has_focus(self, value: bool) -> None:
        """Unfold while the keys go here."""
        super().watch_has_focus(value)
        self.remake()

    def action_step(self, by: int) -> None:
        """To the next choice."""
        offered = self._offered
        at = next((at for at, chip in enumerate(offered) if self._is_here(chip)), 0)
        self._go(offered[(at + by) % len(offered)])

    def action_filter(self, by: int) -> None:
        """To the first choice of the next filter."""
        kinds = list(dict.fromkeys(chip.filter for chip in self._offered))
        kind = kinds[(kinds.index(self._here.filter) + by) % len(kinds)]
        self._go(next(chip for chip in self._offered if chip.filter == kind))

    def action_choose(self) -> None:
        """Take the choice, or give it back."""
        self.post_message(self.Toggled(self._here))

    def action_leave(self) -> None:
        """Back to the table."""
        self.post_message(self.Left())

    @property
    def _offered(self) -> list[Chip]:
        return [chip for chip in self._chips if chip.count or chip.active]

    @property
    def _here(self) -> Chip:
        return next((chip for chip in self._offered if self._is_here(chip)), self._offered[0])

    def _is_here(self, chip: Chip) -> bool:
        return (chip.filter, chip.value) == self._at

    def _go(self, chip: Chip) -> None:
        self._at = (chip.filter, chip.value)
        self.remake()

    def _make(self, width: int) -> Sequence[Line]:
        if not self._chips:
            return [()]
        focus = self._here if self.has_focus else None
        folded = not self.has_focus and self.screen.size.height < _ROOM_FOR_ALL
        return chip_lines(self._chips, self._options, width, focus=focus, folded=folded)
