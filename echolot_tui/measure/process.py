"""Which process of a trace is measured, and why."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final, Literal

from echolot_tui.engine.model import TraceSession
from echolot_tui.errors import EcholotError
from echolot_tui.measure.main_thread import main_thread
from echolot_tui.measure.model import ProcessChoice, ProcessFacts
from echolot_tui.measure.sql import substitute
from echolot_tui.measure.survey import ASYNC_TRACKS, ProcessSeen, Survey, whole_numbers
from echolot_tui.text import visible

Reason = Literal["mask", "pid", "start anchor", "most main-thread work", "only process"]

ALTERNATIVES: Final = 5
"""Other processes a choice names; the rest is counted."""

_COMM_LENGTH: Final = 15
"""Characters of a name the kernel keeps; Android keeps the last ones, others the first."""
_FIRST_APP_UID: Final = 10_000
_PLATFORM_APP: Final = re.compile(
    r"(com\.android\.(?!chrome)|android\.|com\.google\.(android|process)\.|com\.sec\.android\.).*|.*(inputmethod|launcher).*"
)
_FEW: Final = 0.01
"""A process with a smaller share of slices than this is a wrapper (a profiler's own row), not the program."""
_SYSTEM: Final = re.compile(
    r"system_server|surfaceflinger|servicemanager|hwservicemanager|zygote(32|64)?|webview_zygote|init|adbd|lmkd|logd|"
    r"traced.*|perfetto|atrace|kthreadd|swapper.*|(kworker|ksoftirqd|migration|cpuhp|irq|rcu\w*|watchdog\w*)/.*|"
    r"/(system|vendor|apex|product|odm|sbin)/.*"
)

_MATCHING: Final = """
    SELECT upid FROM process
    WHERE COALESCE(NULLIF(name, ''), 'pid ' || pid) GLOB $mask AND (upid != 0 OR name != '')"""
_SAMPLED: Final = """
    SELECT upid, COUNT(*) FROM (
      SELECT utid FROM perf_sample UNION ALL SELECT utid FROM cpu_profile_stack_sample
    ) JOIN thread USING (utid) WHERE upid IS NOT NULL GROUP BY upid ORDER BY 2 DESC, 1"""
_OWNERS: Final = """
    WITH hit AS (SELECT DISTINCT track_id AS id FROM slice WHERE name GLOB $start)
    SELECT upid FROM hit JOIN thread_track USING (id) JOIN thread USING (utid) WHERE upid IS NOT NULL
    UNION SELECT upid FROM hit JOIN ($async_tracks) USING (id)"""
_SCHEDULED: Final = """
    SELECT MIN(ts), MAX(ts + MAX(dur, 0)) FROM thread_state
    WHERE utid IN (SELECT utid FROM thread WHERE upid = $upid)"""


_LOOSE_THREADS: Final = """
    SELECT COUNT(DISTINCT utid) FROM (
      SELECT utid FROM perf_sample UNION ALL SELECT utid FROM cpu_profile_stack_sample
      UNION ALL SELECT thread_track.utid FROM slice JOIN thread_track ON slice.track_id = thread_track.id
      UNION ALL SELECT utid FROM sched WHERE utid != 0
    ) JOIN thread USING (utid) WHERE upid IS NULL"""
_LOOSE_SLICES: Final = """
    SELECT COUNT(*) FROM slice
    WHERE track_id NOT IN (SELECT id FROM thread_track UNION SELECT id FROM process_track)"""


class NoProcessError(EcholotError):
    """The trace has no process to measure, or none the mask matches."""


def choose_process(
    session: TraceSession, survey: Survey, running: Mapping[int, int], *, mask: str | None, start: str | None
) -> tuple[ProcessSeen, ProcessFacts]:
    """Choose the process to measure.

    With a mask: the process it matches that owns the start anchor, else the one with most thread slices.
    Without: the app with most main-thread work, the platform's own processes coming last.

    Args:
        session: The trace.
        survey: Who is in it.
        running: Time each thread (utid) was on a CPU.
        mask: GLOB over shown names, ``pid:N``, or ``None``.
        start: GLOB of the start anchor.

    Raises:
        NoProcessError: Nothing to choose from; with a mask, the nearest names are in the message.
    """
    owners = _anchor_owners(session, start) if start else frozenset()
    if mask is None:
        ranked = _by_main_thread_work(session, survey, running, owners)
    else:
        matching = _matching(session, survey, mask)
        ranked = sorted(matching, key=lambda seen: (seen.upid not in owners, -seen.slices, seen.upid))
    chosen, others = ranked[0], ranked[1:]
    return chosen, ProcessFacts(
        name=chosen.shown,
        upid=chosen.upid,
        pid=chosen.pid,
        slices=chosen.slices,
        chosen_by=_reason(chosen, others, mask, owners),
        alternatives=tuple(
            ProcessChoice(name=other.shown, pid=other.pid, slices=other.slices)
            for other in others[:ALTERNATIVES]
        ),
        alternatives_total=len(others),
        restarts=_restarts(session, survey, chosen),
    )


def _reason(
    chosen: ProcessSeen, others: Collection[ProcessSeen], mask: str | None, owners: Collection[int]
) -> Reason:
    if mask is not None and mask.startswith("pid:"):
        return "pid"
    if chosen.upid in owners and others:
        return "start anchor"
    if mask is not None:
        return "mask"
    return "most main-thread work" if others else "only process"


def _by_main_thread_work(
    session: TraceSession, survey: Survey, running: Mapping[int, int], owners: Collection[int]
) -> list[ProcessSeen]:
    """Processes with data: anchor owners first, apps before the platform, then by main-thread work."""
    active = [
        seen
        for seen in survey.processes
        if seen.slices or seen.async_slices or any(thread.utid in running for thread in seen.threads)
    ]
    if not active:
        return _by_samples(session, survey)
    kernel = {seen.upid for seen in survey.processes if seen.parent_name == "kthreadd"}
    on_android = any((seen.uid or 0) >= _FIRST_APP_UID or seen.name == "system_server" for seen in active)
    tiers = {seen.upid: 2 if seen.upid in kernel else _tier(seen, on_android=on_android) for seen in active}
    most = [max((seen.slices for seen in active if tiers[seen.upid] == tier), default=0) for tier in range(3)]

    def rank(seen: ProcessSeen) -> tuple[bool, int, bool, int, int, int]:
        main = main_thread(seen, running)
        thread = next((each for each in seen.threads if main and each.utid == main.utid), None)
        work = 0 if thread is None else running.get(thread.utid, 0) if running else thread.top_ns
        few = seen.slices == 0 or seen.slices < _FEW * most[tiers[seen.upid]]
        return seen.upid not in owners, tiers[seen.upid], few, -work, -seen.slices, seen.upid

    return sorted(active, key=rank)


def _tier(seen: ProcessSeen, *, on_android: bool) -> int:
    """0 for an app or program, 1 for an app of the platform, 2 for a part of the system."""
    name = seen.name or ""
    if _SYSTEM.fullmatch(name):
        return 2
    if on_android and (("." not in name and name) or (seen.uid is not None and seen.uid < _FIRST_APP_UID)):
        return 2
    return 1 if _PLATFORM_APP.fullmatch(name) else 0


def _by_samples(session: TraceSession, survey: Survey) -> list[ProcessSeen]:
    """Processes a profiler sampled, most samples first."""
    sampled = [survey.process(upid) for upid, _ in whole_numbers(session.query(_SAMPLED))]
    if not sampled:
        what, todo = _without_process(session)
        raise NoProcessError(
            f"no process in this trace has slices, thread states or samples{what}", todo=todo
        )
    return sampled


def _without_process(session: TraceSession) -> tuple[str, str]:
    """What the trace holds instead, and how to record it so that it belongs to a process."""
    threads = whole_numbers(session.query(_LOOSE_THREADS))[0][0]
    slices = whole_numbers(session.query(_LOOSE_SLICES))[0][0]
    if threads:
        told = "1 thread that names" if threads == 1 else f"{threads} threads that name"
        return (
            f", only {told} no process",
            "record process ids as well: with perf script -F +pid, or the data source linux.process_stats",
        )
    if slices:
        told = "1 slice is" if slices == 1 else f"{slices} slices are"
        return f": its {told} on tracks of no thread", "record slices on threads, or name a trace that does"
    return "", "record slices, scheduling or stack samples"


def _matching(session: TraceSession, survey: Survey, mask: str) -> list[ProcessSeen]:
    """Processes the mask names.

    Raises:
        NoProcessError: None; the message names the nearest.
    """
    if mask.startswith("pid:"):
        wanted = mask.removeprefix("pid:").strip()
        found = [seen for seen in survey.processes if str(seen.pid) == wanted and (seen.upid or seen.slices)]
    else:
        rows = session.query(substitute(_MATCHING, {"mask": mask}))
        matched = {upid for (upid,) in whole_numbers(rows)}
        found = [seen for seen in survey.processes if seen.upid in matched]
    if not found:
        raise NoProcessError(
            f"no process matches {visible(mask, 80).strip() or 'an empty name'}", todo=nearest(survey, mask)
        )
    return found


def nearest(survey: Survey, mask: str) -> str:
    """What to write instead of a mask that matches nothing."""
    core = mask.removeprefix("pid:").strip("*? ")
    named = [seen for seen in survey.processes if seen.name]
    for seen in survey.processes:
        for comm in (seen.name, *(thread.name for thread in seen.threads if thread.tid == seen.pid)):
            if comm and len(comm) == _COMM_LENGTH and comm in (core[-_COMM_LENGTH:], core[:_COMM_LENGTH]):
                instead = (
                    f"pid:{seen.pid}"
                    if comm != seen.name
                    else f"*{comm}"
                    if core.endswith(comm)
                    else f"{comm}*"
                )
                return f"the kernel keeps only {_COMM_LENGTH} characters of a name: try {visible(instead)}"
    busiest = sorted(survey.processes, key=lambda seen: (-seen.slices, seen.upid))
    if not named:
        pids = ", ".join(f"pid:{seen.pid}" for seen in busiest[:ALTERNATIVES] if seen.slices)
        return f"no process of this trace has a name; those with slices are {pids or 'none'}"
    within = [seen.shown for seen in busiest if core and core.lower() in seen.shown.lower()]
    close = difflib.get_close_matches(core, sorted({seen.shown for seen in named}), n=3, cutoff=0.6)
    names = _shown(within) or _shown(close)
    if names:
        return f"the nearest are {names}" if names.count(",") else f"the nearest is {names}"
    with_slices = _shown(seen.shown for seen in busiest if seen.slices)
    return (
        f"most slices: {with_slices}" if with_slices else f"there is {_shown(seen.shown for seen in named)}"
    )


def _shown(names: Iterable[str]) -> str:
    """Up to three different names."""
    return ", ".join(visible(name, 80) for name in list(dict.fromkeys(names))[:3])


def _anchor_owners(session: TraceSession, start: str) -> frozenset[int]:
    """Processes (upid) with a slice the start anchor's GLOB matches."""
    rows = session.query(substitute(_OWNERS, {"start": start, "async_tracks": ASYNC_TRACKS}))
    return frozenset(upid for (upid,) in whole_numbers(rows))


def _restarts(session: TraceSession, survey: Survey, chosen: ProcessSeen) -> int:
    """How many processes of the same name lived wholly before or after the chosen one."""
    same = [seen for seen in survey.processes if seen.name and seen.name == chosen.name]
    if len(same) < 2:
        return 0
    lives = {seen.upid: life for seen in same if (life := _life(session, seen))}
    if chosen.upid not in lives:
        return 0
    start, end = lives.pop(chosen.upid)
    return sum(1 for first, last in lives.values() if last <= start or first >= end)


def _life(session: TraceSession, seen: ProcessSeen) -> tuple[int, int] | None:
    """First and last moment the process was seen doing something."""
    moments = [
        moment
        for thread in seen.threads
        for moment in (thread.first_ns, thread.last_ns)
        if moment is not None
    ]
    moments += [moment for moment in (seen.async_first_ns, seen.async_last_ns) if moment is not None]
    if not moments and seen.threads:
        rows = session.query(substitute(_SCHEDULED, {"upid": seen.upid}))
        moments = [moment for row in rows.tuples() for moment in row if isinstance(moment, int)]
    return (min(moments), max(moments)) if moments else None
