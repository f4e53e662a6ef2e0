-- @id: io_wait
-- @title: Waiting for the disk
-- @why: Time in uninterruptible sleep that the kernel marks as waiting for input or output. Production kernels do not
--   say in which function.
-- @needs: thread_state, blocked_reason
-- @param: min_io_wait_ms = 20
-- @gate: total_ms >= min_io_wait_ms
-- @calibrate: min_io_wait_ms = top10(total_ms) * 1.5
-- @identity: location, thread
-- @rank: total_ms
WITH waited AS (
  SELECT * FROM window_state WHERE state IN ('D', 'DK') AND io_wait = 1
),
function AS (
  SELECT thread_name, is_main, GROUP_CONCAT(blocked_function, ', ') AS names
  FROM (
    SELECT DISTINCT thread_name, is_main, blocked_function FROM waited
    WHERE blocked_function IS NOT NULL ORDER BY blocked_function
  )
  GROUP BY thread_name, is_main
)
SELECT
  w.thread_name AS location,
  COUNT(*) AS count,
  SUM(w.dur) / 1e6 AS total_ms,
  MAX(w.dur) / 1e6 AS max_ms,
  IIF(w.is_main, 'main', 'background') || IFNULL(' · ' || f.names, '') AS detail,
  IIF(w.is_main, 'main', 'background') AS thread
FROM waited AS w LEFT JOIN function AS f USING (thread_name, is_main)
GROUP BY w.thread_name, w.is_main

-- @covers
SELECT thread_name AS location, 'main' AS thread, ts, dur
FROM window_state
WHERE is_main AND state IN ('D', 'DK') AND io_wait = 1
