"""Recordings written by hand: stacks as text, samples as numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from echolot_tui.profiles.diff import compare_profiles
from echolot_tui.profiles.model import Node, ProfileDiff
from echolot_tui.profiles.sides import ProfileOptions, SideRecordings
from echolot_tui.profiles.stacks import Facts, Frame, Recording, StackBuilder, Thread

FACTS = Facts(source="collapsed stacks", event="cpu-cycles", hz=1000.0, unwinding="fp", machine="box")


def recording(
    stacks: Mapping[str, float], *, facts: Facts = FACTS, path: str = "run", thread: Thread | None = None
) -> Recording:
    """One run: ``{"main;work": 30}``."""
    builder = StackBuilder()
    for stack, samples in stacks.items():
        if samples > 0:
            builder.add(builder.stack(map(Frame, stack.split(";"))), samples, count=samples, thread=thread)
    return builder.build(path, facts)


def timed(stacks: Sequence[tuple[float, str]], *, facts: Facts = FACTS) -> Recording:
    """One run of single samples, each at a moment in milliseconds."""
    builder = StackBuilder()
    for moment, stack in stacks:
        builder.add(builder.stack(map(Frame, stack.split(";"))), 1.0, ts=round(moment * 1e6))
    return builder.build("run", facts)


def side(name: str, *runs: Recording) -> SideRecordings:
    return SideRecordings(name, runs)


def diff(
    before: Mapping[str, float] | Sequence[Recording],
    after: Mapping[str, float] | Sequence[Recording],
    control: Mapping[str, float] | None = None,
    **options: object,
) -> ProfileDiff:
    """Compare two sides given as stacks of one run, or as runs."""
    sides = [
        SideRecordings(name, (recording(given),) if isinstance(given, Mapping) else tuple(given))
        for name, given in (("before", before), ("after", after))
    ]
    third = None if control is None else SideRecordings("control", (recording(control),))
    return compare_profiles(*sides, ProfileOptions(**options), control=third)  # type: ignore[arg-type]


def node(profile: ProfileDiff, path: str) -> Node:
    """The node at ``main;work``."""
    at = 0
    for label in path.split(";"):
        at = next(one.id for one in profile.nodes if one.parent == at and one.label == label)
    return profile.nodes[at]


def sampled(rates: Mapping[str, float], seed: int, spread: float = 0.0) -> Recording:
    """One run with Poisson counts around ``rates``, every stack also off by its own ``spread``."""
    rng = np.random.default_rng(seed)
    counts = {
        stack: float(rng.poisson(rate * rng.lognormal(0.0, spread) if spread else rate))
        for stack, rate in rates.items()
    }
    return recording(counts)
