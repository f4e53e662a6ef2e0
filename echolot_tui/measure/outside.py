"""What of a trace belongs to no process: threads that name none, and tracks of no thread."""

from __future__ import annotations

from collections import Counter
from typing import Final, Literal, cast

from echolot_tui.engine.model import TraceSession
from echolot_tui.frozen import Frozen
from echolot_tui.measure.sql import substitute
from echolot_tui.measure.survey import whole_numbers
from echolot_tui.text import family
from echolot_tui.units import ms

_SAMPLES: Final = """
    SELECT utid, COUNT(*) FROM (
      SELECT utid FROM perf_sample UNION ALL SELECT utid FROM cpu_profile_stack_sample
    ) WHERE utid IS NOT NULL GROUP BY utid"""
_TRACKS: Final = """
    SELECT COALESCE(NULLIF(track.name, ''), track.type), found.slices, found.top_ns
    FROM (
      SELECT track_id, COUNT(*) AS slices,
        SUM(IIF(depth = 0, IIF(dur < 0, $end_ns - ts, dur), 0)) AS top_ns
      FROM slice GROUP BY track_id
    ) AS found JOIN track ON track.id = found.track_id
    WHERE track.id NOT IN (SELECT id FROM thread_track UNION SELECT id FROM process_track)"""
_SLICES: Final = """
    SELECT thread_track.utid, COUNT(*), SUM(IIF(depth = 0, IIF(dur < 0, $end_ns - ts, dur), 0))
    FROM slice JOIN thread_track ON slice.track_id = thread_track.id GROUP BY thread_track.utid"""
_THREADS: Final = "SELECT utid, name, tid FROM thread WHERE upid IS NULL"


class OutsideLine(Frozen, frozen=True, kw_only=True):
    """A thread that names no process, or tracks of no thread whose names differ in numbers only."""

    kind: Literal["thread", "track"]
    name: str
    tid: int | None = None
    tracks: int = 1
    """How many tracks are folded into it."""
    slices: int = 0
    slice_ms: float = 0.0
    """Time inside top-level slices; an open one runs to the trace's end."""
    samples: int = 0
    running_ms: float | None = None
    """Time on a CPU; ``None`` for tracks, and where scheduling was not recorded."""


def outside_processes(session: TraceSession, *, end_ns: int, running: dict[int, int]) -> list[OutsideLine]:
    """Everything recorded that no process owns, most slices first, then samples, then time on a CPU.

    Args:
        session: The trace.
        end_ns: The trace's last moment.
        running: Time each thread (utid) was on a CPU, in nanoseconds.
    """
    lines = [*_threads(session, end_ns, running), *_tracks(session, end_ns)]
    return sorted(
        lines,
        key=lambda each: (-each.slices, -each.samples, -(each.running_ms or 0.0), each.name, each.tid or 0),
    )


def samples_of(session: TraceSession) -> dict[int, int]:
    """How many stack samples each thread (utid) has."""
    return dict(cast("list[tuple[int, int]]", whole_numbers(session.query(_SAMPLES))))


def _threads(session: TraceSession, end_ns: int, running: dict[int, int]) -> list[OutsideLine]:
    samples = samples_of(session)
    rows = whole_numbers(session.query(substitute(_SLICES, {"end_ns": end_ns})))
    slices = {utid: (count, top_ns) for utid, count, top_ns in rows}
    lines = []
    for utid, name, tid in session.query(_THREADS).tuples():
        key = cast(int, utid)
        if key in slices or key in samples or key in running:
            count, top_ns = slices.get(key, (0, 0))
            lines.append(
                OutsideLine(
                    kind="thread",
                    name=str(name) if name else f"tid {tid}",
                    tid=cast("int | None", tid),
                    slices=count,
                    slice_ms=ms(top_ns),
                    samples=samples.get(key, 0),
                    running_ms=ms(running.get(key, 0)) if running else None,
                )
            )
    return lines


def _tracks(session: TraceSession, end_ns: int) -> list[OutsideLine]:
    tracks, slices, top_ns = Counter[str](), Counter[str](), Counter[str]()
    for name, count, top in session.query(substitute(_TRACKS, {"end_ns": end_ns})).tuples():
        shown = family(str(name))
        tracks[shown] += 1
        slices[shown] += cast(int, count)
        top_ns[shown] += cast(int, top)
    return [
        OutsideLine(kind="track", name=name, tracks=many, slices=slices[name], slice_ms=ms(top_ns[name]))
        for name, many in tracks.items()
    ]
