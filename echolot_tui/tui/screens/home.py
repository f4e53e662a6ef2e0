"""Home: where the project stands and what there is to open."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar

from textual.app import ComposeResult

from echolot_tui.present.spans import Line, Span, line, wrapped
from echolot_tui.present.table import Column, cell
from echolot_tui.tui.actions import Where, bindings
from echolot_tui.tui.intents import Compare, LookAround, OpenDetectors, OpenReport
from echolot_tui.tui.screens.base import BaseScreen
from echolot_tui.tui.store import ComparisonAsk, HomeView, Place, Ready, State
from echolot_tui.tui.widgets.grid import Banner, Cells, Grid
from echolot_tui.tui.widgets.lines import Lines


class PlaceRows:
    """Reports that were found, with their marks."""

    columns = (
        Column(title="Side"),
        Column(title="Report", shrink_to=20),
        Column(title="", drop=1, shrink_to=10),
    )
    sorted_by: int | None = None

    def __init__(self, places: Sequence[Place], marked: Sequence[str]) -> None:
        self._places = places
        self._marked = marked

    def __len__(self) -> int:
        return len(self._places)

    def row(self, at: int) -> Cells | Banner:
        """Mark, path, what it is."""
        place = self._places[at]
        side = self._marked.index(place.path) + 1 if place.path in self._marked else None
        return (
            cell("-" if side is None else str(side), "strong" if side else "muted"),
            cell(place.path, "name"),
            cell(place.text, "muted"),
        )

    def key(self, at: int) -> Hashable:
        """Its path."""
        return self._places[at].path


class HomeScreen(BaseScreen):
    """Reports to open and to compare."""

    WHERE: ClassVar[Where] = "home"
    BINDINGS = bindings("home")

    def __init__(self) -> None:
        super().__init__()
        self._view: HomeView | None = None
        self._marked: list[str] = []

    def compose_middle(self) -> ComposeResult:
        """Where the project stands, then the reports."""
        yield Lines(self._standing, id="head")
        yield Grid(id="rows")
        yield Lines(self._next_step, id="next")

    def on_state(self, state: State) -> None:
        """Show what there is."""
        if not isinstance(state.home, Ready):
            self.say_slot(state.home)
        elif state.home.value is not self._view:
            self._view = state.home.value
            self.say("")
            self.query_one("#head", Lines).remake()
            self.query_one("#next", Lines).remake()
            self._show_rows()
        self.refresh_keys()

    def on_screen_resume(self) -> None:
        """Coming back: things may have changed on disk."""
        if self._view is None:
            self.post_message(LookAround())

    def _show_rows(self) -> None:
        places = self._view.reports if self._view else ()
        nothing = line(Span("no reports here yet", "muted"))
        self.query_one(Grid).show(PlaceRows(places, self._marked), empty=nothing)

    def _standing(self, width: int) -> list[Line]:
        lines = [line(Span("echolot", "heading"), Span("  where did the time go, and is it real?", "muted"))]
        for text in self._view.standing if self._view else ():
            lines += wrapped(line(text), width, indent=2)
        return [*lines, ()]

    def _next_step(self, width: int) -> list[Line]:
        text = self._view.next_step if self._view else ""
        return wrapped(line(Span("next  ", "strong"), text), width, indent=6) if text else []

    @property
    def _place(self) -> Place | None:
        at = self.query_one(Grid).cursor
        return self._view.reports[at] if self._view and at < len(self._view.reports) else None

    def why_not(self, action_id: str) -> str | None:
        """Most need a report."""
        if action_id in {"open", "mark", "compare", "detectors"} and (
            self._view is None or not self._view.reports
        ):
            return "there is no report here yet"
        if action_id == "compare" and len(self._marked) < 2:
            return "mark two reports first: the first one marked is the base"
        return None

    def do_open(self) -> None:
        """Open the report."""
        if (place := self._place) is not None:
            self.post_message(OpenReport(place.path))

    def on_grid_chosen(self) -> None:
        """A double click."""
        self.do_open()

    def do_mark(self) -> None:
        """Mark, or take the mark away."""
        if (place := self._place) is not None:
            if place.path in self._marked:
                self._marked.remove(place.path)
            else:
                self._marked.append(place.path)
            self._show_rows()
            self.refresh_keys()

    def do_compare(self) -> None:
        """Compare what is marked."""
        self.post_message(Compare(ComparisonAsk(sides=tuple(self._marked))))

    def do_detectors(self) -> None:
        """The detectors."""
        if (place := self._place) is not None:
            self.post_message(OpenDetectors(place.path))

    def do_reload(self) -> None:
        """Look again."""
        self.post_message(LookAround())
