"""What every engine offers, whichever way it runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Protocol

from echolot_tui.engine.model import EngineInfo

Say = Callable[[str], None]
"""Told, in one line, when something slow or unexpected happens."""


class EngineDiedError(Exception):
    """The engine trapped, aborted, ran out of memory or of time, and cannot be used again.

    Attributes:
        reason: What happened, worded to follow "the engine".
        out_of_memory: It wanted more memory than it may have.
    """

    def __init__(self, reason: str, *, out_of_memory: bool = False) -> None:
        """Keep the reason."""
        super().__init__(reason)
        self.reason = reason
        self.out_of_memory = out_of_memory


class Backend(Protocol):
    """One engine instance: append a trace's bytes, finish, then query."""

    @property
    def info(self) -> EngineInfo:
        """Kind, version and hash."""
        ...

    def append(self, piece: bytes) -> str:
        """Hand over the next bytes of the trace; the engine's error, or nothing.

        Raises:
            EngineDiedError: The instance is lost.
        """
        ...

    def finish(self) -> str:
        """Say that the trace is complete; the engine's error, or nothing.

        Raises:
            EngineDiedError: The instance is lost.
        """
        ...

    def query(self, sql: str) -> Sequence[bytes | memoryview]:
        """The serialized ``QueryResult`` messages that answer ``sql``, which may hold its error.

        Raises:
            EngineDiedError: The instance is lost.
        """
        ...

    def close(self) -> None:
        """Free the engine; more than once is fine."""
        ...


def short_version(told: str) -> str:
    """The ``v52.0-6b9586def`` inside what an engine calls itself."""
    found = re.search(r"v\d+\.\d+\S*", told)
    return found[0] if found else told.strip()
