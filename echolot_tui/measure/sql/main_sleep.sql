CREATE OR REPLACE PERFETTO TABLE main_sleep AS
SELECT
  j.value ->> 0 AS ts,
  j.value ->> 1 AS dur,
  j.value ->> 2 AS full_dur,
  t.utid AS waker_utid, t.thread_name AS waker_name, t.thread_family AS waker_family,
  j.value ->> 4 AS slice_name,
  j.value ->> 5 AS second,
  j.value ->> 6 AS second_ns,
  j.value ->> 7 AS third,
  j.value ->> 8 AS third_ns
FROM json_each($rows) AS j
CROSS JOIN process_thread AS t ON t.utid = j.value ->> 3;
