-- @id: gc_pressure
-- @title: Garbage collector pressure
-- @why: Collections by kind and thread, many or long ones, and allocations that had to wait for one. The cause is what
--   allocates, not the collector.
-- @needs: slices, dalvik
-- @record: record the atrace category dalvik
-- @param: max_events = 15
-- @param: max_total_ms = 120
-- @param: name_glob = '*GC'
-- @param: name_glob_alt = 'waitWhileAllocating*'
-- @gate: count >= max_events or total_ms >= max_total_ms
-- @calibrate: max_events = top10(count) * 1.5
-- @calibrate: max_total_ms = top10(total_ms) * 1.5
-- @identity: location, detail, thread
-- @rank: total_ms
SELECT
  name AS location,
  IIF(is_main, 'main', 'background') AS thread,
  COUNT(*) AS count,
  SUM(dur) / 1e6 AS total_ms,
  MAX(dur) / 1e6 AS max_ms,
  NULLIF(SUM(full_dur), SUM(dur)) / 1e6 AS full_ms,
  thread_name AS detail
FROM (
  SELECT id, dur, full_dur, name, thread_name, is_main FROM window_slice WHERE name GLOB $name_glob
  UNION
  SELECT id, dur, full_dur, name, thread_name, is_main FROM window_slice WHERE name GLOB $name_glob_alt
)
GROUP BY name, thread_name, is_main

-- @covers
SELECT name AS location, 'main' AS thread, thread_name AS detail, ts, dur
FROM window_slice
WHERE is_main AND name GLOB $name_glob
UNION
SELECT name, 'main', thread_name, ts, dur
FROM window_slice
WHERE is_main AND name GLOB $name_glob_alt
