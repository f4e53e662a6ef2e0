CREATE OR REPLACE PERFETTO TABLE main_path AS
SELECT
  j.key AS path,
  NULLIF(j.value ->> 0, -1) AS parent_path,
  IFNULL(f.folded, s.name) AS name,
  j.value ->> 2 AS count,
  j.value ->> 3 AS total_ns,
  j.value ->> 4 AS full_ns,
  j.value ->> 5 AS max_ns
FROM json_each($rows) AS j CROSS JOIN __intrinsic_slice AS s ON s.id = j.value ->> 1
LEFT JOIN folded_name AS f ON f.name = s.name;
