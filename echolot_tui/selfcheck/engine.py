"""Which engine would answer, and that it is the one this program's numbers were checked with."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from echolot_tui.engine.locate import EMBEDDED_VERSION, find_build
from echolot_tui.engine.model import EngineChoice, EngineInfo, TraceSession, TraceUnreadableError
from echolot_tui.engine.pool import Event, Job, Note, Outcome, run_jobs
from echolot_tui.errors import EcholotError
from echolot_tui.selfcheck.model import Check
from echolot_tui.selfcheck.ports import Say

_BUG: Final = "install echolot and its packages again; if it stays, report it with this line"


def engine_checks(trace: Path, choice: EngineChoice, say: Say) -> tuple[EngineInfo | None, list[Check]]:
    """Load a trace with the engine analyze would use.

    Args:
        trace: A sound trace.
        choice: The engine.
        say: Told when something takes long.

    Returns:
        The engine and its checks. No engine, and a failed check, when it cannot be had at all; an engine
        that is there but does not work is returned as far as it is known.
    """
    if choice.tp_binary is None:
        try:
            build = find_build("embedded")
            find_build("embedded64")
        except EcholotError as error:
            return None, [_failed("engine.found", error)]
        expected: EngineInfo | None = EngineInfo(
            kind="embedded", version=EMBEDDED_VERSION, sha256=build.sha256
        )
    else:
        expected = None
    outcome = _load(trace, choice, say)
    if outcome.result is None:
        why = outcome.error or EcholotError("the engine gave no answer", todo=_BUG)
        works = expected is not None or isinstance(why, TraceUnreadableError)
        known = expected or (_unknown(choice) if works else None)
        return known, [_failed("engine.found", why)]
    return outcome.result, _found(outcome.result, expected, choice)


def identify(session: TraceSession, _nothing: None) -> EngineInfo:
    """The engine that loaded a trace; runs in its worker process."""
    return session.engine


def _load(trace: Path, choice: EngineChoice, say: Say) -> Outcome[EngineInfo]:
    def hear(event: Event) -> None:
        if isinstance(event, Note):
            say(event.text)

    job = Job(run=identify, path=trace, payload=None)
    (outcome,) = run_jobs([job], workers=1, choice=choice, on_event=hear)
    return outcome


def _found(engine: EngineInfo, expected: EngineInfo | None, choice: EngineChoice) -> list[Check]:
    where = "inside this process" if choice.tp_binary is None else str(choice.tp_binary)
    found = Check(
        id="engine.found",
        group="engine",
        state="ok",
        text=f"{engine.kind} trace_processor {engine.version}, {where}",
    )
    return [found, _pinned(engine, expected, choice)]


def _pinned(engine: EngineInfo, expected: EngineInfo | None, choice: EngineChoice) -> Check:
    """An engine somebody named is theirs to choose: its hash is said, not judged."""
    short = engine.sha256[:12]
    if expected is None:
        text = f"{short}…, named by {choice.tp_binary_source}: compare its reports only with its own"
        return Check(id="engine.pinned", group="engine", state="skip", text=text)
    if (engine.version, engine.sha256) == (expected.version, expected.sha256):
        return Check(
            id="engine.pinned", group="engine", state="ok", text=f"SHA-256 {short}… is the known build"
        )
    text = f"{engine.version} ({short}…) answered instead of {expected.version} ({expected.sha256[:12]}…)"
    return Check(id="engine.pinned", group="engine", state="failed", text=text, todo=_BUG)


def _unknown(choice: EngineChoice) -> EngineInfo:
    """An engine that starts but does not work: nothing but its place is known."""
    return EngineInfo(kind="native", version=str(choice.tp_binary), sha256="")


def _failed(check: str, error: EcholotError) -> Check:
    text = f"{error.where}: {error.what}" if error.where else error.what
    return Check(id=check, group="engine", state="failed", text=text, todo=error.todo or _BUG)
