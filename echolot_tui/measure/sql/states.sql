-- What was each thread of the process doing, moment by moment, inside the window?
--
-- A state the recording left open lasts until the thread's next one; only the last of a thread lasts to the
-- trace's end. Lost events leave open states in the middle of a thread's life, too.
CREATE OR REPLACE PERFETTO TABLE window_state AS
WITH
  open_state AS (
    SELECT o.id, COALESCE(MIN(n.ts), $trace_end_ns) AS end_ts
    FROM process_thread
    JOIN thread_state AS o USING (utid)
    LEFT JOIN thread_state AS n ON n.utid = o.utid AND n.ts > o.ts
    WHERE o.dur < 0
    GROUP BY o.id
  ),
  closed AS (
    SELECT s.id, s.ts, IIF(s.dur < 0, open_state.end_ts, s.ts + s.dur) AS end_ts, s.utid
    FROM thread_state AS s
    JOIN process_thread USING (utid)
    LEFT JOIN open_state USING (id)
    WHERE s.ts < $end_ns AND s.dur != 0
  )
SELECT s.id,
  MAX(c.ts, $start_ns) AS ts,
  MIN(c.end_ts, $end_ns) - MAX(c.ts, $start_ns) AS dur,
  c.ts AS full_ts,
  c.end_ts - c.ts AS full_dur,
  s.state, s.cpu, s.io_wait, s.blocked_function, s.waker_utid,
  t.utid, t.tid, t.thread_name, t.is_main
FROM closed AS c
JOIN thread_state AS s USING (id)
JOIN process_thread AS t ON t.utid = c.utid
WHERE c.end_ts > $start_ns;
