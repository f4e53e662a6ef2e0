"""Open a trace in this process: pick the engine, hand the file over, see that something is in it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from echolot_tui.engine import reading
from echolot_tui.engine.backend import Backend, EngineDiedError, Say
from echolot_tui.engine.embedded import EmbeddedEngine
from echolot_tui.engine.locate import Build
from echolot_tui.engine.model import EngineChoice, QueryError, TraceUnreadableError
from echolot_tui.engine.native import NativeEngine
from echolot_tui.engine.session import EngineFullError, EngineLostError, Session
from echolot_tui.text import visible

_NARROW_MB: Final = 4096
"""What the 32-bit build can address."""

_WIDE_FROM: Final = 1 << 30
"""A file of this many bytes fills more than that: the engine holds about six times the bytes of a trace."""

_EVENT_TABLES: Final = (
    "slice",
    "thread_state",
    "sched_slice",
    "counter",
    "perf_sample",
    "cpu_profile_stack_sample",
    "instruments_sample",
    "android_logs",
    "ftrace_event",
    "heap_profile_allocation",
    "heap_graph_object",
    "memory_snapshot",
)
_AGAIN: Final = "record or copy it again"
_NO_TRACE: Final = "(ERR:fmt)"
"""How the engine ends its message about a file of which it knows no kind."""


class OutOfMemoryError(TraceUnreadableError):
    """The engine could not get the memory this trace needs."""


def open_trace(path: Path, choice: EngineChoice, *, say: Say | None = None) -> Session:
    """Load one trace into an engine of its own, in this process.

    A trace that needs more than the 32-bit engine can address is loaded again by the 64-bit one.

    Args:
        path: The trace file.
        choice: Which engine, and its bounds.
        say: Told, in one line, when the engine has to be compiled first or something else takes long.

    Raises:
        TraceUnreadableError: The file cannot be read or the engine makes nothing of it.
        EcholotError: The engine itself is missing, does not start or is not the known one.
    """
    say = say or _silent
    *earlier, last = builds_to_try(path, choice)
    for build in earlier:
        try:
            return load_trace(path, choice, build, say)
        except OutOfMemoryError:
            say(too_big_note(path))
    return load_trace(path, choice, last, say)


def builds_to_try(path: Path, choice: EngineChoice) -> tuple[Build | None, ...]:
    """The engines to try one after another as long as memory runs out; ``None`` is the native one."""
    if choice.tp_binary is not None:
        return (None,)
    if choice.memory_mb <= _NARROW_MB:
        return ("embedded",)
    try:
        size = path.stat().st_size
    except OSError:
        size = 0  # opening it says what is wrong
    return ("embedded64",) if size >= _WIDE_FROM else ("embedded", "embedded64")


def too_big_note(path: Path) -> str:
    """Said before the second try."""
    return f"{visible(path.name)} needs more than 4 GiB: loading it again with the 64-bit engine"


def load_trace(path: Path, choice: EngineChoice, build: Build | None, say: Say) -> Session:
    """Load one trace into an engine of one build.

    Raises:
        OutOfMemoryError: It needs more memory than this build may have.
        TraceUnreadableError: As :func:`open_trace`.
        EcholotError: As :func:`open_trace`.
    """
    engine: Backend
    if build is None:
        assert choice.tp_binary is not None
        named_by = choice.tp_binary_source or ""
        engine = NativeEngine(choice.tp_binary, named_by=named_by, timeout_s=choice.timeout_s)
    else:
        limit = choice.memory_mb << 20
        engine = EmbeddedEngine(build, memory_limit=limit, timeout_s=choice.timeout_s, say=say)
    return _load(path, engine, choice.names)


def _silent(_line: str) -> None:
    pass


def _load(path: Path, engine: Backend, names: Path | None) -> Session:
    session = Session(path, engine)
    try:
        error = _feed(path, engine, names)
        if error or not _has_events(session):
            raise _unreadable(path, _reason(session, error))
    except EngineDiedError as death:
        session.close()
        raise _after_death(path, death.reason, full=death.out_of_memory) from death
    except EngineLostError as lost:
        session.close()
        raise _after_death(path, lost.what, full=isinstance(lost, EngineFullError)) from lost
    except reading.READ_ERRORS as failure:
        session.close()
        why = getattr(failure, "strerror", None) or str(failure)
        raise TraceUnreadableError(f"cannot be read ({why})", where=visible(str(path))) from failure
    except BaseException:
        session.close()
        raise
    return session


def _feed(path: Path, engine: Backend, names: Path | None) -> str:
    """Hand the whole file over; the engine's first error, or nothing."""
    empty = True
    for piece in reading.pieces(path, names):
        empty = False
        if error := engine.append(piece):
            return error
    return "the file is empty" if empty else engine.finish()


def _has_events(session: Session) -> bool:
    """Whether the trace brought any event at all; also false when there is not even a table for them."""
    for table in _EVENT_TABLES:
        try:
            if session.query(f"SELECT 1 FROM {table} LIMIT 1").rows:  # noqa: S608 - names from the list above
                return True
        except EngineLostError:
            raise
        except QueryError:
            continue  # no such table in this trace
    return False


def _reason(session: Session, error: str) -> str:
    """The engine's error, else what it counted as errors while it read."""
    if error.rstrip().endswith(_NO_TRACE):
        return "it is no kind of trace the engine knows"
    told = [visible(error.strip().rstrip("."), 300)] if error else ["the engine found no events in it"]
    try:
        counted = session.query(
            "SELECT name, SUM(value) AS total FROM stats WHERE severity = 'error' AND value > 0 GROUP BY name"
        )
    except QueryError:
        return told[0]
    return " · ".join(told + [f"{name} {total}" for name, total in counted.tuples()])


def _unreadable(path: Path, why: str) -> TraceUnreadableError:
    return TraceUnreadableError(f"unreadable: {why}", where=visible(str(path)), todo=_AGAIN)


def _after_death(path: Path, reason: str, *, full: bool) -> TraceUnreadableError:
    where = visible(str(path))
    what = f"unreadable: the engine {visible(reason.removeprefix('the engine '), 300)} while loading it"
    if full:
        return OutOfMemoryError(what, where=where, todo="record less, or allow the engine more memory")
    return TraceUnreadableError(what, where=where, todo=_AGAIN)
