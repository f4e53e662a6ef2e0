"""``echolot ci``: one step of the GitHub action."""

from __future__ import annotations

import click

STEPS = ("doctor", "analyze", "baseline", "compare", "summary", "comment")


@click.command("ci")
@click.argument("step", type=click.Choice(STEPS))
def command(step: str) -> int:
    """Run one STEP of the GitHub action: see action.yml and docs/ci.md.

    Inputs come from the environment the action sets (ECHOLOT_TRACES, ECHOLOT_CONFIG, …), results go
    into the runner's files (GITHUB_OUTPUT, GITHUB_STEP_SUMMARY). It exits 0 whatever moved.
    """
    from echolot_tui.headless.ci_steps import run_step  # noqa: PLC0415 - numpy and the engine, not for --help

    return run_step(step)
