-- @id: main_thread_block
-- @title: Where the main thread spent its time
-- @why: Which slices hold the main thread, by their own time without what they call. A large row is work, or
--   waiting, that the screen had to wait for.
-- @needs: slices
-- @param: min_slice_ms = 16
-- @gate: self_ms >= min_slice_ms
-- @calibrate: min_slice_ms = top10(self_ms) * 1.5
-- @identity: location, detail
-- @rank: self_ms
SELECT
  IFNULL(NULLIF(name, ''), '(no name)') AS location,
  thread_name AS detail,
  SUM(count) AS count,
  SUM(self_ns) / 1e6 AS self_ms,
  SUM(total_ns) / 1e6 AS total_ms,
  MAX(max_ns) / 1e6 AS max_ms,
  NULLIF(SUM(full_ns), SUM(total_ns)) / 1e6 AS full_ms
FROM slice_total
WHERE is_main
GROUP BY location, detail

-- @covers: self
