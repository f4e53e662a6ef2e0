"""What held an app start up, moment by moment, on the main thread.

Each moment of the start is blamed on one thing: waiting for a disk, else the innermost of the sections
the platform writes for a start, else an interrupt, else what the thread was doing. Sums are those of the
table ``android_startup_opinionated_breakdown`` of Perfetto's standard library, which takes seconds on a
large trace where this takes milliseconds; the tests hold the two against each other. They differ in one
place: where a section begins in the very nanosecond of the one around it, the table blames the outer one
up to the next change.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

import numpy as np
import numpy.typing as npt

from echolot_tui.engine.model import Columns, TraceSession
from echolot_tui.measure.sql import literal
from echolot_tui.measure.stretches import nesting, own_time

Ints = npt.NDArray[np.int64]

SECTIONS: Final = (
    ("mm_vmscan_direct_reclaim", "kernel_memory_reclaim"),
    ("GC: Wait For*", "userspace_memory_reclaim"),
    ("monitor contention*", "monitor_contention"),
    ("Lock contention on a monitor lock*", "monitor_contention"),
    ("Lock contention*", "art_lock_contention"),
    ("binder transaction", "binder"),
    ("binder reply", "binder"),
    ("Contending for pthread mutex", "mutex_contention"),
    ("dlopen*", "dlopen"),
    ("VerifyClass*", "verify_class"),
    ("inflate", "inflate"),
    ("Choreographer#doFrame*", "choreographer_do_frame"),
    ("OpenDexFilesFromOat*", "open_dex_files_from_oat"),
    ("ResourcesManager#getResources", "resources_manager_get_resources"),
    ("bindApplication", "bind_application"),
    ("activityStart", "activity_start"),
    ("activityResume", "activity_resume"),
    ("activityRestart", "activity_restart"),
    ("clientTransactionExecuted", "client_transaction_executed"),
)
"""GLOB over slice names and what it is called here; the first that fits counts."""

_MATCHES: Final = """
SELECT id, ts, dur, {section} AS section FROM slice
WHERE name GLOB {glob} AND dur > 0 AND ts < {end} AND ts + dur > {start}
  AND track_id IN (SELECT id FROM thread_track WHERE utid = {utid})
"""

_STATES: Final = """
SELECT ts, dur, IFNULL(state, '') AS state, IFNULL(io_wait, 0) AS io_wait, IFNULL(irq_context, 0) AS irq
FROM thread_state
WHERE utid = {utid} AND dur > 0 AND ts < {end} AND ts + dur > {start}
ORDER BY ts
"""


def blame(session: TraceSession, *, utid: int, start_ns: int, end_ns: int) -> Counter[str]:
    """How long each thing held up one main thread between two moments.

    Args:
        session: The trace.
        utid: The thread.
        start_ns: When the start began.
        end_ns: When it ended.

    Returns:
        Reason to nanoseconds. ``launch_delay`` is the time before the thread was first seen.
    """
    where = {"utid": utid, "start": start_ns, "end": end_ns}
    states = session.query(_STATES.format(**where))
    held: Counter[str] = Counter()
    if not states.rows:
        return held
    section, piece_ts, piece_dur = _innermost(_sections(session, where), start_ns, end_ns)
    ts, dur = _clipped(states, start_ns, end_ns)
    waits = states["io_wait"] == 1
    held["launch_delay"] = int(ts[0]) - start_ns
    held["io"] = int(dur[waits].sum())
    named = _shared(piece_ts, piece_dur, ts[~waits], dur[~waits])
    for (_, reason), spent in zip(SECTIONS, _sums(section, named), strict=True):
        held[reason] += spent
    bare = dur - _shared(ts, dur, piece_ts, piece_dur)
    kinds = np.where(states["irq"] == 1, "irq", states["state"])
    for kind in np.unique(kinds[~waits]).tolist():
        held[kind] += int(bare[~waits & (kinds == kind)].sum())
    return +held


def _sections(session: TraceSession, where: dict[str, int]) -> Columns:
    """The sections the platform writes for a start; one GLOB a statement, which the engine looks up fast."""
    parts = (
        _MATCHES.format(section=number, glob=literal(glob), **where)
        for number, (glob, _) in enumerate(SECTIONS)
    )
    return session.query(" UNION ALL ".join(parts) + " ORDER BY id, section")


def _innermost(sections: Columns, start_ns: int, end_ns: int) -> tuple[Ints, Ints, Ints]:
    """Pieces of time, each with the number of the innermost section there, in time order.

    Of two sections of equal extent the outer one counts, as in the library.
    """
    first = np.unique(sections["id"], return_index=True)[1]
    first = first[np.lexsort((-sections["id"][first], sections["ts"][first]))]
    ts, dur = (column[first] for column in _clipped(sections, start_ns, end_ns))
    owner, piece_ts, piece_dur = own_time(ts, dur, nesting(ts, dur))
    order = np.argsort(piece_ts, kind="stable")
    return sections["section"][first][owner][order], piece_ts[order], piece_dur[order]


def _clipped(stretches: Columns, start_ns: int, end_ns: int) -> tuple[Ints, Ints]:
    ts = np.maximum(stretches["ts"], start_ns)
    return ts, np.minimum(stretches["ts"] + stretches["dur"], end_ns) - ts


def _shared(ts: Ints, dur: Ints, others_ts: Ints, others_dur: Ints) -> Ints:
    """How much of each stretch lies in the others, which are disjoint and in order."""
    if not len(others_ts):
        return np.zeros(len(ts), dtype=np.int64)
    total = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(others_dur)))

    def until(moments: Ints) -> Ints:
        at = np.searchsorted(others_ts, moments, side="right") - 1
        last = np.maximum(at, 0)
        inside = np.minimum(moments - others_ts[last], others_dur[last])
        return np.where(at < 0, 0, total[last] + inside)

    shared: Ints = until(ts + dur) - until(ts)
    return shared


def _sums(section: Ints, spent: Ints) -> list[int]:
    sums = np.zeros(len(SECTIONS), dtype=np.int64)
    np.add.at(sums, section, spent)
    return sums.tolist()
