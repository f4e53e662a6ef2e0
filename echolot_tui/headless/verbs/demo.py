"""``echolot demo``: the main job, end to end, on generated traces with one planted change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from echolot_tui.headless import options, output
from echolot_tui.headless.diagnostics import talk
from echolot_tui.headless.setup import Flags, Project, open_project

if TYPE_CHECKING:
    from echolot_tui.compare.model import Comparison
    from echolot_tui.headless.pipeline import Analysis

QUESTION = "The cold start got slower. Which work takes longer?"
SINCE = "the newest change"


@click.command("demo")
@click.argument("folder", default="echolot-demo", metavar="[DIR]")
@options.jobs_flag
@options.json_flag
@click.pass_obj
def command(obj: dict[str, Any], /, *, folder: str, jobs: int | None, as_json: bool) -> int:
    """Write a small project into DIR: two rounds of five cold starts, one planted change; compare them.

    Nothing but generated traces is needed. The project holds an open hunt with both rounds. Running it
    again in the same folder gives the same traces and rounds.
    """
    from echolot_tui.compare.codec import encode_comparison  # noqa: PLC0415 - not for --help
    from echolot_tui.compare.view import ViewOptions  # noqa: PLC0415
    from echolot_tui.generate.demo import write_demo  # noqa: PLC0415
    from echolot_tui.headless import pipeline  # noqa: PLC0415
    from echolot_tui.headless.clock import now  # noqa: PLC0415
    from echolot_tui.headless.verbs.compare import compare, save  # noqa: PLC0415
    from echolot_tui.measure.inputs import resolve_traces  # noqa: PLC0415
    from echolot_tui.present.comparison_text import comparison_lines  # noqa: PLC0415
    from echolot_tui.present.report_markdown import report_markdown  # noqa: PLC0415

    talk.progress("generating ten traces")
    demo = write_demo(Path(folder))
    talk.done()
    flags = Flags(config=str(demo.config), jobs=jobs, tp_binary=obj["tp_binary"])
    project = open_project(flags)
    analyses = {}
    for side in (demo.before, demo.after):
        analysis = pipeline.analyze(resolve_traces([str(side)]), project, flags)
        pipeline.save(analysis, side, report_markdown(analysis.report))
        analyses[side.name] = analysis
    comparison = compare((str(demo.before), str(demo.after)), project, flags, generated_at=now())
    data = encode_comparison(comparison)
    save(comparison, data, Path(folder))
    traces = {demo.before.name: demo.before_traces, demo.after.name: demo.after_traces}
    _keep(project, flags, analyses, traces, comparison)
    if as_json:
        output.write_bytes(data)
    else:
        output.write_lines(comparison_lines(comparison, ViewOptions(), output.width()))
    return 0


def _keep(
    project: Project,
    flags: Flags,
    analyses: Mapping[str, Analysis],
    traces: Mapping[str, Sequence[Path]],
    comparison: Comparison,
) -> None:
    """A hunt that holds both rounds; one that somebody closed since stays as it is."""
    from echolot_tui.compare.codec import encode_comparison  # noqa: PLC0415 - not for --help
    from echolot_tui.headless import hunting  # noqa: PLC0415

    with hunting.opened(flags) as store:
        hunt = next((each for each in store.hunts.all() if each.question == QUESTION), None)
        if hunt is None:
            hunt = hunting.open_hunt(store, project, QUESTION, SINCE)
        if hunt.state != "open":
            return
        rounds = []
        for label, analysis in analyses.items():
            kept = hunting.keep_report(store, hunt, analysis, traces[label])
            if kept is None:
                return
            if kept.label is None:
                store.hunts.label(hunt.n, kept.k, label)
            rounds.append(kept)
        before, after = rounds
        hunting.keep_comparison(store, (before, after), comparison, encode_comparison(comparison))
