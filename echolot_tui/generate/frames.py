"""The frame timeline: when a frame was due, when it came, and whose fault the difference was."""

from __future__ import annotations

from enum import Enum, IntFlag

from echolot_tui.frozen import Frozen
from echolot_tui.generate.builder import TraceBuilder
from echolot_tui.generate.wire import Field, message, varint

_FRAME_TIMELINE_EVENT = 76
_EXPECTED_SURFACE, _ACTUAL_SURFACE, _FRAME_END = 3, 4, 5
_LATE, _ON_TIME = 2, 1
_VALID_PREDICTION = 1


class Jank(IntFlag):
    """Reasons as the platform encodes them."""

    NONE = 1
    SF_CPU_DEADLINE_MISSED = 16
    APP_DEADLINE_MISSED = 64
    BUFFER_STUFFING = 128


class Severity(Enum):
    """How bad the platform thought it was."""

    NONE = 1
    PARTIAL = 2
    FULL = 3


class Frame(Frozen, frozen=True, kw_only=True):
    """One frame of one surface; times in nanoseconds."""

    pid: int
    token: int
    """Number of the vsync it was drawn for: the same on the expected and the actual side."""
    layer: str
    due_from: int
    due: int
    started: int
    presented: int
    jank: Jank = Jank.NONE
    severity: Severity = Severity.NONE


def add_frame(builder: TraceBuilder, frame: Frame) -> None:
    """Write the expected and the actual side of a frame."""
    expected, actual = 2 * frame.token, 2 * frame.token + 1
    common: list[Field] = [(2, frame.token), (3, frame.token), (4, frame.pid), (5, frame.layer)]
    _event(builder, frame.due_from, (_EXPECTED_SURFACE, message([(1, expected), *common])))
    _event(builder, frame.due, (_FRAME_END, message([(1, expected)])))
    late = frame.presented > frame.due
    details: list[Field] = [
        (6, _LATE if late else _ON_TIME),
        (7, int(not late)),
        (8, 0),
        (9, int(frame.jank)),
        (10, _VALID_PREDICTION),
        (11, 1),
        (12, frame.severity.value),
    ]
    _event(builder, frame.started, (_ACTUAL_SURFACE, message([(1, actual), *common, *details])))
    _event(builder, frame.presented, (_FRAME_END, message([(1, actual)])))


def _event(builder: TraceBuilder, ts: int, event: Field) -> None:
    payload = message([event])
    raw = varint(_FRAME_TIMELINE_EVENT << 3 | 2) + varint(len(payload)) + payload
    builder.packet(ts).MergeFromString(raw)
