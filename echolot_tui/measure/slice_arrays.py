"""Every slice of the window as numpy arrays, for what SQL would need a join per slice for.

Self time, medians and callers over hundreds of thousands of slices are a few sorts here. What comes out
are small tables the detectors' queries read (``slice_total``, ``slice_call``), and the own time of the main
thread's slices as stretches.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from echolot_tui.engine.model import TraceSession
from echolot_tui.measure.stretches import own_time
from echolot_tui.text import without_ids

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
        names: Distinct names without the numbers of one run; ``None`` for slices without one.
        recorded: Index into ``recorded_names``.
        recorded_names: Distinct names as the trace has them.
        main_utid: The main thread, -1 without one.
        window: Length of the window in ns.
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
    window: int
    recorded: Ints
    recorded_names: Sequence[str | None]

    @property
    def folded(self) -> dict[str, str]:
        """Recorded names that hold numbers of one run, and how they stand in ``names``."""
        names = filter(None, self.recorded_names)
        return {name: short for name in names if (short := without_ids(name)) != name}

    @cached_property
    def self_dur(self) -> Ints:
        """Clipped length less that of the children, never negative."""
        child = self.parent >= 0
        own: Ints = np.maximum(self.dur - _weighed(self.parent[child], self.dur[child], len(self.dur)), 0)
        return own

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

        A slice inside another one of its name is left out, and so is a name with one caller only.
        """
        outer = np.flatnonzero(~self._inside_namesake(np.arange(len(self.id))))
        callers = len(self.names) + 1
        caller = np.where(self.parent[outer] >= 0, self.name[self.parent[outer]], len(self.names))
        called_by = np.unique(self.name[outer] * callers + caller) // callers
        several = np.bincount(called_by, minlength=callers)[self.name[outer]] > 1
        outer, caller = outer[several], caller[several]
        parent = self.parent[outer]
        groups = _Groups.of((self.utid[outer] * callers + self.name[outer]) * callers + caller)
        dur = self.dur[outer]
        parent = parent[groups.first]
        return {
            "sample_id": self.id[outer[groups.first]],
            "parent_id": np.where(parent >= 0, self.id[parent], -1),
            "utid": self.utid[outer[groups.first]],
            "count": groups.ends - groups.starts,
            "total_ns": groups.sums(dur),
            "min_ns": groups.smallest(dur),
            "max_ns": groups.largest(dur),
        }

    def sections(self, names: Collection[str]) -> dict[str, Ints]:
        """One entry per (thread, name) of the slices that are recorded under these names.

        ``name`` is an index into ``names`` of these arrays. To ``total_ns`` a slice inside another one of its
        name adds nothing.
        """
        is_wanted = np.array([name in names for name in self.recorded_names], dtype=bool)
        at = np.flatnonzero(is_wanted[self.recorded]) if len(is_wanted) else self.recorded
        groups = _Groups.of(self.utid[at] * len(self.names) + self.name[at])
        first, dur = at[groups.first], self.dur[at]
        return {
            "name": self.name[first],
            "utid": self.utid[first],
            "count": groups.ends - groups.starts,
            "self_ns": groups.sums(self.self_dur[at]),
            "total_ns": groups.sums(np.where(self._inside_namesake(at), 0, dur)),
            "max_ns": groups.largest(dur),
        }

    @cached_property
    def main_own_time(self) -> tuple[Ints, Ints, Ints]:
        """Stretches in which each of the main thread's slices is the innermost one.

        Slices as long as the window stand for nothing. Per stretch the index of the slice's name, start
        and length in ns, in no order.
        """
        main = np.flatnonzero((self.utid == self.main_utid) & (self.dur > 0))
        place = np.full(len(self.id) + 1, -1)
        place[main] = np.arange(len(main))
        owner, ts, dur = own_time(self.ts[main], self.dur[main], place[self.parent[main]])
        slices = main[owner]
        keep = self.dur[slices] < self.window
        return self.name[slices[keep]], ts[keep], dur[keep]

    @property
    def main_whole(self) -> tuple[Ints, Ints, Ints]:
        """The main thread's slices: index of the name, start and length in ns."""
        main = np.flatnonzero((self.utid == self.main_utid) & (self.dur > 0))
        return self.name[main], self.ts[main], self.dur[main]

    def main_paths(self) -> dict[str, Ints]:
        """The main thread's call tree: one entry per distinct path of names from a top-level slice down.

        Entry ``i`` is path ``i``; ``parent_path`` is -1 at the top.
        """
        main = np.flatnonzero(self.utid == self.main_utid)
        path = np.full(len(self.id) + 1, -1)
        outer = np.append(self.parent, -1)
        waiting, known = main, 0
        parents: list[Ints] = []
        while len(waiting):
            # A slice whose parent has a path, or that has no parent, is ready.
            ready = (outer[waiting] < 0) | (path[outer[waiting]] >= 0)
            level, waiting = waiting[ready], waiting[~ready]
            above = path[outer[level]]
            key = (above + 1) * len(self.names) + self.name[level]
            _, first, number = np.unique(key, return_index=True, return_inverse=True)
            path[level] = known + number
            parents.append(above[first])
            known += len(first)
        groups = _Groups.of(path[main])
        sample = main[groups.first]
        return {
            "parent_path": np.concatenate(parents) if parents else main,
            "sample_id": self.id[sample],
            "count": groups.ends - groups.starts,
            "total_ns": groups.sums(self.dur[main]),
            "full_ns": groups.sums(self.full_dur[main]),
            "max_ns": groups.largest(self.dur[main]),
        }

    def busy(self, ts: Ints, dur: Ints, kind: Ints) -> dict[str, Ints]:
        """The main thread's busy intervals: the columns of ``main_busy``.

        Busy is what slices below the top level, or the given states, cover; touching pieces are one interval.

        Args:
            ts: Starts of the thread's busy states.
            dur: Their lengths.
            kind: 1 for running, 2 for ready to run, 0 for others.
        """
        inner = np.flatnonzero((self.utid == self.main_utid) & (self.parent >= 0) & (self.dur > 0))
        starts = np.concatenate((ts, self.ts[inner]))
        ends = np.concatenate((ts + dur, self.ts[inner] + self.dur[inner]))
        order = np.argsort(starts, kind="stable")
        starts, reach = starts[order], np.maximum.accumulate(ends[order])
        opens = np.ones(len(starts), dtype=bool)
        np.greater(starts[1:], reach[:-1], out=opens[1:])
        begins = starts[opens]
        of_state = np.searchsorted(begins, ts, side="right") - 1
        of_slice = np.searchsorted(begins, self.ts[inner], side="right") - 1
        # The longest slice of an interval is one right under a top-level slice: deeper ones lie inside it.
        upper = self.parent[self.parent[inner]] < 0
        longest = np.full(len(begins), -1)
        climb = np.flatnonzero(upper)
        climb = climb[np.lexsort((-self.id[inner[climb]], self.dur[inner[climb]]))]
        longest[of_slice[climb]] = self.id[inner[climb]]
        return {
            "ts": begins,
            "end_ts": reach[np.roll(opens, -1)],
            "slices": np.bincount(of_slice, minlength=len(begins)),
            "longest_id": longest,
            "running_ns": _weighed(of_state, dur * (kind == 1), len(begins)),
            "ready_ns": _weighed(of_state, dur * (kind == 2), len(begins)),
        }

    def _inside_namesake(self, at: Ints) -> npt.NDArray[np.bool_]:
        """Whether each of some slices lies in another one of its name on its track; all of a name are given.

        Along the slices of one track and name in order of start, the latest end so far is a running maximum;
        ends are told from those of the group before by their distance, or by ranks where that overflows.
        """
        groups = _Groups.of(self.track[at] * len(self.names) + self.name[at])
        number = groups.number(len(at))[groups.order]
        start = self.ts[at][groups.order]
        end = start + self.dur[at][groups.order]
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

    def smallest(self, values: Ints) -> Ints:
        return np.minimum.reduceat(values[self.order], self.starts) if len(values) else values

    def largest(self, values: Ints) -> Ints:
        return np.maximum.reduceat(values[self.order], self.starts) if len(values) else values


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
    known = max(tracks["track_id"].max(initial=0), pulled["track_id"].max(initial=0))
    utid_of = np.full(int(known) + 1, -1)
    utid_of[tracks["track_id"]] = tracks["utid"]
    utid = utid_of[pulled["track_id"]]
    ours: Ints | slice = slice(None)
    if not (utid >= 0).all() or not (np.diff(pulled["id"]) > 0).all():
        ours = np.flatnonzero(utid >= 0)
        ours = ours[np.argsort(pulled["id"][ours], kind="stable")]
    ids, ts, dur = (pulled[column][ours] for column in ("id", "ts", "dur"))
    full_dur = np.where(dur < 0, max(trace_end, end) - ts, dur)
    clipped = np.maximum(ts, start)
    recorded, recorded_names = _numbered(pulled["name"][ours].tolist())
    of_recorded, names = _numbered([name and without_ids(name) for name in recorded_names])
    return SliceArrays(
        id=ids,
        parent=_places(ids, pulled["parent_id"][ours]),
        ts=clipped,
        dur=np.minimum(ts + full_dur, end) - clipped,
        full_dur=full_dur,
        utid=utid[ours],
        track=pulled["track_id"][ours],
        name=of_recorded[recorded],
        names=names,
        main_utid=int(mains[0]) if len(mains) else -1,
        window=end - start,
        recorded=recorded,
        recorded_names=recorded_names,
    )


def _weighed(place: Ints, weight: Ints, places: int) -> Ints:
    """Sum of the weights at each place."""
    # Sums of nanoseconds stay exact in a float until 2**53 ns, which is 104 days.
    return np.bincount(place, weights=weight, minlength=places).astype(np.int64)


def _places(ids: Ints, wanted: Ints) -> Ints:
    """Index of each wanted id in the ascending ``ids``; -1 where it is not among them."""
    if not len(ids):
        return np.empty(0, dtype=np.int64)
    at = np.minimum(np.searchsorted(ids, wanted), len(ids) - 1)
    return np.where(ids[at] == wanted, at, -1)


def _numbered(names: list[str | None]) -> tuple[Ints, list[str | None]]:
    distinct = list(dict.fromkeys(names))
    number = {name: at for at, name in enumerate(distinct)}
    return np.fromiter(map(number.__getitem__, names), np.int64, len(names)), distinct
