"""The screen people came for: what moved between two sides, and whether each move is real."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Final, get_args

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.containers import Container

from echolot_tui.compare.model import Comparison, Row
from echolot_tui.compare.view import IMPACTS, VERDICTS, Chip, Direction, SortBy, ViewOptions
from echolot_tui.present.comparison_markdown import row_markdown, rows_markdown
from echolot_tui.present.comparison_screen import also_lines, head_lines, missing_runs
from echolot_tui.present.spans import Line
from echolot_tui.tui.actions import Where, bindings
from echolot_tui.tui.intents import (
    Compare,
    CompareAgain,
    CompareProfiles,
    Copy,
    ExportComparison,
    LookAt,
    OpenCollect,
    OpenReport,
)
from echolot_tui.tui.profile_sides import profile_ask
from echolot_tui.tui.screens.comparison_rows import BannerId, ComparisonRows, next_choice, toggled
from echolot_tui.tui.screens.listing import ListScreen
from echolot_tui.tui.screens.spread import SpreadScreen
from echolot_tui.tui.store import ProfileAsk, Ready, ShownComparison, State
from echolot_tui.tui.widgets.chips import Chips
from echolot_tui.tui.widgets.grid import Grid
from echolot_tui.tui.widgets.lines import Lines
from echolot_tui.tui.widgets.prompt import Prompt
from echolot_tui.tui.widgets.spread_plot import SpreadPlot

_HEAD_LINES: Final = 5
_DIRECTIONS: Final[tuple[Direction, ...]] = get_args(Direction)
_ORDERS: Final[tuple[SortBy, ...]] = get_args(SortBy)

_NEEDS_ROW: Final = {"copy", "collect", "profile"}
_NEEDS_COMPARISON: Final = {
    "filter", "direction", "verdict", "detector", "impact", "chips", "unfilter", "order", "follow", "steady",
    "warnings", "also", "swap", "names", "copy_table", "export", "before_report", "after_report", "reload",
}  # fmt: skip


class ComparisonScreen(ListScreen):
    """Head, filters, table, and the spread of the row under the cursor."""

    WHERE: ClassVar[Where] = "comparison"
    BINDINGS = bindings("comparison")

    def __init__(self) -> None:
        super().__init__()
        self._shown: ShownComparison | None = None
        self._options = ViewOptions()
        """What was asked for last; what is shown may be a moment behind."""
        self._rows: ComparisonRows | None = None
        self._warnings_opened = False
        self._follow_opened = True
        self._also = False

    def compose_middle(self) -> ComposeResult:
        """Head, chips, body."""
        yield Lines(self._head, id="head")
        yield Chips(id="chips")
        with Container(id="body"):
            yield Grid(id="rows")
            yield SpreadPlot(id="pane")

    def on_state(self, state: State) -> None:
        """Show another comparison, or other rows of it."""
        slot = state.comparison
        if not isinstance(slot, Ready):
            self.show_not_ready(slot)
        elif slot.value is not self._shown:
            is_new = self._shown is None or self._shown.comparison is not slot.value.comparison
            if is_new:
                self._options = slot.value.options
            self._shown = slot.value
            self._show(new=is_new)
        self.refresh_keys()

    def _show(self, *, new: bool) -> None:
        shown = self._shown
        if shown is None:
            return
        self._rows = ComparisonRows(shown, follow_opened=self._follow_opened, glyphs=self.echolot.glyphs)
        if new:
            self.query_one("#head", Lines).remake()
            self.say("")
        self.query_one(Chips).show_chips(shown.view.chips, shown.options)
        self.query_one(Grid).show(self._rows)
        self._show_pane()

    def _head(self, width: int) -> Sequence[Line]:
        if self._shown is None:
            return [self.title_line(), *self.failure_lines(self._failed, width)]
        most = _HEAD_LINES if self.size.height >= 30 else 4 if self.size.height >= 20 else 3
        return head_lines(self._shown.comparison, width, most=most, opened=self._warnings_opened)

    # The pane beside or below the table.

    def on_grid_moved(self, message: Grid.Moved) -> None:
        """Another row."""
        del message
        self._show_pane()

    def _show_pane(self) -> None:
        grid, pane = self.query_one(Grid), self.query_one(SpreadPlot)
        shown, row = self._shown, self.row
        total = len(grid.source)
        self.status.place(f"{grid.cursor + 1} of {total}" if total else "no rows")
        if shown is None:
            return
        if row is None or self._also:
            pane.show(lambda width: also_lines(shown.comparison.also, shown.comparison, width))
        else:
            pane.show_row(row, shown.comparison)

    @property
    def row(self) -> Row | None:
        """The row under the cursor."""
        item = self._item
        return item if isinstance(item, Row) else None

    @property
    def _item(self) -> Row | BannerId | None:
        at = self.query_one(Grid).cursor
        return self._rows.items[at] if self._rows is not None and at < len(self._rows) else None

    # Actions.

    def why_not(self, action_id: str) -> str | None:
        """Most need a comparison, some a row."""
        if self._shown is None:
            waits = action_id in _NEEDS_COMPARISON and not (action_id == "reload" and self._failed)
            return "there is no comparison yet" if waits else None
        if action_id in _NEEDS_ROW and self.row is None:
            return "the cursor is on no row"
        comparison = self._shown.comparison
        reasons = {
            "swap": "with three or more sides the first is the base" if comparison.others else None,
            "follow": None if self._has_followers else "no row only follows the whole run",
            "warnings": None if comparison.warnings or comparison.whole_run else "there is no warning",
            "steady": None if comparison.summary.steady else "every row moved",
            "profile": self._profile_ask if isinstance(self._profile_ask, str) else None,
        }
        return reasons.get(action_id)

    @property
    def _has_followers(self) -> bool:
        return self._shown is not None and any(group.cause == "window" for group in self._shown.view.groups)

    def do_open(self) -> None:
        """A row gets the whole screen; a fold opens."""
        item = self._item
        if item == "steady":
            self.do_steady()
        elif item == "follow":
            self.do_follow()
        elif isinstance(item, Row) and self._rows is not None and self._shown is not None:
            rows = [one for one in self._rows.items if isinstance(one, Row)]
            self.app.push_screen(SpreadScreen(self._shown.comparison, rows, rows.index(item)))

    def on_grid_chosen(self, message: Grid.Chosen) -> None:
        """A double click."""
        del message
        self.do_open()

    def do_direction(self) -> None:
        """Next direction."""
        self._look(direction=next_choice(_DIRECTIONS, self._options.direction))

    def do_verdict(self) -> None:
        """Next verdict that has rows, then all."""
        chosen = self._options.verdicts
        offered = [chip.value for chip in self._chips("verdict")]
        words = [word for word in VERDICTS if word in offered]
        current = chosen[0] if len(chosen) == 1 else None
        following = next_choice((None, *words), current)
        self._look(verdicts=() if following is None else (following,))

    def do_detector(self) -> None:
        """Next detector that has rows, then all."""
        chosen = self._options.detectors
        following = next_choice(
            (None, *(chip.value for chip in self._chips("detector"))), chosen[0] if len(chosen) == 1 else None
        )
        self._look(detectors=() if following is None else (following,))

    def do_impact(self) -> None:
        """Next step of the least impact."""
        self._look(min_impact=next_choice(tuple(IMPACTS), self._options.min_impact))

    def do_order(self) -> None:
        """Next order."""
        self._look(sort=next_choice(_ORDERS, self._options.sort))

    def do_steady(self) -> None:
        """Show or hide rows that did not move."""
        self._look(steady=not self._options.steady)

    def do_unfilter(self) -> None:
        """All rows again."""
        unset = ViewOptions()
        self._look(
            direction=unset.direction,
            verdicts=unset.verdicts,
            detectors=unset.detectors,
            min_impact=unset.min_impact,
            text=unset.text,
        )

    def do_filter(self) -> None:
        """Type a text; rows follow while it is typed."""
        old = self._options.text
        self.say("only rows that hold this text; enter keeps it, esc does not", "muted")
        self.query_one(Prompt).ask(
            "text",
            old,
            self._filtered,
            cancel=lambda: self._filtered(old),
            live=lambda text: self._look(text=text),
        )

    def _filtered(self, text: str) -> None:
        self._look(text=text)
        self._to_rows()

    def do_chips(self) -> None:
        """To the filters, all of them."""
        self.query_one(Chips).focus()
        self.say("arrows move, space chooses, esc goes back to the rows", "muted")

    def on_chips_left(self) -> None:
        """Back to the rows."""
        self._to_rows()

    def on_chips_toggled(self, message: Chips.Toggled) -> None:
        """A choice taken or given back."""
        self._look(**toggled(self._options, message.chip))

    def do_follow(self) -> None:
        """Fold or unfold rows that follow the whole run."""
        self._follow_opened = not self._follow_opened
        self._show(new=False)

    def do_warnings(self) -> None:
        """Warnings in full, or one line each."""
        self._warnings_opened = not self._warnings_opened
        self.open_head(opened=self._warnings_opened)

    def do_also(self) -> None:
        """What else moved, in the place of the spread."""
        self._also = not self._also
        self._show_pane()

    def do_swap(self) -> None:
        """The sides the other way round."""
        if self._shown is None:
            return
        ask, comparison = self._shown.ask, self._shown.comparison
        names = (comparison.before.name, comparison.after.name)
        swapped = () if names == ("before", "after") else names[::-1]
        self.post_message(Compare(replace(ask, sides=ask.sides[::-1], names=swapped)))

    def do_names(self) -> None:
        """Ask for a name of each side, one after the other."""
        if self._shown is not None:
            sides = (self._shown.comparison.before, *(each.after for each in self._comparisons))
            self._ask_name([side.name for side in sides], ())

    def _ask_name(self, old: Sequence[str], given: tuple[str, ...]) -> None:
        if len(given) == len(old):
            self.query_one(Grid).focus()
            if self._shown is not None and given != tuple(old):
                self.post_message(Compare(replace(self._shown.ask, names=given)))
            return
        self.say(f"name of side {len(given) + 1} of {len(old)}; enter keeps it, esc stops", "muted")
        self.query_one(Prompt).ask(
            "name",
            old[len(given)],
            lambda text: self._ask_name(old, (*given, text.replace(",", " ").strip() or old[len(given)])),
            cancel=self._to_rows,
        )

    def _to_rows(self) -> None:
        self.say("")
        self.query_one(Grid).focus()

    def do_collect(self) -> None:
        """The runs that would settle the row, on top of the set recorded last."""
        if self._shown is not None and self.row is not None:
            self.post_message(OpenCollect(missing_runs(self.row, self._shown.comparison)))

    def do_copy(self) -> None:
        """The row as Markdown."""
        if self._shown is not None and self.row is not None:
            self.post_message(Copy(row_markdown(self.row, self._shown.comparison), "the row"))

    def do_copy_table(self) -> None:
        """The rows that are shown, as Markdown."""
        if self._shown is not None:
            rows = self._shown.view.rows
            self.post_message(Copy(rows_markdown(rows, self._shown.comparison), f"{len(rows)} rows"))

    def do_export(self) -> None:
        """Write the files."""
        self.post_message(ExportComparison())

    @property
    def _profile_ask(self) -> ProfileAsk | str:
        """The two sides' traces, of the row's thread; why not, where they are not known."""
        if self._shown is None or self.row is None:
            return "the cursor is on no row"
        comparison, ask = self._shown.comparison, self._shown.ask
        before, after = (
            [one.trace for one in side.repeats] for side in (comparison.before, comparison.after)
        )
        folder = None if ask.folder is None else Path(ask.folder)
        return profile_ask(before, after, thread=self.row.thread, folder=folder)

    def do_profile(self) -> None:
        """Stacks of both sides, of the row's thread."""
        asked = self._profile_ask
        if not isinstance(asked, str):
            self.post_message(CompareProfiles(asked))

    def do_before_report(self) -> None:
        """The report of the base."""
        if self._shown is not None:
            self.post_message(OpenReport(self._shown.comparison.before.path))

    def do_after_report(self) -> None:
        """The report of the other side."""
        if self._shown is not None:
            self.post_message(OpenReport(self._shown.comparison.after.path))

    def do_reload(self) -> None:
        """Compare again."""
        self.post_message(CompareAgain())

    def do_back(self) -> None:
        """Opened warnings go first, then a filter, then the screen."""
        if self._warnings_opened:
            self.do_warnings()
        elif self._shown is not None and self._options.text:
            self._look(text="")
        else:
            self.echolot.do_back()

    @property
    def _comparisons(self) -> Sequence[Comparison]:
        return () if self._shown is None else (self._shown.comparison, *self._shown.comparison.others)

    def _chips(self, kind: str) -> list[Chip]:
        """Choices of a filter that have rows, or are taken."""
        chips = self._shown.view.chips if self._shown is not None else ()
        return [chip for chip in chips if chip.filter == kind and (chip.count or chip.active)]

    def _look(self, **changes: Any) -> None:
        options = replace(self._options, **changes)
        if self._shown is not None and options != self._options:
            self._options = options
            self.post_message(LookAt(options))
