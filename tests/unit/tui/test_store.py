"""The store: the last value wins, and nobody is told more than five times a second."""

from __future__ import annotations

from collections.abc import Callable

from echolot_tui.tui.store import QUIET_S, Empty, State, Store, Working


class Clock:
    """Time that passes when told to."""

    def __init__(self) -> None:
        self.now = 100.0
        self.due: list[tuple[float, Callable[[], None]]] = []

    def later(self, seconds: float, call: Callable[[], None]) -> None:
        self.due.append((self.now + seconds, call))

    def pass_time(self, seconds: float) -> None:
        self.now += seconds
        for at, call in [one for one in self.due if one[0] <= self.now + 1e-9]:
            self.due.remove((at, call))
            call()


def listening() -> tuple[Store, Clock, list[State]]:
    clock = Clock()
    store = Store(clock.later, lambda: clock.now)
    told: list[State] = []
    store.subscribe(told.append)
    return store, clock, told


def test_a_reader_begins_with_the_state_there_is() -> None:
    _, _, told = listening()
    assert told == [State()]
    assert isinstance(told[0].comparison, Empty)


def test_the_first_news_is_told_at_once() -> None:
    store, _, told = listening()
    store.put(home=Working(text="a"))
    assert told[-1].home == Working(text="a")


def test_a_flood_is_told_at_most_five_times_a_second_and_ends_with_the_last_value() -> None:
    store, clock, told = listening()
    for at in range(1000):
        store.put(home=Working(text=str(at)))
        clock.pass_time(0.001)
    clock.pass_time(QUIET_S)
    assert len(told) - 1 <= 1 + 5
    assert told[-1].home == Working(text="999")


def test_news_after_a_quiet_time_is_told_at_once() -> None:
    store, clock, told = listening()
    store.put(home=Working(text="a"))
    clock.pass_time(QUIET_S)
    store.put(home=Working(text="b"))
    assert told[-1].home == Working(text="b")
    assert clock.due == []


def test_who_unsubscribes_is_told_nothing_more() -> None:
    clock = Clock()
    store = Store(clock.later, lambda: clock.now)
    told: list[State] = []
    store.subscribe(told.append)()
    store.put(home=Working(text="a"))
    assert told == [State()]


def test_what_a_key_asked_for_is_told_at_once() -> None:
    store, _, told = listening()
    store.put(home=Working(text="a"))
    store.answer(report=Working(text="b"))
    assert told[-1].report == Working(text="b")
