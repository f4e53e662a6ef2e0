"""A selection of a report as JSON: what the views show, as the model has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from echolot_tui.present.report_rows import chosen_detectors
from echolot_tui.report.codec import encode_json
from echolot_tui.report.model import Report


def report_selection(
    report: Report, ids: Sequence[str] = (), *, window: bool = False, markers: bool = False
) -> bytes:
    """The chosen parts of a report, indented by 2; the facts and counts when nothing is chosen.

    Raises:
        EcholotError: The report has no detector of that name.
    """
    parts: dict[str, Any] = {}
    nothing = not ids and not window and not markers
    if window or nothing:
        parts |= {"window": report.window, "environment": report.environment}
    if nothing:
        parts |= {"summary": report.summary, "config": report.config}
    if markers:
        parts["markers"] = report.markers
    elif nothing:
        parts["markers"] = {"rows": len(report.markers.rows), "absent": len(report.markers.absent)}
    if ids:
        parts["detectors"] = chosen_detectors(report, ids)
    elif nothing:
        parts["detectors"] = [
            {"id": detector.id, "state": detector.state, "rows": len(detector.rows)}
            for detector in report.detectors
        ]
    return msgspec.json.format(encode_json(parts), indent=2)
