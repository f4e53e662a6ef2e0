"""What sampled call stacks say about a row of unexplained CPU time."""

from __future__ import annotations

from collections.abc import Sequence

from echolot_tui.engine.model import TraceSession
from echolot_tui.frozen import Cell


def with_stacks(session: TraceSession, rows: Sequence[dict[str, Cell]]) -> list[dict[str, Cell]]:
    return list(rows)
