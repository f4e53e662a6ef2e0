"""``echolot analyze``: where did the time go in one set of traces."""

from __future__ import annotations

from typing import Any

import click

from echolot_tui.headless import options, output
from echolot_tui.headless.diagnostics import talk
from echolot_tui.headless.setup import Flags, open_project


@click.command("analyze")
@click.argument("traces", nargs=-1, required=True, metavar="TRACE...")
@options.config_flags
@options.window_flags
@options.threshold_flags
@options.out_flag
@options.jobs_flag
@options.json_flag
@click.pass_obj
def command(
    obj: dict[str, Any], /, *, traces: tuple[str, ...], out: str | None, as_json: bool, **given: Any
) -> int:
    """Measure TRACES (files, quoted globs, folders) as repeats of one scenario and write their report.

    With a config or -o it writes report.json, rows.json and report.md; with neither it prints the
    report and writes nothing. Inside a hunt the report is kept in the round its traces belong to.
    """
    from echolot_tui.headless import hunting, pipeline  # noqa: PLC0415 - numpy and the engine, not for --help
    from echolot_tui.headless.newest_set import of_one_scenario  # noqa: PLC0415
    from echolot_tui.measure.inputs import resolve_traces  # noqa: PLC0415
    from echolot_tui.present.report_markdown import report_markdown  # noqa: PLC0415
    from echolot_tui.present.report_text import report_full  # noqa: PLC0415

    flags = Flags(tp_binary=obj["tp_binary"], **given)
    with hunting.beside(hunting.layout_of(flags.config)) as store:
        project = open_project(flags, preferred=hunting.scenario_of(store, flags))
        folder = project.output_folder(out)
        hunting.warn_of_drift(store, project)
        given_traces = of_one_scenario(resolve_traces(traces), traces, project)
        analysis = pipeline.analyze(given_traces, project, flags)
        text = report_markdown(analysis.report)
        if folder is None:
            talk.note("no config and no -o: nothing is written")
        else:
            pipeline.save(analysis, folder, text)
            if project.loaded is not None and project.loaded.config.history.auto:
                from echolot_tui.headless.history_store import auto_add  # noqa: PLC0415 - only where asked for

                auto_add(analysis, project, folder / pipeline.REPORT)
        hunt = store.hunts.current() if store is not None else None
        if store is not None and hunt is not None:
            hunting.keep_report(store, hunt, analysis, given_traces.paths)
    if as_json:
        output.write_bytes(analysis.data)
    else:
        output.write_lines(report_full(analysis.report, output.width()))
    return 0
