"""Arithmetic over what the scripts did: the planted numbers, by plain loops and without the trace."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from echolot_tui.generate.sched import Segment, State
from echolot_tui.generate.script import Section, Stage

Clocks = dict[int, list[tuple[int, int]]]
"""By CPU, when it changed and to how many kHz, in time order."""


@dataclass(slots=True)
class Tally:
    """Sums over slices of one name, nanoseconds, clipped to the window."""

    count: int = 0
    self_ns: int = 0
    total_ns: int = 0
    max_ns: int = 0


@dataclass(frozen=True, slots=True)
class Ledger:
    """What happened on a stage between two moments."""

    stage: Stage
    start: int
    end: int

    def clip(self, start: int, end: int | None) -> int:
        """Nanoseconds of a stretch inside the window; one without end reaches to the window's end."""
        until = self.end if end is None else min(end, self.end)
        return max(until - max(start, self.start), 0)

    def inside(self, section: Section) -> bool:
        """Whether a slice shares time with the window; one of no length has to lie strictly inside."""
        if section.end == section.start:
            return self.start < section.start < self.end
        return self.clip(section.start, section.end) > 0

    def sections(self, tids: Collection[int]) -> Iterator[Section]:
        """Slices of some threads in the window."""
        return (section for section in self.stage.sections if section.tid in tids and self.inside(section))

    def tally(self, sections: Iterable[Section]) -> Tally:
        """Sums over some slices."""
        tally = Tally()
        for section in sections:
            length = self.clip(section.start, section.end)
            tally.count += 1
            tally.total_ns += length
            tally.self_ns += length - sum(self.clip(child.start, child.end) for child in section.children)
            tally.max_ns = max(tally.max_ns, length)
        return tally

    def by_name(self, tids: Collection[int]) -> dict[str, Tally]:
        """Sums by slice name."""
        groups: dict[str, list[Section]] = defaultdict(list)
        for section in self.sections(tids):
            groups[section.name].append(section)
        return {name: self.tally(sections) for name, sections in groups.items()}

    def state_ns(self, tids: Collection[int], *states: State) -> int:
        """Time some threads spent in some states."""
        return sum(self.clip(segment.start, segment.end) for segment in self._segments(tids, states))

    def io_ns(self, tids: Collection[int]) -> int:
        """Time some threads waited for the disk."""
        blocked = self._segments(tids, (State.BLOCKED,))
        return sum(self.clip(segment.start, segment.end) for segment in blocked if segment.io_wait)

    def covered_ns(self, tids: Collection[int]) -> int:
        """Time some threads ran inside a slice."""
        total = 0
        for section in self.sections(tids):
            if section.parent is None:
                total += sum(
                    self.clip(max(section.start, ran.start), min(section.end or self.end, ran.end))
                    for ran in self._segments((section.tid,), (State.RUNNING,))
                )
        return total

    def mean_khz(self, tids: Collection[int], clocks: Clocks) -> float:
        """Clock weighted by the threads' running time."""
        pieces = list(self._clocked(tids, clocks))
        return sum(length * khz for length, khz in pieces) / sum(length for length, _ in pieces)

    def khz_seen(self, tids: Collection[int], clocks: Clocks) -> set[int]:
        """Every clock the threads ran at."""
        return {khz for _, khz in self._clocked(tids, clocks)}

    def _clocked(self, tids: Collection[int], clocks: Clocks) -> Iterator[tuple[int, int]]:
        """Running time cut where the clock changes: nanoseconds and kHz."""
        for ran in self._segments(tids, (State.RUNNING,)):
            changes = clocks.get(ran.cpu, [])
            ends = [*(ts for ts, _ in changes[1:]), self.end]
            for (since, khz), until in zip(changes, ends, strict=True):
                length = self.clip(max(since, ran.start), min(until, ran.end))
                if length:
                    yield length, khz

    def _segments(self, tids: Collection[int], states: Collection[State]) -> Iterator[Segment]:
        for tid in tids:
            for segment in self.stage.segments.get(tid, []):
                if segment.state in states:
                    yield segment
