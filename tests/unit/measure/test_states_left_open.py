"""States a recording left open in the middle of a thread's life end where the thread's next one begins."""

from __future__ import annotations

from pathlib import Path

import pytest

from echolot_tui.engine.model import EngineChoice
from echolot_tui.engine.open import open_trace
from echolot_tui.measure.tables import create_tables, drop_tables

MOST_LEFT_OPEN = """
SELECT upid FROM thread JOIN thread_state AS o USING (utid)
WHERE upid IS NOT NULL AND upid != 0
GROUP BY upid
ORDER BY
  SUM(o.dur < 0 AND EXISTS (SELECT 1 FROM thread_state AS n WHERE n.utid = o.utid AND n.ts > o.ts)) DESC
LIMIT 1
"""
TWICE_AT_ONCE = """
SELECT COUNT(*) FROM (
  SELECT ts < LAG(ts + dur) OVER (PARTITION BY utid ORDER BY full_ts) AS overlaps FROM window_state
) WHERE overlaps
"""


@pytest.mark.traces
@pytest.mark.parametrize("name", ["android/thread-spam-before.pftrace", "samples/systing-linux.pb"])
def test_no_thread_is_in_two_states_at_once(name: str, shared_traces: Path) -> None:
    with open_trace(shared_traces / name, EngineChoice()) as session:
        upid = session.query(MOST_LEFT_OPEN).scalar()
        start, end = next(session.query("SELECT start_ts, end_ts FROM trace_bounds").tuples())
        assert isinstance(upid, int)
        assert isinstance(start, int)
        assert isinstance(end, int)
        inner = session.query(f"""
            SELECT COUNT(*) FROM thread_state AS o JOIN thread USING (utid)
            WHERE upid = {upid} AND dur < 0
              AND EXISTS (SELECT 1 FROM thread_state AS n WHERE n.utid = o.utid AND n.ts > o.ts)""").scalar()
        assert inner  # otherwise the recording says nothing about the rule
        create_tables(
            session,
            upid=upid,
            main_utid=None,
            start_ns=start,
            end_ns=end,
            process_name="any",
            package=None,
            claimed_globs=(),
        )
        assert session.query(TWICE_AT_ONCE).scalar() == 0
        assert session.query("SELECT MIN(dur) > 0 FROM window_state").scalar() == 1
        drop_tables(session)
