"""The slice names of a process by family, and which detectors see them: the core of ``names``."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, cast

from echolot_tui.engine.model import TraceSession
from echolot_tui.errors import EcholotError
from echolot_tui.frozen import Frozen
from echolot_tui.measure.main_thread import running_ns
from echolot_tui.measure.model import ProcessFacts
from echolot_tui.measure.plan import Plan
from echolot_tui.measure.process import choose_process
from echolot_tui.measure.sql import Fragment, substitute
from echolot_tui.measure.survey import ASYNC_TRACKS, ProcessSeen, survey
from echolot_tui.text import family
from echolot_tui.units import ms

ASYNC: Final = "(async)"
"""Stands for the thread of asynchronous slices."""


class NameMask(Frozen, frozen=True, kw_only=True):
    """A detector's GLOB over slice names."""

    detector: str
    param: str
    glob: str
    excludes: bool = False
    """It leaves names out rather than picking them."""


class NameFamily(Frozen, frozen=True, kw_only=True):
    """Slice names that differ in numbers only."""

    name: str
    """Each number as ``#``, or ``N`` where the name itself has a ``#`` before it."""
    names: int
    """Different names folded into it."""
    count: int
    total_ms: float
    max_ms: float
    threads: tuple[str, ...]
    """Families of thread names, most time first."""
    seen_by: tuple[str, ...] = ()
    """``detector.param`` of the masks that pick it."""
    excluded_by: tuple[str, ...] = ()


class NamesSection(Frozen, frozen=True, kw_only=True):
    """Families about one thing."""

    title: str
    families: tuple[NameFamily, ...]
    """Largest total first."""
    more: int = 0
    """Families beyond the listed ones, by count or by time."""


class NamesInventory(Frozen, frozen=True, kw_only=True):
    """The slice names of one process."""

    trace: str
    process: ProcessFacts
    sections: tuple[NamesSection, ...]
    missed: tuple[NameFamily, ...]
    """Families that look like a detector's business and that no mask picks."""
    families_total: int


_SLICES: Final = """
    SELECT slice.id, slice.name, place.thread, ts,
      IIF(dur < 0, $end_ns - ts, dur) AS dur, dur < 0 AS unfinished
    FROM slice JOIN (
      SELECT thread_track.id AS track, COALESCE(NULLIF(thread.name, ''), 'tid ' || tid) AS thread
      FROM thread_track JOIN thread USING (utid) WHERE upid = $upid
      UNION ALL SELECT id, $async FROM ($async_tracks) WHERE upid = $upid
    ) AS place ON slice.track_id = place.track
    WHERE slice.name IS NOT NULL"""
_BY_NAME: Final = """
    SELECT name, thread, COUNT(*) AS occurrences, SUM(dur) AS total, MAX(dur) AS longest
    FROM ($slices) GROUP BY name, thread ORDER BY name, thread"""
_GLOBBED: Final = "SELECT DISTINCT name FROM slice WHERE name GLOB $glob"

_SECTIONS: Final = (
    ("Garbage collection", re.compile(r"\bGC\b|garbage|waitWhileAllocating|heap ?trim", re.IGNORECASE)),
    (
        "Locks and waiting",
        re.compile(r"contention|\block\b|mutex|monitor|\bwait(ing)?\b|futex|\bpark", re.IGNORECASE),
    ),
    ("Binder / IPC", re.compile(r"binder|\bIPC\b|\baidl\b|transact\b", re.IGNORECASE)),
)
_ELSE: Final = "Everything else"


def named_slices(process: ProcessSeen, end_ns: int) -> Fragment:
    """Query of every slice of the process with its thread's shown name; an open one runs to the end."""
    return Fragment(
        substitute(
            _SLICES,
            {"upid": process.upid, "end_ns": end_ns, "async": ASYNC, "async_tracks": ASYNC_TRACKS},
        )
    )


def name_masks(plan: Plan) -> tuple[NameMask, ...]:
    """The GLOBs over slice names in a plan's parameters, at their values.

    Where a detector has no mask over slice names, what it skips are threads.
    """
    return tuple(
        NameMask(detector=decision.detector.id, param=name, glob=value, excludes="skip_glob" in name)
        for decision in plan.decisions
        if any("name_glob" in name for name in decision.params)
        for name, value in decision.params.items()
        if isinstance(value, str) and ("name_glob" in name or "skip_glob" in name)
    )


