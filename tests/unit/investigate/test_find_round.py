"""Which round a name means."""

from __future__ import annotations

import pytest

from echolot_tui.errors import EcholotError
from echolot_tui.investigate.find import find_round
from echolot_tui.investigate.model import Hunt, Round


def a_round(hunt: int, k: int, label: str | None = None) -> Round:
    return Round(
        id=10 * hunt + k,
        hunt=hunt,
        k=k,
        scenario="cold",
        label=label,
        state="complete",
        opened_at="2026-01-01T00:00:00Z",
        touched_at="2026-01-01T00:00:00Z",
    )


def a_hunt(n: int, *rounds: Round, current: bool = False) -> Hunt:
    return Hunt(
        n=n,
        question="why",
        scenario="cold",
        state="open",
        current=current,
        opened_at="2026-01-01T00:00:00Z",
        touched_at=f"2026-01-0{n}T00:00:00Z",
        rounds=rounds,
    )


HUNTS = (
    a_hunt(1, a_round(1, 1, "Before"), a_round(1, 2, "after"), current=True),
    a_hunt(
        2, a_round(2, 1, "before"), a_round(2, 2, "2024 phone"), a_round(2, 3, "twin"), a_round(2, 4, "twin")
    ),
)


@pytest.mark.parametrize(
    ("wanted", "hunt", "k"),
    [
        ("1", 1, 1),
        ("round 2", 1, 2),
        ("round-2", 1, 2),
        ("Round 2", 1, 2),
        ("before", 1, 1),
        ("AFTER", 1, 2),
        ("2/before", 2, 1),
        ("2/3", 2, 3),
        ("#2/round 1", 2, 1),
        ("2/2024 phone", 2, 2),
    ],
)
def test_a_number_or_a_label_in_the_current_hunt_or_a_named_one(wanted: str, hunt: int, k: int) -> None:
    found = find_round(HUNTS, wanted)
    assert (found.hunt, found.k) == (hunt, k)


def test_without_a_current_hunt_the_last_worked_on_is_meant() -> None:
    closed = (a_hunt(1, a_round(1, 1)), a_hunt(2, a_round(2, 1)))
    assert find_round(closed, "1").hunt == 2


@pytest.mark.parametrize("wanted", ["3", "9/1", "twin", "0", "", "/", "before/1", "1/", "²"])
def test_what_is_no_round_is_told_with_the_rounds_there_are(wanted: str) -> None:
    with pytest.raises(EcholotError) as caught:
        find_round(HUNTS, wanted)
    assert 'there is no file and no round "' in caught.value.sentence
    assert '1/2 "after", 1/1 "Before"' in caught.value.sentence


def test_two_of_one_label_are_not_guessed_between() -> None:
    with pytest.raises(EcholotError, match="several rounds") as caught:
        find_round(HUNTS, "2/twin")
    assert '2/4 "twin", 2/3 "twin"' in caught.value.sentence


def test_many_rounds_are_listed_by_the_newest() -> None:
    many = a_hunt(1, *(a_round(1, k) for k in range(1, 30)), current=True)
    with pytest.raises(EcholotError) as caught:
        find_round((many,), "x")
    assert "1/29, 1/28" in caught.value.todo
    assert caught.value.todo.endswith("1/18 and 17 more")


def test_no_round_at_all() -> None:
    with pytest.raises(EcholotError, match="no hunt has a round yet"):
        find_round((), "1")
