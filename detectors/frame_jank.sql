-- @id: frame_jank
-- @title: Frames that missed their deadline
-- @why: Late frames by what the system blames. Only "App Deadline Missed" means that the app itself was late; on virtual
--   displays nearly every frame carries some type.
-- @needs: frame_timeline
-- @param: min_frames = 3
-- @param: min_overrun_ms = 4
-- @gate: count >= min_frames
-- @calibrate: min_frames = top10(count) * 1.5
-- @identity: location
-- @rank: total_ms
WITH due AS (
  SELECT e.upid, e.surface_frame_token, MAX(e.ts + e.dur) AS ts
  FROM expected_frame_timeline_slice AS e JOIN process_info USING (upid)
  WHERE e.surface_frame_token IS NOT NULL
  GROUP BY e.upid, e.surface_frame_token
),
frame AS (
  SELECT a.jank_type, a.jank_tag, a.dur, a.ts + a.dur - d.ts AS overrun
  FROM actual_frame_timeline_slice AS a
  JOIN process_info USING (upid)
  CROSS JOIN window_bounds AS b
  LEFT JOIN due AS d ON d.upid = a.upid AND d.surface_frame_token = a.surface_frame_token
  WHERE a.surface_frame_token IS NOT NULL AND a.dur > 0 AND a.ts < b.end_ts AND a.ts + a.dur > b.ts
),
late AS (
  SELECT * FROM frame WHERE jank_tag IS NOT 'No Jank' AND overrun >= $min_overrun_ms * 1e6
)
SELECT
  IFNULL(jank_type, '(no type)') AS location,
  COUNT(*) AS count,
  SUM(overrun) / 1e6 AS total_ms,
  MAX(overrun) / 1e6 AS max_ms,
  (
    SELECT GROUP_CONCAT(tag, ', ')
    FROM (
      SELECT DISTINCT IFNULL(jank_tag, 'no tag') AS tag FROM late AS l WHERE l.jank_type IS late.jank_type ORDER BY tag
    )
  ) || printf(' · %d of %d frames · longest %.1f ms', COUNT(*), (SELECT COUNT(*) FROM frame), MAX(dur) / 1e6) AS detail
FROM late
GROUP BY jank_type
