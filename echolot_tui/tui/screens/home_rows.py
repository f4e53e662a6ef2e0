"""What Home's two tables show: hunts on the left, rounds or reports on the right."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from echolot_tui.investigate.model import Hunt, Round
from echolot_tui.investigate.view import HuntView
from echolot_tui.present.glyphs import Glyphs
from echolot_tui.present.home_screen import HUNT_COLUMNS, ROUND_COLUMNS, hunt_cells, round_cells, run_axis
from echolot_tui.present.numbers import plural
from echolot_tui.present.spans import Span, line
from echolot_tui.present.table import Column, cell
from echolot_tui.tui.store import Place
from echolot_tui.tui.widgets.grid import Banner, Cells


class HuntRows:
    """Hunts, the newest first; under them one line for the reports that lie about."""

    columns = HUNT_COLUMNS
    sorted_by: int | None = None

    def __init__(self, hunts: Sequence[Hunt], reports: int, now: str) -> None:
        self._hunts = hunts
        self._reports = reports
        self._now = now

    def __len__(self) -> int:
        return len(self._hunts) + (self._reports > 0)

    def row(self, at: int) -> Cells | Banner:
        """A hunt, or the line that stands for the reports."""
        if at < len(self._hunts):
            return hunt_cells(self._hunts[at], self._now)
        return Banner(line=line(Span(f"{plural(self._reports, 'report')} on disk", "muted")))

    def key(self, at: int) -> Hashable:
        """The hunt's number."""
        return self._hunts[at].n if at < len(self._hunts) else "reports"


class RoundRows:
    """The rounds of a hunt, in order, their runs on one axis."""

    columns = ROUND_COLUMNS
    sorted_by: int | None = None

    def __init__(
        self, view: HuntView, marked: Sequence[str], paths: Sequence[str], now: str, glyphs: Glyphs
    ) -> None:
        self._view = view
        self._marked = marked
        self._paths = paths
        self._now = now
        self._glyphs = glyphs
        self._axis = run_axis(view.facts)

    def __len__(self) -> int:
        return len(self._view.hunt.rounds)

    @property
    def rounds(self) -> tuple[Round, ...]:
        """The rounds."""
        return self._view.hunt.rounds

    def row(self, at: int) -> Cells | Banner:
        """A round."""
        side = self._marked.index(self._paths[at]) + 1 if self._paths[at] in self._marked else None
        return round_cells(
            self.rounds[at], self._view.facts[at], self._axis, side, self._now, glyphs=self._glyphs
        )

    def key(self, at: int) -> Hashable:
        """What it is known by for as long as the project lives."""
        return self.rounds[at].id


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
