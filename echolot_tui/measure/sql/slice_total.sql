CREATE OR REPLACE PERFETTO TABLE slice_total AS
SELECT IFNULL(f.folded, s.name) AS name, t.utid, t.thread_name, t.thread_family, t.is_main,
  j.value ->> 2 AS count,
  j.value ->> 3 AS timed,
  j.value ->> 4 AS self_ns,
  j.value ->> 5 AS total_ns,
  j.value ->> 6 AS full_ns,
  j.value ->> 7 AS max_ns,
  j.value ->> 8 AS median_ns
FROM json_each($rows) AS j
CROSS JOIN __intrinsic_slice AS s ON s.id = j.value ->> 0
CROSS JOIN process_thread AS t ON t.utid = j.value ->> 1
LEFT JOIN folded_name AS f ON f.name = s.name;
