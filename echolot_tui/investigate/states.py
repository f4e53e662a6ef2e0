"""Which states a hunt, a round and a run can be in, and every legal way from one to another.

``TRANSITIONS`` is the only place that says so: the store obeys it, refusals quote it, and the diagrams of
``docs/hunts.md`` are drawn from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from echolot_tui.errors import EcholotError

Machine = Literal["hunt", "round", "run"]
HuntState = Literal["open", "concluded", "abandoned"]
RoundState = Literal["planned", "recording", "partial", "interrupted", "complete"]
RunState = Literal["waiting", "cooling", "recording", "pulling", "analyzing", "done", "failed"]
ToldState = Literal["waiting", "cooling", "recording", "pulling", "done", "failed"]
"""What may be said of a run; that it is being analyzed follows from its trace having come."""

MACHINES: Final[tuple[Machine, ...]] = ("hunt", "round", "run")

WORKING: Final[frozenset[str]] = frozenset({"cooling", "recording", "pulling", "analyzing"})
"""States of a run somebody is working on."""


class IllegalTransitionError(EcholotError):
    """A step the present state does not allow."""


class Transition(NamedTuple):
    """One legal step."""

    machine: Machine
    event: str
    """What the journal calls it; one word."""
    sources: tuple[str | None, ...]
    """States it may start from; ``None`` is not being there yet."""
    target: str
    how: str
    """What makes it happen; with the command where a person does it. ``{n}`` is the hunt's number."""


TRANSITIONS: Final[tuple[Transition, ...]] = (
    Transition("hunt", "open", (None,), "open", 'echolot hunt "QUESTION"'),
    Transition("hunt", "conclude", ("open",), "concluded", 'echolot hunt --done "ANSWER"'),
    Transition("hunt", "abandon", ("open",), "abandoned", "echolot hunt --abandon"),
    Transition("hunt", "reopen", ("concluded", "abandoned"), "open", "echolot hunt --reopen {n}"),
    Transition("round", "plan", (None,), "planned", "echolot collect"),
    Transition("round", "replan", ("planned",), "planned", "echolot collect, the one before died too early"),
    Transition("round", "attach", (None,), "complete", "echolot analyze TRACES recorded elsewhere"),
    Transition("round", "record", ("planned",), "recording", "the collect starts"),
    Transition(
        "round",
        "resume",
        ("partial", "interrupted", "complete"),
        "recording",
        "echolot collect --resume",
    ),
    Transition("round", "finish", ("recording",), "complete", "every run has its trace"),
    Transition("round", "stop", ("recording",), "partial", "stopped, or a run failed"),
    Transition("round", "lose", ("recording",), "interrupted", "the collecting process is gone"),
    Transition("run", "plan", (None,), "waiting", "the set is planned or extended"),
    Transition("run", "attach", (None,), "done", "echolot analyze TRACES recorded elsewhere"),
    Transition("run", "cool", ("waiting", "recording"), "cooling", "the device has to cool first"),
    Transition("run", "record", ("waiting", "cooling"), "recording", "recording starts"),
    Transition("run", "pull", ("recording",), "pulling", "the trace is fetched from the device"),
    Transition(
        "run",
        "arrive",
        ("waiting", "recording", "pulling"),
        "analyzing",
        "the whole trace is in its place",
    ),
    Transition("run", "finish", ("analyzing",), "done", "the trace is measured, or left to analyze"),
    Transition("run", "fail", ("waiting", *sorted(WORKING)), "failed", "an error, kept as the run's reason"),
    Transition("run", "retry", ("failed",), "waiting", "echolot collect --resume"),
    Transition(
        "run", "drop", tuple(sorted(WORKING)), "waiting", "given up, or the process died without a trace"
    ),
    Transition("run", "vanish", ("done",), "waiting", "resumed, and the trace's file is gone"),
)


def step(machine: Machine, source: str | None, target: str) -> Transition | None:
    """The legal step from ``source`` to ``target``, if there is one."""
    return next(
        (
            each
            for each in TRANSITIONS
            if each.machine == machine and each.target == target and source in each.sources
        ),
        None,
    )


def possible(machine: Machine, source: str | None) -> tuple[Transition, ...]:
    """Every legal step from ``source``."""
    return tuple(each for each in TRANSITIONS if each.machine == machine and source in each.sources)


def check(machine: Machine, name: str, source: str, target: str, *, n: int | None = None) -> Transition:
    """The legal step from ``source`` to ``target``.

    Args:
        machine: Whose states these are.
        name: What the refusal calls it: ``hunt 3``, ``round 2 of hunt 3``, ``run 4``.
        source: Its present state.
        target: The state wanted.
        n: The hunt's number, for the commands a refusal names.

    Raises:
        IllegalTransitionError: There is none; the sentence says what is possible instead.
    """
    found = step(machine, source, target)
    if found is None:
        cannot = f"cannot become {target}" if source != target else "cannot become so again"
        raise refused(machine, name, source, cannot, n=n)
    return found


def refused(
    machine: Machine, name: str, source: str, cannot: str, *, n: int | None = None
) -> IllegalTransitionError:
    """The refusal of a step, with what is possible from ``source``."""
    return IllegalTransitionError(
        f"{name} is {source} and {cannot}", todo=_instead(possible(machine, source), n)
    )


def _instead(steps: Sequence[Transition], n: int | None) -> str:
    if not steps:
        return "nothing follows that state"
    ways = (f"{each.event} ({each.how.replace('{n}', 'N' if n is None else str(n))})" for each in steps)
    return f"possible: {', '.join(ways)}"
