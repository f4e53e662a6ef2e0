"""A history report as JSON: written the same way every time."""

from __future__ import annotations

import msgspec

from echolot_tui.history.model import HistoryReport
from echolot_tui.report.codec import encode_json


def encode_history(report: HistoryReport) -> bytes:
    """UTF-8, indented by 2, keys in the model's order, no line end at its end."""
    return msgspec.json.format(encode_json(report), indent=2)
