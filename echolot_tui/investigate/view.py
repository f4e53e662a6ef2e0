"""A hunt as it is shown: with what its reports say, what drifted, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence

from echolot_tui.frozen import Frozen, always
from echolot_tui.investigate.drift import Drift, drift, is_fresh
from echolot_tui.investigate.facts import RoundFacts, round_facts
from echolot_tui.investigate.model import Hunt
from echolot_tui.investigate.next_step import NextStep, next_step
from echolot_tui.project.layout import Layout
from echolot_tui.project.load import LoadedConfig


class HuntView(Frozen, frozen=True, kw_only=True):
    """Everything a screen or a printed page says about one hunt."""

    hunt: Hunt
    fresh: bool = always(value=False)
    """Worked on within the last half hour."""
    drift: tuple[Drift, ...] = always(())
    """Of an open hunt."""
    facts: tuple[RoundFacts, ...] = always(())
    """One a round, in the order of the hunt's rounds."""
    next: NextStep | None = always(None)
    """Of the current hunt, or of choosing one when there is none."""


def hunt_view(
    hunt: Hunt, hunts: Sequence[Hunt], layout: Layout, loaded: LoadedConfig | None, now: str
) -> HuntView:
    """Gather what is shown of a hunt.

    Args:
        hunt: The hunt.
        hunts: All of the project.
        layout: Its folders; the rounds' reports are read.
        loaded: The config in force, when there is one that loads.
        now: The present moment.
    """
    current = next((each for each in hunts if each.current), None)
    return HuntView(
        hunt=hunt,
        fresh=is_fresh(hunt, now),
        drift=drift(hunt, loaded, now) if hunt.state == "open" else (),
        facts=tuple(round_facts(each, layout) for each in hunt.rounds),
        next=next_step(hunts, now) if current is None or current.n == hunt.n else None,
    )
