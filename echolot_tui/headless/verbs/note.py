"""``echolot note``: what a person wants remembered about a hunt or a round."""

from __future__ import annotations

from typing import Any

import click

from echolot_tui.headless import options, output
from echolot_tui.headless.diagnostics import talk
from echolot_tui.headless.setup import Flags


@click.command("note")
@click.argument("text", nargs=-1, required=True, metavar="TEXT...")
@click.option("--round", "k", type=click.IntRange(min=1), metavar="K", help="About this round of the hunt.")
@click.option("--hunt", "wanted", metavar="N|WORDS", help="About this hunt; else the current one.")
@options.config_flags
@options.json_flag
def command(*, text: tuple[str, ...], k: int | None, wanted: str | None, as_json: bool, **given: Any) -> int:
    """Write TEXT down about the current hunt; closed hunts take notes as well."""
    from echolot_tui.headless import hunting  # noqa: PLC0415

    with hunting.opened(Flags(**given)) as store:
        hunt = store.hunts.note(hunting.named(store, wanted).n, " ".join(text), k)
    if as_json:
        notes = (*hunt.notes, *(note for each in hunt.rounds for note in each.notes))
        output.write_json(notes)
    else:
        talk.note(f"noted about {f'round {k} of ' if k else ''}hunt {hunt.n}")
    return 0
