CREATE OR REPLACE PERFETTO TABLE window_bounds AS
SELECT $start_ns AS ts, $end_ns AS end_ts, $end_ns - $start_ns AS dur;

CREATE OR REPLACE PERFETTO TABLE process_info AS
SELECT upid, pid, $process_name AS name, $package AS package
FROM process WHERE upid = $upid;

-- Names come as JSON: they are folded outside, and no name is ever spliced into a statement.
CREATE OR REPLACE PERFETTO TABLE process_thread AS
SELECT t.utid, t.tid, j.value ->> 1 AS thread_name, j.value ->> 2 AS thread_family,
  IIF(t.utid = $main_utid, 1, 0) AS is_main
FROM json_each($threads) AS j
CROSS JOIN thread AS t ON t.utid = j.value ->> 0
ORDER BY t.utid;

CREATE OR REPLACE PERFETTO TABLE window_track AS
SELECT k.id AS track_id, t.*
FROM process_thread AS t JOIN thread_track AS k USING (utid)
ORDER BY k.id;

CREATE OR REPLACE PERFETTO TABLE window_async_track AS
SELECT id AS track_id FROM ($async_tracks) WHERE upid = $upid ORDER BY id;
