"""``echolot domains``: what the sources name themselves, as a section of the config."""

from __future__ import annotations

import click

from echolot_tui.headless import options, output


@click.command("domains")
@options.root_flag
@click.option("-c", "--config", metavar="FILE", help="Config; else echolot.yml here or above.")
@click.option("--top", type=click.IntRange(min=1), default=12, show_default=True, help="How many.")
@options.json_flag
def command(*, root: str, config: str | None, top: int, as_json: bool) -> int:
    """Find the sections Kotlin and Java sources open, and print a ``domains`` section for echolot.yml.

    Names with a variable part become patterns; the comment on top says how much of the sources is covered.
    """
    from echolot_tui.checkout.domains import find_domains  # noqa: PLC0415 - not for --help
    from echolot_tui.checkout.modules import Modules  # noqa: PLC0415
    from echolot_tui.headless.checkout import instrumentation, sources_under  # noqa: PLC0415
    from echolot_tui.present.domains_text import domains_yaml  # noqa: PLC0415

    sources = sources_under(root)
    found = find_domains(sources, Modules(sources), without=instrumentation(config).temp_prefix)
    if as_json:
        output.write_json(found)
    else:
        output.write(domains_yaml(found, top))
    return 0
