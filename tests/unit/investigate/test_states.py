"""The one table of states: sound in itself, and drawn in the docs as it is."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import get_args

import pytest

from echolot_tui.collect import model as collect
from echolot_tui.investigate.diagram import states_markdown
from echolot_tui.investigate.states import (
    MACHINES,
    TRANSITIONS,
    HuntState,
    IllegalTransitionError,
    Machine,
    RoundState,
    RunState,
    check,
    possible,
    step,
)

DOCS = Path(__file__).resolve().parents[3] / "docs" / "hunts.md"
MARK = "<!-- states: drawn from echolot_tui/investigate/states.py; a test compares -->\n\n"
STATES: dict[Machine, tuple[str, ...]] = {
    "hunt": get_args(HuntState),
    "round": get_args(RoundState),
    "run": get_args(RunState),
}


def test_docs_draw_the_table() -> None:
    page, mark, drawn = DOCS.read_text(encoding="utf-8").partition(MARK)
    if os.environ.get("ECHOLOT_UPDATE_GOLDEN") == "1":
        DOCS.write_text(page + MARK + states_markdown(), encoding="utf-8")
        return
    assert mark
    assert drawn == states_markdown(), "draw it again with ECHOLOT_UPDATE_GOLDEN=1"


@pytest.mark.parametrize("machine", MACHINES)
def test_every_state_is_declared_and_can_be_reached(machine: Machine) -> None:
    steps = [each for each in TRANSITIONS if each.machine == machine]
    named = {state for each in steps for state in (*each.sources, each.target)} - {None}
    assert named == set(STATES[machine])
    reached: set[str | None] = {None}
    for _ in steps:
        reached |= {each.target for each in steps if reached & set(each.sources)}
    assert reached - {None} == named


def test_two_states_are_joined_by_one_step_at_most() -> None:
    pairs = Counter((each.machine, source, each.target) for each in TRANSITIONS for source in each.sources)
    assert max(pairs.values()) == 1


def test_no_state_is_a_dead_end() -> None:
    for machine, states in STATES.items():
        for state in states:
            assert possible(machine, state), f"{machine} {state}"


def test_a_refusal_names_what_is_possible() -> None:
    with pytest.raises(IllegalTransitionError) as refused:
        check("hunt", "hunt 3", "concluded", "abandoned", n=3)
    assert refused.value.sentence == (
        "hunt 3 is concluded and cannot become abandoned; possible: reopen (echolot hunt --reopen 3)"
    )
    assert step("hunt", "concluded", "abandoned") is None


def test_a_collect_can_tell_every_state_of_its_runs() -> None:
    # ``saving`` is a moment of the recorder's own; a round knows the run as recorded until it has its name.
    assert set(get_args(collect.RunState)) - {"saving"} <= set(STATES["run"])
