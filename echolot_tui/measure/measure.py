"""One trace becomes a measurement: process, windows, and in each window the facts and every detector."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from echolot_tui.checkout.sources import Sources
from echolot_tui.engine.model import TraceSession
from echolot_tui.frozen import Frozen
from echolot_tui.measure.derived import DerivedTables
from echolot_tui.measure.device import device_facts, recorded_at
from echolot_tui.measure.environment import environment_facts
from echolot_tui.measure.facts import window_facts
from echolot_tui.measure.health import trace_health
from echolot_tui.measure.main_thread import main_thread, running_ns
from echolot_tui.measure.markers import markers
from echolot_tui.measure.model import MainThread, Measurement, Occurrence, ProcessFacts, TraceIdentity
from echolot_tui.measure.own_code import OwnCode
from echolot_tui.measure.process import choose_process
from echolot_tui.measure.run_detectors import run_detectors
from echolot_tui.measure.spec import MeasureSpec
from echolot_tui.measure.survey import survey
from echolot_tui.measure.tables import create_tables, drop_tables
from echolot_tui.measure.window import Window, Windows, cut_slices, find_windows
from echolot_tui.units import ms


class Request(Frozen, frozen=True, kw_only=True):
    """What a worker process is asked about one trace."""

    trace: TraceIdentity
    spec: MeasureSpec
    key: str
    """Of ``spec`` and engine: see ``measure.spec.spec_key``."""
    checkout: str | None = None
    """Folder of the app's sources, which tell its own code."""


class _Measured(NamedTuple):
    """Whose time is measured."""

    process: ProcessFacts
    main: MainThread | None
    package: str


def measure_trace(session: TraceSession, request: Request) -> Measurement:
    """Measure one trace, all bars open.

    Args:
        session: The loaded trace.
        request: What is asked.

    Raises:
        NoProcessError: No process to measure.
        QueryError: The engine failed on a query that is no detector's.
    """
    spec = request.spec
    seen, running = survey(session), running_ns(session)
    process, facts = choose_process(session, seen, running, mask=spec.process, start=spec.start)
    main = main_thread(process, running)
    windows = find_windows(session, seen, process, start=spec.start, end=spec.end, mode=spec.window)
    whose = _Measured(process=facts, main=main, package=spec.package or facts.name.partition(":")[0])
    notes = dict.fromkeys(_notes(windows))
    own = OwnCode(Sources(Path(request.checkout)) if request.checkout else None)
    occurrences = []
    for window in windows.windows:
        occurrence, said = _occurrence(session, spec, whose, window, own)
        occurrences.append(occurrence)
        notes |= dict.fromkeys(said)
    clipped, unfinished = cut_slices(session, process, windows.windows)
    return Measurement(
        trace=request.trace,
        engine=session.engine,
        spec_key=request.key,
        process=facts,
        main=main,
        clipped_slices=clipped,
        unfinished_slices=unfinished,
        occurrences_total=windows.total,
        occurrences=tuple(occurrences),
        health=trace_health(session),
        device=device_facts(session, package=whose.package),
        recorded_at=recorded_at(session),
        checkout=own.asked,
        notes=tuple(notes),
    )


def _occurrence(
    session: TraceSession, spec: MeasureSpec, whose: _Measured, window: Window, own: OwnCode
) -> tuple[Occurrence, tuple[str, ...]]:
    """Everything measured in one window, and what there is to say about it."""
    package = whose.package
    bounds = {"start_ns": window.start_ns, "end_ns": window.end_ns}
    create_tables(
        session,
        upid=whose.process.upid,
        main_utid=whose.main.utid if whose.main else None,
        process_name=whose.process.name,
        package=package,
        claimed_globs=spec.claimed_globs,
        **bounds,
    )
    try:
        derived = DerivedTables(session, own)
        facts = window_facts(session, package=package, **bounds)
        occurrence = Occurrence(
            number=window.number,
            duration_ms=ms(window.end_ns - window.start_ns),
            start=window.start,
            end=window.end,
            main_thread=facts.main_thread,
            opened_inside=facts.opened_inside,
            startup=facts.startup,
            environment=environment_facts(session, package=package, **bounds),
            markers=markers(derived, prefix=spec.marker_prefix, domain_globs=spec.domain_globs),
            detectors=run_detectors(derived, spec.detectors),
            **bounds,
        )
    finally:
        drop_tables(session)
    return occurrence, facts.notes


def _notes(windows: Windows) -> list[str]:
    if not windows.incomplete:
        return []
    many = f"{windows.incomplete} starts" if windows.incomplete > 1 else "1 start"
    return [f"{many} after the last occurrence has no end and is left out"]
