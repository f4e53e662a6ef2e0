-- @id: anr
-- @title: ANRs the system recorded for this app
-- @why: The system decided that the app does not respond. Looked for in the whole trace, since the decision comes
--   seconds after the cause; the evidence says where it lies against the window.
-- @needs: activity_manager
-- @module: android.anrs
-- @identity: location
-- @rank: count
WITH own AS (
  SELECT a.ts, a.error_id,
    COALESCE(NULLIF(a.subject, ''), NULLIF(a.anr_type, ''), 'ANR') AS location,
    CASE
      WHEN a.ts < b.ts THEN printf('before the window by %.1f ms', (b.ts - a.ts) / 1e6)
      WHEN a.ts > b.end_ts THEN printf('after the window by %.1f ms', (a.ts - b.end_ts) / 1e6)
      ELSE printf('inside the window at +%.1f ms', (a.ts - b.ts) / 1e6)
    END AS place
  FROM android_anrs AS a
  CROSS JOIN process_info AS p
  CROSS JOIN window_bounds AS b
  WHERE a.upid = p.upid OR a.pid = p.pid OR a.process_name = p.name
)
SELECT
  location,
  COUNT(*) AS count,
  0 AS total_ms,
  0 AS max_ms,
  GROUP_CONCAT(place || ' · ' || error_id, '; ') AS detail
FROM (SELECT * FROM own ORDER BY ts, error_id)
GROUP BY location
