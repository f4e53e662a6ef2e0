"""``echolot open``: a trace in Perfetto's UI, at a row's slice."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from echolot_tui.headless import options, output
from echolot_tui.headless.diagnostics import talk
from echolot_tui.headless.setup import Flags, engine_choice, open_project

if TYPE_CHECKING:
    from echolot_tui.headless.opening_traces import Wanted
    from echolot_tui.viewer.find import Place


@click.command("open")
@click.argument("target", metavar="TRACE|REPORT")
@options.config_flags
@options.window_flags
@click.option("--row", metavar="NAME", help="Look at the longest slice of this name in the window.")
@click.option("--run", metavar="LABEL", help="Which run of a report; else the row's slowest, or the first.")
@click.option("--print-link", is_flag=True, help="Only print the link; start no browser.")
@click.option(
    "--port", type=click.IntRange(1, 65_535), metavar="N", help="Listen there; else on a free port."
)
@click.option(
    "--minutes",
    type=click.FloatRange(min=0, min_open=True),
    default=10.0,
    metavar="N",
    help="Stop this long after the last request  [10]",
)
@click.pass_obj
def command(
    obj: dict[str, Any],
    /,
    *,
    target: str,
    row: str | None,
    run: str | None,
    print_link: bool,
    port: int | None,
    minutes: float,
    **given: Any,
) -> int:
    """Open TRACE, or a run of REPORT, in the Perfetto UI that echolot carries, at a row's slice.

    It is served to this machine only, under a random path, and stops by itself. Nothing is sent
    anywhere. Over ssh it says how to reach it.
    """
    from echolot_tui.headless.opening_traces import wanted_of, where_to_look  # noqa: PLC0415 - not for --help
    from echolot_tui.viewer.link import link  # noqa: PLC0415
    from echolot_tui.viewer.serve import Viewer  # noqa: PLC0415

    flags = Flags(tp_binary=obj["tp_binary"], **given)
    project = open_project(flags)
    wanted = wanted_of(target, project.scenario, row=row, run=run)
    place = where_to_look(wanted, engine_choice(flags, project))
    _say_what_is_shown(wanted, place)
    viewer = Viewer(wanted.trace, port=port or 0, idle_s=minutes * 60)
    address = link(viewer.base, wanted.trace.name, place)
    output.write(address)
    output.flush()
    with contextlib.suppress(KeyboardInterrupt):
        _lead_there(os.environ, address, viewer.port, start_browser=not print_link)
        viewer.serve()
    talk.note("no longer served")
    return 0


def _say_what_is_shown(wanted: Wanted, place: Place | None) -> None:
    talk.note(f"{wanted.trace}{f', run {wanted.run}' if wanted.run else ''}")
    if wanted.question.row is None or place is None:
        return
    if place.slice_ns is None:
        talk.warn(f'no slice of the window is called "{wanted.question.row}": this is the window')
    elif place.slices > 1:
        talk.note(f"{place.slices} names are this row; this is the longest slice of them")


def _lead_there(environ: Mapping[str, str], address: str, port: int, *, start_browser: bool) -> None:
    """Start a browser where there is one, say how to reach the server where there is none."""
    import webbrowser  # noqa: PLC0415 - looks for programs

    remote = "SSH_CONNECTION" in environ
    if start_browser and not remote and webbrowser.open(address):
        return
    if remote:
        host = environ["SSH_CONNECTION"].split()[2]
        talk.note(f"on your machine: ssh -N -L {port}:127.0.0.1:{port} {host}   then open the link there")
    else:
        talk.note("open the link in a browser on this machine")
    if sys.stdin is not None and sys.stdin.isatty():
        talk.note("ctrl+c stops it")
