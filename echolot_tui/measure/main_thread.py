"""Which thread of a process counts as its main one."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final, Literal

from echolot_tui.engine.model import TraceSession
from echolot_tui.measure.model import MainThread
from echolot_tui.measure.survey import ProcessSeen, ThreadSeen, whole_numbers

Rule = Literal["tid == pid", "named like the pid", "known name", "most slice time", "only thread"]

_KNOWN_NAMES: Final = re.compile(r"Cr\w+Main|MainThread|[Mm]ain|[Mm]ain[ -][Tt]hread")


def main_thread(process: ProcessSeen, running: Collection[int]) -> MainThread | None:
    """The main thread: the first of these rules that finds one.

    1. The thread whose tid is the pid, when it was seen running, or has slice time and the pid is a real
       one (writers that know no pid say 0 or 1), or when no thread of the process has slice time.
    2. A thread with slice time named like the pid (some profilers name it so).
    3. A thread with slice time that carries a name programs give their main thread.
    4. The thread with most slice time.

    Args:
        process: The process.
        running: utids that were on a CPU.

    Returns:
        ``None`` for a process without threads.
    """
    threads = process.threads
    if not threads:
        return None
    timed = [thread for thread in threads if thread.top_ns > 0]
    own = [thread for thread in threads if thread.tid is not None and thread.tid == process.pid]
    real = process.pid is not None and process.pid > 1
    active = [thread for thread in own if thread.utid in running or (real and thread.top_ns > 0)]
    if len(threads) == 1 and not own:
        return _named(threads[0], "only thread")
    if active or (own and not timed):
        return _named(_busiest(active or own), "tid == pid")
    named = [thread for thread in timed if thread.name == str(process.pid)]
    if named:
        return _named(_busiest(named), "named like the pid")
    known = [thread for thread in timed if thread.name and _KNOWN_NAMES.fullmatch(thread.name)]
    if known:
        return _named(_busiest(known), "known name")
    return _named(_busiest(timed or threads), "most slice time")


def running_ns(session: TraceSession) -> dict[int, int]:
    """Time each thread (utid) spent on a CPU, in nanoseconds; empty where scheduling was not recorded."""
    rows = session.query("SELECT utid, SUM(dur) FROM sched WHERE dur > 0 AND utid != 0 GROUP BY utid")
    return {row[0]: row[1] for row in whole_numbers(rows)}


def _busiest(threads: Collection[ThreadSeen]) -> ThreadSeen:
    return max(threads, key=lambda thread: (thread.top_ns, thread.slices, -thread.utid))


def _named(thread: ThreadSeen, rule: Rule) -> MainThread:
    return MainThread(name=thread.name or f"tid {thread.tid}", tid=thread.tid, utid=thread.utid, rule=rule)
