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
WITH RECURSIVE call AS (
  SELECT m.* FROM main_path AS m WHERE m.name GLOB $name_glob AND m.name IN (SELECT name FROM own_composable)
),
-- From each call up to the next own call around it.
up AS (
  SELECT path AS call, parent_path AS at FROM call WHERE parent_path IS NOT NULL
  UNION ALL
  SELECT u.call, m.parent_path
  FROM up AS u CROSS JOIN main_path AS m ON m.path = u.at
  WHERE m.parent_path IS NOT NULL AND u.at NOT IN (SELECT path FROM call)
),
nested AS (
  SELECT outer_call.name, SUM(inner_call.total_ns) AS dur
  FROM up AS u JOIN call AS outer_call ON outer_call.path = u.at JOIN call AS inner_call ON inner_call.path = u.call
  GROUP BY outer_call.name
),
-- From each call up to the pass that composed it.
rise AS (
  SELECT path AS call, parent_path AS at FROM call WHERE parent_path IS NOT NULL
  UNION ALL
  SELECT r.call, m.parent_path
  FROM rise AS r CROSS JOIN main_path AS m ON m.path = r.at
  WHERE m.parent_path IS NOT NULL AND m.name IS NOT 'Compose:recompose'
),
composed AS (
  SELECT r.call,
    CASE
      WHEN above.name = 'Recomposer:recompose' THEN 'frame'
      WHEN above.name GLOB 'AndroidOwner:*' THEN 'measure'
      WHEN above.name = 'traversal' OR pass.parent_path IS NULL THEN 'first'
    END AS how
  FROM rise AS r
  CROSS JOIN main_path AS pass ON pass.path = r.at
  LEFT JOIN main_path AS above ON above.path = pass.parent_path
  WHERE pass.name = 'Compose:recompose'
),
counted AS (
  SELECT c.name, SUM(c.count) AS count, SUM(c.total_ns) AS dur, MAX(c.max_ns) AS longest, SUM(c.full_ns) AS full_dur,
    SUM(IIF(h.how IS 'first', c.count, 0)) AS first, SUM(IIF(h.how IS 'frame', c.count, 0)) AS frame,
    SUM(IIF(h.how IS 'measure', c.count, 0)) AS measure, SUM(IIF(h.how IS NULL, c.count, 0)) AS elsewhere
  FROM call AS c LEFT JOIN composed AS h ON h.call = c.path
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
FROM main_slice AS s
WHERE s.name GLOB $name_glob AND s.name IN (SELECT name FROM own_composable)
