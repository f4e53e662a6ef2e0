"""``echolot status``: where the project stands and what to do next."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Literal

import click
from msgspec.structs import replace

from echolot_tui.errors import ConfigError, EcholotError
from echolot_tui.frozen import Frozen
from echolot_tui.headless import hunting, options, output
from echolot_tui.headless.clock import now
from echolot_tui.headless.setup import Flags, Project, open_project
from echolot_tui.investigate.moments import seconds_between, written
from echolot_tui.investigate.next_step import HuntStep, next_step
from echolot_tui.investigate.store import Store
from echolot_tui.investigate.view import HuntView, hunt_view
from echolot_tui.present.hunt_text import ago, round_table
from echolot_tui.present.numbers import plural
from echolot_tui.present.spans import Line, Span, cut_line, line
from echolot_tui.present.table import text_table
from echolot_tui.project.files import read_bytes
from echolot_tui.project.scenario import Scenario, engine_binary

ProjectStep = Literal["setup", "fix-config", "collect", "analyze", "compare"]

_RECORD = "echolot collect records the runs; or put their traces into .echolot/traces"

_NEXT_HUNT = 'echolot hunt "QUESTION" opens the next hunt'

_TODO: dict[ProjectStep, str] = {
    "setup": "echolot probe TRACE, then write echolot.yml; or echolot compare BEFORE AFTER without one",
    "fix-config": "correct the config as the line above says",
    "collect": "put the runs' traces into .echolot/traces, or name them to echolot analyze",
    "analyze": "echolot analyze .echolot/traces",
    "compare": "record the other side, then echolot compare OLD/report.json",
}


class Status(Frozen, frozen=True, kw_only=True):
    """Where the project stands."""

    config: str | None
    config_error: str | None = None
    warnings: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()
    own_thresholds: tuple[str, ...] = ()
    """Scenarios with a detectors section of their own."""
    engine: str
    traces: int = 0
    collect: str | None = None
    """The collect in flight, or how the last one ended."""
    reports: dict[str, str] = {}
    """Scenario to a line about its latest report."""
    hunt: HuntView | None = None
    """The current hunt."""
    open_hunts: tuple[int, ...] = ()
    next: ProjectStep | HuntStep
    """Of the hunt when one is open, else of the project."""
    todo: str


@click.command("status")
@options.config_flags
@click.option("--next", "only_next", is_flag=True, help="Print one word: what to do next.")
@options.json_flag
@click.pass_obj
def command(obj: dict[str, Any], /, *, only_next: bool, as_json: bool, **given: Any) -> int:
    """Show config, engine, traces, latest reports, the current hunt, and what to do next."""
    flags = Flags(tp_binary=obj["tp_binary"], **given)
    with hunting.beside(hunting.layout_of(flags.config)) as store:
        status = _with_hunt(_status(flags, hunting.scenario_of(store, flags)), store, flags)
    if only_next:
        output.write(status.next)
    elif as_json:
        output.write_json(status)
    else:
        output.write_lines(_lines(status, now(), output.width()))
    return 0


def _with_hunt(status: Status, store: Store | None, flags: Flags) -> Status:
    """What the record adds; a config that does not load comes first."""
    if store is None:
        return status
    hunts = store.hunts.all()
    current = next((hunt for hunt in hunts if hunt.current), None)
    step = next_step(hunts, now()) if status.config_error is None else None
    is_over = bool(hunts) and step is None and status.config_error is None
    return replace(
        status,
        hunt=hunt_view(current, hunts, store.layout, hunting.config_of(flags), now()) if current else None,
        open_hunts=tuple(hunt.n for hunt in hunts if hunt.state == "open"),
        next=step.word if step else status.next,
        todo=step.todo if step else f"{_NEXT_HUNT}; or {status.todo}" if is_over else status.todo,
    )


def _status(flags: Flags, scenario: str | None) -> Status:
    try:
        project = open_project(flags, preferred=scenario)
    except ConfigError as error:
        return Status(
            config=None, config_error=error.sentence, engine=_engine(flags, None), **_next("fix-config")
        )
    if project.loaded is None:
        return Status(config=None, engine=_engine(flags, None), **_next("setup"))
    names = tuple(project.loaded.config.scenarios or (project.scenario.name,))
    traces = _count_traces(project)
    reports = {name: line for name in names if (line := _report_line(project, name))}
    step: ProjectStep = "compare" if reports else "analyze" if traces else "collect"
    return Status(
        config=str(project.loaded.path),
        warnings=project.loaded.warnings,
        scenarios=names,
        own_thresholds=tuple(
            name
            for name, block in (project.loaded.config.scenarios or {}).items()
            if block and block.detectors
        ),
        engine=_engine(flags, project),
        traces=traces,
        collect=_collect_line(project),
        reports=reports,
        **_next(step, can_record=_can_record(project.scenario)),
    )


def _can_record(scenario: Scenario) -> bool:
    """Whether the config says enough for ``echolot collect``."""
    runner = scenario.runner
    told = {
        "launch": scenario.package,
        "command": runner.command,
        "host": runner.command,
        "gradle": runner.gradle_task,
    }
    return bool(told[runner.mode])


def _next(step: ProjectStep, *, can_record: bool = False) -> dict[str, Any]:
    return {"next": step, "todo": _RECORD if step == "collect" and can_record else _TODO[step]}


def _engine(flags: Flags, project: Project | None) -> str:
    """Which engine would answer, or why none would."""
    from echolot_tui.engine.locate import EMBEDDED_VERSION, find_build  # noqa: PLC0415 - not for --help

    native = flags.tp_binary or (engine_binary(project.loaded) if project else None)
    if native:
        return f"native: {native}"
    try:
        build = find_build("embedded")
    except EcholotError as error:
        return error.sentence
    return f"embedded: trace_processor {EMBEDDED_VERSION} ({build.sha256[:12]})"


def _count_traces(project: Project) -> int:
    from echolot_tui.measure.inputs import resolve_traces  # noqa: PLC0415 - not for --help

    assert project.layout is not None
    if not project.layout.traces.is_dir():
        return 0
    try:
        return len(resolve_traces([str(project.layout.traces)]).paths)
    except EcholotError:  # a folder without traces is simply none
        return 0


def _collect_line(project: Project) -> str | None:
    from echolot_tui.collect.files import CollectFiles  # noqa: PLC0415 - not for --help
    from echolot_tui.collect.progress import read_progress, standing  # noqa: PLC0415

    assert project.layout is not None
    try:
        progress = read_progress(CollectFiles(layout=project.layout).progress)
    except EcholotError as error:
        return error.sentence
    if progress is None or (progress.error is not None and _has_newer_trace(project, progress.finished)):
        return None
    return standing(progress)


def _has_newer_trace(project: Project, moment: str | None) -> bool:
    """Whether a trace came after a collect that failed: from then on its failure is no news."""
    assert project.layout is not None
    if moment is None or not project.layout.traces.is_dir():
        return False
    files = [path for path in project.layout.traces.iterdir() if path.is_file()]
    changed = (written(datetime.fromtimestamp(path.stat().st_mtime, UTC)) for path in files)
    return any(seconds_between(moment, each) > 0 for each in changed)


def _report_line(project: Project, name: str) -> str | None:
    from echolot_tui.project.scenario import resolve_scenario  # noqa: PLC0415 - not for --help
    from echolot_tui.report.codec import decode_report  # noqa: PLC0415

    assert project.loaded is not None
    assert project.layout is not None
    path = project.layout.out(resolve_scenario(project.loaded, name)) / "report.json"
    if not path.is_file():
        return None
    try:
        report = decode_report(read_bytes(path), where=str(path))
    except EcholotError as error:
        return error.sentence
    stale = " · config changed since" if report.config.sha not in {None, project.loaded.sha} else ""
    runs = plural(report.runs or 1, "run")
    return f"{path} · {runs} · {report.generated_at or 'no date'}{stale}"


def _lines(status: Status, at: str, width: int) -> list[Line]:
    config = status.config or status.config_error or "none: no echolot.yml here or above"
    lines = [line(Span("config   ", "muted"), config)]
    lines += [line(Span("warning  ", "warning"), warning) for warning in status.warnings]
    lines.append(line(Span("engine   ", "muted"), status.engine))
    if status.config:
        lines.append(line(Span("traces   ", "muted"), plural(status.traces, "trace")))
        if status.collect is not None:
            lines.append(line(Span("collect  ", "muted"), status.collect))
        lines += [_scenario_line(status, name) for name in status.scenarios]
    lines += _hunt_lines(status, at, width)
    return [*lines, line(Span("next     ", "strong"), status.todo)]


def _scenario_line(status: Status, name: str) -> Line:
    own = " (own thresholds)" if name in status.own_thresholds else ""
    rounds = status.hunt.hunt.measured if status.hunt is not None else ()
    none = "those of the rounds below" if any(each.scenario == name for each in rounds) else "none yet"
    return line(Span("report   ", "muted"), f"{name}{own}: {status.reports.get(name, none)}")


def _hunt_lines(status: Status, at: str, width: int) -> list[Line]:
    view = status.hunt
    others = [n for n in status.open_hunts if view is None or n != view.hunt.n]
    also = f"also open: {', '.join(map(str, others))}" if others else ""
    if view is None:
        return [line(Span("hunt     ", "muted"), f"none current; {also}")] if also else []
    hunt = view.hunt
    parts = [f"{hunt.n}: {hunt.question}", f"worked on {ago(hunt.touched_at, at)}", *([also] if also else [])]
    lines = [cut_line(line(Span("hunt     ", "muted"), " · ".join(parts)), width)]
    if hunt.rounds:
        indent = Span("         ")
        table = text_table(round_table(hunt.rounds, view.facts, at), max(width - len(indent.text), 20))
        lines += [(indent, *each) for each in table]
    return lines + [line(Span("warning  ", "warning"), each.text) for each in view.drift]
