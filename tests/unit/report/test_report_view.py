"""Which detectors and rows of a report are shown, in which order."""

from __future__ import annotations

from echolot_tui.report.model import Report
from echolot_tui.report.view import sections
from reports_by_hand import detector, row

REPORT = Report(
    detectors=(
        detector("silent_one"),
        detector("broken", error="no such table", state="failed"),
        detector("blind", state="no data"),
        detector("block", row("Draw", [1.0]), row("measure", [2.0], thread="Worker")),
        detector("gc", row("pause", [1.0], detail="concurrent")),
    )
)


def test_what_fired_comes_first_then_what_could_not_look_then_the_silent() -> None:
    assert [(one.detector.id, one.state) for one in sections(REPORT)] == [
        ("block", "fired"),
        ("gc", "fired"),
        ("broken", "failed"),
        ("blind", "no data"),
        ("silent_one", "silent"),
    ]


def test_a_text_keeps_rows_that_hold_it_anywhere_and_drops_the_rest() -> None:
    def found(text: str) -> dict[str, list[str | None]]:
        return {one.detector.id: [row.location for row in one.rows] for one in sections(REPORT, text)}

    assert found("draw") == {"block": ["Draw"]}
    assert found("WORK") == {"block": ["measure"]}
    assert found("concur") == {"gc": ["pause"]}
    assert found("block") == {"block": ["Draw", "measure"]}
    assert found("nowhere") == {}
