"""The platform's own view of an app start, from Perfetto's standard library."""

from __future__ import annotations

from collections import Counter
from typing import Final, cast

from echolot_tui.engine.model import TraceSession
from echolot_tui.frozen import Frozen
from echolot_tui.measure.model import Startup
from echolot_tui.measure.startup_reasons import blame
from echolot_tui.units import ms

_ANY: Final = "SELECT EXISTS (SELECT 1 FROM slice WHERE name GLOB 'launching*')"
"""Every app start leaves such a slice; without one the modules would compute for nothing."""

_STARTUPS: Final = """
INCLUDE PERFETTO MODULE android.startup.startups;
SELECT startup_id, ts, dur, startup_type, package FROM android_startups WHERE dur > 0 ORDER BY ts, startup_id
"""

_MAIN_THREADS: Final = """
SELECT t.utid FROM android_startup_processes AS p JOIN thread AS t USING (upid)
WHERE p.startup_id = {startup} AND t.is_main_thread ORDER BY t.utid
"""
"""Of the processes the library found to handle the start."""


class _Start(Frozen, frozen=True, kw_only=True):
    number: int
    ts: int
    dur: int
    type: str | None

    def shared_ns(self, start_ns: int, end_ns: int) -> int:
        return max(min(self.ts + self.dur, end_ns) - max(self.ts, start_ns), 0)


def startup_facts(session: TraceSession, *, package: str, start_ns: int, end_ns: int) -> Startup | None:
    """The start of ``package`` that shares most time with the window; of equals the earliest.

    Args:
        session: The trace.
        package: Application id.
        start_ns: Start of the window.
        end_ns: End of the window.

    Returns:
        ``None`` when the trace holds no start of the package.

    Raises:
        QueryError: The engine lacks the modules or they fail.
    """
    if not session.query(_ANY).scalar():
        return None
    starts = _starts_of(session, package)
    if not starts:
        return None
    best = max(starts, key=lambda one: one.shared_ns(start_ns, end_ns))
    return Startup(
        type=best.type,
        dur_ms=ms(best.dur),
        reasons=_reasons(session, best),
        from_window_start_ms=ms(best.ts - start_ns),
        from_window_end_ms=ms(best.ts + best.dur - end_ns),
        in_window_ms=ms(best.shared_ns(start_ns, end_ns)),
        startups=len(starts),
    )


def _starts_of(session: TraceSession, package: str) -> list[_Start]:
    return [
        _Start(
            number=cast(int, number),
            ts=cast(int, ts),
            dur=cast(int, dur),
            type=cast("str | None", kind),
        )
        for number, ts, dur, kind, owner in session.query(_STARTUPS).tuples()
        if owner == package
    ]


def _reasons(session: TraceSession, start: _Start) -> dict[str, float]:
    held: Counter[str] = Counter()
    for (utid,) in session.query(_MAIN_THREADS.format(startup=start.number)).tuples():
        held += blame(session, utid=cast(int, utid), start_ns=start.ts, end_ns=start.ts + start.dur)
    largest_first = sorted(held.items(), key=lambda item: (-item[1], item[0]))
    return {reason: ms(spent) for reason, spent in largest_first}
