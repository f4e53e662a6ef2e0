"""Where the cursor is on Home: on which hunt, round or report, and where those lie."""

from __future__ import annotations

from pathlib import Path

from echolot_tui.investigate.facts import RoundFacts
from echolot_tui.investigate.model import Hunt, Round
from echolot_tui.tui.store import HomeView, Place


class Spot:
    """What is under the cursor of the right table.

    Args:
        view: What Home shows.
        at: The row.
        reports: The right table shows the reports on disk, not the rounds of a hunt.
    """

    def __init__(self, view: HomeView | None, at: int, *, reports: bool) -> None:
        self._view = view
        self._at = at
        self._reports = reports or view is None or view.shown is None

    @property
    def hunt(self) -> Hunt | None:
        """The hunt whose rounds are shown."""
        shown = self._view.shown if self._view is not None else None
        return shown.hunt if shown is not None and not self._reports else None

    @property
    def round(self) -> Round | None:
        """The round."""
        hunt = self.hunt
        return hunt.rounds[self._at] if hunt is not None and self._at < len(hunt.rounds) else None

    @property
    def facts(self) -> RoundFacts | None:
        """What the round's report says."""
        shown = self._view.shown if self._view is not None and self.round is not None else None
        return shown.facts[self._at] if shown is not None else None

    @property
    def root(self) -> Path:
        """What paths in the record start from."""
        config = self._view.config if self._view is not None else None
        return Path(config).parent if config is not None else Path()

    @property
    def round_paths(self) -> list[str]:
        """The report of each round; its name where it has none."""
        hunt = self.hunt
        rounds = hunt.rounds if hunt is not None else ()
        return [str(self.root / each.report.path) if each.report else f"round {each.id}" for each in rounds]

    @property
    def place(self) -> Place | None:
        """The report on disk."""
        found = self._view.reports if self._view is not None and self._reports else ()
        return found[self._at] if self._at < len(found) else None

    @property
    def path(self) -> str | None:
        """The report: of the round, or on disk."""
        of, place = self.round, self.place
        if of is not None:
            return str(self.root / of.report.path) if of.report is not None else None
        return place.path if place is not None else None
