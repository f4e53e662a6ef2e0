"""``echolot calibrate``: thresholds from healthy runs, as a section to paste."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from echolot_tui.errors import FAILED, EcholotError
from echolot_tui.headless import options, output
from echolot_tui.headless.diagnostics import talk
from echolot_tui.headless.setup import Flags, Project, engine_choice, make_plan, make_spec, open_project

if TYPE_CHECKING:
    from echolot_tui.calibrate.model import Asked, Calibration

BY = ("report-size",)


@click.command("calibrate")
@click.argument("traces", nargs=-1, required=True, metavar="TRACE|FOLDER|ROUND...")
@options.config_flags
@options.window_flags
@click.option(
    "--min-sample",
    type=click.IntRange(min=1),
    default=10,
    metavar="N",
    help="Fewest rows of a run a statistic is taken from  [10]",
)
@click.option(
    "--by",
    nargs=2,
    type=(click.Choice(BY), click.IntRange(min=1)),
    metavar="report-size N",
    help="Bars under which a healthy run lists at most N rows.",
)
@click.option("--diff", is_flag=True, help="Print each threshold today and proposed, and what that does.")
@click.option("--patch", is_flag=True, help="Print only the thresholds that change, as YAML.")
@click.option("--healthy", is_flag=True, help="These runs are healthy, whatever differs from earlier ones.")
@options.jobs_flag
@options.json_flag
@click.pass_obj
def command(
    obj: dict[str, Any],
    /,
    *,
    traces: tuple[str, ...],
    min_sample: int,
    by: tuple[str, int] | None,
    diff: bool,
    patch: bool,
    healthy: bool,
    as_json: bool,
    **given: Any,
) -> int:
    """Derive thresholds from traces: repeats of one scenario on a good build.

    Each is a file, a quoted glob, a folder, or a round of a hunt: its number or label, 2/before is the
    one of hunt 2. Prints a section to paste and never edits the config. Exit code 1: a detector failed
    on every run.
    """
    from echolot_tui.calibrate.model import Asked  # noqa: PLC0415 - not for --help
    from echolot_tui.headless import hunting  # noqa: PLC0415
    from echolot_tui.headless.round_traces import traces_of_rounds  # noqa: PLC0415

    if patch and (diff or as_json):
        raise EcholotError(
            "--patch prints another form of the result than --diff and --json", todo="ask for one"
        )
    flags = Flags(tp_binary=obj["tp_binary"], **given)
    asked = Asked(min_sample=min_sample, report_size=by[1] if by else None)
    with hunting.beside(hunting.layout_of(flags.config)) as store:
        named, scenario = traces_of_rounds(traces, store)
        project = open_project(flags, preferred=scenario or hunting.scenario_of(store, flags))
    if scenario not in (None, project.scenario.name):
        raise EcholotError(
            f'the round is of scenario "{scenario}", and this would calibrate "{project.scenario.name}"',
            todo="name the round's with --scenario, or the traces instead of the round",
        )
    calibration = _calibrate(named, project, flags, asked, trusted=healthy)
    _tell(calibration)
    _print(calibration, diff=diff, patch=patch, as_json=as_json)
    return FAILED if calibration.failed else 0


def _calibrate(
    given: tuple[str, ...], project: Project, flags: Flags, asked: Asked, *, trusted: bool
) -> Calibration:
    from echolot_tui.calibrate.propose import calibrate, with_effect  # noqa: PLC0415 - not for --help
    from echolot_tui.calibrate.suspicion import baseline  # noqa: PLC0415
    from echolot_tui.headless import pipeline  # noqa: PLC0415
    from echolot_tui.headless.calibrations import hold_against_earlier, keep_calibration  # noqa: PLC0415
    from echolot_tui.headless.clock import now  # noqa: PLC0415
    from echolot_tui.headless.latest_rows import latest_rows  # noqa: PLC0415
    from echolot_tui.headless.mapping import spec_with_names, with_names  # noqa: PLC0415
    from echolot_tui.headless.newest_set import of_one_scenario  # noqa: PLC0415
    from echolot_tui.measure.inputs import resolve_traces  # noqa: PLC0415

    choice = with_names(project, engine_choice(flags, project))
    plan = make_plan(flags, project)
    spec = spec_with_names(make_spec(project, plan), choice)
    traces = of_one_scenario(resolve_traces(given), given, project)
    measured = pipeline.measure(traces, project, flags, choice, spec)
    calibration = calibrate(
        measured.measurements,
        plan,
        project.scenario,
        asked=asked,
        made_at=now(),
        config_sha=project.loaded.sha if project.loaded else None,
    )
    latest = latest_rows(project, plan, choice, spec, known=measured.measurements)
    if latest is not None:
        on, rows = latest
        calibration = with_effect(calibration, rows, plan, on)
    runs = baseline(measured.measurements, plan, calibration)
    calibration = hold_against_earlier(replace(calibration, trusted=trusted), runs, project)
    keep_calibration(calibration, runs, project)
    return calibration


def _tell(calibration: Calibration) -> None:
    from echolot_tui.present.calibration_facts import summary_lines, suspicion_text  # noqa: PLC0415
    from echolot_tui.text import visible  # noqa: PLC0415

    for text in calibration.warnings:
        talk.warn(text)
    for detector in calibration.detectors:
        if detector.error:
            talk.error(EcholotError(visible(detector.error, 400), where=detector.id))
    suspicion = suspicion_text(calibration.suspicion) if calibration.suspicion else None
    if suspicion and calibration.healthy:
        talk.note(suspicion)
    elif suspicion:
        talk.warn(f"{suspicion}; if this is the new normal, say --healthy")
    for text in summary_lines(calibration):
        talk.note(text)


def _print(calibration: Calibration, *, diff: bool, patch: bool, as_json: bool) -> None:
    from echolot_tui.calibrate.kept import encode_calibration  # noqa: PLC0415 - not for --help
    from echolot_tui.present.calibration_text import calibration_lines  # noqa: PLC0415
    from echolot_tui.present.calibration_yaml import patch_yaml, section_yaml  # noqa: PLC0415

    if as_json:
        output.write_bytes(encode_calibration(calibration))
    elif diff:
        output.write_lines(calibration_lines(calibration, output.width()))
    else:
        output.write(patch_yaml(calibration) if patch else section_yaml(calibration))
