"""The profile diff: the tree with two bars a frame, one frame in full, what is said of it all."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar

from echolot_tui.present.glyphs import Glyphs
from echolot_tui.present.numbers import plural
from echolot_tui.present.profile_screen import (
    ProfileTree,
    frame_lines,
    frame_markdown,
    said_lines,
    tree_cells,
    tree_columns,
    tree_head,
)
from echolot_tui.present.spans import Line, Span, line
from echolot_tui.tui.actions import Where, bindings
from echolot_tui.tui.intents import CompareProfiles, Copy, ExportProfile
from echolot_tui.tui.screens.listing import ListScreen
from echolot_tui.tui.store import Ready, ShownProfile, State
from echolot_tui.tui.widgets.grid import Banner, Cells, Grid
from echolot_tui.tui.widgets.lines import Lines

_NEEDS_FRAME = {"fold", "open_frame", "close_frame", "copy"}


class TreeRows:
    """The frames that are shown."""

    sorted_by: int | None = None

    def __init__(
        self,
        tree: ProfileTree,
        shown: Sequence[int],
        closed: set[int],
        *,
        absolute: bool,
        width: int,
        glyphs: Glyphs,
    ) -> None:
        self.columns = tree_columns(tree.profile, absolute=absolute)
        self.shown = shown
        self._tree = tree
        self._closed = closed
        self._absolute = absolute
        # Both bars stay where the pane stands beside the tree, from 120 columns on.
        self._bar = 6 if width < 110 else 8 if width < 150 else 12 if width < 200 else 24
        self._glyphs = glyphs

    def __len__(self) -> int:
        return len(self.shown)

    def row(self, at: int) -> Cells | Banner:
        """One frame."""
        node = self.shown[at]
        return tree_cells(
            self._tree,
            node,
            absolute=self._absolute,
            closed=node in self._closed,
            width=self._bar,
            glyphs=self._glyphs,
        )

    def key(self, at: int) -> Hashable:
        """The frame's number in the model."""
        return self.shown[at] + 1  # a grid looks for no key that is false


