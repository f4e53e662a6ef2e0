CREATE OR REPLACE PERFETTO TABLE folded_name AS
SELECT j.value ->> 0 AS name, j.value ->> 1 AS folded
FROM json_each($rows) AS j
ORDER BY name;
