"""What a comparison is made from."""

from __future__ import annotations

from echolot_tui.frozen import Frozen
from echolot_tui.report.model import AllRows, Report
from echolot_tui.stats.labels import ALPHA


class SideInput(Frozen, frozen=True, kw_only=True):
    """One side: a report, and the rows under its bars where they are known."""

    name: str
    """What the side is called in texts; blank takes ``before``, ``after``, ``side 3`` …"""
    path: str
    """Where the report came from, as a person would write it."""
    report: Report
    all_rows: AllRows | None = None
    """``rows.json`` of exactly this report; the caller has checked its hash."""


class CompareOptions(Frozen, frozen=True, kw_only=True):
    """How to compare."""

    floor_ms: float = 5.0
    floor_pct: float = 10.0
    """A row moved when it moved by more than the larger of the two."""
    pinned: tuple[str, ...] = ()
    """GLOBs of row names decided before looking: judged by their own range, not by the table's bar."""
    temp_prefix: str = "AGENTTMP_"
    """Names that begin with it keep their digits."""
    names: tuple[str, ...] = ()
    """Names of the sides, in order; a missing or blank one leaves the input's."""
    seed: int = 0
    """Of the drawn relabellings."""
    level: float = ALPHA
    """Family-wise p up to which a row is a finding: less where the runs were looked at more than once."""
    generated_at: str | None = None
    """Written into the comparison as it is."""

    @property
    def ratio(self) -> float:
        """The relative floor as a fraction."""
        return self.floor_pct / 100

    def floor(self, before: float) -> float:
        """The smallest move that does not count yet, for a row of ``before`` (in its own unit, ms)."""
        return round(max(self.floor_ms, self.ratio * abs(before)), 6)
