-- @id: monitor_contention
-- @title: Monitor contention
-- @why: Threads that waited for a Java monitor another thread held. The evidence names the owner and where it held
--   the lock in the longest wait.
-- @needs: slices, dalvik
-- @record: record the atrace category dalvik
-- @param: min_block_ms = 8
-- @param: max_total_ms = 50
-- @param: name_glob = 'Lock contention on a monitor lock*'
-- @param: name_glob_alt = 'monitor contention with owner*'
-- @gate: max_ms >= min_block_ms or total_ms >= max_total_ms
-- @calibrate: min_block_ms = top10(max_ms) * 1.5
-- @calibrate: max_total_ms = top10(total_ms) * 1.5
-- @identity: location, thread
-- @rank: total_ms
-- ART writes one wait as two nested slices where it can name the methods: the inner one is left out.
WITH matching AS (
  SELECT w.id, w.ts, w.dur, w.full_dur, w.name, w.thread_name, w.is_main
  FROM window_slice AS w LEFT JOIN __intrinsic_slice AS p ON p.id = w.parent_id
  WHERE w.name GLOB $name_glob AND IFNULL(p.name NOT GLOB $name_glob_alt, TRUE)
  UNION
  SELECT id, ts, dur, full_dur, name, thread_name, is_main
  FROM window_slice
  WHERE name GLOB $name_glob_alt
),
wait AS (
  SELECT *, INSTR(name, 'owner tid: ') AS owner_at, INSTR(name, ' blocking from ') AS method_at FROM matching
),
ranked AS (
  SELECT *,
    ROW_NUMBER() OVER (PARTITION BY thread_name, is_main ORDER BY dur DESC, ts, id) AS place,
    ROW_NUMBER() OVER (PARTITION BY thread_name, is_main ORDER BY method_at = 0, dur DESC, ts, id) AS method_place
  FROM wait
),
-- The kernel gives a thread's number away again: the owner is the one that had it when the wait began.
longest AS (
  SELECT r.thread_name, r.is_main, r.method_at,
    r.name || IFNULL(' · owner ' || (
      SELECT o.thread_name FROM process_thread AS o JOIN thread AS t USING (utid)
      WHERE r.owner_at > 0 AND o.tid = CAST(SUBSTR(r.name, r.owner_at + 11) AS INT) AND IFNULL(t.start_ts, 0) <= r.ts
      ORDER BY t.start_ts DESC, o.utid LIMIT 1
    ), '') AS told
  FROM ranked AS r
  WHERE r.place = 1
),
method AS (
  SELECT thread_name, is_main,
    ' · longest wait with a method, ' || printf('%.2f ms', dur / 1e6) || ':' || SUBSTR(name, method_at) AS told
  FROM ranked
  WHERE method_place = 1 AND method_at > 0
)
SELECT
  w.thread_name AS location,
  IIF(w.is_main, 'main', 'background') AS thread,
  COUNT(*) AS count,
  SUM(w.dur) / 1e6 AS total_ms,
  MAX(w.dur) / 1e6 AS max_ms,
  NULLIF(SUM(w.full_dur), SUM(w.dur)) / 1e6 AS full_ms,
  l.told || IIF(l.method_at = 0, IFNULL(m.told, ''), '') AS detail
FROM wait AS w
JOIN longest AS l USING (thread_name, is_main)
LEFT JOIN method AS m USING (thread_name, is_main)
GROUP BY w.thread_name, w.is_main

-- @covers
SELECT thread_name AS location, 'main' AS thread, ts, dur
FROM window_slice
WHERE is_main AND name GLOB $name_glob
UNION ALL
SELECT thread_name, 'main', ts, dur
FROM window_slice
WHERE is_main AND name GLOB $name_glob_alt
