"""What of a report is looked at: its detectors in the order they are read, rows by a text. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from echolot_tui.frozen import Frozen
from echolot_tui.report.model import DetectorReport, DetectorState, Report, Row

_READ_IN: Final[tuple[DetectorState, ...]] = ("fired", "failed", "no data", "silent")


class Section(Frozen, frozen=True, kw_only=True):
    """One detector and those of its rows that are shown."""

    detector: DetectorReport
    state: DetectorState
    rows: tuple[Row, ...]


def state_of(detector: DetectorReport) -> DetectorState:
    """The detector's state; files of the original say it by rows and error alone."""
    if detector.state is not None:
        return detector.state
    if detector.rows:
        return "fired"
    return "failed" if detector.error else "silent"


def sections(report: Report, text: str = "") -> tuple[Section, ...]:
    """The detectors: fired ones first, then those that could not look, then the silent ones.

    Args:
        report: The report.
        text: Only rows whose name, thread, evidence or detector holds it, whatever the case; detectors
            without such a row are left out. Empty: everything.
    """
    wanted = text.casefold()
    found = [
        Section(detector=detector, state=state_of(detector), rows=_holding(detector, wanted))
        for detector in report.detectors
    ]
    kept: Sequence[Section] = [one for one in found if one.rows] if wanted else found
    return tuple(sorted(kept, key=lambda one: _READ_IN.index(one.state)))


def _holding(detector: DetectorReport, wanted: str) -> tuple[Row, ...]:
    if not wanted:
        return detector.rows
    return tuple(
        row
        for row in detector.rows
        if wanted
        in " ".join((detector.id, row.location or "", row.thread or "", row.detail or "")).casefold()
    )
