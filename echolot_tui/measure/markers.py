"""Named sections that are always measured: temporary markers and the config's domains."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, cast

from echolot_tui.engine.model import TraceSession
from echolot_tui.measure.model import Marker, Markers
from echolot_tui.measure.sql import literal
from echolot_tui.measure.tables import UNNAMED_MAIN, UNNAMED_THREAD
from echolot_tui.units import ms

_THREADS_SHOWN: Final = 3
_ASYNC: Final = "(async)"

_MATCHES: Final = """
WITH matched AS (
  SELECT s.name, {where} AS place, s.dur, {self_ns} AS self_dur, r.dur < 0 AS unfinished,
    s.full_ts < MAX(s.full_ts + s.full_dur) OVER (
      PARTITION BY r.track_id, s.name ORDER BY s.full_ts, r.depth, s.id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS nested
  FROM {table} AS s JOIN slice AS r ON r.id = s.id {children}
  WHERE s.name GLOB {glob}
)
SELECT name, place, COUNT(*) AS occurrences, SUM(self_dur) AS self_ns,
  SUM(IIF(nested, 0, dur)) AS total_ns, MAX(dur) AS max_ns, MAX(unfinished) AS unfinished
FROM matched
GROUP BY name, place
"""
"""A section inside one of the same name on the same track adds nothing to the total."""

_NAMELESS: Final = f"{literal(UNNAMED_MAIN)}, {literal(UNNAMED_THREAD)}"
_THREAD: Final = f"IIF(s.thread_name IN ({_NAMELESS}), 'tid ' || s.tid, s.thread_name)"

_CHILDREN: Final = """
LEFT JOIN (
  SELECT i.parent_id, SUM(c.dur) AS dur
  FROM window_async AS c JOIN slice AS i ON i.id = c.id
  WHERE i.parent_id IS NOT NULL GROUP BY i.parent_id
) AS inner_slices ON inner_slices.parent_id = s.id
"""

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


def markers(session: TraceSession, *, prefix: str, domain_globs: Sequence[str] = ()) -> Markers:
    """Everything the window spent in the named sections, by name, largest total first.

    Args:
        session: A trace with the window's tables.
        prefix: What the names of temporary markers begin with.
        domain_globs: GLOBs over slice names.
    """
    by_name: dict[str, _Tally] = {}
    absent = []
    for glob in dict.fromkeys((f"{prefix}*", *domain_globs)):
        found = _tally(session, glob)
        if not found and glob in domain_globs:
            absent.append(glob)
        by_name = found | by_name
    rows = (tally.row(name) for name, tally in by_name.items())
    in_trace = session.query(_IN_TRACE.format(glob=literal(f"{prefix}*")))
    return Markers(
        rows=tuple(sorted(rows, key=lambda row: (-row.total_ms, row.location))),
        absent=tuple(absent),
        in_trace=tuple(cast("Iterable[str]", in_trace["name"].tolist())),
    )


def _tally(session: TraceSession, glob: str) -> dict[str, _Tally]:
    on_threads = _MATCHES.format(
        where=_THREAD,
        self_ns="s.self_dur",
        table="window_slice",
        children="",
        glob=literal(glob),
    )
    on_tracks = _MATCHES.format(
        where=literal(_ASYNC),
        self_ns="s.dur - IFNULL(inner_slices.dur, 0)",
        table="window_async",
        children=_CHILDREN,
        glob=literal(glob),
    )
    found: dict[str, _Tally] = {}
    for sql in (on_threads, on_tracks):
        for name, place, count, self_ns, total_ns, max_ns, unfinished in session.query(sql).tuples():
            tally = found.setdefault(cast(str, name), _Tally())
            tally.count += cast(int, count)
            tally.self_ns += cast(int, self_ns)
            tally.total_ns += cast(int, total_ns)
            tally.max_ns = max(tally.max_ns, cast(int, max_ns))
            tally.unfinished |= bool(unfinished)
            tally.places.add(cast(str, place))
    return found
