"""Open a trace in this process: pick the engine, hand the file over, see that something is in it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

from echolot_tui.engine import columns
from echolot_tui.engine.backend import Backend, EngineDiedError, Say
from echolot_tui.engine.embedded import EmbeddedEngine
from echolot_tui.engine.model import EngineChoice, TraceUnreadableError
from echolot_tui.engine.session import Session
from echolot_tui.text import visible

PIECE: Final = 2 << 20


def open_trace(path: Path, choice: EngineChoice, *, say: Say | None = None) -> Session:
    """Load one trace.

    Args:
        path: The trace file.
        choice: Which engine, and its bounds.
        say: Told when the engine has to be compiled first.

    Raises:
        TraceUnreadableError: The file cannot be read or the engine makes nothing of it.
        EcholotError: The engine itself is missing or not the known one.
    """
    say = say or (lambda _line: None)
    backend = EmbeddedEngine("embedded", memory_limit=choice.memory_mb << 20, timeout_s=choice.timeout_s, say=say)
    try:
        with path.open("rb") as file:
            while piece := file.read(PIECE):
                if error := backend.append(piece):
                    raise TraceUnreadableError(error, where=str(path))
        if error := backend.finish():
            raise TraceUnreadableError(error, where=str(path))
    except BaseException:
        backend.close()
        raise
    return Session(path, backend)
