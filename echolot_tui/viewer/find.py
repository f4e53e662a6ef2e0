"""The slice behind a row: where in the trace the UI should look."""

from __future__ import annotations

from typing import Final

from echolot_tui.engine.model import TraceSession
from echolot_tui.frozen import Frozen
from echolot_tui.measure.main_thread import running_ns
from echolot_tui.measure.process import choose_process
from echolot_tui.measure.sql import substitute
from echolot_tui.measure.survey import survey
from echolot_tui.measure.window import find_windows
from echolot_tui.text import without_ids

_SLICES: Final = """
    FROM slice JOIN thread_track ON slice.track_id = thread_track.id JOIN thread USING (utid)
    WHERE thread.upid = $upid AND slice.ts < $end_ns
      AND (slice.dur < 0 OR slice.ts + slice.dur > $start_ns)"""
_LENGTH: Final = "IIF(slice.dur < 0, $end_ns - slice.ts, slice.dur)"
_NAMES: Final = f"""
    SELECT slice.name AS name, MAX({_LENGTH}) AS longest {_SLICES}
    AND slice.name IS NOT NULL GROUP BY slice.name"""
_LONGEST: Final = f"""
    SELECT slice.ts AS ts, slice.dur AS dur, thread.name AS thread {_SLICES}
    AND slice.name = $name ORDER BY {_LENGTH} DESC, slice.ts LIMIT 1"""


class Question(Frozen, frozen=True, kw_only=True):
    """Which slice, in which process and window."""

    row: str | None = None
    """A row's location; ``None`` asks for the window alone."""
    process: str | None = None
    start: str | None = None
    end: str | None = None
    occurrence: int = 1


class Place(Frozen, frozen=True, kw_only=True):
    """Where to look, in the trace's own nanoseconds."""

    start_ns: int
    end_ns: int
    """Of the window."""
    slice_ns: int | None = None
    slice_dur_ns: int | None = None
    thread: str | None = None
    """Of the slice."""
    slices: int = 0
    """Names that are the row: several where it stands for names with different numbers."""


def find_place(session: TraceSession, question: Question) -> Place:
    """The window, and in it the longest slice that carries the row's name.

    A row whose name stands for names with a number in it is any of them.

    Raises:
        NoProcessError: There is no such process.
    """
    seen, running = survey(session), running_ns(session)
    process, _ = choose_process(session, seen, running, mask=question.process, start=question.start)
    windows = find_windows(
        session, seen, process, start=question.start, end=question.end, mode="each"
    ).windows
    window = windows[min(question.occurrence, len(windows)) - 1]
    place = Place(start_ns=window.start_ns, end_ns=window.end_ns)
    if question.row is None:
        return place
    bounds = {"upid": process.upid, "start_ns": window.start_ns, "end_ns": window.end_ns}
    names = session.query(substitute(_NAMES, bounds)).records()
    meant = [
        one for one in names if without_ids(str(one["name"])) == question.row or one["name"] == question.row
    ]
    if not meant:
        return place
    longest = max(meant, key=lambda one: (int(one["longest"] or 0), str(one["name"])))
    found = session.query(substitute(_LONGEST, {**bounds, "name": str(longest["name"])})).records()[0]
    return Place(
        start_ns=window.start_ns,
        end_ns=window.end_ns,
        slice_ns=int(found["ts"] or 0),
        slice_dur_ns=int(found["dur"] or 0),
        thread=str(found["thread"]) if found["thread"] is not None else None,
        slices=len(meant),
    )
