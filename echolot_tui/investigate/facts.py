"""What a round's report says about it, for lists: how long the window was, on which device."""

from __future__ import annotations

from msgspec.structs import replace

from echolot_tui.errors import EcholotError
from echolot_tui.frozen import Frozen, always
from echolot_tui.investigate.model import Round
from echolot_tui.project.files import read_bytes, sha256_of
from echolot_tui.project.layout import Layout
from echolot_tui.report.codec import decode_report
from echolot_tui.report.model import Report


class RoundFacts(Frozen, frozen=True, kw_only=True):
    """Facts of a round's latest report, which has most of them, and of its files."""

    window_ms: float | None = None
    """Median over the runs."""
    values: tuple[float | None, ...] = always(())
    """The window of each run."""
    runs: int | None = None
    runs_given: int | None = None
    model: str | None = None
    """Of the device."""
    cpu_mhz: float | None = None
    throttled: bool | None = None
    gone: tuple[int, ...] = ()
    """Runs whose trace is not where it was."""
    problem: str | None = None
    """Why the report cannot be read, or that it is not the one the round was measured with."""


def round_facts(of: Round, layout: Layout) -> RoundFacts:
    """Read the round's report, and look for its traces."""
    gone = tuple(trace.run for trace in of.traces if not (layout.root / trace.path).exists())
    return replace(_of_report(of, layout), gone=gone)


def _of_report(of: Round, layout: Layout) -> RoundFacts:
    if of.report is None:
        return RoundFacts()
    path = layout.root / of.report.path
    try:
        data = read_bytes(path)
        report = decode_report(data, where=str(path))
    except EcholotError as error:
        return RoundFacts(problem=error.sentence)
    other = sha256_of(data) != of.report.sha256
    return _facts(report, f"{path}: is not the report {of.name} was measured with" if other else None)


def _facts(report: Report, problem: str | None) -> RoundFacts:
    window, cpu, thermal = report.window, report.environment.cpu, report.environment.thermal
    return RoundFacts(
        window_ms=window.duration_ms,
        values=window.values or (),
        runs=report.runs,
        runs_given=report.runs_given,
        model=next((repeat.device.model for repeat in report.repeats if repeat.device.model), None),
        cpu_mhz=cpu.mean_mhz if cpu else None,
        throttled=thermal.throttled if thermal else None,
        problem=problem,
    )
