"""``echolot explain``: the detectors, their parameters, and what is set here."""

from __future__ import annotations

from typing import Any

import click

from echolot_tui.errors import EcholotError
from echolot_tui.headless import options, output
from echolot_tui.headless.setup import Flags, make_plan


@click.command("explain")
@click.argument("detectors", nargs=-1, metavar="[DETECTOR]...")
@options.config_flags
@options.threshold_flags
@options.json_flag
def command(detectors: tuple[str, ...], as_json: bool, **given: Any) -> int:
    """List the detectors: what each asks, its parameters with their values here, what it needs."""
    from echolot_tui.headless.hunting import project_of  # noqa: PLC0415
    from echolot_tui.measure.plan import Decision  # noqa: PLC0415
    from echolot_tui.present.detectors_text import explain_text  # noqa: PLC0415
    from echolot_tui.project.validate import did_you_mean  # noqa: PLC0415

    plan = make_plan(flags := Flags(**given), project_of(flags))
    known = {decision.detector.id: decision for decision in plan.decisions}
    for name in detectors:
        if name not in known:
            raise EcholotError(f'there is no detector "{name}"', todo=did_you_mean(name, known))
    chosen: tuple[Decision, ...] = tuple(known[name] for name in detectors) or plan.decisions
    if as_json:
        output.write_json(chosen)
    else:
        output.write_lines(explain_text(chosen, (), output.width()))
    return 0
