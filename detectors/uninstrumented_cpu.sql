-- @id: uninstrumented_cpu
-- @title: Blind spots: CPU time outside every slice
-- @why: Threads that were on a CPU while none of their slices was open, so no name says what they did. Add a section
--   there, or record with callstack sampling.
-- @needs: thread_state
-- @param: min_running_ms = 50
-- @param: max_covered_pct = 50
-- @gate: total_ms >= min_running_ms and covered_ms < total_ms * max_covered_pct / 100
-- @calibrate: min_running_ms = top10(total_ms) * 1.5
-- @identity: location, thread
-- @rank: total_ms
WITH running AS (
  SELECT thread_name, is_main, SUM(dur) AS dur, SUM(IIF(slice_id IS NULL, 0, dur)) AS covered
  FROM window_cpu
  GROUP BY thread_name, is_main
),
slices AS (
  SELECT thread_name, is_main, SUM(count) AS count FROM slice_total GROUP BY thread_name, is_main
)
SELECT
  r.thread_name AS location,
  IIF(r.is_main, 'main', 'background') AS thread,
  IFNULL(s.count, 0) AS count,
  r.dur / 1e6 AS total_ms,
  NULL AS max_ms,
  r.covered / 1e6 AS covered_ms,
  printf('%.1f%% of CPU outside slices', ROUND(100.0 * (r.dur - r.covered) / r.dur)) AS detail
FROM running AS r LEFT JOIN slices AS s USING (thread_name, is_main)

-- @covers
SELECT thread_name AS location, 'main' AS thread, ts, dur
FROM window_cpu
WHERE is_main AND slice_id IS NULL
