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
whole AS (
  SELECT island, MIN(ts) AS ts, MAX(end_ts) - MIN(ts) AS dur, SUM(slices) AS slices,
    SUM(running_ns) AS running, SUM(ready_ns) AS ready
  FROM numbered
  GROUP BY island
  HAVING MAX(end_ts) - MIN(ts) >= $min_stall_ms * 1e5
),
leading AS (
  SELECT island, has_slice, longest_name,
    ROW_NUMBER() OVER (PARTITION BY island ORDER BY has_slice DESC, longest_ns DESC, n.ts) AS place
  FROM numbered AS n JOIN whole USING (island)
),
stall AS (
  SELECT w.*,
    IIF(l.has_slice, IFNULL(NULLIF(l.longest_name, ''), '(no name)'), 'uninstrumented work on the main thread')
      AS location
  FROM whole AS w JOIN leading AS l ON l.island = w.island AND l.place = 1
)
-- @query
, told AS (
  SELECT location, dur, dur >= $min_stall_ms * 1e6 AS long,
    printf('%.1f ms on CPU · %.1f ms waiting for one · %.1f ms neither · %d slices',
      running / 1e6, ready / 1e6, MAX(dur - running - ready, 0) / 1e6, slices) AS detail,
    ROW_NUMBER() OVER (PARTITION BY location ORDER BY dur DESC, ts) AS place
  FROM stall
)
-- A name with stalls over the floor counts those; one without keeps its longest, under the bar.
SELECT
  location,
  IIF(MAX(long), SUM(long), 1) AS count,
  IIF(MAX(long), SUM(long * dur), MAX(dur)) / 1e6 AS total_ms,
  MAX(dur) / 1e6 AS max_ms,
  MAX(IIF(place = 1, detail, NULL)) AS detail
FROM told
GROUP BY location

-- @covers
SELECT location, ts, dur FROM stall WHERE dur >= $min_stall_ms * 1e6
