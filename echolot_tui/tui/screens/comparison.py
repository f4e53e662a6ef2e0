"""The screen people came for: what moved between two sides, and whether each move is real."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from msgspec.structs import replace

from echolot_tui.compare.model import Row
from echolot_tui.compare.view import ViewOptions
from echolot_tui.present.comparison_markdown import row_markdown, rows_markdown
from echolot_tui.present.comparison_screen import missing_runs
from echolot_tui.present.run_table import longest_run, runs_of
from echolot_tui.tui.actions import Where, bindings
from echolot_tui.tui.intents import (
    Compare,
    CompareAgain,
    CompareProfiles,
    Copy,
    ExportComparison,
    LookAt,
    OpenCollect,
    OpenInPerfetto,
    OpenReport,
)
from echolot_tui.tui.perfetto import run_ask
from echolot_tui.tui.screens.comparison_filters import Filter, next_choice, toggled, unfiltered
from echolot_tui.tui.screens.comparison_panes import ComparisonPanes
from echolot_tui.tui.screens.comparison_sides import comparison_profile, side_names, swapped
from echolot_tui.tui.screens.spread import SpreadScreen
from echolot_tui.tui.store import ProfileAsk, Ready, State
from echolot_tui.tui.widgets.chips import Chips
from echolot_tui.tui.widgets.grid import Grid
from echolot_tui.tui.widgets.prompt import Prompt

_NEEDS_ROW: Final = {"copy", "collect", "profile", "perfetto"}
_NEEDS_COMPARISON: Final = {
    "filter", "direction", "verdict", "detector", "impact", "chips", "unfilter", "order", "follow", "steady",
    "warnings", "also", "swap", "names", "copy_table", "export", "before_report", "after_report", "reload",
}  # fmt: skip


class ComparisonScreen(ComparisonPanes):
    """What is looked at, and what is done with it."""

    WHERE: ClassVar[Where] = "comparison"
    BINDINGS = bindings("comparison")

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

    def on_grid_moved(self, message: Grid.Moved) -> None:
        """Another row."""
        del message
        self._show_pane()

    # Actions.

    def why_not(self, action_id: str) -> str | None:
        """Most need a comparison, some a row."""
        if self._shown is None:
            waits = action_id in _NEEDS_COMPARISON and not (action_id == "reload" and self._failed)
            return "there is no comparison yet" if waits else None
        if action_id in _NEEDS_ROW and self.row is None:
            return "the cursor is on no row"
        comparison = self._shown.comparison
        traces_known = comparison.before.repeats or comparison.after.repeats
        reasons = {
            "swap": "with three or more sides the first is the base" if comparison.others else None,
            "follow": None if self._has_followers else "no row only follows the whole run",
            "warnings": None if comparison.warnings or comparison.whole_run else "there is no warning",
            "steady": None if comparison.summary.steady else "every row moved",
            "perfetto": None if traces_known else "the reports do not say which traces they were made of",
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
        self._look_on("direction")

    def do_verdict(self) -> None:
        """Next verdict that has rows, then all."""
        self._look_on("verdict")

    def do_detector(self) -> None:
        """Next detector that has rows, then all."""
        self._look_on("detector")

    def do_impact(self) -> None:
        """Next step of the least impact."""
        self._look_on("min_impact")

    def do_order(self) -> None:
        """Next order."""
        self._look_on("sort")

    def do_steady(self) -> None:
        """Show or hide rows that did not move."""
        self._look(replace(self._options, steady=not self._options.steady))

    def do_unfilter(self) -> None:
        """All rows again."""
        self._look(unfiltered(self._options))

    def do_filter(self) -> None:
        """Type a text; rows follow while it is typed."""
        self.ask_filter(self._options.text, self._look_for)

    def do_chips(self) -> None:
        """To the filters, all of them."""
        self.query_one(Chips).focus()
        self.say("arrows move, space chooses, esc goes back to the rows", "muted")

    def on_chips_left(self) -> None:
        """Back to the rows."""
        self.to_rows()

    def on_chips_toggled(self, message: Chips.Toggled) -> None:
        """A choice taken or given back."""
        self._look(toggled(self._options, message.chip))

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
        if self._shown is not None:
            self.post_message(Compare(swapped(self._shown)))

    def do_names(self) -> None:
        """Ask for a name of each side, one after the other."""
        if self._shown is not None:
            self._ask_name(side_names(self._shown.comparison), ())

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
            cancel=self.to_rows,
        )

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
        return comparison_profile(self._shown, self.row)

    def do_profile(self) -> None:
        """Stacks of both sides, of the row's thread."""
        asked = self._profile_ask
        if not isinstance(asked, str):
            self.post_message(CompareProfiles(asked))

    def do_perfetto(self) -> None:
        """The run in which the row takes longest, at its longest slice."""
        if self._shown is not None and self.row is not None:
            runs = runs_of(self.row, self._shown.comparison)
            run = runs[longest_run(runs)]
            self.post_message(OpenInPerfetto(run_ask(run.side, run.repeats[0], self.row)))

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
            self._look_for("")
        else:
            self.echolot.do_back()

    def _look_on(self, filter_by: Filter) -> None:
        """The next choice of a filter."""
        if self._shown is not None:
            self._look(next_choice(filter_by, self._options, self._shown.view.chips))

    def _look_for(self, text: str) -> None:
        """Rows that hold a text."""
        self._look(replace(self._options, text=text))

    def _look(self, options: ViewOptions) -> None:
        if self._shown is not None and options != self._options:
            self._options = options
            self.post_message(LookAt(options))
