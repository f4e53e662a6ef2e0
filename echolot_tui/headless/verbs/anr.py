"""``echolot anr``: why the main thread did not answer, from a thread dump."""

from __future__ import annotations

from pathlib import Path

import click

from echolot_tui.errors import EcholotError
from echolot_tui.headless import options, output
from echolot_tui.headless.diagnostics import talk


@click.command("anr")
@click.argument("dump", metavar="FILE")
@options.root_flag
@click.option("--mapping", metavar="FILE", help="mapping.txt of the build, for minified names.")
@options.json_flag
def command(*, dump: str, root: str, mapping: str | None, as_json: bool) -> int:
    """Read a thread dump: which lock the main thread waits for, who holds it, who was at work.

    FILE is the text Play Console or Crashlytics shows for an ANR, a file of /data/anr, or what
    dumpsys dropbox --print data_app_anr prints.
    """
    from echolot_tui.headless.dumps import explained  # noqa: PLC0415 - not for --help
    from echolot_tui.present.anr_text import anr_lines  # noqa: PLC0415

    folder = Path(root).expanduser()
    if not folder.is_dir():
        raise EcholotError("there is no such folder", where=root, todo="name the checkout with --root")
    found, has_sources = explained(Path(dump), folder, Path(mapping) if mapping else None)
    if not has_sources:
        talk.note(f"no Kotlin and no Java under {root}: frames have no place; --root names the checkout")
    if as_json:
        output.write_json(found)
    else:
        output.write_lines(anr_lines(found, output.width()))
    return 0