def names_inventory(
    session: TraceSession,
    *,
    mask: str | None,
    masks: Sequence[NameMask],
    marker_prefix: str,
    grep: str | None = None,
    min_ms: float = 1.0,
    top: int = 15,
) -> NamesInventory:
    """Fold a process's slice names into families and say which detector masks see them.

    Args:
        session: The trace.
        mask: GLOB over process names or ``pid:N``; ``None`` lets the trace decide.
        masks: The detectors' masks.
        marker_prefix: Names that begin so keep their numbers.
        grep: Regular expression a family's name must contain, letters of either case.
        min_ms: Families with a smaller total are only counted.
        top: Families listed in a section.

    Raises:
        EcholotError: No such process, or ``grep`` does not parse.
    """
    pattern = _pattern(grep)
    seen = survey(session)
    process, facts = choose_process(session, seen, running_ns(session), mask=mask, start=None)
    slices = named_slices(process, seen.end_ns)
    tallies = _tallies(session, slices, marker_prefix)
    matched = {each: _matching(session, each.glob) for each in masks}
    families = [
        tally.family(shown, [each for each, names in matched.items() if not names.isdisjoint(tally.names)])
        for shown, tally in tallies.items()
        if pattern is None or pattern.search(shown)
    ]
    families.sort(key=lambda each: (-each.total_ms, -each.count, each.name))
    by_section: dict[str, list[NameFamily]] = defaultdict(list)
    for each in families:
        by_section[_section(each.name)].append(each)
    return NamesInventory(
        trace=str(session.path),
        process=facts,
        sections=tuple(
            _listed(title, by_section[title], min_ms, top)
            for title in (*(title for title, _ in _SECTIONS), _ELSE)
            if by_section[title]
        ),
        missed=tuple(
            each
            for each in families
            if _section(each.name) != _ELSE and not each.seen_by and each.total_ms >= min_ms
        ),
        families_total=len(families),
    )


def _matching(session: TraceSession, glob: str) -> set[str]:
    """Slice names of the whole trace a GLOB matches."""
    return set(session.query(substitute(_GLOBBED, {"glob": glob}))["name"])


def _pattern(grep: str | None) -> re.Pattern[str] | None:
    try:
        return re.compile(grep, re.IGNORECASE) if grep else None
    except re.error as error:
        raise EcholotError(f"--grep {grep!r} is no regular expression ({error})") from error


def _listed(title: str, families: Sequence[NameFamily], min_ms: float, top: int) -> NamesSection:
    listed = [each for each in families if each.total_ms >= min_ms][:top]
    return NamesSection(title=title, families=tuple(listed), more=len(families) - len(listed))


def _section(name: str) -> str:
    return next((title for title, words in _SECTIONS if words.search(name)), _ELSE)


def shown_family(name: str) -> str:
    """``name``'s family as shown: ``toggle#12`` is ``toggle#N``, ``worker 3`` is ``worker #``."""
    return family(name).replace("##", "#N")


@dataclass(slots=True)
class _Tally:
    """One family so far."""

    names: set[str] = field(default_factory=set)
    count: int = 0
    total_ns: int = 0
    max_ns: int = 0
    by_thread: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def family(self, shown: str, masks: Iterable[NameMask]) -> NameFamily:
        hits = [(f"{mask.detector}.{mask.param}", mask.excludes) for mask in masks]
        return NameFamily(
            name=shown,
            names=len(self.names),
            count=self.count,
            total_ms=ms(self.total_ns),
            max_ms=ms(self.max_ns),
            threads=tuple(sorted(self.by_thread, key=lambda name: (-self.by_thread[name], name))),
            seen_by=tuple(hit for hit, excludes in hits if not excludes),
            excluded_by=tuple(hit for hit, excludes in hits if excludes),
        )


def _tallies(session: TraceSession, slices: Fragment, marker_prefix: str) -> dict[str, _Tally]:
    rows = session.query(substitute(_BY_NAME, {"slices": slices}))
    tallies: dict[str, _Tally] = defaultdict(_Tally)
    for name, thread, count, total, longest in cast(
        "Iterable[tuple[str, str, int, int, int]]", rows.tuples()
    ):
        shown = name if name.startswith(marker_prefix) else shown_family(name)
        tally = tallies[shown]
        tally.names.add(name)
        tally.count += count
        tally.total_ns += total
        tally.max_ns = max(tally.max_ns, longest)
        tally.by_thread[thread if thread == ASYNC else family(thread)] += total
    return tallies
