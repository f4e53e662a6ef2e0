"""``echolot probe``: what is in a trace, before there is a config."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from echolot_tui.headless import options, output
from echolot_tui.headless.setup import Flags, engine_choice, open_project


@click.command("probe")
@click.argument("trace", metavar="TRACE")
@click.option("--process", metavar="GLOB", help="Look into this process (or pid:N): threads, longest slices.")
@options.json_flag
@click.pass_obj
def command(obj: dict[str, Any], /, *, trace: str, process: str | None, as_json: bool) -> int:
    """List a trace's processes; with --process its threads and the slices that make good anchors."""
    from echolot_tui.headless.one_trace import ask  # noqa: PLC0415
    from echolot_tui.measure.probe import probe  # noqa: PLC0415
    from echolot_tui.present.trace_text import probe_text  # noqa: PLC0415

    flags = Flags(tp_binary=obj["tp_binary"])
    found = ask(Path(trace), probe, process, engine_choice(flags, open_project(flags)))
    if as_json:
        output.write_json(found)
    else:
        output.write_lines(probe_text(found, output.width()))
    return 0
