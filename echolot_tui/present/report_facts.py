"""What a report says about the set, the window and the settings, sentence by sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath

from echolot_tui.measure.model import ProcessChoice
from echolot_tui.present.numbers import listed, ms, plural, share, tenths, whole
from echolot_tui.present.report_environment import environment_statements
from echolot_tui.present.spans import Span
from echolot_tui.present.startup_words import held_up_by
from echolot_tui.present.statement import Statement, fact, name, strong, warning
from echolot_tui.report.model import (
    AnchorReport,
    BudgetReport,
    MarkersReport,
    Report,
    StartupReport,
    WindowReport,
)
from echolot_tui.text import visible

TRACES_SHOWN = 8
"""Traces named in the header; the model has all."""

_BUDGET_WORDS = {
    "on_cpu": "on a CPU",
    "waiting_for_cpu": "waiting for one",
    "in_kernel": "blocked in the kernel",
    "sleeping": "asleep",
    "other": "in other states",
}
_STATE_WORDS = {
    "R": "waiting for a CPU",
    "R+": "waiting for a CPU",
    "D": "blocked in the kernel",
    "DK": "blocked in the kernel",
    "S": "asleep",
}
_CHOSEN_WORDS = {
    "start anchor": "it holds the start anchor",
    "most main-thread work": "it did the most main-thread work; name another with --process",
    "only process": "it is the only one with events",
}


def header_statements(report: Report) -> list[Statement]:
    """Everything above the rows, in reading order; what the report does not say is left out."""
    return [
        *_set(report),
        *_process(report.window),
        *_window(report),
        *environment_statements(report),
        *_settings(report),
    ]


def _set(report: Report) -> Iterator[Statement]:
    traces = report.traces or ((report.trace,) if report.trace else ())
    runs, given = report.runs or len(traces), report.runs_given or report.runs or len(traces)
    if given > 1:
        measured = f" of {given} traces measured" if given != runs else ""
        occurrences = (
            f", {len(report.repeats)} occurrences of the scenario" if len(report.repeats) > runs else ""
        )
        yield fact("Runs", strong(f"{runs}"), f"{measured}{occurrences}; figures are medians over the runs")
    if traces:
        stems = [visible(PurePath(trace).name or trace, 60) for trace in traces]
        yield fact("Trace" if len(traces) == 1 else "Traces", Span(listed(stems, TRACES_SHOWN), "name"))
    for trace in report.unreadable:
        yield warning(name(trace.path), " was not measured: ", Span(visible(trace.reason, 400)))
    if report.scenario is not None:
        yield fact("Scenario", name(report.scenario))


def _process(window: WindowReport) -> Iterator[Statement]:
    if window.process is None:
        return
    pid = "" if window.pid is None or window.process.startswith("pid ") else f" (pid {window.pid})"
    why = _CHOSEN_WORDS.get(window.process_chosen_by or "", "")
    yield fact("Process", name(window.process), pid, f", chosen because {why}" if why else "")
    if window.main is not None and window.main.rule != "tid == pid":
        yield fact("Main thread", name(window.main.name), f", taken by the rule “{window.main.rule}”")
    if window.process_alternatives and window.process_chosen_by in (None, "mask"):
        others = [
            f"{visible(other.name, 60)} ({_which(other, window.process)}{plural(other.slices, 'slice')})"
            for other in window.process_alternatives
        ]
        total = max(window.process_alternatives_total or 0, len(others))
        more = f" and {total - len(others)} more" if total > len(others) else ""
        yield warning(
            "The process mask also matches ",
            Span(", ".join(others), "name"),
            more,
            "; narrow it if this is the wrong one",
        )
    if window.processes and len(window.processes) > 1:
        names = listed([visible(process, 60) for process in window.processes])
        yield warning("The runs measure different processes: ", Span(names, "name"))
    if window.restarts:
        yield warning(
            plural(window.restarts, "other process", "other processes"),
            " of the same name ran in the trace; only one is measured",
        )


def _which(other: ProcessChoice, chosen: str | None) -> str:
    """What to name a namesake by, which no mask can tell apart."""
    return f"pid:{other.pid}, " if other.name == chosen else ""


def _window(report: Report) -> Iterator[Statement]:
    window = report.window
    if window.duration_ms is not None:
        low, high = window.duration_ms_min, window.duration_ms_max
        spread = (
            f" (from {ms(low)} to {ms(high)})" if low is not None and high is not None and low != high else ""
        )
        resolves = (
            f"; as many runs again would show a move of {ms(window.resolves_ms)} ms"
            if window.resolves_ms
            else ""
        )
        yield fact("Scenario window", strong(f"{ms(window.duration_ms)} ms"), spread, resolves)
        if low is not None and high is not None and high > 2 * low:
            yield warning(
                "The longest window is more than twice the shortest: these runs did not do the same thing"
            )
    if window.empty is not None:
        where = "" if _is_all(window.empty) else f" in {window.empty} runs"
        yield warning(
            f"The window ends at the moment it starts{where}, so nothing lies in it; "
            "choose anchors that have the scenario between them"
        )
    if report.repeats and (window.occurrences_total or 0) > max(
        repeat.occurrence for repeat in report.repeats
    ):
        yield fact(
            "Occurrences",
            f"up to {window.occurrences_total} in a trace; the first is measured, window: each measures all",
        )
    if window.main_thread is not None:
        yield from _budget(window.main_thread)
    if window.startup is not None:
        yield _startup(window.startup)
    yield from _anchor(window.start, "start", "the window begins with the first slice of the process")
    yield from _anchor(window.end, "end", "the window ends with the last slice of the process")
    opened = window.opened_inside
    if opened is not None and opened.material:
        state = _STATE_WORDS.get(opened.state, f"in state {visible(opened.state, 20)}")
        runs = f" in {opened.runs} runs" if opened.runs and not _is_all(opened.runs) else ""
        yield warning(
            f"When the window opened{runs}, the main thread had been {state} for ",
            strong(f"{ms(opened.before_ms)} ms"),
            f" of {ms(opened.total_ms)} ms: most of that wait lies before the window",
        )


def _budget(budget: BudgetReport) -> Iterator[Statement]:
    shares = [
        (words, getattr(budget, key), share(getattr(budget, key), budget.window_ms))
        for key, words in _BUDGET_WORDS.items()
    ]
    parts = [
        f"{text} {words}"
        for words, value, text in shares
        if text is not None and value >= 0.01 * budget.window_ms
    ]
    if parts:
        yield fact("Main thread", " · ".join(parts))
    if budget.in_rows_pct is not None:
        without = (
            f"; rows of {', '.join(budget.in_rows_uncounted)} could not be located"
            if budget.in_rows_uncounted
            else ""
        )
        yield fact(
            "Covered by the rows below",
            strong(f"{budget.in_rows_pct:.0f}%"),
            f" of the main thread's time{without}",
        )
    if budget.accounted_pct is not None and budget.accounted_pct < 95:
        yield warning(
            f"Only {tenths(budget.accounted_pct)}% of the main thread's time has a recorded state; "
            "scheduling events are missing"
        )


def _startup(startup: StartupReport) -> Statement:
    reasons = [
        f"{visible(held_up_by(reason), 60)} {ms(spent)} ms" for reason, spent in startup.reasons.items()
    ]
    sits = [
        _offset(startup.from_window_start_ms, "begins", "the window opens"),
        _offset(startup.from_window_end_ms, "ends", "the window closes"),
    ]
    several = f", one of {startup.startups} startups" if startup.startups > 1 else ""
    runs = f", in {startup.runs} runs" if startup.runs and not _is_all(startup.runs) else ""
    return fact(
        "Startup",
        Span(f"{visible(startup.type, 40)} " if startup.type else "", "name"),
        strong(f"{ms(startup.dur_ms)} ms"),
        several,
        runs,
        f" ({listed(reasons)})" if reasons else "",
        "".join(f"; {text}" for text in sits if text),
    )


def _offset(value: float, verb: str, moment: str) -> str:
    if abs(value) < 1:
        return ""
    return f"{verb} {ms(abs(value))} ms {'before' if value < 0 else 'after'} {moment}"


def _anchor(anchor: AnchorReport | None, which: str, instead: str) -> Iterator[Statement]:
    if anchor is None:
        return
    if anchor.matches == 0 or anchor.missed:
        where = f"in {anchor.missed} runs" if anchor.missed and not _is_all(anchor.missed) else "in the trace"
        early = ", only before the window's start" if anchor.before_start else ""
        yield warning(
            f"No slice matches the {which} anchor ", name(anchor.glob), f" {where}{early}; {instead}"
        )
    if anchor.unfinished:
        yield warning(
            f"The slice of the {which} anchor ",
            name(anchor.glob),
            " never closed; it counts to the end of the trace",
        )


def _is_all(share_of_runs: str) -> bool:
    seen, _, total = share_of_runs.partition("/")
    return seen == total


def _settings(report: Report) -> Iterator[Statement]:
    yield from _mapping(report)
    yield from _markers(report.markers)
    summary = report.summary
    off = f"; turned off: {listed(summary.absent_ids, 20)}" if summary.absent_ids else ""
    yield fact(
        "Detectors fired",
        strong(f"{summary.detectors_fired} of {summary.detectors_run}"),
        off,
        "; times are in ms",
    )
    yield _config(report)
    tools = [text for text in (report.toolchain.engine, report.toolchain.trace_processor) if text]
    binary = f", {visible(report.toolchain.binary, 120)}" if report.toolchain.binary else ""
    if tools:
        yield fact("Engine", Span(visible(" ".join(tools), 80)), binary)
    for note in report.notes:
        yield fact("Note", Span(visible(note, 400)))


def _markers(markers: MarkersReport) -> Iterator[Statement]:
    """Temporary markers that are in the sources or in the traces only."""
    unbuilt, removed = markers.unbuilt, markers.removed
    if unbuilt is not None:
        yield warning(
            "No trace has any of the sources' temporary markers: ",
            _names(unbuilt.names),
            f", in {listed([visible(path, 120) for path in unbuilt.files], 3)}; ",
            f"this build does not have them, or none ran{_install(unbuilt.install)}",
        )
    if removed is not None:
        yield warning(
            "The sources do not have these temporary markers of the traces: ",
            _names(removed.names),
            f"; the build is older than the sources{_install(removed.install)}",
        )


def _names(names: Sequence[str]) -> Span:
    return Span(listed([visible(one, 60) for one in names], 5), "name")


def _install(tasks: Sequence[str]) -> str:
    """How to get the sources as they are onto the device."""
    if not tasks:
        return ": build and install it, then record again"
    return f": install it with {listed([visible(task, 80) for task in tasks], 3)}, then record again"


def _mapping(report: Report) -> Iterator[Statement]:
    mapping, retrace = report.config.mapping, report.retrace
    if mapping is not None and not mapping.found:
        yield warning("The R8 mapping ", name(mapping.path), " is not there; minified names stay as they are")
    if mapping is None or retrace is None:
        return
    known = f" ({visible(retrace.map_id, 80)})" if retrace.map_id else ""
    if retrace.other_map_ids and not retrace.frames:
        others = listed(retrace.other_map_ids, 20)
        yield warning(
            "The R8 mapping ", name(mapping.path), f"{known} is another build's: frames name {others}"
        )
    elif retrace.frames or retrace.outside:
        missing = f", {whole(retrace.outside)} not in the mapping" if retrace.outside else ""
        yield fact("Retraced", f"{plural(retrace.frames, 'frame')} of lock waits{missing}{known}")


def _config(report: Report) -> Statement:
    config = report.config
    parts = [
        f"{visible(config.path, 120)} ({config.sha})"
        if config.path and config.sha
        else visible(config.path or "none", 120)
    ]
    if config.local:
        parts.append(f"local {visible(config.local, 120)}")
    tuned = [detector.id for detector in report.detectors if detector.params_source != "default"]
    parts.append(
        "thresholds: " + (f"own for {listed(tuned, 20)}, shipped for the rest" if tuned else "as shipped")
    )
    of_scenario = [
        detector for detector in report.detectors if "scenario" in detector.params_source.split("+")
    ]
    if of_scenario:
        total = plural(len(report.detectors), "detector")
        parts.append(f"scenario {visible(report.scenario or '', 60)}'s own for {len(of_scenario)} of {total}")
    if config.defaults:
        parts.append("run with --defaults")
    return fact("Config", Span(" · ".join(parts)))
