"""Traces built event by event, loaded in the embedded engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from echolot_tui.engine.model import EngineChoice, TraceSession
from echolot_tui.engine.open import open_trace
from echolot_tui.generate.builder import TraceBuilder

Load = Callable[[TraceBuilder | bytes], TraceSession]


@pytest.fixture
def load(tmp_path: Path) -> Iterator[Load]:
    """Load a described trace, or a file's bytes; closed when the test is over."""
    sessions = []

    def opened(described: TraceBuilder | bytes) -> TraceSession:
        path = tmp_path / f"built{len(sessions)}.trace"
        path.write_bytes(described if isinstance(described, bytes) else described.build())
        sessions.append(open_trace(path, EngineChoice()))
        return sessions[-1]

    yield opened
    for session in sessions:
        session.close()
