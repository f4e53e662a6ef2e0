-- @id: anr_risk
-- @title: Stretches where the main thread never got back to its queue
-- @why: Busy time without a gap, whatever it is made of. At five seconds the system may declare an ANR, long before
--   that the screen is dead.
-- @needs: thread_state
-- @param: min_stall_ms = 5000
-- @param: max_gap_ms = 2
-- @gate: max_ms >= min_stall_ms
-- @identity: location
-- @rank: total_ms
-- main_busy leaves top-level slices out: one that marks a whole scenario spans idle time.
WITH opened AS (
  SELECT *, IFNULL(ts > LAG(end_ts) OVER (ORDER BY ts) + $max_gap_ms * 1e6, TRUE) AS opens
  FROM main_busy
),
numbered AS (
  SELECT *, SUM(opens) OVER (ORDER BY ts ROWS UNBOUNDED PRECEDING) AS island FROM opened
),
-- A tenth of the floor is kept, so that a stall that grows over it has a past.
stall AS (
  SELECT MAX(end_ts) - MIN(ts) AS dur, SUM(slices) AS slices, SUM(running_ns) AS running, SUM(ready_ns) AS ready,
    MAX(has_slice) AS has_slice, MAX(longest_ns), longest_name
  FROM numbered
  GROUP BY island
  HAVING MAX(end_ts) - MIN(ts) >= $min_stall_ms * 1e5
),
told AS (
  SELECT dur, dur >= $min_stall_ms * 1e6 AS long,
    IIF(has_slice, IFNULL(longest_name, '(no name)'), 'uninstrumented work on the main thread') AS location,
    printf('%.1f ms on CPU · %.1f ms waiting for one · %.1f ms neither · %d slices',
      running / 1e6, ready / 1e6, MAX(dur - running - ready, 0) / 1e6, slices) AS detail
  FROM stall
)
-- A name with stalls over the floor counts those; one without keeps what it has, under the bar.
SELECT
  location,
  IIF(MAX(long), SUM(long), COUNT(*)) AS count,
  IIF(MAX(long), SUM(long * dur), SUM(dur)) / 1e6 AS total_ms,
  MAX(dur) / 1e6 AS max_ms,
  detail
FROM told
GROUP BY location

-- @covers
-- main_busy leaves top-level slices out: one that marks a whole scenario spans idle time.
WITH opened AS (
  SELECT *, IFNULL(ts > LAG(end_ts) OVER (ORDER BY ts) + $max_gap_ms * 1e6, TRUE) AS opens
  FROM main_busy
),
numbered AS (
  SELECT *, SUM(opens) OVER (ORDER BY ts ROWS UNBOUNDED PRECEDING) AS island FROM opened
),
stall AS (
  SELECT MIN(ts) AS ts, MAX(end_ts) - MIN(ts) AS dur, MAX(has_slice) AS has_slice, MAX(longest_ns), longest_name
  FROM numbered
  GROUP BY island
  HAVING MAX(end_ts) - MIN(ts) >= $min_stall_ms * 1e5
)
SELECT
  IIF(has_slice, IFNULL(longest_name, '(no name)'), 'uninstrumented work on the main thread') AS location, ts, dur
FROM stall
