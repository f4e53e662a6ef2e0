"""History: every series over its commits, what was found in it, and how it was judged."""

from __future__ import annotations

from typing import ClassVar, Final

from echolot_tui.history.model import HistoryReport, SeriesState
from echolot_tui.present.history_screen import SeriesRows, history_head, ladder_lines, series_words
from echolot_tui.present.level_chart import level_chart
from echolot_tui.present.spans import Line, Span, line
from echolot_tui.text import visible
from echolot_tui.tui.actions import Where, bindings
from echolot_tui.tui.intents import AnalyzeHistory, BlessHistory, JudgeHistory
from echolot_tui.tui.screens.listing import ListScreen
from echolot_tui.tui.store import Ready, State, Working
from echolot_tui.tui.widgets.grid import Grid
from echolot_tui.tui.widgets.lines import Lines

_CLIP: Final = 40


class HistoryScreen(ListScreen):
    """The series as a list, and one of them with its chart; the model is what the verb prints."""

    WHERE: ClassVar[Where] = "history"
    BINDINGS = bindings("history")

    def __init__(self) -> None:
        super().__init__()
        self._report: HistoryReport | None = None
        self._rows: SeriesRows | None = None
        self._busy = False
        self._text = ""
        self._file = ""
        self._ladder = False

    def on_state(self, state: State) -> None:
        """Another report."""
        slot = state.history
        self._busy = isinstance(slot, Working)
        if isinstance(slot, Ready):
            self._failed = None
            if slot.value is not self._report:
                self._report = slot.value
                self.say("")
                self._fill()
            self.query_one("#head", Lines).remake()
        else:
            self.show_not_ready(slot)
        self.refresh_keys()

    def _fill(self) -> None:
        """The series that hold the text."""
        assert self._report is not None
        self._rows = SeriesRows(self._report, self._text, self.echolot.glyphs)
        said = "no series holds this text" if self._text else "no series is listed"
        self.query_one(Grid).show(self._rows, empty=line(Span(said, "muted")))

    def redraw(self) -> None:
        """The list's sparklines are made with the signs of before."""
        if self._report is not None and self.query(Grid):
            self._fill()
        super().redraw()

    def _head(self, width: int) -> list[Line]:
        if self._failed is not None:
            return [self.title_line(), *self.failure_lines(self._failed, width)]
        if self._report is None:
            said = "" if self._busy else "r judges the project's history, o names a file of series to judge"
            return [self.title_line(), line(Span(said, "muted"))]
        most = 8 if self.size.height >= 30 else 4
        return [self.title_line(), *history_head(self._report, self._text, max(width - 1, 20), most), ()]

    def on_grid_moved(self, message: Grid.Moved) -> None:
        """Another series."""
        del message
        self.show_pane()

    def on_grid_chosen(self) -> None:
        """A double click is the key."""
        self.action_do("ladder")

    @property
    def _state(self) -> SeriesState | None:
        """The series under the cursor."""
        return None if self._rows is None else self._rows.state(self.query_one(Grid).cursor)

    def _pane(self, width: int) -> list[Line]:
        state = self._state
        if state is None or self._rows is None:
            return []
        finding = self._rows.finding(state)
        inner = max(width - 1, 20)
        height = 8 if self.size.height >= 30 else 4
        chart = level_chart(state, finding, inner, height, self.echolot.glyphs)
        words = series_words(state, finding, inner)
        if self._ladder:
            return [*words, (), *chart, (), *ladder_lines(state, inner)]
        return [*words, *chart]

    # Actions.

    def why_not(self, action_id: str) -> str | None:
        """Most need a series; blessings are of the store, not of a file."""
        if action_id in {"ladder", "bless", "unbless"} and self._state is None:
            return "there is no series here"
        if action_id in {"bless", "unbless"} and self._file:
            return "a file of series has no blessings"
        return "there is no history yet" if action_id == "filter" and self._report is None else None

    def do_ladder(self) -> None:
        """The gates of the series, or the list again."""
        self._ladder = not self._ladder
        self.set_class(self._ladder, "-full")
        self.query_one("#pane", Lines).show(self._pane)
        pane = self.query_one("#pane", Lines)
        pane.can_focus = self._ladder
        (pane if self._ladder else self.query_one(Grid)).focus()

    def do_back(self) -> None:
        """From the gates to the list first."""
        if self._ladder:
            self.do_ladder()
        else:
            self.echolot.do_back()

    def do_filter(self) -> None:
        """Ask for a text."""
        self.ask(
            "only series that hold this text; nothing shows all", "text", self._filtered, value=self._text
        )

    def _filtered(self, text: str) -> None:
        self._text = text
        if self._report is not None:
            self._fill()
            self.query_one("#head", Lines).remake()

    def do_bless(self) -> None:
        """Ask why the level is meant."""
        state = self._state
        if state is not None:
            begins = visible(state.name, _CLIP)
            sentence = f"why are levels at this commit meant, of series that begin with {begins}?"
            self.ask(sentence, "reason", self._bless)

    def _bless(self, reason: str) -> None:
        if reason.strip():
            self._post_blessing(reason.strip())
        else:
            self.say("a blessing needs a reason", "warning")

    def do_unbless(self) -> None:
        """Take the blessing back."""
        self._post_blessing(None)

    def _post_blessing(self, reason: str | None) -> None:
        state = self._state
        if state is not None:
            of = state.set
            flags = (f"--scenario={of.scenario}", f"--machine={of.model}", f"--engine={of.engine}")
            self.post_message(BlessHistory(flags, state.name, reason))

    def do_file(self) -> None:
        """Ask for a file."""
        self.ask(
            'file of series to judge: {"series": [{"name", "unit", "values"}]}; nothing: the project',
            "file",
            self._named,
            value=self._file,
        )

    def _named(self, text: str) -> None:
        self._file = text.strip()
        self.do_reload()

    def do_reload(self) -> None:
        """Judge the file again, or the project's store."""
        self.post_message(JudgeHistory(self._file) if self._file else AnalyzeHistory())
