"""The facts around the rows of one window."""

from __future__ import annotations

from echolot_tui.engine.model import QueryError, TraceSession
from echolot_tui.frozen import Frozen
from echolot_tui.measure.model import Budget, OpenedInside, Startup
from echolot_tui.measure.startup import startup_facts
from echolot_tui.measure.window_facts import main_thread_budget, opened_inside


class WindowFacts(Frozen, frozen=True, kw_only=True):
    """The window's own facts, and what could not be found out."""

    main_thread: Budget | None = None
    opened_inside: OpenedInside | None = None
    startup: Startup | None = None
    notes: tuple[str, ...] = ()


def window_facts(session: TraceSession, *, package: str, start_ns: int, end_ns: int) -> WindowFacts:
    """Main-thread budget, the state the window's start cut through, and the platform's app start.

    A standard library that cannot tell the start costs that fact, with a note, and nothing else.

    Args:
        session: A trace with the window's tables, see ARCHITECTURE.md.
        package: Application id: the process's name up to a colon.
        start_ns: Start of the window.
        end_ns: End of the window.
    """
    startup, notes = None, list[str]()
    try:
        startup = startup_facts(session, package=package, start_ns=start_ns, end_ns=end_ns)
    except QueryError as error:
        notes.append(f"app start unknown: {error.what}")
    return WindowFacts(
        main_thread=main_thread_budget(session, window_ns=end_ns - start_ns),
        opened_inside=opened_inside(session),
        startup=startup,
        notes=tuple(notes),
    )
