CREATE OR REPLACE PERFETTO TABLE slice_call AS
SELECT IFNULL(f.folded, s.name) AS name, IFNULL(o.folded, p.name) AS caller, p.id IS NOT NULL AS has_caller,
  t.utid, t.thread_name, t.thread_family, t.is_main,
  j.value ->> 3 AS count,
  j.value ->> 4 AS total_ns,
  j.value ->> 5 AS min_ns,
  j.value ->> 6 AS max_ns
FROM json_each($rows) AS j
CROSS JOIN __intrinsic_slice AS s ON s.id = j.value ->> 0
CROSS JOIN process_thread AS t ON t.utid = j.value ->> 2
LEFT JOIN __intrinsic_slice AS p ON p.id = j.value ->> 1
LEFT JOIN folded_name AS f ON f.name = s.name
LEFT JOIN folded_name AS o ON o.name = p.name;
