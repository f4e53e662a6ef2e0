CREATE OR REPLACE PERFETTO TABLE main_busy AS
SELECT
  j.value ->> 0 AS ts,
  j.value ->> 1 AS end_ts,
  j.value ->> 2 AS slices,
  s.id IS NOT NULL AS has_slice, IFNULL(f.folded, s.name) AS longest_name, IFNULL(s.dur, 0) AS longest_ns,
  j.value ->> 4 AS running_ns,
  j.value ->> 5 AS ready_ns
FROM json_each($rows) AS j LEFT JOIN main_slice AS s ON s.id = j.value ->> 3
LEFT JOIN folded_name AS f ON f.name = s.name;
