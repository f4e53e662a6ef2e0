-- Top-level slices of one thread may overlap when it has several tracks: there each counts from where the
-- slices before it have ended.
CREATE OR REPLACE PERFETTO TABLE window_top AS
WITH several AS (
  SELECT utid FROM window_track GROUP BY utid HAVING COUNT(*) > 1
),
crossing AS (
  SELECT id AS slice_id, utid, ts, dur,
    MAX(0, IFNULL(MAX(ts + dur) OVER (
      PARTITION BY utid ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ), ts) - ts) AS shift
  FROM window_slice
  WHERE depth = 0 AND dur > 0 AND utid IN (SELECT utid FROM several)
)
SELECT ts, dur, utid, id AS slice_id
FROM window_slice
WHERE depth = 0 AND dur > 0 AND utid NOT IN (SELECT utid FROM several)
UNION ALL
SELECT ts + shift, dur - shift, utid, slice_id FROM crossing WHERE dur > shift;

CREATE OR REPLACE PERFETTO TABLE window_running AS
SELECT ts, dur, utid FROM window_state WHERE state = 'Running' AND dur > 0;

DROP TABLE IF EXISTS window_running_in_top;
CREATE VIRTUAL TABLE window_running_in_top
USING SPAN_LEFT_JOIN(window_running PARTITIONED utid, window_top PARTITIONED utid);

CREATE OR REPLACE PERFETTO TABLE window_cpu AS
SELECT r.ts, r.dur, r.utid, t.thread_name, t.is_main, r.slice_id
FROM window_running_in_top AS r JOIN process_thread AS t USING (utid);
DROP TABLE window_running_in_top;
