-- @id: app_init
-- @title: What ran after the Application was created
-- @why: Between creating the Application object and finishing its start lie startup initializers, class loading and
--   code without a name. All of it comes before the first screen.
-- @needs: slices, app_start
-- @record: record the atrace categories am, dalvik and the app's own sections
-- @param: min_stretch_ms = 80
-- @gate: stretch_ms >= min_stretch_ms
-- @identity: location
-- @rank: total_ms
WITH made AS (
  SELECT parent_id AS bind_id, MAX(ts + dur) AS ts FROM main_slice WHERE name = 'makeApplication' GROUP BY parent_id
),
stretch AS (
  SELECT b.id AS bind_id, IFNULL(m.ts, b.ts) AS ts, b.ts + b.dur AS end_ts, m.ts IS NOT NULL AS made
  FROM main_slice AS b LEFT JOIN made AS m ON m.bind_id = b.id
  WHERE b.name = 'bindApplication' AND b.dur > 0
),
inside AS (
  SELECT s.id, s.name, s.ts, s.dur, s.full_dur, r.bind_id
  FROM stretch AS r CROSS JOIN main_slice AS s ON s.parent_id = r.bind_id
  WHERE s.ts >= r.ts
),
candidate AS (
  SELECT name, ts, dur, full_dur, 'a section directly under bindApplication' AS kind
  FROM inside WHERE name IS NOT 'Startup'
  UNION ALL
  SELECT s.name, s.ts, s.dur, s.full_dur, 'an initializer run by androidx.startup'
  FROM inside AS i CROSS JOIN main_slice AS s ON s.parent_id = i.id
  WHERE i.name = 'Startup'
),
listed AS (
  SELECT
    IIF(is_class, 'class initialization (ART)', IFNULL(NULLIF(name, ''), '(no name)')) AS location,
    ts, dur, full_dur,
    IIF(is_class, 'classes the runtime verified or initialized here', kind) AS detail
  FROM (
    SELECT *, IFNULL(name GLOB 'VerifyClass *' OR (name GLOB 'L*;' AND name NOT GLOB '* *'), FALSE) AS is_class
    FROM candidate
  )
  WHERE name IS NULL OR name NOT IN (SELECT name FROM claimed_name)
)
-- @query
, every AS (
  SELECT location, dur, full_dur, detail FROM listed
  UNION ALL
  SELECT '(no section)', r.end_ts - r.ts - IFNULL(SUM(i.dur), 0), r.end_ts - r.ts - IFNULL(SUM(i.dur), 0),
    IIF(r.made, 'time under no section after makeApplication', 'time under no section of bindApplication')
  FROM stretch AS r LEFT JOIN inside AS i USING (bind_id)
  GROUP BY bind_id
)
SELECT
  location,
  COUNT(*) AS count,
  SUM(dur) / 1e6 AS total_ms,
  MAX(dur) / 1e6 AS max_ms,
  NULLIF(SUM(full_dur), SUM(dur)) / 1e6 AS full_ms,
  (SELECT MAX(end_ts - ts) FROM stretch) / 1e6 AS stretch_ms,
  MAX(detail) AS detail
FROM every
WHERE dur > 0
GROUP BY location

-- @covers
, edge AS (
  SELECT bind_id, ts AS from_ts, ts AS to_ts FROM stretch
  UNION ALL
  SELECT bind_id, ts, ts + dur FROM inside
  UNION ALL
  SELECT bind_id, end_ts, end_ts FROM stretch
)
SELECT location, ts, dur FROM listed
UNION ALL
SELECT '(no section)', to_ts, next_ts - to_ts
FROM (
  SELECT to_ts, LEAD(from_ts) OVER (PARTITION BY bind_id ORDER BY from_ts, to_ts) AS next_ts FROM edge
)
WHERE next_ts > to_ts
