-- @id: binder_txn
-- @title: Long binder transactions
-- @why: Calls into other processes that a thread waited for, long ones or many. Asynchronous ones do not wait and
--   are left out.
-- @needs: slices, binder
-- @record: record the atrace category binder_driver
-- @param: min_txn_ms = 10
-- @param: max_total_ms = 50
-- @param: name_glob = 'binder transaction*'
-- @param: skip_glob = '*async*'
-- @gate: max_ms >= min_txn_ms or total_ms >= max_total_ms
-- @calibrate: min_txn_ms = top10(max_ms) * 1.5
-- @calibrate: max_total_ms = top10(total_ms) * 1.5
-- @identity: location, detail
-- @rank: total_ms
SELECT
  thread_name AS location,
  IIF(is_main, 'main thread', 'background') AS detail,
  COUNT(*) AS count,
  SUM(dur) / 1e6 AS total_ms,
  MAX(dur) / 1e6 AS max_ms,
  NULLIF(SUM(full_dur), SUM(dur)) / 1e6 AS full_ms
FROM window_slice
WHERE name GLOB $name_glob AND name NOT GLOB $skip_glob
GROUP BY location, is_main

-- @covers
SELECT thread_name AS location, 'main thread' AS detail, ts, dur
FROM window_slice
WHERE is_main AND name GLOB $name_glob AND name NOT GLOB $skip_glob
