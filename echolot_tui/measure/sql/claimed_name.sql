CREATE OR REPLACE PERFETTO TABLE claimed_name AS
SELECT j.value AS name FROM json_each($names) AS j ORDER BY name;
