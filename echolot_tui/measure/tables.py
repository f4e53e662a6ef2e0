"""The tables every query of a window sees; what each holds is in ARCHITECTURE.md.

Names of threads are made fit to name rows here: the process's own pid, which some systems put into them,
becomes ``#``, as does a binder thread's number in its pool; a thread without a name gets one that is the same
in every run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Final

from echolot_tui.engine.model import TraceSession
from echolot_tui.measure.derived import DERIVED
from echolot_tui.measure.detector_file import Setting
from echolot_tui.measure.sql import Fragment, sql_file, substitute
from echolot_tui.measure.survey import ASYNC_TRACKS
from echolot_tui.text import family, without_ids

UNNAMED_MAIN: Final = "(main thread)"
UNNAMED_THREAD: Final = "(unnamed thread)"

_THREADS: Final = """
SELECT t.utid, t.name, p.pid FROM thread AS t JOIN process AS p USING (upid)
WHERE t.upid = $upid ORDER BY t.utid
"""
_CLAIMED: Final = """
SELECT s.name FROM window_track AS t JOIN __intrinsic_slice AS s USING (track_id) WHERE s.name GLOB $glob
"""
_VIEWS: Final = ("window_slice", "main_slice", "window_async")
_TABLES: Final = (
    "window_bounds",
    "process_info",
    "process_thread",
    "window_track",
    "window_async_track",
    "window_state",
    "window_top",
    "window_running",
    "claimed_name",
)
SHARED_TABLES: Final = frozenset((*_VIEWS, *_TABLES, *DERIVED))
"""What every detector of a window reads."""


def create_tables(
    session: TraceSession,
    *,
    upid: int,
    main_utid: int | None,
    start_ns: int,
    end_ns: int,
    process_name: str,
    package: str | None,
    claimed_globs: Sequence[str],
) -> None:
    """Make the tables of one window; those of an earlier window are replaced.

    Args:
        session: The loaded trace.
        upid: The process.
        main_utid: Its main thread; ``None`` when it has no thread.
        start_ns: Start of the window.
        end_ns: End of the window.
        process_name: The process's name as it is shown.
        package: Application id, where known.
        claimed_globs: GLOBs over slice names that some detector answers for.

    Raises:
        QueryError: The engine refused a statement.
    """
    trace_end = session.query("SELECT end_ts FROM trace_bounds").scalar()
    params: dict[str, Setting] = {
        "upid": upid,
        "main_utid": -1 if main_utid is None else main_utid,
        "start_ns": start_ns,
        "end_ns": end_ns,
        "trace_end_ns": max(int(trace_end or 0), end_ns),
        "process_name": process_name,
        "package": package or "",
        "async_tracks": Fragment(ASYNC_TRACKS),
        "threads": json.dumps(_threads(session, upid, main_utid)),
    }
    session.query(sql_file("process", params))
    mains = session.query("SELECT track_id FROM window_track WHERE is_main")["track_id"].tolist()
    params["main_tracks"] = Fragment(f"({', '.join(map(str, mains))})")
    session.query(sql_file("slices", params))
    session.query(sql_file("states", params))
    session.query(sql_file("claimed_name", {"names": json.dumps(_claimed(session, claimed_globs))}))


def drop_tables(session: TraceSession) -> None:
    """Remove the window's tables, derived ones too; indexes on the engine's own table stay."""
    names = session.query("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")["name"].tolist()
    for name in _VIEWS:
        session.query(f"DROP VIEW IF EXISTS {name}")
    for name in (*_TABLES, *DERIVED):
        if name in names:
            session.query(f"DROP TABLE IF EXISTS {name}")


def _threads(session: TraceSession, upid: int, main_utid: int | None) -> list[tuple[int, str, str]]:
    """utid, name and family of each thread of the process."""
    answer = session.query(substitute(_THREADS, {"upid": upid}))
    threads = []
    for utid, name, pid in answer.tuples():
        assert isinstance(utid, int)
        shown = stable_thread_name(str(name or ""), pid) or (
            UNNAMED_MAIN if utid == main_utid else UNNAMED_THREAD
        )
        threads.append((utid, shown, family(shown)))
    return threads


def _claimed(session: TraceSession, globs: Sequence[str]) -> list[str]:
    """Names the GLOBs match, as recorded and without the numbers of one run.

    Each GLOB stands alone so that the engine filters by it.
    """
    queries = [substitute(_CLAIMED, {"glob": glob}) for glob in sorted(set(globs))]
    names = session.query(" UNION ".join(queries))["name"].tolist() if queries else []
    return sorted({*names, *map(without_ids, names)})


def stable_thread_name(name: str, pid: object) -> str:
    """A thread's name without numbers that are others in every run; empty where it is the process's pid."""
    if not isinstance(pid, int) or pid < 2:
        return name
    if name == str(pid):
        return ""
    # Which of the pool's threads takes a call is chance.
    return re.sub(r"(?<=inder:#_)[0-9A-F]+$", "#", re.sub(rf"(?<!\d){pid}(?!\d)", "#", name))
