"""Measurements and decisions become the report and, beside it, every measured row. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from echolot_tui.errors import EcholotError
from echolot_tui.frozen import Frozen
from echolot_tui.measure.coverage import covered_ns
from echolot_tui.measure.model import Coverage, Measurement, Unreadable
from echolot_tui.measure.plan import Plan
from echolot_tui.report.judge import Judgement, answer_in, judge
from echolot_tui.report.merge_facts import InRows, merge_environment, merge_markers, merge_window
from echolot_tui.report.model import AllRows, ConfigRef, Repeat, Report, Summary, Toolchain
from echolot_tui.report.runs import Run, runs_of


class ReportContext(Frozen, frozen=True, kw_only=True):
    """What a report says that neither the traces nor the settings know."""

    generated_at: str | None = None
    """UTC, ISO, whole seconds."""
    scenario: str | None = None
    config: ConfigRef = ConfigRef()
    toolchain: Toolchain = Toolchain()
    """Packages, and who chose the engine; version and hash come from the measurements."""
    notes: tuple[str, ...] = ()


class NothingMeasuredError(EcholotError):
    """No trace of the set could be measured."""


def build_report(
    measurements: Sequence[Measurement],
    plan: Plan,
    *,
    context: ReportContext,
    unreadable: Sequence[Unreadable] = (),
) -> tuple[Report, AllRows]:
    """Merge a set of measurements and apply the gates.

    The same measurements in the same order give the same report. The rows' ``report_sha256`` is
    empty until ``codec.encode_rows`` binds them to the report's bytes.

    Args:
        measurements: One per measured trace, in the order the traces were given.
        plan: Which detectors are on, and their parameters.
        context: Time, scenario, config and packages.
        unreadable: Traces of the set that gave no measurement.

    Raises:
        NothingMeasuredError: There is no measurement, or none holds an occurrence of the scenario.
    """
    runs = runs_of(measurements)
    if not runs:
        reasons = "; ".join(f"{one.path}: {one.reason}" for one in unreadable)
        raise NothingMeasuredError(
            f"no trace could be measured ({reasons})" if reasons else "there is no trace to report on"
        )
    judgements = [judge(decision, runs) for decision in plan.decisions if decision.on]
    sections = tuple(judgement.report for judgement in judgements)
    fired = tuple(section.id for section in sections if section.rows)
    report = Report(
        generated_at=context.generated_at,
        trace=measurements[0].trace.path,
        scenario=context.scenario,
        toolchain=_toolchain(measurements, context.toolchain),
        window=merge_window(runs, [_in_rows(at, run, judgements) for at, run in enumerate(runs)]),
        environment=merge_environment(runs),
        markers=merge_markers(runs),
        summary=Summary(
            detectors_run=len(sections), detectors_fired=len(fired), fired_ids=fired, absent_ids=plan.off_ids
        ),
        detectors=sections,
        traces=tuple(measurement.trace.path for measurement in measurements),
        runs=len(measurements),
        runs_given=len(measurements) + len(unreadable),
        unreadable=tuple(unreadable),
        repeats=tuple(map(_repeat, runs)),
        clipped=True,
        config=msgspec.structs.replace(context.config, defaults=plan.defaults, set=dict(plan.set) or None),
        notes=(*context.notes, *plan.notes, *_trace_notes(measurements)),
    )
    every_row = tuple(
        msgspec.structs.replace(judgement.report, rows=judgement.every_row) for judgement in judgements
    )
    return report, AllRows(report_sha256="", detectors=every_row)


def _in_rows(at: int, run: Run, judgements: Iterable[Judgement]) -> InRows:
    """Main-thread time the listed rows of one run stand for."""
    chosen: list[tuple[Coverage, Sequence[int]]] = []
    uncounted: list[str] = []
    for judgement in judgements:
        positions = judgement.counted[at]
        answer = answer_in(run, judgement.report.id)
        if positions and answer.coverage_error:
            uncounted.append(answer.id)
        elif positions and answer.coverage is not None:
            chosen.append((answer.coverage, positions))
    window = run.occurrence
    covered = covered_ns(chosen, start_ns=window.start_ns, end_ns=window.end_ns)
    return InRows(covered_ns=covered, uncounted=tuple(uncounted))


def _toolchain(measurements: Sequence[Measurement], packages: Toolchain) -> Toolchain:
    engines = [measurement.engine for measurement in measurements]
    return msgspec.structs.replace(
        packages,
        trace_processor=_joined(engine.version for engine in engines),
        engine=_joined(engine.kind for engine in engines),
        engine_sha256=_joined(engine.sha256 for engine in engines),
    )


def _joined(values: Iterable[str]) -> str:
    return "+".join(sorted(set(values)))


def _repeat(run: Run) -> Repeat:
    measurement, environment = run.measurement, run.occurrence.environment
    return Repeat(
        label=run.label,
        trace=measurement.trace.path,
        trace_index=run.trace_index,
        sha256=measurement.trace.sha256,
        occurrence=run.occurrence.number,
        window_ms=run.occurrence.duration_ms,
        cpu_mhz=environment.cpu.mean_mhz if environment.cpu else None,
        throttled=environment.thermal.throttled if environment.thermal else None,
        recorded_at=measurement.recorded_at,
        health=measurement.health,
        device=measurement.device,
    )


def _trace_notes(measurements: Sequence[Measurement]) -> tuple[str, ...]:
    """Each trace's notes once, with how many traces say it where not all do."""
    said = Counter(note for measurement in measurements for note in dict.fromkeys(measurement.notes))
    total = len(measurements)
    return tuple(
        note if times == total else f"{note} ({times}/{total} traces)" for note, times in said.items()
    )
