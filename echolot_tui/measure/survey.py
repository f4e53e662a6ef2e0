"""Who is in a trace: processes and threads with how much they recorded, from one pass over the slices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Final, cast

from echolot_tui.engine.model import Columns, TraceSession
from echolot_tui.frozen import Frozen
from echolot_tui.measure.sql import Fragment, substitute

ASYNC_TRACKS: Final = Fragment("""
    SELECT id, upid FROM process_track
    WHERE upid IS NOT NULL AND type NOT IN (
      'android_expected_frame_timeline', 'android_actual_frame_timeline', 'chrome_process_instant')""")
"""Query of the tracks whose slices are a process's asynchronous sections."""


_TRACKS: Final = """
    SELECT track_id, COUNT(*) AS slices,
      SUM(IIF(depth = 0, IIF(dur < 0, $end_ns - ts, dur), 0)) AS top_ns,
      MIN(ts) AS first_ns, MAX(IIF(dur < 0, $end_ns, ts + dur)) AS last_ns
    FROM slice GROUP BY track_id"""
_PROCESSES: Final = """
    SELECT process.upid, process.pid, process.name, process.uid, parent.name
    FROM process LEFT JOIN process AS parent ON process.parent_upid = parent.upid
    ORDER BY process.upid"""
_THREADS: Final = "SELECT utid, tid, name, upid FROM thread WHERE upid IS NOT NULL ORDER BY utid"


class ThreadSeen(Frozen, frozen=True, kw_only=True):
    """A thread and its slices."""

    utid: int
    tid: int | None
    name: str | None
    upid: int | None
    slices: int = 0
    top_ns: int = 0
    """Time inside its top-level slices; an open one runs to the trace's end."""
    first_ns: int | None = None
    last_ns: int | None = None


class ProcessSeen(Frozen, frozen=True, kw_only=True):
    """A process and what it recorded."""

    upid: int
    pid: int | None
    name: str | None
    uid: int | None = None
    parent_name: str | None = None
    threads: tuple[ThreadSeen, ...] = ()
    async_slices: int = 0
    async_first_ns: int | None = None
    async_last_ns: int | None = None

    @property
    def slices(self) -> int:
        """Slices on its threads."""
        return sum(thread.slices for thread in self.threads)

    @property
    def shown(self) -> str:
        """Its name, or ``pid N``."""
        return self.name or f"pid {self.pid if self.pid is not None else '?'}"


class Survey(Frozen, frozen=True, kw_only=True):
    """Everyone in a trace, by upid."""

    start_ns: int
    end_ns: int
    processes: tuple[ProcessSeen, ...]

    def process(self, upid: int) -> ProcessSeen:
        """The process with this upid."""
        return next(process for process in self.processes if process.upid == upid)


class _Track(Frozen, frozen=True, kw_only=True):
    slices: int
    top_ns: int
    first_ns: int
    last_ns: int


def survey(session: TraceSession) -> Survey:
    """Count every process's and thread's slices."""
    start_ns, end_ns = next(session.query("SELECT start_ts, end_ts FROM trace_bounds").tuples())
    assert isinstance(start_ns, int)
    assert isinstance(end_ns, int)
    tracks = _tracks(session, end_ns)
    threads = _threads(session, tracks)
    asyncs = _process_tracks(session, tracks)
    processes = []
    for upid, pid, name, uid, parent_name in session.query(_PROCESSES).tuples():
        assert isinstance(upid, int)
        mine = asyncs.get(upid)
        processes.append(
            ProcessSeen(
                upid=upid,
                pid=pid if isinstance(pid, int) else None,
                name=str(name) if name else None,
                uid=uid if isinstance(uid, int) else None,
                parent_name=str(parent_name) if parent_name else None,
                threads=tuple(threads.get(upid, ())),
                async_slices=mine.slices if mine else 0,
                async_first_ns=mine.first_ns if mine else None,
                async_last_ns=mine.last_ns if mine else None,
            )
        )
    return Survey(start_ns=start_ns, end_ns=end_ns, processes=tuple(processes))


def whole_numbers(answer: Columns) -> list[tuple[int, ...]]:
    """Rows of a query whose every cell is a whole number."""
    return cast("list[tuple[int, ...]]", list(answer.tuples()))


def _tracks(session: TraceSession, end_ns: int) -> dict[int, _Track]:
    rows = session.query(substitute(_TRACKS, {"end_ns": end_ns}))
    return {
        track: _Track(slices=slices, top_ns=top_ns, first_ns=first_ns, last_ns=last_ns)
        for track, slices, top_ns, first_ns, last_ns in whole_numbers(rows)
    }


def _threads(session: TraceSession, tracks: dict[int, _Track]) -> dict[int, list[ThreadSeen]]:
    """Threads of each process, by utid."""
    of_thread: dict[int, list[_Track]] = defaultdict(list)
    for track, owner in whole_numbers(session.query("SELECT id, utid FROM thread_track")):
        if track in tracks:
            of_thread[owner].append(tracks[track])
    threads: dict[int, list[ThreadSeen]] = defaultdict(list)
    for utid, tid, name, upid in session.query(_THREADS).tuples():
        assert isinstance(utid, int)
        assert isinstance(upid, int)
        mine = _merged(of_thread[utid])
        threads[upid].append(
            ThreadSeen(
                utid=utid,
                tid=tid if isinstance(tid, int) else None,
                name=str(name) if name else None,
                upid=upid,
                slices=mine.slices if mine else 0,
                top_ns=mine.top_ns if mine else 0,
                first_ns=mine.first_ns if mine else None,
                last_ns=mine.last_ns if mine else None,
            )
        )
    return threads


def _process_tracks(session: TraceSession, tracks: dict[int, _Track]) -> dict[int, _Track]:
    of_process: dict[int, list[_Track]] = defaultdict(list)
    for track, upid in whole_numbers(session.query(ASYNC_TRACKS)):
        if track in tracks:
            of_process[upid].append(tracks[track])
    return {upid: merged for upid, parts in of_process.items() if (merged := _merged(parts))}


def _merged(tracks: Iterable[_Track]) -> _Track | None:
    parts = list(tracks)
    if not parts:
        return None
    return _Track(
        slices=sum(part.slices for part in parts),
        top_ns=sum(part.top_ns for part in parts),
        first_ns=min(part.first_ns for part in parts),
        last_ns=max(part.last_ns for part in parts),
    )
