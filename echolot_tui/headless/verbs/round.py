"""``echolot round``: the rounds of a hunt."""

from __future__ import annotations

from typing import Any

import click

from echolot_tui.errors import FAILED, EcholotError
from echolot_tui.headless import options, output
from echolot_tui.headless.setup import Flags


@click.command("round")
@click.argument("k", required=False, type=click.IntRange(min=1), metavar="[K]")
@click.option(
    "--label", metavar="TEXT", help="Name round K, as in 'before'; a blank text takes the name away."
)
@click.option("--hunt", "wanted", metavar="N|WORDS", help="Of this hunt; else of the current or last one.")
@options.config_flags
@options.json_flag
def command(*, k: int | None, label: str | None, wanted: str | None, as_json: bool, **given: Any) -> int:
    """List the rounds of the current hunt, or show round K with its runs."""
    from echolot_tui.headless import hunting  # noqa: PLC0415
    from echolot_tui.headless.clock import now  # noqa: PLC0415
    from echolot_tui.investigate.facts import round_facts  # noqa: PLC0415
    from echolot_tui.present.hunt_text import round_lines, round_table  # noqa: PLC0415
    from echolot_tui.present.table import text_table  # noqa: PLC0415

    if label is not None and k is None:
        raise EcholotError("--label needs the number of a round", todo="echolot round K --label TEXT")
    with hunting.opened(Flags(**given)) as store:
        if wanted is None and label is None:
            hunt = hunting.current_or_last(store)
        else:
            hunt = hunting.named(store, wanted)
        if label is not None and k is not None:
            hunt = store.hunts.label(hunt.n, k, label)
        chosen = [each for each in hunt.rounds if k is None or each.k == k]
        if not chosen:
            what = f"has no round {k}" if hunt.rounds else "has no rounds yet"
            raise EcholotError(
                f"hunt {hunt.n} {what}",
                todo="echolot collect records one, echolot analyze TRACES takes one",
                exit_code=FAILED,
            )
        facts = [round_facts(each, store.layout) for each in chosen]
        if as_json:
            shown = [{"round": each, "facts": fact} for each, fact in zip(chosen, facts, strict=True)]
            output.write_json(shown if k is None else shown[0])
        elif k is None:
            output.write_lines(text_table(round_table(chosen, facts, now()), output.width()))
        else:
            output.write_lines(round_lines(chosen[0], facts[0], now(), output.width()))
    return 0
