"""Every slice of the window as numpy arrays, for what SQL would need a join per slice for.

Self time, medians and callers over hundreds of thousands of slices are a few sorts here. What comes out
are small tables the detectors' queries read (``slice_total``, ``slice_call``), and the own time of the main
thread's slices as stretches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from echolot_tui.engine.model import TraceSession
from echolot_tui.measure.stretches import own_time

Ints = npt.NDArray[np.int64]

_PULL = """
SELECT id, IFNULL(parent_id, -1) AS parent_id, ts, dur, track_id, name FROM __intrinsic_slice
WHERE ts < {start} AND (dur < 0 OR ts + dur > {start})
UNION ALL
SELECT id, IFNULL(parent_id, -1), ts, dur, track_id, name FROM __intrinsic_slice
WHERE ts >= {start} AND ts < {end} AND (dur != 0 OR ts > {start})
"""


@dataclass(frozen=True, kw_only=True)
class SliceArrays:
    """The process's thread slices that overlap the window, ordered by id; all arrays of shape ``(slices,)``.

    Attributes:
        id: Slice ids, ascending.
        parent: Index of the parent in these arrays, -1 without one.
        ts: Start clipped to the window, in ns.
        dur: Clipped length in ns.
        full_dur: Recorded length in ns; an unfinished slice ends at the trace's end.
        utid: Thread.
        track: Track; a thread may have several.
        name: Index into ``names``.
        names: Distinct names; ``None`` for slices without one.
        main_utid: The main thread, -1 without one.
    """

    id: Ints
    parent: Ints
    ts: Ints
    dur: Ints
    full_dur: Ints
    utid: Ints
    track: Ints
    name: Ints
    names: Sequence[str | None]
    main_utid: int

    @cached_property
    def self_dur(self) -> Ints:
        """Clipped length less that of the children, never negative."""
        child = self.parent >= 0
        # Sums of nanoseconds stay exact in a float until 2**53 ns, which is 104 days.
        inside = np.bincount(self.parent[child], weights=self.dur[child], minlength=len(self.dur))
        return np.maximum(self.dur - inside.astype(np.int64), 0)

    def totals(self) -> dict[str, Ints]:
        """One entry per (thread, name): the columns of ``slice_total`` but for the names.

        ``median_ns`` is the lower median of the slices that take time, of which there are ``timed``.
        """
        groups = _Groups.of(self.utid * len(self.names) + self.name)
        by_dur = np.lexsort((self.dur, groups.number(len(self.dur))))
        dur = self.dur[by_dur]
        timed = groups.sums((self.dur > 0).astype(np.int64))
        median_at = groups.ends - timed + (timed + 1) // 2 - 1
        return {
            "sample_id": self.id[groups.first],
            "utid": self.utid[groups.first],
            "count": groups.ends - groups.starts,
            "timed": timed,
            "self_ns": groups.sums(self.self_dur),
            "total_ns": groups.sums(self.dur),
            "full_ns": groups.sums(self.full_dur),
            "max_ns": dur[groups.ends - 1],
            "median_ns": np.where(timed > 0, dur[np.minimum(median_at, len(dur) - 1)], 0),
        }

    def calls(self) -> dict[str, Ints]:
        """One entry per (thread, name, parent's name): the columns of ``slice_call`` but for the names.

        A slice inside another one of its name is left out.
        """
        outer = np.flatnonzero(~self._inside_namesake())
        parent = self.parent[outer]
        caller = np.where(parent >= 0, self.name[parent], len(self.names))
        callers = len(self.names) + 1
        groups = _Groups.of((self.utid[outer] * callers + self.name[outer]) * callers + caller)
        dur = self.dur[outer]
        parent = parent[groups.first]
        return {
            "sample_id": self.id[outer[groups.first]],
            "parent_id": np.where(parent >= 0, self.id[parent], -1),
            "utid": self.utid[outer[groups.first]],
            "count": groups.ends - groups.starts,
            "total_ns": groups.sums(dur),
            "min_ns": np.minimum.reduceat(dur[groups.order], groups.starts) if len(dur) else dur,
            "max_ns": np.maximum.reduceat(dur[groups.order], groups.starts) if len(dur) else dur,
        }

    def main_own_time(self, *, shorter_than: int) -> tuple[Ints, Ints, Ints]:
        """Stretches in which each of the main thread's slices is the innermost one.

        Args:
            shorter_than: Slices of at least this clipped length in ns stand for nothing.

        Returns:
            Per stretch the index of its slice's name, start and length in ns.
        """
        main = np.flatnonzero((self.utid == self.main_utid) & (self.dur > 0))
        place = np.full(len(self.id) + 1, -1)
        place[main] = np.arange(len(main))
        owner, ts, dur = own_time(self.ts[main], self.dur[main], place[self.parent[main]])
        slices = main[owner]
        keep = self.dur[slices] < shorter_than
        return self.name[slices[keep]], ts[keep], dur[keep]

    def _inside_namesake(self) -> npt.NDArray[np.bool_]:
        """Whether each slice lies in another one of its name on its track.

        Along the slices of one track and name in order of start, the latest end so far is a running maximum;
        ends are told from those of the group before by their distance, or by ranks where that overflows.
        """
        groups = _Groups.of(self.track * len(self.names) + self.name)
        number = groups.number(len(self.id))[groups.order]
        start, end = self.ts[groups.order], (self.ts + self.dur)[groups.order]
        moments = np.concatenate((start, end)) - (start.min() if len(start) else 0) + 1
        if len(groups.starts) * (int(moments.max(initial=0)) + 1) >= 2**62:
            moments = np.unique(moments, return_inverse=True)[1].astype(np.int64) + 1
        apart = number * (int(moments.max(initial=0)) + 1)
        start, end = moments[: len(start)] + apart, moments[len(start) :] + apart
        reach = np.concatenate(([0], np.maximum.accumulate(end)[:-1])) if len(end) else end
        inside = np.empty(len(end), dtype=bool)
        inside[groups.order] = reach > start
        return inside


@dataclass(frozen=True, kw_only=True)
class _Groups:
    """Slices grouped by a key: ``order`` sorts them, stably; group ``i`` is ``order[starts[i]:ends[i]]``."""

    order: Ints
    starts: Ints
    ends: Ints

    @classmethod
    def of(cls, key: Ints) -> _Groups:
        order = np.argsort(key, kind="stable")
        ordered = key[order]
        starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))[: len(key)]
        return cls(order=order, starts=starts, ends=np.append(starts[1:], len(key))[: len(starts)])

    @property
    def first(self) -> Ints:
        """Index of each group's first member."""
        return self.order[self.starts]

    def number(self, size: int) -> Ints:
        """Each member's group."""
        numbers = np.empty(size, dtype=np.int64)
        numbers[self.order] = np.repeat(np.arange(len(self.starts)), self.ends - self.starts)
        return numbers

    def sums(self, values: Ints) -> Ints:
        return np.add.reduceat(values[self.order], self.starts) if len(values) else values


def load_slice_arrays(session: TraceSession) -> SliceArrays:
    """Pull the window's slices out of the engine.

    Args:
        session: A trace with the window's tables.

    Raises:
        QueryError: The engine refused.
    """
    start, end = next(session.query("SELECT ts, end_ts FROM window_bounds").tuples())
    trace_end = session.query("SELECT end_ts FROM trace_bounds").scalar()
    tracks = session.query("SELECT track_id, utid FROM window_track")
    mains = session.query("SELECT utid FROM process_thread WHERE is_main")["utid"]
    assert isinstance(start, int)
    assert isinstance(end, int)
    assert isinstance(trace_end, int)
    pulled = session.query(_PULL.format(start=start, end=end))
    utid_of = np.full(int(max(tracks["track_id"].max(initial=0), pulled["track_id"].max(initial=0))) + 1, -1)
    utid_of[tracks["track_id"]] = tracks["utid"]
    utid = utid_of[pulled["track_id"]]
    ours = np.flatnonzero(utid >= 0)
    ours = ours[np.argsort(pulled["id"][ours], kind="stable")]
    ids, ts, dur = (pulled[column][ours] for column in ("id", "ts", "dur"))
    full_dur = np.where(dur < 0, max(trace_end, end) - ts, dur)
    clipped = np.maximum(ts, start)
    name, names = _numbered(pulled["name"][ours].tolist())
    return SliceArrays(
        id=ids,
        parent=_places(ids, pulled["parent_id"][ours]),
        ts=clipped,
        dur=np.minimum(ts + full_dur, end) - clipped,
        full_dur=full_dur,
        utid=utid[ours],
        track=pulled["track_id"][ours],
        name=name,
        names=names,
        main_utid=int(mains[0]) if len(mains) else -1,
    )


def _places(ids: Ints, wanted: Ints) -> Ints:
    """Index of each wanted id in the ascending ``ids``; -1 where it is not among them."""
    if not len(ids):
        return np.empty(0, dtype=np.int64)
    at = np.minimum(np.searchsorted(ids, wanted), len(ids) - 1)
    return np.where(ids[at] == wanted, at, -1)


def _numbered(names: list[str | None]) -> tuple[Ints, list[str | None]]:
    seen: dict[str | None, int] = {}
    numbers = np.fromiter((seen.setdefault(name, len(seen)) for name in names), np.int64, len(names))
    return numbers, list(seen)
