CREATE OR REPLACE PERFETTO TABLE own_composable AS
SELECT j.value ->> 0 AS name
FROM json_each($rows) AS j;
