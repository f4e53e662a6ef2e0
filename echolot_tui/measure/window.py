"""The part of a trace that counts: from the start anchor to the end anchor, once or each time."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from echolot_tui.engine.model import TraceSession
from echolot_tui.frozen import Frozen
from echolot_tui.measure.model import AnchorFacts
from echolot_tui.measure.spec import WindowMode
from echolot_tui.measure.sql import substitute
from echolot_tui.measure.survey import ASYNC_TRACKS, ProcessSeen, Survey, whole_numbers

_HITS: Final = """
    SELECT ts, IIF(dur < 0, $end_ns, ts + dur) AS end_ts, dur < 0 AS is_open FROM slice
    WHERE name GLOB $glob AND track_id IN (
      SELECT thread_track.id FROM thread_track JOIN thread USING (utid) WHERE upid = $upid
      UNION ALL SELECT id FROM ($async_tracks) WHERE upid = $upid)
    ORDER BY ts, slice.id"""
_SLICES: Final = """
    SELECT ts, dur FROM slice WHERE track_id IN (
      SELECT thread_track.id FROM thread_track JOIN thread USING (utid) WHERE upid = $upid)"""
_BOUNDS: Final = (
    """SELECT MIN(ts), MAX(IIF(dur < 0, $end_ns, ts + dur)) FROM thread_state
    WHERE utid IN (SELECT utid FROM thread WHERE upid = $upid)""",
    "SELECT MIN(ts), MAX(ts) FROM perf_sample WHERE utid IN (SELECT utid FROM thread WHERE upid = $upid)",
    """SELECT MIN(ts), MAX(ts) FROM cpu_profile_stack_sample
    WHERE utid IN (SELECT utid FROM thread WHERE upid = $upid)""",
)
"""A process without slices: when it was scheduled, else when it was sampled."""


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


class _Anchors(NamedTuple):
    """Both anchors and where they were seen, by start; and the process's own first and last moment."""

    start: str | None
    end: str | None
    starts: list[_Hit]
    ends: list[_Hit]
    first_ns: int
    last_ns: int


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
    first_ns, last_ns = _bounds(session, survey, process)
    anchors = _Anchors(
        start=start,
        end=end,
        starts=_hits(session, survey, process, start) if start else [],
        ends=_hits(session, survey, process, end) if end else [],
        first_ns=first_ns,
        last_ns=last_ns,
    )
    if anchors.starts and end is None and mode == "each":
        found, incomplete = _between_starts(anchors), 0
    else:
        found, incomplete = _occurrences(anchors)
    kept = found if mode == "each" else found[:1]
    return Windows(windows=tuple(kept), total=len(found), incomplete=incomplete)


def _occurrences(anchors: _Anchors) -> tuple[list[Window], int]:
    """Every occurrence, at least one, and how many starts follow the last without an end."""
    found = [_window(anchors, anchors.starts[0].ts if anchors.starts else anchors.first_ns)]
    if not anchors.starts or not anchors.ends:
        return found, 0
    while (following := _next_start(anchors.starts, found[-1])) is not None:
        window = _window(anchors, following, number=len(found) + 1)
        if window.end is None or not window.end.matches:
            return found, sum(1 for hit in anchors.starts if hit.ts >= following)
        found.append(window)
    return found, 0


def _window(anchors: _Anchors, start_ns: int, number: int = 1) -> Window:
    after = anchors.ends[bisect_left(anchors.ends, start_ns, key=lambda hit: hit.ts) :]
    closing = after[0] if after else None
    end_facts = None
    if anchors.end:
        end_facts = AnchorFacts(
            glob=anchors.end,
            matches=len(after),
            before_start=len(anchors.ends) - len(after),
            unfinished=closing is not None and closing.open,
        )
    return Window(
        number=number,
        start_ns=start_ns,
        end_ns=closing.end if closing else max(anchors.last_ns, start_ns),
        start=_start_facts(anchors),
        end=end_facts,
    )


def _start_facts(anchors: _Anchors) -> AnchorFacts | None:
    return AnchorFacts(glob=anchors.start, matches=len(anchors.starts)) if anchors.start else None


def _next_start(starts: list[_Hit], window: Window) -> int | None:
    """The first start at or after the end of a window; a window of no length is left behind."""
    index = bisect_left(starts, max(window.end_ns, window.start_ns + 1), key=lambda hit: hit.ts)
    return starts[index].ts if index < len(starts) else None


def _between_starts(anchors: _Anchors) -> list[Window]:
    """Windows from each start to the next, the last to the end of the process."""
    moments = sorted({hit.ts for hit in anchors.starts})
    ends = [*moments[1:], max(anchors.last_ns, moments[-1])]
    return [
        Window(number=number, start_ns=first, end_ns=last, start=_start_facts(anchors))
        for number, (first, last) in enumerate(zip(moments, ends, strict=True), start=1)
    ]


def _hits(session: TraceSession, survey: Survey, process: ProcessSeen, glob: str) -> list[_Hit]:
    """Slices of the process an anchor matches, by start."""
    rows = session.query(
        substitute(
            _HITS,
            {"upid": process.upid, "glob": glob, "end_ns": survey.end_ns, "async_tracks": ASYNC_TRACKS},
        )
    )
    return [_Hit(ts, end, bool(is_open)) for ts, end, is_open in whole_numbers(rows)]


def _bounds(session: TraceSession, survey: Survey, process: ProcessSeen) -> tuple[int, int]:
    """First and last moment of the process, in the best data there is."""
    firsts = [thread.first_ns for thread in process.threads if thread.first_ns is not None]
    lasts = [thread.last_ns for thread in process.threads if thread.last_ns is not None]
    if firsts and lasts:
        return min(firsts), max(lasts)
    if process.async_first_ns is not None and process.async_last_ns is not None:
        return process.async_first_ns, process.async_last_ns
    for query in _BOUNDS:
        values = {"upid": process.upid, "end_ns": survey.end_ns}
        row = next(session.query(substitute(query, values)).tuples())
        if isinstance(row[0], int) and isinstance(row[1], int) and row[0] < row[1]:
            return row[0], row[1]
    return survey.start_ns, survey.end_ns


def cut_slices(session: TraceSession, process: ProcessSeen, windows: Sequence[Window]) -> tuple[int, int]:
    """How many thread slices of the process the windows' ends cut, and how many in them never ended.

    A slice cut by several windows, or at both ends, counts once.
    """
    slices = session.query(substitute(_SLICES, {"upid": process.upid}))
    ts, unfinished = slices["ts"], slices["dur"] < 0
    end = np.where(unfinished, np.iinfo(np.int64).max, ts + slices["dur"])
    cut, never_ended = np.zeros_like(unfinished), np.zeros_like(unfinished)
    for window in windows:
        inside = (ts < window.end_ns) & (end > window.start_ns)
        cut |= inside & ~unfinished & ((ts < window.start_ns) | (end > window.end_ns))
        never_ended |= inside & unfinished
    return int(cut.sum()), int(never_ended.sum())
