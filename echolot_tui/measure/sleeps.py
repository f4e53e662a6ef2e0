"""The main thread's sleeps another thread of the process ended: where, who, and what that one waited for.

While the main thread slept, the thread that woke it may have slept too, and the one that woke that one: the
longest such sleep is followed, two further hops at most.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from echolot_tui.engine.model import TraceSession
from echolot_tui.measure.slice_arrays import SliceArrays
from echolot_tui.text import family

Ints = npt.NDArray[np.int64]

_SLEEPING: Final = 1
_KERNEL: Final = 2
_DISK: Final = 3
_PLACES: Final = {_KERNEL: "the kernel", _DISK: "the disk"}
_INTERRUPT: Final = "an interrupt"

_STATES: Final = """
SELECT s.utid, s.ts, s.dur, IFNULL(s.waker_utid, -1) AS waker,
  CASE WHEN s.state = 'S' THEN 1 WHEN s.state IN ('D', 'DK') THEN IIF(s.io_wait = 1, 3, 2) ELSE 0 END AS kind
FROM process_thread AS t JOIN thread_state AS s USING (utid)
ORDER BY s.utid, s.ts
"""
_NAMES: Final = """
SELECT t.utid, t.thread_name, t.thread_family, '' AS process FROM process_thread AS t
UNION ALL
SELECT o.utid, o.name, o.name, IFNULL(p.name, '')
FROM thread AS o LEFT JOIN process AS p USING (upid)
WHERE o.name IS NOT NULL AND o.utid NOT IN (SELECT utid FROM process_thread)
"""


class Sleep(NamedTuple):
    """One sleep, a row of ``main_sleep``: ``second`` ended the waker's own sleep, ``third`` that one's."""

    ts: int
    dur: int
    full_dur: int
    waker_utid: int
    slice_name: str | None
    second: str | None = None
    second_ns: int | None = None
    third: str | None = None
    third_ns: int | None = None


class _Wait(NamedTuple):
    """A thread was off the CPU, waiting, from ``start`` to ``end``; ``waker`` is -1 where it is unknown."""

    start: int
    end: int
    waker: int
    kind: int


@dataclass(frozen=True, slots=True)
class _Waits:
    """One thread's finished waits in order, a list for each part of them."""

    starts: list[int]
    ends: list[int]
    wakers: list[int]
    kinds: list[int]

    def __iter__(self) -> Iterator[_Wait]:
        return map(_Wait._make, zip(self.starts, self.ends, self.wakers, self.kinds, strict=True))

    def longest(self, since: int, until: int) -> _Wait | None:
        """The wait that took most of ``since`` to ``until`` and ended in it, the later of equals."""
        best, took = -1, 0
        at = bisect_right(self.ends, until) - 1
        while at >= 0 and self.ends[at] > since:
            length = self.ends[at] - max(self.starts[at], since)
            if length > took:
                best, took = at, length
            at -= 1
        if best < 0:
            return None
        return _Wait(self.starts[best], self.ends[best], self.wakers[best], self.kinds[best])


_NO_WAITS: Final = _Waits([], [], [], [])


def main_sleeps(session: TraceSession, slices: SliceArrays) -> list[Sleep]:
    """The main thread's sleeps inside the window that another thread of the process ended, in order.

    Args:
        session: A trace with the window's tables.
        slices: The window's slices.

    Raises:
        QueryError: The engine refused.
    """
    start, end = next(session.query("SELECT ts, end_ts FROM window_bounds").tuples())
    assert isinstance(start, int)
    assert isinstance(end, int)
    waits = _waits(session)
    names = _Names(session)
    main = slices.main_utid
    kept = [
        wait
        for wait in waits.get(main, _NO_WAITS)
        if wait.kind == _SLEEPING
        and wait.start < end
        and wait.end > start
        and wait.waker != main
        and wait.waker in names.own
    ]
    moments = np.array([max(wait.start, start) for wait in kept], dtype=np.int64)
    places = _open_slices(slices, moments)
    return [
        _followed(wait, place, waits, names, start=start, end=end)
        for wait, place in zip(kept, places, strict=True)
    ]


class _Names:
    """What threads are called in a chain of waits."""

    def __init__(self, session: TraceSession) -> None:
        self.own: set[int] = set()
        self._text: dict[int, str] = {0: _INTERRUPT}
        for utid, name, folded, process in session.query(_NAMES).tuples():
            assert isinstance(utid, int)
            if process == "":
                self.own.add(utid)
            if utid:
                self._text[utid] = f"{family(str(name))} of {process}" if process else family(str(folded))

    def ended_by(self, wait: _Wait) -> str | None:
        """Who or what ended a wait; ``None`` where it is not known."""
        return _PLACES.get(wait.kind) or self._text.get(wait.waker)


def _waits(session: TraceSession) -> dict[int, _Waits]:
    """Each thread's waits. Who ended one stands in the state that follows it."""
    states = session.query(_STATES)
    utid, ts, dur, waker, kind = (states[column] for column in ("utid", "ts", "dur", "waker", "kind"))
    ended = np.flatnonzero((kind[:-1] > 0) & (dur[:-1] > 0) & (utid[:-1] == utid[1:]))
    columns = (ts[ended], ts[ended] + dur[ended], waker[ended + 1], kind[ended])
    threads, first = np.unique(utid[ended], return_index=True)
    bounds = pairwise([*first.tolist(), len(ended)])
    return {
        thread: _Waits(*(column[begin:end].tolist() for column in columns))
        for thread, (begin, end) in zip(threads.tolist(), bounds, strict=True)
    }


def _open_slices(slices: SliceArrays, moments: Ints) -> list[str | None]:
    """Name of the main thread's innermost slice at each moment; one as long as the window counts as none."""
    name, ts, dur = slices.main_own_time
    order = np.argsort(ts, kind="stable")
    ts, stop, name = ts[order], (ts + dur)[order], name[order]
    at = np.searchsorted(ts, moments, side="right") - 1
    inside = (at >= 0) & (moments < stop[at]) if len(ts) else np.zeros(len(moments), dtype=bool)
    return [
        slices.names[name[place]] if is_inside else None
        for place, is_inside in zip(at.tolist(), inside.tolist(), strict=True)
    ]


def _followed(
    wait: _Wait, place: str | None, waits: Mapping[int, _Waits], names: _Names, *, start: int, end: int
) -> Sleep:
    hops: list[tuple[str | None, int | None]] = []
    current, since = wait, wait.start
    while len(hops) < 2:
        inner = waits.get(current.waker, _NO_WAITS).longest(since, current.end)
        told = names.ended_by(inner) if inner else None
        if inner is None or told is None:
            break
        hops.append((told, inner.end - max(inner.start, since)))
        if inner.kind != _SLEEPING:
            break
        current, since = inner, max(inner.start, since)
    (second, second_ns), (third, third_ns) = (*hops, (None, None), (None, None))[:2]
    return Sleep(
        ts=max(wait.start, start),
        dur=min(wait.end, end) - max(wait.start, start),
        full_dur=wait.end - wait.start,
        waker_utid=wait.waker,
        slice_name=place,
        second=second,
        second_ns=second_ns,
        third=third,
        third_ns=third_ns,
    )
