"""Opening, steering and closing hunts."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from echolot_tui.errors import FAILED, REFUSED, EcholotError
from echolot_tui.investigate.find import find_hunt
from echolot_tui.investigate.hunts import TEXT_LIMIT
from echolot_tui.investigate.model import Hunt
from echolot_tui.investigate.states import IllegalTransitionError
from echolot_tui.investigate.store import Store
from unit.investigate.project import Clock, store_in


def opened(store: Store, question: str = "why?") -> Hunt:
    return store.hunts.open(question, scenario="cold")


def test_opening_makes_it_current_and_keeps_the_others_open(store: Store) -> None:
    first, second = opened(store, "why?"), opened(store, "and why that?")
    assert (first.n, second.n) == (1, 2)
    assert [(hunt.n, hunt.state, hunt.current) for hunt in store.hunts.all()] == [
        (1, "open", False),
        (2, "open", True),
    ]
    assert store.hunts.choose(1).current
    assert not store.hunts.get(2).current


def test_everything_said_when_opening_is_kept_over_a_restart(tmp_path: Path) -> None:
    with store_in(tmp_path) as store:
        store.hunts.open(
            "  why\tis it 7 s?  ",
            scenario="cold",
            since="the redesign",
            config_sha="abc",
            confirmed={"project.process": "app", "runner.iterations": 7},
            anchors={"start": "a*", "end": None, "process": "app"},
        )
    with store_in(tmp_path) as store:
        (hunt,) = store.hunts.all()
    assert hunt.question == "why\tis it 7 s?"
    assert (hunt.since, hunt.config_sha) == ("the redesign", "abc")
    assert hunt.confirmed == {"project.process": "app", "runner.iterations": 7}
    assert hunt.anchors == {"start": "a*", "end": None, "process": "app"}
    assert hunt.opened_at == hunt.touched_at == "2026-03-01T12:00:01Z"


def test_closing_the_current_hunt_leaves_none_current(store: Store) -> None:
    opened(store)
    opened(store)
    closed = store.hunts.conclude(2, "the lock")
    assert (closed.state, closed.conclusion, closed.closed_at) == (
        "concluded",
        "the lock",
        "2026-03-01T12:00:03Z",
    )
    assert store.hunts.current() is None
    assert store.hunts.abandon(1).state == "abandoned"


def test_closing_another_hunt_keeps_the_current_one(store: Store) -> None:
    opened(store)
    opened(store)
    store.hunts.conclude(1, "no")
    current = store.hunts.current()
    assert current is not None
    assert current.n == 2


def test_reopening_makes_it_current_and_the_answer_stays_in_the_journal(store: Store) -> None:
    opened(store)
    store.hunts.conclude(1, "the lock")
    hunt = store.hunts.reopen(1)
    assert (hunt.state, hunt.current, hunt.conclusion, hunt.closed_at) == ("open", True, None, None)
    assert [line.event for line in store.journal(1)] == ["open", "conclude", "reopen"]
    assert store.journal(1)[1].detail == {"conclusion": "the lock"}


@pytest.mark.parametrize("close", ["concluded", "abandoned"])
def test_a_closed_hunt_refuses_and_says_what_is_possible(store: Store, close: str) -> None:
    opened(store)
    store.hunts.conclude(1, "x") if close == "concluded" else store.hunts.abandon(1)
    before = store.journal()
    for refused in (
        lambda: store.hunts.conclude(1, "again"),
        lambda: store.hunts.abandon(1),
        lambda: store.hunts.choose(1),
        lambda: store.rounds.plan(1, scenario="cold", runs=1),
        lambda: store.rounds.attach(1, [], scenario="cold"),
    ):
        with pytest.raises(IllegalTransitionError) as error:
            refused()
        assert error.value.sentence.startswith(f"hunt 1 is {close} and ")
        assert error.value.todo == "possible: reopen (echolot hunt --reopen 1)"
    assert store.journal() == before
    opened(store)
    with pytest.raises(IllegalTransitionError, match="hunt 2 is open and cannot become so again"):
        store.hunts.reopen(2)


def test_a_hunt_is_not_closed_while_a_round_is_recorded(store: Store) -> None:
    opened(store)
    planned = store.rounds.plan(1, scenario="cold", runs=2)
    with store.record(planned.id), pytest.raises(EcholotError, match="round 1 of hunt 1 is being recorded"):
        store.hunts.conclude(1, "x")
    store.hunts.conclude(1, "x")


def test_notes_and_labels(store: Store) -> None:
    opened(store)
    store.rounds.plan(1, scenario="cold", runs=1)
    store.hunts.note(1, " on the cheap phone ")
    store.hunts.note(1, "hot room", 1)
    hunt = store.hunts.label(1, 1, " before ")
    assert [note.text for note in hunt.notes] == ["on the cheap phone"]
    assert [(note.text, note.k) for note in hunt.rounds[0].notes] == [("hot room", 1)]
    assert (hunt.rounds[0].label, hunt.rounds[0].name) == ("before", "before")
    assert store.hunts.label(1, 1, " ").rounds[0].name == "round 1"
    store.hunts.conclude(1, "x")
    assert len(store.hunts.note(1, "an afterthought").notes) == 2


@pytest.mark.parametrize("text", ["", "  \n ", "x" * (TEXT_LIMIT + 1)])
def test_texts_without_words_or_end_are_refused(store: Store, text: str) -> None:
    with pytest.raises(EcholotError):
        opened(store, text)
    opened(store)
    for refused in (lambda: store.hunts.note(1, text), lambda: store.hunts.conclude(1, text)):
        with pytest.raises(EcholotError):
            refused()
    assert [line.event for line in store.journal()] == ["open"]


def test_hostile_text_is_kept_as_it_is(store: Store) -> None:
    text = "[/] \x1b[31m | ' \" \u202e 😀"
    assert opened(store, text).question == text
    assert opened(store, "caf\udce9").question == "caf\\udce9"


@pytest.mark.parametrize(
    "ask",
    [
        lambda store: store.hunts.get(7),
        lambda store: store.hunts.conclude(7, "x"),
        lambda store: store.hunts.reopen(7),
        lambda store: store.hunts.note(7, "x"),
        lambda store: store.hunts.label(1, 7, "x"),
        lambda store: store.hunts.note(1, "x", 7),
        lambda store: store.rounds.get(7),
    ],
)
def test_what_is_not_there_is_nothing_to_act_on(store: Store, ask) -> None:
    opened(store)
    with pytest.raises(EcholotError) as error:
        ask(store)
    assert error.value.exit_code == FAILED


def test_finding_by_number_and_words(store: Store) -> None:
    opened(store, "Why is the start slower?")
    opened(store, "Why is the list slower?")
    hunts = store.hunts.all()
    assert find_hunt(hunts, "2").n == find_hunt(hunts, "#2").n == find_hunt(hunts, "slower LIST").n == 2
    with pytest.raises(EcholotError, match="could mean hunts 1, 2") as two:
        find_hunt(hunts, "slower")
    assert two.value.exit_code == REFUSED
    for wanted in ("3", "battery", "", " "):
        with pytest.raises(EcholotError) as none:
            find_hunt(hunts, wanted)
        assert none.value.exit_code == FAILED


def test_every_change_touches_the_hunt(store: Store, clock: Clock) -> None:
    opened(store)
    for work in (
        lambda: store.hunts.note(1, "x"),
        lambda: store.hunts.choose(1),
        lambda: store.rounds.plan(1, scenario="cold", runs=1),
        lambda: store.hunts.label(1, 1, "before"),
    ):
        clock.wait(hours=1)
        work()
        assert store.hunts.get(1).touched_at == clock.now


def test_the_journal_can_only_grow(store: Store, tmp_path: Path) -> None:
    opened(store)
    connection = sqlite3.connect(tmp_path / ".echolot" / "echolot.db")
    try:
        for sql in ("DELETE FROM journal", "UPDATE journal SET event = 'x'"):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                connection.execute(sql)
    finally:
        connection.close()
    assert len(store.journal()) == 1
