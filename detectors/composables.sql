-- @id: composables
-- @title: The app's own composables
-- @why: Which of the app's composable functions take the time, without the app's own ones they call, and in which pass
--   they were composed. Much work in a frame means recomposition that could be skipped.
-- @needs: composables
-- @param: min_self_ms = 8
-- @param: name_glob = '* ([A-Za-z]*.kt:[0-9]*)'
-- @gate: self_ms >= min_self_ms
-- @calibrate: min_self_ms = top10(self_ms) * 1.5
-- @identity: location
-- @rank: self_ms
-- Own is what begins with the app's package. Without a package everything but the libraries is.
WITH RECURSIVE call AS (
  SELECT s.id, s.name, s.dur, s.full_dur, s.parent_id
  FROM main_slice AS s CROSS JOIN process_info AS p
  WHERE s.name GLOB $name_glob
    AND IIF(p.package = '', s.name NOT GLOB 'androidx.*', SUBSTR(s.name, 1, LENGTH(p.package) + 1) = p.package || '.')
),
-- From each call up to the next own call around it.
up AS (
  SELECT id AS call_id, parent_id AS at FROM call WHERE parent_id IS NOT NULL
  UNION ALL
  SELECT u.call_id, s.parent_id
  FROM up AS u CROSS JOIN __intrinsic_slice AS s ON s.id = u.at
  WHERE s.parent_id IS NOT NULL AND u.at NOT IN (SELECT id FROM call)
),
nested AS (
  SELECT c.name, SUM(i.dur) AS dur
  FROM up AS u JOIN call AS c ON c.id = u.at JOIN call AS i ON i.id = u.call_id
  GROUP BY c.name
),
-- From each call up to the pass that composed it.
rise AS (
  SELECT id AS call_id, parent_id AS at FROM call WHERE parent_id IS NOT NULL
  UNION ALL
  SELECT r.call_id, s.parent_id
  FROM rise AS r CROSS JOIN __intrinsic_slice AS s ON s.id = r.at
  WHERE s.parent_id IS NOT NULL AND s.name IS NOT 'Compose:recompose'
),
composed AS (
  SELECT r.call_id,
    CASE
      WHEN q.name = 'Recomposer:recompose' THEN 'frame'
      WHEN q.name GLOB 'AndroidOwner:*' THEN 'measure'
      WHEN q.name = 'traversal' OR p.parent_id IS NULL THEN 'first'
    END AS how
  FROM rise AS r
  CROSS JOIN __intrinsic_slice AS p ON p.id = r.at
  LEFT JOIN __intrinsic_slice AS q ON q.id = p.parent_id
  WHERE p.name = 'Compose:recompose'
),
counted AS (
  SELECT c.name, COUNT(*) AS count, SUM(c.dur) AS dur, MAX(c.dur) AS longest, SUM(c.full_dur) AS full_dur,
    SUM(h.how IS 'first') AS first, SUM(h.how IS 'frame') AS frame, SUM(h.how IS 'measure') AS measure,
    SUM(h.how IS NULL) AS elsewhere
  FROM call AS c LEFT JOIN composed AS h ON h.call_id = c.id
  GROUP BY c.name
)
SELECT
  c.name AS location,
  c.count,
  (c.dur - IFNULL(n.dur, 0)) / 1e6 AS self_ms,
  c.dur / 1e6 AS total_ms,
  c.longest / 1e6 AS max_ms,
  NULLIF(c.full_dur, c.dur) / 1e6 AS full_ms,
  SUBSTR(
    IIF(c.first, ' · ' || c.first || ' in a first composition', '')
    || IIF(c.frame, ' · ' || c.frame || ' in a frame', '')
    || IIF(c.measure, ' · ' || c.measure || ' during measure', '')
    || IIF(c.elsewhere, ' · ' || c.elsewhere || ' elsewhere', ''), 4) AS detail
FROM counted AS c LEFT JOIN nested AS n ON n.name = c.name

-- @covers
SELECT s.name AS location, s.ts, s.dur, s.depth
FROM main_slice AS s CROSS JOIN process_info AS p
WHERE s.name GLOB $name_glob
  AND IIF(p.package = '', s.name NOT GLOB 'androidx.*', SUBSTR(s.name, 1, LENGTH(p.package) + 1) = p.package || '.')
