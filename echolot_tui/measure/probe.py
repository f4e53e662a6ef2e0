"""A first look at a trace, before any question is asked: the core of ``probe``."""

from __future__ import annotations

from typing import Final, cast

from msgspec.structs import replace

from echolot_tui.engine.model import TraceSession
from echolot_tui.frozen import Frozen
from echolot_tui.measure.inventory import named_slices
from echolot_tui.measure.main_thread import main_thread, running_ns
from echolot_tui.measure.model import ProcessFacts
from echolot_tui.measure.outside import OutsideLine, outside_processes, samples_of
from echolot_tui.measure.process import NoProcessError, choose_process
from echolot_tui.measure.sql import substitute
from echolot_tui.measure.survey import ProcessSeen, Survey, survey
from echolot_tui.units import ms

PROCESSES_SHOWN: Final = 15
THREADS_SHOWN: Final = 25
SLICES_SHOWN: Final = 25

_LONGEST: Final = """
    WITH mine AS ($slices)
    SELECT name, thread, ts, dur, unfinished, same_name
    FROM mine JOIN (SELECT name, COUNT(*) AS same_name FROM mine GROUP BY name) USING (name)
    ORDER BY dur DESC, ts, id LIMIT $shown"""


class ProcessLine(Frozen, frozen=True, kw_only=True):
    """A process and how many slices it has."""

    name: str
    pid: int | None
    slices: int
    async_slices: int
    samples: int = 0
    """Stack samples of its threads."""
    running_ms: float | None = None
    """Time on a CPU; ``None`` where scheduling was not recorded."""


class ThreadLine(Frozen, frozen=True, kw_only=True):
    """A thread of the process."""

    name: str
    tid: int | None
    is_main: bool
    running_ms: float | None
    """Time on a CPU; ``None`` where scheduling was not recorded."""
    slices: int
    slice_ms: float
    """Time inside its top-level slices."""
    samples: int = 0
    """Stack samples."""


class SliceLine(Frozen, frozen=True, kw_only=True):
    """A slice long enough to be an anchor."""

    name: str
    thread: str
    """``(async)`` for an asynchronous one."""
    start_ms: float
    """Since the trace's first moment."""
    dur_ms: float
    unfinished: bool = False
    same_name: int = 1
    """How many slices of the process carry this name: an anchor should be rare."""


class Probe(Frozen, frozen=True, kw_only=True):
    """A first look at a trace."""

    trace: str
    duration_ms: float
    processes: tuple[ProcessLine, ...]
    """Those with slices or samples, most slices first, at most 15; where none has slices, all that ran."""
    processes_total: int
    process: ProcessFacts | None = None
    """The one looked into, or the one a measurement would choose; ``None`` when there is none to measure."""
    nothing: str = ""
    """Why there is no process to measure, and what to do about it."""
    outside: tuple[OutsideLine, ...] = ()
    """Without a process to measure: what the trace holds instead, at most 15."""
    outside_total: int = 0
    threads: tuple[ThreadLine, ...] = ()
    """Of the named process, most time on a CPU first, at most 25."""
    threads_total: int = 0
    longest: tuple[SliceLine, ...] = ()
    """Its longest slices, at most 25: anchor candidates."""


def probe(session: TraceSession, mask: str | None = None) -> Probe:
    """List the fattest processes; with a mask, also a process's threads and longest slices.

    Args:
        session: The trace.
        mask: GLOB over process names or ``pid:N``.

    Raises:
        NoProcessError: The mask matches nothing.
    """
    seen, running = survey(session), running_ns(session)
    samples = samples_of(session)
    processes = _process_lines(seen, running, samples)
    found = Probe(
        trace=str(session.path),
        duration_ms=ms(seen.end_ns - seen.start_ns),
        processes=tuple(processes[:PROCESSES_SHOWN]),
        processes_total=len(processes),
    )
    try:
        process, facts = choose_process(session, seen, running, mask=mask, start=None)
    except NoProcessError as error:
        if mask is not None:
            raise
        outside = outside_processes(session, end_ns=seen.end_ns, running=running)
        shown = tuple(outside[:PROCESSES_SHOWN])
        return replace(found, nothing=error.sentence, outside=shown, outside_total=len(outside))
    if mask is None:
        return replace(found, process=facts)
    threads = _thread_lines(process, running, samples)
    return replace(
        found,
        process=facts,
        threads=tuple(threads[:THREADS_SHOWN]),
        threads_total=len(threads),
        longest=_longest(session, process, seen.start_ns, seen.end_ns),
    )


def _process_lines(seen: Survey, running: dict[int, int], samples: dict[int, int]) -> list[ProcessLine]:
    lines = [
        ProcessLine(
            name=each.shown,
            pid=each.pid,
            slices=each.slices,
            async_slices=each.async_slices,
            samples=sum(samples.get(thread.utid, 0) for thread in each.threads),
            running_ms=ms(sum(running.get(thread.utid, 0) for thread in each.threads)) if running else None,
        )
        for each in seen.processes
    ]
    if any(line.slices or line.async_slices for line in lines):
        listed = [line for line in lines if line.slices or line.async_slices or line.samples]
    else:
        listed = [line for line in lines if line.samples or line.running_ms]
    return sorted(
        listed, key=lambda line: (-line.slices - line.async_slices, -(line.running_ms or 0.0), -line.samples)
    )


def _thread_lines(process: ProcessSeen, running: dict[int, int], samples: dict[int, int]) -> list[ThreadLine]:
    main = main_thread(process, running)
    lines = [
        ThreadLine(
            name=thread.name or f"tid {thread.tid}",
            tid=thread.tid,
            is_main=main is not None and thread.utid == main.utid,
            running_ms=ms(running.get(thread.utid, 0)) if running else None,
            slices=thread.slices,
            slice_ms=ms(thread.top_ns),
            samples=samples.get(thread.utid, 0),
        )
        for thread in process.threads
    ]
    return sorted(
        lines, key=lambda line: (-(line.running_ms or 0.0), -line.slice_ms, -line.samples, line.tid or 0)
    )


def _longest(
    session: TraceSession, process: ProcessSeen, first_ns: int, end_ns: int
) -> tuple[SliceLine, ...]:
    slices = named_slices(process, end_ns)
    rows = session.query(substitute(_LONGEST, {"slices": slices, "shown": SLICES_SHOWN}))
    return tuple(
        SliceLine(
            name=str(name),
            thread=str(thread),
            start_ms=ms(cast(int, ts) - first_ns),
            dur_ms=ms(cast(int, dur)),
            unfinished=bool(unfinished),
            same_name=cast(int, same_name),
        )
        for name, thread, ts, dur, unfinished, same_name in rows.tuples()
    )
