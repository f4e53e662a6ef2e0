"""What Perfetto's UI is asked to show: a trace, or one run of a report at a row's longest slice."""

from __future__ import annotations

from pathlib import Path

from echolot_tui.compare.model import Row, Side
from echolot_tui.frozen import Frozen
from echolot_tui.report.model import Repeat

_REPORT = "report.json"


class PerfettoAsk(Frozen, frozen=True, kw_only=True):
    """What ``echolot open`` is given."""

    target: str
    """A trace, or a report."""
    row: str | None = None
    """Location of the row whose longest slice is looked at; ``None`` shows the window."""
    run: str | None = None
    """Label of a run of the report; ``None`` leaves the choice to the verb."""

    @property
    def arguments(self) -> tuple[str, ...]:
        """Flags and target of the verb."""
        row = () if self.row is None else ("--row", self.row)
        run = () if self.run is None else ("--run", self.run)
        return (*row, *run, "--", self.target)


def run_ask(side: Side, repeat: Repeat, row: Row) -> PerfettoAsk:
    """One run of a side of a comparison, at a row.

    A side that was compared without a report has its traces only: the config's anchors find the window.
    """
    if Path(side.path).name == _REPORT:
        return PerfettoAsk(target=side.path, row=row.location, run=repeat.label)
    return PerfettoAsk(target=repeat.trace, row=row.location)
