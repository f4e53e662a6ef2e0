"""Named sections that are always measured: temporary markers and the config's domains."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, cast

from echolot_tui.engine.model import TraceSession
from echolot_tui.measure.derived import DerivedTables
from echolot_tui.measure.model import Marker, Markers
from echolot_tui.measure.sql import literal
from echolot_tui.measure.tables import UNNAMED_MAIN, UNNAMED_THREAD
from echolot_tui.text import without_ids
from echolot_tui.units import ms

_THREADS_SHOWN: Final = 3
_ASYNC: Final = "(async)"

_NAMES: Final = """
SELECT name FROM slice_total WHERE name GLOB {glob}
UNION
SELECT name FROM folded_name WHERE name GLOB {glob} OR folded GLOB {glob}
"""
_NEVER_ENDED: Final = "SELECT DISTINCT name FROM window_slice WHERE recorded_dur < 0"

_THREADS: Final = "SELECT utid, tid, thread_name FROM process_thread"

_ON_TRACKS: Final = """
WITH inner_slices AS (
  SELECT i.parent_id, SUM(c.dur) AS dur
  FROM window_async AS c JOIN slice AS i ON i.id = c.id
  WHERE i.parent_id IS NOT NULL
  GROUP BY i.parent_id
),
matched AS (
  SELECT s.name, s.dur, s.dur - IFNULL(n.dur, 0) AS self_dur, r.dur < 0 AS unfinished,
    s.full_ts < MAX(s.full_ts + s.full_dur) OVER (
      PARTITION BY r.track_id, s.name ORDER BY s.full_ts, r.depth, s.id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS nested
  FROM window_async AS s JOIN slice AS r ON r.id = s.id LEFT JOIN inner_slices AS n ON n.parent_id = s.id
  WHERE s.name GLOB {glob}
)
SELECT name, COUNT(*) AS occurrences, SUM(self_dur) AS self_ns,
  SUM(IIF(nested, 0, dur)) AS total_ns, MAX(dur) AS max_ns, MAX(unfinished) AS unfinished
FROM matched
GROUP BY name
"""
"""A section inside one of the same name on the same track adds nothing to the total."""

_IN_TRACE: Final = "SELECT DISTINCT name FROM slice WHERE name GLOB {glob} ORDER BY name"


@dataclass(slots=True)
class _Tally:
    """One name so far."""

    count: int = 0
    self_ns: int = 0
    total_ns: int = 0
    max_ns: int = 0
    unfinished: bool = False
    places: set[str] = field(default_factory=set)

    def add(self, place: str, count: int, self_ns: int, total_ns: int, max_ns: int) -> None:
        """Occurrences on one more thread, or on tracks of no thread."""
        self.count += count
        self.self_ns += self_ns
        self.total_ns += total_ns
        self.max_ns = max(self.max_ns, max_ns)
        self.places.add(place)

    def row(self, name: str) -> Marker:
        places = sorted(self.places)
        more = len(places) - _THREADS_SHOWN
        return Marker(
            location=name,
            count=self.count,
            self_ms=ms(self.self_ns),
            total_ms=ms(self.total_ns),
            max_ms=ms(self.max_ns),
            detail=", ".join(places[:_THREADS_SHOWN]) + (f" +{more}" if more > 0 else ""),
            unfinished=self.unfinished,
        )


def markers(derived: DerivedTables, *, prefix: str, domain_globs: Sequence[str] = ()) -> Markers:
    """Everything the window spent in the named sections, by name, largest total first.

    Args:
        derived: The window's tables, and its slices.
        prefix: What the names of temporary markers begin with.
        domain_globs: GLOBs over slice names.
    """
    session = derived.session
    globs = dict.fromkeys((f"{prefix}*", *domain_globs))
    on_threads = {glob: _names(derived, glob) for glob in globs}
    tallies = _on_threads(derived, set().union(*on_threads.values()))
    on_tracks: dict[str, tuple[list[int], bool]] = {}
    absent = []
    for glob in globs:
        found = _on_tracks(session, glob)
        if glob in domain_globs and not found and not on_threads[glob]:
            absent.append(glob)
        on_tracks |= found
    for name, (numbers, unfinished) in on_tracks.items():
        tally = tallies.setdefault(without_ids(name), _Tally())
        tally.add(_ASYNC, *numbers)
        tally.unfinished |= unfinished
    rows = (tally.row(name) for name, tally in tallies.items())
    in_trace = session.query(_IN_TRACE.format(glob=literal(f"{prefix}*")))
    return Markers(
        rows=tuple(sorted(rows, key=lambda row: (-row.total_ms, row.location))),
        absent=tuple(absent),
        in_trace=tuple(cast("Iterable[str]", in_trace["name"].tolist())),
    )


def _names(derived: DerivedTables, glob: str) -> set[str]:
    """Recorded names of the window's thread slices a GLOB matches, with or without numbers of this run."""
    sql = _NAMES.format(glob=literal(glob))
    derived.make_for([sql])
    return set(derived.session.query(sql)["name"].tolist())


def _on_threads(derived: DerivedTables, names: Collection[str]) -> dict[str, _Tally]:
    """Sections recorded under these names on threads, by name without the numbers of this run."""
    if not names:
        return {}
    slices, session = derived.slices, derived.session
    open_names = session.query(_NEVER_ENDED)["name"].tolist()
    never_ended = {without_ids(name) for name in open_names if name in names}
    places = {
        utid: f"tid {tid}" if name in (UNNAMED_MAIN, UNNAMED_THREAD) else cast(str, name)
        for utid, tid, name in session.query(_THREADS).tuples()
    }
    found: dict[str, _Tally] = {}
    columns = (column.tolist() for column in slices.sections(names).values())
    for number, utid, *numbers in zip(*columns, strict=True):
        name = cast(str, slices.names[number])
        tally = found.setdefault(name, _Tally(unfinished=name in never_ended))
        tally.add(places[utid], *numbers)
    return found


def _on_tracks(session: TraceSession, glob: str) -> dict[str, tuple[list[int], bool]]:
    """Numbers of the asynchronous sections a GLOB matches, by name, and whether any never ended."""
    answer = session.query(_ON_TRACKS.format(glob=literal(glob)))
    return {
        cast(str, name): (cast("list[int]", numbers), bool(unfinished))
        for name, *numbers, unfinished in answer.tuples()
    }
