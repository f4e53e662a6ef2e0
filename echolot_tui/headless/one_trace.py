"""Ask one trace one thing, in a worker process like every other trace."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from echolot_tui.engine.model import EngineChoice, TraceSession
from echolot_tui.engine.pool import Event, Job, Note, run_jobs
from echolot_tui.errors import EcholotError
from echolot_tui.headless.diagnostics import talk

P = TypeVar("P")
R = TypeVar("R")


def ask(path: Path, question: Callable[[TraceSession, P], R], payload: P, choice: EngineChoice) -> R:
    """The answer of ``question``, a function at the top of a module.

    Raises:
        EcholotError: The trace is unreadable, or the question found nothing to answer with.
    """
    if path.is_dir():
        raise EcholotError("this is a folder", where=str(path), todo="name one trace in it")
    talk.progress(f"loading {path.name}")
    try:
        (outcome,) = run_jobs(
            [Job(run=question, path=path, payload=payload)], workers=1, choice=choice, on_event=_tell
        )
    finally:
        talk.done()
    if outcome.error is not None:
        raise outcome.error
    assert outcome.result is not None
    return outcome.result


def _tell(event: Event) -> None:
    if isinstance(event, Note):
        talk.progress(event.text, milestone=True)
