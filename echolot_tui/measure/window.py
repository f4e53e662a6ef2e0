"""The part of a trace that counts: from the start anchor to the end anchor, once or each time."""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple

from echolot_tui.engine.model import TraceSession
from echolot_tui.frozen import Frozen
from echolot_tui.measure.model import AnchorFacts
from echolot_tui.measure.spec import WindowMode
from echolot_tui.measure.sql import literal
from echolot_tui.measure.survey import ASYNC_TRACKS, ProcessSeen, Survey, whole_numbers


class Window(Frozen, frozen=True, kw_only=True):
    """One occurrence's bounds in nanoseconds, and how its anchors were seen."""

    number: int = 1
    start_ns: int
    end_ns: int
    start: AnchorFacts | None = None
    end: AnchorFacts | None = None


class Windows(Frozen, frozen=True, kw_only=True):
    """The windows to measure."""

    windows: tuple[Window, ...]
    total: int
    """Complete occurrences the trace holds."""
    incomplete: int = 0
    """Starts after the last occurrence that no end anchor follows."""


class _Hit(NamedTuple):
    """A slice an anchor matches."""

    ts: int
    end: int
    open: bool


def find_windows(
    session: TraceSession,
    survey: Survey,
    process: ProcessSeen,
    *,
    start: str | None,
    end: str | None,
    mode: WindowMode = "first",
) -> Windows:
    """Find the windows of a process.

    A window starts with the earliest slice (of a thread, or asynchronous) the start anchor matches and ends
    with the first slice that begins at or after that and the end anchor matches. A missing anchor, or one
    that matches nothing, leaves that side at the first or last moment of the process's thread slices; a
    process without any takes its bounds from asynchronous slices, thread states, samples, the trace.

    The next occurrence starts with the first start anchor at or after the end of the one before; without an
    end anchor each runs to the next start.

    Args:
        session: The trace.
        survey: Who is in it.
        process: The process.
        start: GLOB of the start anchor.
        end: GLOB of the end anchor.
        mode: ``first`` measures one occurrence, ``each`` all of them.
    """
    starts = _hits(session, survey, process, start) if start else []
    ends = _hits(session, survey, process, end) if end else []
    bounds = _bounds(session, survey, process)
    found = [_window(starts[0].ts if starts else bounds[0], starts, ends, bounds, start, end)]
    incomplete = 0
    if starts and ends:
        while following := _next_start(starts, found[-1].end_ns, found[-1].start_ns):
            window = _window(following, starts, ends, bounds, start, end, number=len(found) + 1)
            if window.end is None or not window.end.matches:
                incomplete = sum(1 for hit in starts if hit.ts >= following)
                break
            found.append(window)
    elif starts and mode == "each" and end is None:
        found = _between_starts(starts, bounds, start)
    kept = found if mode == "each" else found[:1]
    return Windows(windows=tuple(kept), total=len(found), incomplete=incomplete)


def _window(
    start_ns: int,
    starts: list[_Hit],
    ends: list[_Hit],
    bounds: tuple[int, int],
    start: str | None,
    end: str | None,
    number: int = 1,
) -> Window:
    after = ends[bisect_left(ends, start_ns, key=lambda hit: hit.ts) :]
    closing = after[0] if after else None
    return Window(
        number=number,
        start_ns=start_ns,
        end_ns=closing.end if closing else max(bounds[1], start_ns),
        start=AnchorFacts(glob=start, matches=len(starts)) if start else None,
        end=AnchorFacts(
            glob=end,
            matches=len(after),
            before_start=len(ends) - len(after),
            unfinished=closing is not None and closing.open,
        )
        if end
        else None,
    )


def _next_start(starts: list[_Hit], end_ns: int, start_ns: int) -> int | None:
    """The first start at or after the end of a window; a window of no length is left behind."""
    index = bisect_left(starts, max(end_ns, start_ns + 1), key=lambda hit: hit.ts)
    return starts[index].ts if index < len(starts) else None


def _between_starts(starts: list[_Hit], bounds: tuple[int, int], start: str | None) -> list[Window]:
    """Windows from each start to the next, the last to the end of the process."""
    moments = sorted({hit.ts for hit in starts})
    ends = [*moments[1:], max(bounds[1], moments[-1])]
    return [
        Window(
            number=number,
            start_ns=first,
            end_ns=last,
            start=AnchorFacts(glob=start, matches=len(starts)) if start else None,
        )
        for number, (first, last) in enumerate(zip(moments, ends, strict=True), start=1)
    ]


def _hits(session: TraceSession, survey: Survey, process: ProcessSeen, glob: str) -> list[_Hit]:
    """Slices of the process an anchor matches, by start."""
    rows = session.query(f"""
        SELECT ts, IIF(dur < 0, {survey.end_ns}, ts + dur) AS end_ts, dur < 0 AS is_open FROM slice
        WHERE name GLOB {literal(glob)} AND track_id IN (
          SELECT id FROM thread_track JOIN thread USING (utid) WHERE upid = {process.upid}
          UNION ALL SELECT id FROM ({ASYNC_TRACKS}) WHERE upid = {process.upid})
        ORDER BY ts, slice.id""")
    return [_Hit(ts, end, bool(is_open)) for ts, end, is_open in whole_numbers(rows)]


def _bounds(session: TraceSession, survey: Survey, process: ProcessSeen) -> tuple[int, int]:
    """First and last moment of the process, in the best data there is."""
    firsts = [thread.first_ns for thread in process.threads if thread.first_ns is not None]
    lasts = [thread.last_ns for thread in process.threads if thread.last_ns is not None]
    if firsts and lasts:
        return min(firsts), max(lasts)
    if process.async_first_ns is not None and process.async_last_ns is not None:
        return process.async_first_ns, process.async_last_ns
    utids = ", ".join(str(thread.utid) for thread in process.threads) or "NULL"
    for first, last in (
        ("MIN(ts)", f"MAX(IIF(dur < 0, {survey.end_ns}, ts + dur)) FROM thread_state"),
        ("MIN(ts)", "MAX(ts) FROM perf_sample"),
        ("MIN(ts)", "MAX(ts) FROM cpu_profile_stack_sample"),
    ):
        row = next(session.query(f"SELECT {first}, {last} WHERE utid IN ({utids})").tuples())
        if isinstance(row[0], int) and isinstance(row[1], int) and row[0] < row[1]:
            return row[0], row[1]
    return survey.start_ns, survey.end_ns
