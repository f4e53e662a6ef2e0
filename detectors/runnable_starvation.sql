-- @id: runnable_starvation
-- @title: CPU preemption: ready to run, and waiting for a core
-- @why: Threads that had work and no CPU to do it on. R+ means that another thread took the CPU away. Many threads
--   here mean that the machine was full, not that the app was slow.
-- @needs: thread_state
-- @param: min_runnable_ms = 20
-- @param: skip_glob = ''
-- @gate: total_ms >= min_runnable_ms
-- @calibrate: min_runnable_ms = top10(total_ms) * 1.5
-- @identity: location, detail, thread
-- @rank: total_ms
SELECT
  thread_name AS location,
  IIF(is_main, 'main', 'background') AS thread,
  COUNT(*) AS count,
  SUM(dur) / 1e6 AS total_ms,
  MAX(dur) / 1e6 AS max_ms,
  'state ' || state AS detail
FROM window_state
WHERE state IN ('R', 'R+') AND thread_name NOT GLOB $skip_glob
GROUP BY thread_name, is_main, state

-- @covers
SELECT thread_name AS location, 'main' AS thread, 'state ' || state AS detail, ts, dur
FROM window_state
WHERE is_main AND state IN ('R', 'R+') AND thread_name NOT GLOB $skip_glob
