"""What the main thread did with the window as a whole, and what the window's start cut through.

Both read the window's tables, see ARCHITECTURE.md.
"""

from __future__ import annotations

from collections import Counter
from typing import Final, cast

from echolot_tui.engine.model import TraceSession
from echolot_tui.measure.model import Budget, OpenedInside
from echolot_tui.units import NS_PER_MS, ms, percent

_BUCKETS: Final = {
    "Running": "on_cpu",
    "R": "waiting_for_cpu",
    "R+": "waiting_for_cpu",
    "D": "in_kernel",
    "DK": "in_kernel",
    "S": "sleeping",
}
_ALWAYS_COUNT: Final = frozenset({"R", "R+", "D", "DK"})
"""States that are a delay wherever they stand; any other is one only inside a section."""

_MATERIAL_NS: Final = 5 * NS_PER_MS

_STATES: Final = "SELECT state, SUM(dur) AS spent FROM window_state WHERE is_main GROUP BY state"

_CUT_THROUGH: Final = """
SELECT w.state, w.thread_name, w.full_dur AS total, b.ts - w.full_ts AS before, w.dur AS inside
FROM window_state AS w JOIN window_bounds AS b
WHERE w.is_main AND w.full_ts < b.ts AND w.full_ts + w.full_dur > b.ts
ORDER BY w.full_ts DESC LIMIT 1
"""

_SECTION_OPEN: Final = """
SELECT EXISTS (
  SELECT 1 FROM window_slice AS s JOIN window_bounds AS b
  WHERE s.is_main AND s.depth >= 1 AND s.full_ts < b.ts AND s.full_ts + s.full_dur > b.ts
)
"""


def main_thread_budget(session: TraceSession, *, window_ns: int) -> Budget | None:
    """The main thread's clipped states added up by kind.

    Args:
        session: A trace with the window's tables.
        window_ns: Length of the window.

    Returns:
        ``None`` when the window is empty or the trace has no states of the main thread in it.
    """
    states = session.query(_STATES)
    if window_ns <= 0 or not states.rows:
        return None
    spent: Counter[str] = Counter()
    for state, nanoseconds in states.tuples():
        spent[_BUCKETS.get(cast(str, state), "other")] += cast(int, nanoseconds)
    return Budget(
        on_cpu=ms(spent["on_cpu"]),
        waiting_for_cpu=ms(spent["waiting_for_cpu"]),
        in_kernel=ms(spent["in_kernel"]),
        sleeping=ms(spent["sleeping"]),
        other=ms(spent["other"]),
        accounted_ms=ms(spent.total()),
        window_ms=ms(window_ns),
        accounted_pct=percent(spent.total(), window_ns),
    )


def opened_inside(session: TraceSession) -> OpenedInside | None:
    """The delay of the main thread that began before the window and reached into it.

    Waiting for a processor or in the kernel always is one; any other state but running is one when
    the thread was inside a section below the top level.

    Args:
        session: A trace with the window's tables.
    """
    found = next(session.query(_CUT_THROUGH).tuples(), None)
    if found is None:
        return None
    state = cast(str, found[0])
    thread_name = cast("str | None", found[1])
    total, before, inside = (cast(int, value) for value in found[2:])
    if state == "Running" or not (state in _ALWAYS_COUNT or session.query(_SECTION_OPEN).scalar()):
        return None
    return OpenedInside(
        state=state,
        thread_name=thread_name,
        before_ms=ms(before),
        total_ms=ms(total),
        inside_ms=ms(inside),
        material=before >= inside and before >= _MATERIAL_NS,
    )
