-- @id: main_thread_outlier
-- @title: Main-thread slices that were far slower than usual
-- @why: A slice that is usually short and took many times its own median at least once. The median says that the
--   work itself is cheap, so look at what was different that time.
-- @needs: slices
-- @param: factor = 4
-- @param: min_abs_ms = 40
-- @param: min_occurrences = 5
-- @gate: max_ms >= min_abs_ms and occurrences >= min_occurrences
-- @calibrate: min_abs_ms = top10(max_ms) * 1.5
-- @identity: location
-- @rank: max_ms
-- A name with occurrences over the floor counts those; one without keeps its longest, under the bar.
WITH usual AS (
  SELECT name, median_ns, max_ns, timed, MAX(median_ns * $factor, $min_abs_ms * 1e6) AS floor_ns
  FROM slice_total
  WHERE is_main AND timed > 1 AND max_ns >= median_ns * $factor
),
-- What the recording calls them, where that holds a number of this run.
recorded AS (
  SELECT name, name AS recorded_name, floor_ns FROM usual
  UNION ALL
  SELECT u.name, f.name, u.floor_ns FROM usual AS u JOIN folded_name AS f ON f.folded = u.name
),
slow AS (
  SELECT r.name, s.ts, s.dur, s.full_dur
  FROM recorded AS r CROSS JOIN main_slice AS s ON s.name = r.recorded_name AND s.recorded_dur >= r.floor_ns
  WHERE s.dur >= r.floor_ns
  UNION ALL
  SELECT r.name, s.ts, s.dur, s.full_dur
  FROM recorded AS r CROSS JOIN main_slice AS s ON s.name = r.recorded_name AND s.recorded_dur = -1
  WHERE s.dur >= r.floor_ns
  UNION ALL
  SELECT u.name, s.ts, s.dur, s.full_dur
  FROM usual AS u CROSS JOIN main_slice AS s ON s.name IS NULL
  WHERE u.name IS NULL AND s.dur >= u.floor_ns
)
-- @query
, counted AS (
  SELECT name, COUNT(*) AS count, SUM(dur) AS dur, SUM(full_dur) AS full_dur FROM slow GROUP BY name
)
SELECT
  IFNULL(NULLIF(u.name, ''), '(no name)') AS location,
  IFNULL(c.count, 1) AS count,
  IFNULL(c.dur, u.max_ns) / 1e6 AS total_ms,
  u.max_ns / 1e6 AS max_ms,
  NULLIF(c.full_dur, c.dur) / 1e6 AS full_ms,
  u.timed AS occurrences,
  printf('median %.1f ms of %d · worst %.1f×', u.median_ns / 1e6, u.timed, 1.0 * u.max_ns / u.median_ns) AS detail
FROM usual AS u LEFT JOIN counted AS c ON c.name IS u.name

-- @covers
SELECT IFNULL(NULLIF(name, ''), '(no name)') AS location, ts, dur FROM slow
