CREATE OR REPLACE PERFETTO TABLE window_state AS
SELECT s.id,
  IIF(s.ts < $start_ns, $start_ns, s.ts) AS ts,
  IIF(s.dur < 0 OR s.ts + s.dur > $end_ns, $end_ns, s.ts + s.dur) - IIF(s.ts < $start_ns, $start_ns, s.ts) AS dur,
  s.ts AS full_ts,
  IIF(s.dur < 0, $trace_end_ns - s.ts, s.dur) AS full_dur,
  s.state, s.cpu, s.io_wait, s.blocked_function, s.waker_utid,
  t.utid, t.tid, t.thread_name, t.is_main
FROM thread_state AS s JOIN process_thread AS t USING (utid)
WHERE s.ts < $end_ns AND s.dur != 0 AND (s.dur < 0 OR s.ts + s.dur > $start_ns);
