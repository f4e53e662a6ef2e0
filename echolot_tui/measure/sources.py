"""The sources a detector can need: how to see that a trace has one, and how to record it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class Source(NamedTuple):
    """One kind of recorded data.

    Attributes:
        name: What it is, to follow "the trace has no".
        check: A query that answers with a row when the trace has it, over the window's tables; cheap on
            any trace.
        record: How to record it, one sentence without a full stop.
    """

    name: str
    check: str
    record: str


_ASKED: Final = """
SELECT 1
WHERE NOT EXISTS (SELECT 1 FROM metadata WHERE name = 'trace_config_pbtxt')
  OR EXISTS (SELECT 1 FROM metadata WHERE name = 'trace_config_pbtxt' AND ({asked}))
  OR EXISTS (SELECT 1 FROM __intrinsic_slice WHERE {seen})
"""
"""Slices of one category: there, or asked for in the recording config, or the trace does not say what was."""


def _asked(*categories: str, seen: str) -> str:
    """A check for slices that some atrace categories, or ftrace events, record."""
    asked = " OR ".join(f"str_value GLOB '*\"{category}\"*'" for category in (*categories, "[*]"))
    return _ASKED.format(asked=asked, seen=seen)


SOURCES: Final[Mapping[str, Source]] = {
    "slices": Source(
        "slices on this process's threads",
        "SELECT 1 FROM window_track JOIN __intrinsic_slice USING (track_id) LIMIT 1",
        "record atrace categories with the app's own sections, or a source of track events",
    ),
    "async_slices": Source(
        "asynchronous sections of this process",
        "SELECT 1 FROM window_async_track JOIN __intrinsic_slice USING (track_id) LIMIT 1",
        "record the atrace categories and apps that write asynchronous sections",
    ),
    "app_start": Source(
        "slices of the app's start",
        _asked("am", seen="name = 'bindApplication'"),
        "record the atrace category am",
    ),
    "binder": Source(
        "binder transactions",
        _asked("binder_driver", "binder/*", seen="name GLOB 'binder transaction*'"),
        "record the atrace category binder_driver",
    ),
    "dalvik": Source(
        "slices of the runtime",
        _asked("dalvik", seen="name GLOB '*GC' OR name GLOB '*contention*' OR name GLOB 'JIT compiling *'"),
        "record the atrace category dalvik",
    ),
    "thread_state": Source(
        "scheduling of this process's threads",
        "SELECT 1 FROM process_thread JOIN thread_state USING (utid) LIMIT 1",
        "record the ftrace events sched/sched_switch and sched/sched_waking",
    ),
    "wakeups": Source(
        "wakeups",
        "SELECT 1 FROM thread_state WHERE waker_utid IS NOT NULL LIMIT 1",
        "record the ftrace event sched/sched_waking",
    ),
    "blocked_reason": Source(
        "reasons of uninterruptible sleep",
        "SELECT 1 WHERE EXISTS (SELECT 1 FROM thread_state WHERE io_wait IS NOT NULL)"
        " OR NOT EXISTS (SELECT 1 FROM window_state WHERE state IN ('D', 'DK'))",
        "record the ftrace event sched/sched_blocked_reason",
    ),
    "frame_timeline": Source(
        "frame timeline",
        "SELECT 1 FROM actual_frame_timeline_slice LIMIT 1",
        "record the data source android.surfaceflinger.frametimeline on Android 12 or later",
    ),
    "composables": Source(
        "composable names",
        "SELECT 1 FROM window_track JOIN __intrinsic_slice AS s USING (track_id) "
        "WHERE s.name GLOB '* ([A-Za-z]*.kt:[0-9]*)' LIMIT 1",
        "add androidx.compose.runtime:runtime-tracing to the app and record track events",
    ),
    "activity_manager": Source(
        "activity manager events of system_server",
        "SELECT 1 FROM process WHERE name = 'system_server' AND (upid IN (SELECT upid FROM process_track) "
        "OR upid IN (SELECT upid FROM process_counter_track)) LIMIT 1",
        "record the atrace category am",
    ),
    "samples": Source(
        "callstack samples",
        "SELECT 1 FROM perf_sample LIMIT 1",
        "record the data source linux.perf with callstack sampling",
    ),
}
