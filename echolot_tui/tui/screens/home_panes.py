"""What Home shows: where the project stands, the hunts, one hunt's rounds or the reports, the next step."""

from __future__ import annotations

from typing import Final

from textual.app import ComposeResult
from textual.containers import Container, Vertical

from echolot_tui.present.home_screen import doctor_standing, hunt_head, next_line, round_words, standing_lines
from echolot_tui.present.spans import Line, Span, line
from echolot_tui.tui.screens.base import BaseScreen
from echolot_tui.tui.screens.home_rows import HuntRows, PlaceRows, RoundRows
from echolot_tui.tui.screens.home_sides import comparison_ask
from echolot_tui.tui.screens.home_spot import Spot
from echolot_tui.tui.store import ComparisonAsk, Failed, HomeView, Ready
from echolot_tui.tui.widgets.grid import Grid
from echolot_tui.tui.widgets.lines import Lines
from echolot_tui.tui.widgets.side_grid import SideGrid

_NEXT_KEYS: Final = {
    "setup": "n",
    "fix-config": "r",
    "collect": "c",
    "resume-collect": "c",
    "wait": "c",
    "analyze": "a",
    "compare": "d",
    "conclude": "C",
    "resume-or-new": "R",
}
"""Which key does the step that ``echolot status`` names."""

_LOW: Final = 20
"""Lines under which Home says less of everything but the rounds."""

_TALL: Final = 30
"""Lines from which there is room for what only introduces."""


class HomePanes(BaseScreen):
    """Composes Home and fills it."""

    def __init__(self) -> None:
        super().__init__()
        self._view: HomeView | None = None
        self._failed: Failed | None = None
        self._marked: list[str] = []
        self._reports_shown = False

    def compose_middle(self) -> ComposeResult:
        """Where the project stands; hunts, rounds, the round in full; the next step."""
        yield Lines(self._standing, id="head")
        with Container(id="home"):
            yield SideGrid(id="hunts")
            with Vertical(id="right"):
                yield Lines(self._hunt_head, id="hunt")
                yield SideGrid(id="rounds")
                yield Lines(id="pane")
        yield Lines(self._next_step, id="next")

    def _show(self) -> None:
        view = self._view
        if view is None:
            return
        self.set_class(not view.hunts, "-no-hunts")
        if not view.hunts:
            self._reports_shown = True
        elif not view.reports:
            self._reports_shown = False
        self.query_one("#head", Lines).remake()
        self.query_one("#next", Lines).remake()
        hunts = self.query_one("#hunts", Grid)
        hunts.show(HuntRows(view.hunts, len(view.reports), view.at))
        if view.shown is not None and not self._on_hunts and not self._reports_shown:
            shown = view.shown.hunt.n
            hunts.move_to(next((at for at, hunt in enumerate(view.hunts) if hunt.n == shown), 0))
        self._show_right()

    def _show_right(self) -> None:
        view = self._view
        if view is None:
            return
        grid = self.query_one("#rounds", Grid)
        if self._reports_shown or view.shown is None:
            nothing = "no reports here yet" if view.next_word else "looking at the project"
            grid.show(PlaceRows(view.reports, self._marked), empty=line(Span(nothing, "muted")))
        else:
            rows = RoundRows(view.shown, self._marked, self._spot.round_paths, view.at, self.echolot.glyphs)
            grid.show(
                rows, empty=line(Span("no rounds yet: c records one, a takes traces that are here", "muted"))
            )
        self.query_one("#hunt", Lines).remake()
        self._show_pane()

    def _show_pane(self) -> None:
        self.status.place(self.query_one("#rounds", Grid).place)
        self.query_one("#pane", Lines).show(self._pane)
        self.refresh_keys()

    def _standing(self, width: int) -> list[Line]:
        title = line(Span("echolot", "heading"), Span("  where did the time go, and is it real?", "muted"))
        slot = self.store.state.doctor
        doctor = doctor_standing(slot.value if isinstance(slot, Ready) else None)
        standing = standing_lines((*self._view.standing, doctor), width) if self._view is not None else []
        if self.size.height < _LOW:
            return [*(standing[:1] or [title]), *self.failure_lines(self._failed, width)]
        lines = [title] if self.size.height >= _TALL or not standing else []
        return [*lines, *standing, *self.failure_lines(self._failed, width), ()]

    def _hunt_head(self, width: int) -> list[Line]:
        view = self._view
        if view is None or view.shown is None or self._reports_shown:
            return []
        most = 8 if self.size.height >= _TALL else 3 if self.size.height >= _LOW else 1
        return hunt_head(view.shown, view.at, width)[:most]

    def _pane(self, width: int) -> list[Line]:
        of, facts = self._spot.round, self._spot.facts
        if self._view is None or of is None or facts is None:
            return []
        return round_words(of, facts, self._view.at, max(width - 1, 1))

    def _next_step(self, width: int) -> list[Line]:
        view = self._view
        if view is None or not view.next_step:
            return []
        key = _NEXT_KEYS.get(view.next_word)
        if view.hunts and all(hunt.state != "open" for hunt in view.hunts):
            key = "n"  # the next question comes first
        elif key == "d" and isinstance(self._comparison_ask, str):
            key = "c"  # without a hunt, comparing begins with recording the other side
        return next_line(view.next_step, key, width)

    @property
    def _spot(self) -> Spot:
        return Spot(self._view, self.query_one("#rounds", Grid).cursor, reports=self._reports_shown)

    @property
    def _on_hunts(self) -> bool:
        return self.focused is self.query_one("#hunts", Grid)

    @property
    def _comparison_ask(self) -> ComparisonAsk | str:
        """What is marked, else the hunt's rounds; why not, where there is nothing to compare."""
        return comparison_ask(self._spot, self._marked)
