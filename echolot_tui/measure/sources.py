"""The sources a detector can need: how to see that a trace has one, and how to record it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class Source(NamedTuple):
    """One kind of recorded data.

    Attributes:
        name: What it is, to follow "the trace has no".
        check: A query answering 1 when the trace has it, over the window's tables; cheap on any trace.
        record: How to record it, one sentence.
    """

    name: str
    check: str
    record: str


SOURCES: Final[Mapping[str, Source]] = {}
