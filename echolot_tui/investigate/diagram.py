"""The states and steps of hunts, rounds and runs as Markdown, drawn from their one table."""

from __future__ import annotations

from typing import Final

from echolot_tui.investigate.states import MACHINES, TRANSITIONS, Machine, Transition
from echolot_tui.text import escape_cell

_NOWHERE: Final = "[*]"
_TITLES: Final[dict[Machine, str]] = {"hunt": "A hunt", "round": "A round", "run": "A run of a round"}


def states_markdown() -> str:
    """A Mermaid diagram and a table for each of the three."""
    return "\n\n".join(_section(machine) for machine in MACHINES) + "\n"


def _section(machine: Machine) -> str:
    steps = [each for each in TRANSITIONS if each.machine == machine]
    arrows = [
        f"    {source or _NOWHERE} --> {each.target}: {each.event}"
        for each in steps
        for source in each.sources
    ]
    diagram = ["```mermaid", "stateDiagram-v2", *arrows, "```"]
    table = ["| step | from | to | what makes it happen |", "|---|---|---|---|", *map(_row, steps)]
    return "\n".join([f"### {_TITLES[machine]}", "", *diagram, "", *table])


def _row(step: Transition) -> str:
    sources = ", ".join(source or "–" for source in step.sources)
    how = escape_cell(step.how.replace("{n}", "N"))
    return f"| {step.event} | {sources} | {step.target} | {how} |"
