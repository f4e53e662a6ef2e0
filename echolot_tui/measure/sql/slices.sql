-- Views over the engine's own table: a filter on name, id, depth or track goes straight down to it,
-- and nothing is copied. Clipping happens on the rows a query really reads.
CREATE OR REPLACE PERFETTO INDEX window_children ON __intrinsic_slice(parent_id);
CREATE OR REPLACE PERFETTO INDEX window_tracks ON __intrinsic_slice(track_id, name, dur);

CREATE OR REPLACE PERFETTO VIEW window_slice AS
SELECT s.id,
  IIF(s.ts < $start_ns, $start_ns, s.ts) AS ts,
  IIF(s.dur < 0 OR s.ts + s.dur > $end_ns, $end_ns, s.ts + s.dur) - IIF(s.ts < $start_ns, $start_ns, s.ts) AS dur,
  MAX(0,
    IIF(s.dur < 0 OR s.ts + s.dur > $end_ns, $end_ns, s.ts + s.dur) - IIF(s.ts < $start_ns, $start_ns, s.ts)
    - IFNULL((
      SELECT SUM(IIF(c.dur < 0 OR c.ts + c.dur > $end_ns, $end_ns, c.ts + c.dur)
        - IIF(c.ts < $start_ns, $start_ns, c.ts))
      FROM __intrinsic_slice AS c
      WHERE c.parent_id = s.id AND c.ts < $end_ns AND (c.dur < 0 OR c.ts + c.dur > $start_ns)
    ), 0)
  ) AS self_dur,
  s.ts AS full_ts,
  IIF(s.dur < 0, $trace_end_ns - s.ts, s.dur) AS full_dur,
  s.dur AS recorded_dur, s.name, s.depth, s.parent_id, s.track_id,
  t.utid, t.tid, t.thread_name, t.thread_family, t.is_main
FROM window_track AS t JOIN __intrinsic_slice AS s USING (track_id)
WHERE s.ts < $end_ns AND (s.dur < 0 OR s.ts + s.dur > $start_ns);

-- The main thread's own tracks are few and known, so no join is needed to find its slices.
CREATE OR REPLACE PERFETTO VIEW main_slice AS
SELECT s.id,
  IIF(s.ts < $start_ns, $start_ns, s.ts) AS ts,
  IIF(s.dur < 0 OR s.ts + s.dur > $end_ns, $end_ns, s.ts + s.dur) - IIF(s.ts < $start_ns, $start_ns, s.ts) AS dur,
  s.ts AS full_ts,
  IIF(s.dur < 0, $trace_end_ns - s.ts, s.dur) AS full_dur,
  s.dur AS recorded_dur, s.name, s.depth, s.parent_id, s.track_id
FROM __intrinsic_slice AS s
WHERE s.track_id IN $main_tracks AND s.ts < $end_ns AND (s.dur < 0 OR s.ts + s.dur > $start_ns);

CREATE OR REPLACE PERFETTO VIEW window_async AS
SELECT s.id,
  IIF(s.ts < $start_ns, $start_ns, s.ts) AS ts,
  IIF(s.dur < 0 OR s.ts + s.dur > $end_ns, $end_ns, s.ts + s.dur) - IIF(s.ts < $start_ns, $start_ns, s.ts) AS dur,
  s.ts AS full_ts,
  IIF(s.dur < 0, $trace_end_ns - s.ts, s.dur) AS full_dur,
  s.name
FROM window_async_track AS t JOIN __intrinsic_slice AS s USING (track_id)
WHERE s.ts < $end_ns AND (s.dur < 0 OR s.ts + s.dur > $start_ns);