class ProfileScreen(ListScreen):
    """Head, tree, one frame in full; or everything that is said in the tree's place."""

    WHERE: ClassVar[Where] = "profile"
    BINDINGS = bindings("profile")

    def __init__(self) -> None:
        super().__init__()
        self._shown: ShownProfile | None = None
        self._folded: set[int] = set()
        self._rows: TreeRows | None = None
        self._absolute = False
        self._text = ""
        self._opened = False

    def on_state(self, state: State) -> None:
        """Another profile."""
        slot = state.profile
        if not isinstance(slot, Ready):
            self.show_not_ready(slot)
        elif slot.value is not self._shown:
            self._shown, self._failed, self._text = slot.value, None, ""
            self._folded = slot.value.tree.first_closed()
            self._absolute = slot.value.tree.profile.basis == "absolute"
            self.say("")
            self.query_one("#head", Lines).remake()
            self._show()
        self.refresh_keys()

    def redraw(self) -> None:
        """Bars are as wide as the screen allows."""
        self._show()
        super().redraw()

    def _show(self) -> None:
        """The tree as folds and filter have it."""
        if self._shown is None:
            return
        tree = self._shown.tree
        closed = set() if self._text else self._folded
        self._rows = TreeRows(
            tree,
            tree.visible(closed, self._text),
            closed,
            absolute=self._absolute,
            width=self.size.width,
            glyphs=self.echolot.glyphs,
        )
        empty = line(Span(f'no frame\'s name holds "{self._text}"; esc takes the filter away', "strong"))
        self.query_one(Grid).show(self._rows, empty=empty)
        self._tell_place()

    def _tell_place(self) -> None:
        basis = "amounts" if self._absolute else "shares"
        self.status.place(f"{basis}  {self.query_one(Grid).place or 'no frames'}")

    def on_grid_moved(self, message: Grid.Moved) -> None:
        """Another frame."""
        del message
        self._tell_place()
        if not self._reading:
            self.query_one("#pane", Lines).show(self._pane)

    def on_grid_chosen(self, message: Grid.Chosen) -> None:
        """Clicked twice."""
        del message
        self.action_do("fold")

    @property
    def frame(self) -> int | None:
        """The frame under the cursor."""
        at = self.query_one(Grid).cursor
        return self._rows.shown[at] if self._rows is not None and at < len(self._rows) else None

    @property
    def _reading(self) -> bool:
        """Whether what is said has the tree's place."""
        return self.has_class("-full")

    def _head(self, width: int) -> Sequence[Line]:
        if self._failed is not None or self._shown is None:
            return [self.title_line(), *self.failure_lines(self._failed, width)]
        asked = " ".join(self._shown.ask.flags)
        lines = tree_head(self._shown.tree.profile, asked, opened=self._opened, width=width)
        return lines if self._opened or self.size.height >= 20 else lines[:2]

    def _pane(self, width: int) -> Sequence[Line]:
        if self._shown is None:
            return []
        tree, at = self._shown.tree, self.frame
        if self._reading:
            return said_lines(tree.profile, width)
        lines = frame_lines(tree, at, width) if at is not None else []
        return [*lines, (), *said_lines(tree.profile, width)] if self.has_class("-wide") else lines

    # Actions.

    def why_not(self, action_id: str) -> str | None:
        """Most need a profile, some a frame."""
        if self._shown is None and action_id in {*_NEEDS_FRAME, "descend", "absolute", "filter", "also"}:
            return "there is no profile yet"
        if self._shown is None:
            return "there is no profile yet" if action_id in {"warnings", "export"} else None
        profile = self._shown.tree.profile
        if action_id in _NEEDS_FRAME and self.frame is None:
            return "the cursor is on no frame"
        if action_id == "absolute" and profile.totals.ratio is None:
            return "the totals do not compare, so amounts are not subtracted"
        if action_id == "descend" and not profile.follow:
            return "no rise is more than noise"
        return None

    def do_fold(self) -> None:
        """Fold or unfold."""
        if self.frame is not None:
            self._set_closed(self.frame, closed=self.frame not in self._folded)

    def do_open_frame(self) -> None:
        """Open; then go in."""
        at, grid = self.frame, self.query_one(Grid)
        if at is not None and at in self._folded:
            self._set_closed(at, closed=False)
        elif at is not None and self._shown is not None and self._shown.tree.has_callees[at]:
            grid.move_to(grid.cursor + 1)

    def do_close_frame(self) -> None:
        """Close; then go out."""
        at = self.frame
        if at is None or self._shown is None:
            return
        tree = self._shown.tree
        if tree.has_callees[at] and at not in self._folded and not self._text:
            self._set_closed(at, closed=True)
        elif above := tree.above(at):
            self._go_to(above[0])

    def _set_closed(self, at: int, *, closed: bool) -> None:
        if self._text:
            self.say("everything is open while a text is looked for: esc takes it away", "warning")
        elif self._shown is not None and self._shown.tree.has_callees[at]:
            (self._folded.add if closed else self._folded.discard)(at)
            self._show()

    def _go_to(self, node: int) -> None:
        if self._rows is not None and node in self._rows.shown:
            self.query_one(Grid).move_to(self._rows.shown.index(node))

    def do_descend(self) -> None:
        """Along the largest rise."""
        if self._shown is None or not self._shown.tree.profile.follow:
            return
        tree = self._shown.tree
        self._text = ""
        at = tree.profile.follow[-1]
        self._folded.difference_update(tree.above(at))
        self._show()
        self._go_to(at)
        steps = plural(len(tree.profile.follow), "frame")
        self.say(f"the largest rise, followed over {steps} to the deepest that explains it")

    def do_absolute(self) -> None:
        """The other figures."""
        self._absolute = not self._absolute
        self._show()

    def do_filter(self) -> None:
        """Ask for a text."""
        self.ask("frames whose name holds: enter keeps it", "text", self._look, value=self._text)

    def _look(self, text: str) -> None:
        self._text = text.strip()
        self._show()
        if self._text and self._shown is not None:
            count = plural(self._shown.tree.matches(self._text), "frame")
            self.say(f'{count} with "{self._text}", and what contains them; esc takes the filter away')

    def do_also(self) -> None:
        """Everything that is said, or the tree again."""
        pane = self.query_one("#pane", Lines)
        self.toggle_class("-full")
        pane.can_focus = self._reading
        pane.show(self._pane)
        (pane if self._reading else self.query_one(Grid)).focus()

    def do_warnings(self) -> None:
        """The head in full, or short."""
        self._opened = not self._opened
        self.open_head(opened=self._opened)

    def do_export(self) -> None:
        """Write the files."""
        self.post_message(ExportProfile())

    def do_copy(self) -> None:
        """The frame."""
        if self._shown is not None and self.frame is not None:
            self.post_message(Copy(frame_markdown(self._shown.tree, self.frame), "the frame"))

    def do_reload(self) -> None:
        """Compare again."""
        self.post_message(CompareProfiles())

    def do_back(self) -> None:
        """What was opened goes first, then a filter, then the screen."""
        if self._reading:
            self.do_also()
        elif self._opened:
            self.do_warnings()
        elif self._text:
            self._look("")
            self.say("")
        else:
            self.echolot.do_back()
