"""What the pool and its worker processes say to each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from echolot_tui.engine.model import EngineChoice, TraceSession
from echolot_tui.errors import EcholotError


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Pool to worker: open this trace and run this on it."""

    run: Callable[[TraceSession, Any], Any]
    path: Path
    payload: Any
    choice: EngineChoice


@dataclass(frozen=True, slots=True)
class Said:
    """Worker to pool: a line for the person who waits."""

    text: str


@dataclass(frozen=True, slots=True)
class Began:
    """Worker to pool: the engine is ready and the trace's time starts now."""


@dataclass(frozen=True, slots=True)
class Gave:
    """Worker to pool: the task's result."""

    result: Any


@dataclass(frozen=True, slots=True)
class Lost:
    """Worker to pool: the task failed."""

    error: EcholotError


Report = Said | Began | Gave | Lost
