-- @id: anr_risk
-- @title: Stretches where the main thread never got back to its queue
-- @why: Busy time without a gap, whatever it is made of. At five seconds the system may declare an ANR, long before
--   that the screen is dead.
-- @needs: slices, thread_state
-- @param: min_stall_ms = 5000
-- @param: max_gap_ms = 2
-- @gate: max_ms >= min_stall_ms
-- @identity: location
-- @rank: total_ms
-- Top-level slices are left out: one that marks a whole scenario spans idle time. What they hold is one level down.
WITH busy AS (
  SELECT ts, ts + dur AS end_ts FROM main_slice WHERE depth = 1 AND dur > 0
  UNION ALL
  SELECT ts, ts + dur FROM window_state
  WHERE is_main AND dur > 0 AND state IN ('Running', 'R', 'R+', 'D', 'DK')
),
opened AS (
  SELECT ts, end_ts, ts > IFNULL(MAX(end_ts) OVER (
      ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ), ts - 1) + $max_gap_ms * 1e6 OR ROW_NUMBER() OVER (ORDER BY ts) = 1 AS opens
  FROM busy
),
numbered AS (
  SELECT ts, end_ts, SUM(opens) OVER (ORDER BY ts ROWS UNBOUNDED PRECEDING) AS island FROM opened
),
-- A tenth of the floor is kept, so that a stall that grows over it has a past.
stall AS (
  SELECT island, MIN(ts) AS ts, MAX(end_ts) AS end_ts, MAX(end_ts) - MIN(ts) AS dur
  FROM numbered GROUP BY island
  HAVING MAX(end_ts) - MIN(ts) >= $min_stall_ms * 1e5
),
counted AS (
  SELECT i.island, COUNT(*) AS slices
  FROM stall AS i CROSS JOIN main_slice AS s ON s.full_ts < i.end_ts AND s.ts + s.dur > i.ts
  WHERE s.depth >= 1 AND s.dur > 0
  GROUP BY i.island
),
-- The longest slice of a stall is one of depth 1: deeper ones lie inside it.
leading AS (
  SELECT i.island, IFNULL(s.name, '(no name)') AS location, MAX(s.dur)
  FROM stall AS i CROSS JOIN main_slice AS s ON s.depth = 1 AND s.full_ts < i.end_ts AND s.ts + s.dur > i.ts
  WHERE s.dur > 0
  GROUP BY i.island
),
spent AS (
  SELECT i.island,
    SUM(IIF(s.state = 'Running', s.dur, 0)) AS running,
    SUM(IIF(s.state IN ('R', 'R+'), s.dur, 0)) AS ready
  FROM stall AS i CROSS JOIN window_state AS s ON s.is_main AND s.ts < i.end_ts AND s.ts + s.dur > i.ts
  WHERE s.state IN ('Running', 'R', 'R+')
  GROUP BY i.island
),
told AS (
  SELECT i.dur, i.dur >= $min_stall_ms * 1e6 AS long,
    IFNULL(l.location, 'uninstrumented work on the main thread') AS location,
    printf('%.1f ms on CPU · %.1f ms waiting for one · %.1f ms neither · %d slices',
      IFNULL(s.running, 0) / 1e6, IFNULL(s.ready, 0) / 1e6,
      (i.dur - IFNULL(s.running, 0) - IFNULL(s.ready, 0)) / 1e6, IFNULL(c.slices, 0)) AS detail
  FROM stall AS i
  LEFT JOIN leading AS l USING (island)
  LEFT JOIN counted AS c USING (island)
  LEFT JOIN spent AS s USING (island)
)
-- A name with stalls over the floor counts those; one without keeps what it has, under the bar.
SELECT
  location,
  IIF(MAX(long), SUM(long), COUNT(*)) AS count,
  IIF(MAX(long), SUM(long * dur), SUM(dur)) / 1e6 AS total_ms,
  dur / 1e6 AS max_ms,
  detail
FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY location ORDER BY dur DESC) AS place FROM told)
GROUP BY location
