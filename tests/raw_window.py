"""A window read from the raw tables, slice by slice and state by state, without the program's own tables.

Only for traces whose every moment is a whole millisecond.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from echolot_tui.engine.model import TraceSession

T = TypeVar("T")

MS = 1_000_000
_NUMBERS = re.compile(r"(?<=tid: )\d+|(?<=w \()\d+|(?<=waiters=)\d+|(?<=doFrame )\d+")


@dataclass(kw_only=True)
class Piece:
    """Some time of one thread, as recorded and clipped to the window."""

    tid: int
    ts: int
    end: int
    """The trace's end for what never ended."""
    start: int = 0
    stop: int = 0

    @property
    def dur(self) -> int:
        return self.stop - self.start

    @property
    def moments(self) -> set[int]:
        return set(range(self.start, self.stop))


@dataclass(kw_only=True)
class Slice(Piece):
    id: int
    name: str
    """Without a thread's or a frame's number."""
    parent: int | None
    depth: int
    never_ended: bool


@dataclass(kw_only=True)
class Stretch(Piece):
    """One state of one thread."""

    state: str
    io_wait: bool
    function: str | None
    waker: int | None
    closed: bool


class RawWindow:
    """What one process did in a window of whole milliseconds, from the engine's own tables."""

    def __init__(self, session: TraceSession, pid: int, start: int, end: int) -> None:
        self.pid, self.start, self.end = pid, start, end
        bound = session.query("SELECT end_ts FROM trace_bounds").scalar()
        assert isinstance(bound, int)
        last = self._ms(bound)
        who = session.query(
            f"SELECT utid, tid, thread.name AS name FROM thread JOIN process USING (upid) WHERE pid = {pid}"
        ).records()
        tids = {row["utid"]: row["tid"] for row in who}
        self.names = {row["tid"]: re.sub(rf"\b{pid}_\d+", "#_#", str(row["name"])) for row in who}
        rows = session.query(
            "SELECT s.id, s.ts, s.dur, s.name, s.parent_id, s.depth, t.utid FROM slice AS s "
            "JOIN thread_track AS t ON t.id = s.track_id ORDER BY s.ts, s.depth"
        ).records()
        self.all_slices = {
            row["id"]: Slice(
                id=row["id"],
                ts=self._ms(row["ts"]),
                end=last if row["dur"] < 0 else self._ms(row["ts"] + row["dur"]),
                name=_NUMBERS.sub("#", row["name"]),
                parent=row["parent_id"],
                depth=row["depth"],
                tid=tids[row["utid"]],
                never_ended=row["dur"] < 0,
            )
            for row in rows
            if row["utid"] in tids
        }
        self.slices = [one for one in self.all_slices.values() if self.clip(one)]
        self.children: dict[int, list[Slice]] = defaultdict(list)
        for one in self.slices:
            if one.parent is not None:
                self.children[one.parent].append(one)
        states = session.query(
            "SELECT ts, dur, state, utid, io_wait, blocked_function, waker_utid FROM thread_state "
            "ORDER BY utid, ts"
        ).records()
        other = session.query("SELECT utid, tid FROM thread").records()
        self.tid_of = {row["utid"]: row["tid"] for row in other}
        self.timeline: dict[int, list[Stretch]] = defaultdict(list)
        for row in states:
            if row["utid"] not in self.tid_of or self.tid_of[row["utid"]] == 0:
                continue
            tid = self.tid_of[row["utid"]]
            self.timeline[tid].append(
                Stretch(
                    ts=self._ms(row["ts"]),
                    end=last if row["dur"] < 0 else self._ms(row["ts"] + row["dur"]),
                    state=row["state"],
                    tid=tid,
                    io_wait=row["io_wait"] == 1,
                    function=row["blocked_function"],
                    waker=row["waker_utid"],
                    closed=row["dur"] > 0,
                )
            )
        for stretches in self.timeline.values():
            for one, following in pairwise(stretches):
                if not one.closed:
                    one.end = following.ts
        self.states = [
            one for tid in self.names for one in self.timeline[tid] if one.end > one.ts and self.clip(one)
        ]
        self.main = [one for one in self.slices if one.tid == pid]

    @staticmethod
    def _ms(moment: int) -> int:
        assert moment % MS == 0, moment
        return moment // MS

    def clip(self, one: Piece) -> bool:
        """Whether it is in the window; one of no length only strictly inside."""
        one.start, one.stop = max(one.ts, self.start), min(one.end, self.end)
        if one.ts == one.end:
            return self.start < one.ts < self.end
        return one.ts < self.end and one.end > self.start

    def self_time(self, one: Slice) -> int:
        return one.dur - sum(child.dur for child in self.children[one.id])

    def parent(self, one: Slice) -> Slice | None:
        return None if one.parent is None else self.all_slices[one.parent]

    def above(self, one: Slice) -> list[Slice]:
        """Ancestors, nearest first."""
        found = []
        while (parent := self.parent(one)) is not None:
            found.append(parent)
            one = parent
        return found

    def innermost(self, slices: Iterable[Slice]) -> dict[int, Slice]:
        """For each millisecond in some nested slices the innermost of them."""
        found: dict[int, Slice] = {}
        for one in sorted(slices, key=lambda one: one.depth):
            found.update(dict.fromkeys(one.moments, one))
        return found


def family(name: str) -> str:
    return re.sub(r"[0-9]+", "#", name)


def united(parts: Iterable[set[int]]) -> set[int]:
    return set().union(*parts)


def grouped(items: Iterable[T], key: Callable[[T], tuple[str, ...]]) -> dict[tuple[str, ...], list[T]]:
    groups: dict[tuple[str, ...], list[T]] = defaultdict(list)
    for one in items:
        groups[key(one)].append(one)
    return groups
