-- @id: background_work
-- @title: Work on background threads
-- @why: Which slices keep the other threads busy, by their own time; threads whose names differ only in numbers
--   count as one. Work that moved off the main thread shows up here.
-- @needs: slices
-- @param: min_self_ms = 40
-- @gate: self_ms >= min_self_ms
-- @calibrate: min_self_ms = top10(self_ms) * 1.5
-- @identity: location, thread
-- @rank: self_ms
SELECT
  IFNULL(NULLIF(name, ''), '(no name)') AS location,
  thread_family AS thread,
  SUM(count) AS count,
  SUM(self_ns) / 1e6 AS self_ms,
  SUM(total_ns) / 1e6 AS total_ms,
  MAX(max_ns) / 1e6 AS max_ms,
  NULLIF(SUM(full_ns), SUM(total_ns)) / 1e6 AS full_ms,
  IIF(COUNT(DISTINCT utid) = 1, 'on ' || MIN(thread_name),
    'on ' || COUNT(DISTINCT utid) || ' threads, ' || MIN(thread_name) || ' first by name') AS detail
FROM slice_total
WHERE NOT is_main
GROUP BY location, thread
