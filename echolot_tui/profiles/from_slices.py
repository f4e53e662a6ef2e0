"""A trace without samples still has stacks: the nesting of its slices, with exact times."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from echolot_tui.engine.model import TraceSession
from echolot_tui.profiles.stacks import (
    Facts,
    Frame,
    ProfileError,
    Recording,
    Selection,
    StackBuilder,
    Thread,
    select,
)

_SLICES: Final = """
SELECT s.id, IFNULL(s.parent_id, -1) AS parent, s.ts, s.dur, IFNULL(s.name, '') AS name, t.utid
FROM slice AS s JOIN thread_track AS t ON s.track_id = t.id {which} ORDER BY s.id
"""
_END: Final = "SELECT end_ts FROM trace_bounds"
_PLACED: Final = re.compile(r"(?P<name>.+) \((?P<file>[^():]+):\d+\)")
_NUMBER: Final = re.compile(r"0x[0-9a-fA-F]+|\d{3,}")


def slice_recording(
    session: TraceSession,
    selection: Selection,
    bounds: tuple[int, int] | None,
    threads: dict[int, Thread],
    which: str,
) -> Recording:
    """The slices of every thread as stacks: one sample a slice, weighing the time no slice inside it covers.

    Args:
        session: The trace.
        selection: Which threads count.
        bounds: The window in nanoseconds; None is the whole trace.
        threads: Name and process of every thread, by utid.
        which: An SQL condition on the threads, or nothing.

    Raises:
        ProfileError: There are no slices on threads.
    """
    rows = session.query(_SLICES.format(which=which))
    if not rows.rows:
        raise ProfileError(
            "holds neither callstack samples nor slices on threads",
            where=str(session.path),
            todo="record the data source linux.perf with callstack sampling",
        )
    end = session.query(_END).scalar()
    assert isinstance(end, int)
    ts, dur = rows["ts"].astype(np.int64), rows["dur"].astype(np.int64)
    low, high = bounds or (int(ts.min()), end)
    inside = np.maximum(np.minimum(np.where(dur < 0, end, ts + dur), high) - np.maximum(ts, low), 0)
    ids, parents = rows["id"].astype(np.int64), rows["parent"].astype(np.int64)
    above = np.where(parents < 0, -1, np.searchsorted(ids, np.maximum(parents, 0)))
    nested = np.bincount(above[above >= 0], weights=inside[above >= 0], minlength=len(ids))
    own_ms = np.maximum(inside - nested, 0) / 1e6
    builder = StackBuilder()
    node = [-1] * len(ids)
    columns = zip(above.tolist(), rows["name"].tolist(), rows["utid"].tolist(), own_ms.tolist(), strict=True)
    for at, (up, name, utid, own) in enumerate(columns):
        node[at] = builder.node(node[up] if up >= 0 else -1, slice_frame(str(name)))
        if inside[at]:
            builder.add(node[at], own, thread=threads[utid])
    facts = Facts(source="slices", unit="ms", event="wall time", exact=True)
    return select(builder.build(str(session.path), facts), selection)


def slice_frame(name: str) -> Frame:
    """What a slice is known by: its name with longer numbers folded; ``name (file:line)`` loses the line."""
    placed = _PLACED.fullmatch(name)
    if placed:
        return Frame(placed["name"], placed["file"])
    return Frame(_NUMBER.sub("#", name) or "(no name)")
