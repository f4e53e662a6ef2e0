"""``echolot names``: the slice names of a process, and which detectors see them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from echolot_tui.headless import options, output
from echolot_tui.headless.setup import Flags, engine_choice, make_plan, make_spec

if TYPE_CHECKING:
    from echolot_tui.engine.model import TraceSession
    from echolot_tui.measure.inventory import NamesInventory


@click.command("names")
@click.argument("trace", metavar="TRACE")
@click.option("--process", metavar="GLOB", help="Process name, or pid:N.")
@options.config_flags
@click.option("--grep", metavar="REGEX", help="Only families whose name contains this.")
@click.option(
    "--min-ms",
    type=options.FiniteNumber(min=0),
    default=1.0,
    show_default=True,
    help="Smaller families are only counted.",
)
@click.option("--top", type=click.IntRange(min=1), default=15, show_default=True, help="Families a section.")
@click.option("--wide", is_flag=True, help="Cut no name.")
@options.json_flag
@click.pass_obj
def command(
    obj: dict[str, Any],
    /,
    *,
    trace: str,
    grep: str | None,
    min_ms: float,
    top: int,
    wide: bool,
    as_json: bool,
    **given: Any,
) -> int:
    """Inventory a process's slice names by family, and say which detector masks see each."""
    from echolot_tui.headless.hunting import project_of  # noqa: PLC0415
    from echolot_tui.headless.one_trace import ask  # noqa: PLC0415
    from echolot_tui.measure.inventory import name_masks  # noqa: PLC0415
    from echolot_tui.present.trace_text import names_text  # noqa: PLC0415

    flags = Flags(tp_binary=obj["tp_binary"], **given)
    project = project_of(flags)
    plan = make_plan(flags, project)
    wanted = {
        "mask": project.scenario.process,
        "masks": name_masks(plan),
        "marker_prefix": make_spec(project, plan).marker_prefix,
        "grep": grep,
        "min_ms": min_ms,
        "top": top,
    }
    found = ask(Path(trace), _inventory, wanted, engine_choice(flags, project))
    if as_json:
        output.write_json(found)
    else:
        output.write_lines(names_text(found, output.UNLIMITED if wide else output.width(), wide=wide))
    return 0


def _inventory(session: TraceSession, wanted: dict[str, Any]) -> NamesInventory:
    from echolot_tui.measure.inventory import names_inventory  # noqa: PLC0415 - runs in the worker

    return names_inventory(session, **wanted)
