"""``echolot mark``: first temporary markers for an app, put in and taken out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from echolot_tui.errors import EcholotError
from echolot_tui.headless import options, output
from echolot_tui.headless.diagnostics import talk

if TYPE_CHECKING:
    from echolot_tui.checkout.mark_targets import MarkPlan
    from echolot_tui.checkout.sources import Sources


@click.command("mark")
@options.root_flag
@click.option("-c", "--config", metavar="FILE", help="Config; else echolot.yml here or above.")
@click.option("--local", metavar="FILE", help="Overlay; else local.yml beside the config.")
@click.option("--module", metavar="NAME", help="App module, where several are: :app.")
@click.option("--from-anr", "dump", metavar="FILE", help="Mark what is on the stacks of a thread dump.")
@click.option("--pools", is_flag=True, help="List threads started without a name instead.")
@click.option("--apply", "applied", is_flag=True, help="Write the markers into the sources.")
@click.option("--remove", "removed", is_flag=True, help="Take every marker out again.")
@options.json_flag
def command(
    *,
    root: str,
    config: str | None,
    local: str | None,
    module: str | None,
    dump: str | None,
    pools: bool,
    applied: bool,
    removed: bool,
    as_json: bool,
) -> int:
    """Propose temporary sections for a cold start; --apply writes them, --remove takes them out.

    They go around onCreate of the application and the launcher activity, what those call in their own
    file, the content, Room and dependency injection. Each is a pair of whole lines.
    """
    from echolot_tui.headless import marking  # noqa: PLC0415 - not for --help
    from echolot_tui.headless.checkout import instrumentation, sources_under  # noqa: PLC0415

    if sum((pools, applied, removed)) > 1:
        raise EcholotError("--apply, --remove and --pools are three things", todo="ask for one at a time")
    if module is not None and dump is not None:
        raise EcholotError("--module and --from-anr are two things", todo="ask for one at a time")
    sources, settings = sources_under(root), instrumentation(config, local)
    if removed:
        return _remove(sources, as_json=as_json)
    if pools:
        return _pools(sources, as_json=as_json)
    if dump is not None:
        plan = marking.plan_dump(sources, settings, Path(dump))
    else:
        plan = marking.plan_start(sources, settings, module)
    if applied:
        marking.apply(sources, plan)
    _show(plan, applied=applied, as_json=as_json)
    return 0


def _show(plan: MarkPlan, *, applied: bool, as_json: bool) -> None:
    from echolot_tui.present.mark_text import plan_lines  # noqa: PLC0415 - not for --help

    if as_json:
        output.write_json(plan)
    else:
        output.write_lines(plan_lines(plan, output.width()))
    if applied:
        for path in dict.fromkeys(mark.file for mark in plan.marks):
            talk.wrote(path)
        talk.note("build and record; echolot mark --remove takes them out")
    elif plan.marks:
        talk.note("nothing was changed; echolot mark --apply writes them into the sources")


def _remove(sources: Sources, *, as_json: bool) -> int:
    from echolot_tui.headless.marking import remove  # noqa: PLC0415 - not for --help
    from echolot_tui.present.numbers import plural  # noqa: PLC0415

    removal = remove(sources)
    if as_json:
        output.write_json(removal)
        return 0
    for one in removal.files:
        output.write(f"{one.file}  {plural(one.lines, 'line')} taken out")
        for number in one.changed:
            talk.warn(f"{one.file}:{number}: was changed by hand and stays")
    if not removal.files:
        talk.note("there is no marker of echolot's in these sources")
    return 0


def _pools(sources: Sources, *, as_json: bool) -> int:
    from echolot_tui.checkout.pools import unnamed_threads  # noqa: PLC0415 - not for --help
    from echolot_tui.present.mark_text import threads_lines  # noqa: PLC0415

    found = unnamed_threads(sources)
    if as_json:
        output.write_json(found)
    else:
        output.write_lines(threads_lines(found, output.width()))
    return 0
