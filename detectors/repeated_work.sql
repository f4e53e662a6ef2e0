-- @id: repeated_work
-- @title: The same work, entered from several places
-- @why: One slice name called by two or three different callers, each time for about as long: often the same thing done
--   more than once. Whether it is redundant only the code can tell.
-- @needs: slices
-- @param: min_total_ms = 40
-- @param: max_callers = 3
-- @param: max_spread = 1.5
-- @param: marker_prefix = 'AGENTTMP_'
-- @gate: callers <= max_callers and total_ms >= min_total_ms and (spread <= max_spread or near_miss = 1)
-- @calibrate: min_total_ms = top5(total_ms) * 1.5
-- @identity: location, thread
-- @rank: total_ms
WITH call AS (
  SELECT name, IIF(is_main, 'main', 'background: ' || thread_name) AS thread, thread_name,
    IIF(has_caller, IFNULL(NULLIF(caller, ''), '(no name)'), '(top level)') AS caller, count, total_ns, min_ns, max_ns
  FROM slice_call
  WHERE name != '' AND name NOT IN (SELECT name FROM claimed_name)
    AND (caller IS NULL OR caller NOT IN (SELECT name FROM claimed_name))
),
work AS (
  SELECT name, thread, thread_name, COUNT(DISTINCT caller) AS callers, SUM(count) AS count,
    SUM(total_ns) AS total_ns, MIN(min_ns) AS min_ns, MAX(max_ns) AS max_ns
  FROM call
  GROUP BY name, thread
  HAVING COUNT(DISTINCT caller) > 1
),
entry AS (
  SELECT name, thread, caller, ROW_NUMBER() OVER (PARTITION BY name, thread ORDER BY caller) AS place
  FROM (SELECT DISTINCT name, thread, caller FROM call JOIN work USING (name, thread))
),
entries AS (
  SELECT name, thread, GROUP_CONCAT(caller, ', ') AS callers
  FROM (SELECT * FROM entry WHERE place <= 3 ORDER BY name, thread, place)
  GROUP BY name, thread
),
judged AS (
  SELECT *, 1.0 * max_ns / NULLIF(min_ns, 0) AS spread,
    callers = 2 AND min_ns > 0 AND SUBSTR(name, 1, LENGTH($marker_prefix)) = $marker_prefix
      AND LENGTH($marker_prefix) > 0 AS near_miss
  FROM work
)
SELECT
  w.name AS location,
  w.thread,
  w.count,
  w.total_ns / 1e6 AS total_ms,
  w.max_ns / 1e6 AS max_ms,
  w.callers,
  ROUND(w.spread, 4) AS spread,
  w.near_miss,
  IIF(w.near_miss AND w.spread > $max_spread, 'near miss: ', '')
    || 'entered from ' || w.callers || ': ' || e.callers || IIF(w.callers > 3, ' +' || (w.callers - 3), '')
    || ' — on ' || w.thread_name
    || IIF(w.near_miss AND w.spread > $max_spread,
      '; the calls differ too much to be one unit of work: mark the unit, not the loop around it', '') AS detail
FROM judged AS w JOIN entries AS e USING (name, thread)

-- @covers: whole
