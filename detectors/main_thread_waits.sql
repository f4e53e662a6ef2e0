-- @id: main_thread_waits
-- @title: What the main thread waited for
-- @why: Sleeps of the main thread that another thread of the app ended, and what that thread had waited for itself.
--   Waits for locks are listed under monitor contention.
-- @needs: thread_state, wakeups
-- @param: min_total_ms = 16
-- @param: lock_glob = '*contention*'
-- @gate: total_ms >= min_total_ms
-- @calibrate: min_total_ms = top10(total_ms) * 1.5
-- @identity: location
-- @rank: total_ms
WITH sleep AS (
  SELECT waker_family AS location, ts, dur, full_dur, slice_name, second, second_ns, third, third_ns
  FROM main_sleep
  WHERE waker_name NOT IN ('(unnamed thread)', 'RenderThread') AND waker_name NOT GLOB '[Bb]inder:*'
    AND (slice_name IS NULL OR slice_name NOT GLOB $lock_glob)
)
-- @query
, summed AS (
  SELECT location, COUNT(*) AS count, SUM(dur) AS dur, SUM(full_dur) AS full_dur, MAX(dur) AS longest,
    SUM(IIF(slice_name IS NULL, dur, 0)) AS idle
  FROM sleep GROUP BY location
),
blocked AS (
  SELECT location, slice_name, ROW_NUMBER() OVER (PARTITION BY location ORDER BY SUM(dur) DESC, slice_name) AS place
  FROM sleep WHERE slice_name IS NOT NULL GROUP BY location, slice_name
),
chain AS (
  SELECT location, second, SUM(second_ns) AS second_ns, third, SUM(third_ns) AS third_ns,
    ROW_NUMBER() OVER (PARTITION BY location ORDER BY SUM(second_ns) DESC, second, third) AS place
  FROM sleep WHERE second IS NOT NULL GROUP BY location, second, third
)
SELECT
  s.location,
  s.count,
  s.dur / 1e6 AS total_ms,
  s.longest / 1e6 AS max_ms,
  NULLIF(s.full_dur, s.dur) / 1e6 AS full_ms,
  CASE
    WHEN b.slice_name IS NULL THEN 'idle'
    WHEN s.idle = 0 THEN 'blocked in ' || b.slice_name
    ELSE printf('%.0f%% idle · %.0f%% blocked in ', 100.0 * s.idle / s.dur, 100.0 * (s.dur - s.idle) / s.dur) || b.slice_name
  END
  || IFNULL(printf(' · waited itself %.1f ms for ', c.second_ns / 1e6) || c.second, '')
  || IFNULL(printf(', that %.1f ms for ', c.third_ns / 1e6) || c.third, '') AS detail
FROM summed AS s
LEFT JOIN blocked AS b ON b.location = s.location AND b.place = 1
LEFT JOIN chain AS c ON c.location = s.location AND c.place = 1

-- @covers
SELECT location, ts, dur FROM sleep
