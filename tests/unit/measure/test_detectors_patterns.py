"""Detectors that look at how slices lie in each other: repeated work, app start, composables."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from detectors_asked import MS, PID, Asked, app, ask, put
from echolot_tui.engine.model import TraceSession
from echolot_tui.generate.builder import TraceBuilder

Load = Callable[[TraceBuilder], TraceSession]


# ── repeated_work ──


def called_from(builder: TraceBuilder, caller: str, at: float, *lengths: float, name: str = "unit") -> None:
    put(builder, PID, at, at + 95, caller)
    start = at
    for length in lengths:
        put(builder, PID, start, start + length, name)
        start += length + 1


def test_repeated_lists_callers_in_order_of_name(load: Load) -> None:
    for first, second in (("b", "a"), ("a", "b")):
        builder = app()
        called_from(builder, first, 0, 30)
        called_from(builder, second, 100, 20)
        row = ask(load(builder), "repeated_work").row("repeated_work", "unit")
        assert (row["callers"], row["spread"], row["total_ms"]) == (2, 1.5, 50.0)
        assert row["detail"] == "entered from 2: a, b — on app"


@pytest.mark.parametrize(
    ("calls", "listed"),
    [
        ({"a": (20,), "b": (20,)}, True),
        ({"a": (20,), "b": (30.01,)}, False),
        ({"a": (40,)}, False),
        ({"a": (19,), "b": (20.9,)}, False),
        ({"a": (20,), "b": (20,), "c": (20,)}, True),
        ({"a": (20,), "b": (20,), "c": (20,), "d": (20,)}, False),
        ({"a": (20, 0), "b": (20,)}, False),
    ],
)
def test_repeated_bars(load: Load, calls: dict[str, tuple[float, ...]], listed: bool) -> None:
    builder = app()
    for number, (caller, lengths) in enumerate(calls.items()):
        called_from(builder, caller, number * 100, *lengths)
    assert bool(ask(load(builder), "repeated_work").listed("repeated_work")) is listed


def test_repeated_near_miss_of_a_marker(load: Load) -> None:
    builder = app()
    called_from(builder, "a", 0, 10, name="AGENTTMP_x")
    called_from(builder, "b", 100, 40, name="AGENTTMP_x")
    called_from(builder, "a", 200, 10, name="AGENTTMP_even")
    called_from(builder, "b", 300, 50, name="AGENTTMP_even")
    called_from(builder, "c", 400, 50, name="AGENTTMP_even")
    asked = ask(load(builder), "repeated_work")
    (row,) = asked.listed("repeated_work")
    assert row["location"] == "AGENTTMP_x"
    assert str(row["detail"]).startswith("near miss: entered from 2: a, b — on app; ")
    assert ask(load(builder), "repeated_work", max_spread="4").row("repeated_work", "AGENTTMP_x")[
        "detail"
    ] == ("entered from 2: a, b — on app")


def test_repeated_leaves_claimed_names_recursion_and_callees_of_claimed_out(load: Load) -> None:
    builder = app()
    for number, caller in enumerate(("a", "b")):
        called_from(builder, caller, number * 200, 30, name="binder transaction")
    for number, caller in enumerate(("binder transaction", "c")):
        called_from(builder, caller, 1000 + number * 200, 30, name="only once")
    put(builder, PID, 2000, 2090, "visit")
    put(builder, PID, 2010, 2080, "between")
    put(builder, PID, 2020, 2070, "visit")
    put(builder, PID, 2200, 2290, "visit")
    asked = ask(load(builder), "repeated_work", 0, 10_000)
    assert asked.rows("repeated_work") == []


def test_repeated_from_the_top_level(load: Load) -> None:
    builder = app()
    put(builder, PID, 0, 30, "unit")
    called_from(builder, "a", 100, 30)
    row = ask(load(builder), "repeated_work").row("repeated_work", "unit")
    assert row["detail"] == "entered from 2: (top level), a — on app"


# ── app_init ──


def test_app_init_without_make_application(load: Load) -> None:
    builder = app()
    put(builder, PID, 0, 100, "bindApplication")
    put(builder, PID, 10, 30, "one")
    put(builder, PID, 12, 20, "deeper")
    put(builder, PID, 40, 41, "VerifyClass a b")
    put(builder, PID, 50, 60, "La/b/C;")
    put(builder, PID, 70, 75, "La list;")
    asked = ask(load(builder), "app_init")
    found = {
        row["location"]: (row["count"], row["total_ms"], row["max_ms"]) for row in asked.listed("app_init")
    }
    assert found == {
        "one": (1, 20.0, 20.0),
        "class initialization (ART)": (2, 11.0, 10.0),
        "La list;": (1, 5.0, 5.0),
        "(no section)": (1, 64.0, 64.0),
    }
    assert asked.row("app_init", "(no section)")["detail"] == "time under no section of bindApplication"
    assert asked.covered("app_init")["(no section)"] == [
        (0, 10 * MS),
        (30 * MS, 40 * MS),
        (41 * MS, 50 * MS),
        (60 * MS, 70 * MS),
        (75 * MS, 100 * MS),
    ]


def test_app_init_begins_after_the_last_make_application(load: Load) -> None:
    builder = app()
    put(builder, PID, 0, 100, "bindApplication")
    put(builder, PID, 1, 4, "makeApplication")
    put(builder, PID, 5, 8, "before")
    put(builder, PID, 10, 20, "makeApplication")
    put(builder, PID, 20, 60, "Startup")
    put(builder, PID, 30, 40, "Initializer")
    asked = ask(load(builder), "app_init")
    found = {row["location"]: row["total_ms"] for row in asked.rows("app_init")}
    assert found == {"Initializer": 10.0, "(no section)": 40.0}
    assert asked.row("app_init", "Initializer")["stretch_ms"] == 80.0
    assert len(asked.listed("app_init")) == 2
    assert ask(load(builder), "app_init", min_stretch_ms="80.01").listed("app_init") == []


# ── composables ──


def composed(builder: TraceBuilder, at: float, above: str | None, *calls: tuple[float, float, str]) -> None:
    if above:
        put(builder, PID, at, at + 90, above)
    put(builder, PID, at + 1, at + 80, "Compose:recompose")
    for start, end, name in calls:
        put(builder, PID, at + start, at + end, name)


def test_composables_by_pass(load: Load) -> None:
    home, card = "app.Home (Home.kt:1)", "app.Card (Card.kt:2)"
    column = "androidx.compose.Column (Column.kt:3)"
    builder = app()
    composed(
        builder, 0, "Recomposer:recompose", (2, 42, home), (3, 33, column), (4, 14, card), (15, 25, card)
    )
    composed(builder, 100, "AndroidOwner:measureAndLayout", (2, 12, card))
    composed(builder, 200, None, (2, 12, card))
    composed(builder, 300, "something else", (2, 12, card))
    composed(builder, 500, "traversal", (2, 12, card))
    put(builder, PID, 400, 410, card)
    asked = ask(load(builder), "composables", 0, 1000)
    assert {
        row["location"]: (row["count"], row["self_ms"], row["total_ms"]) for row in asked.rows("composables")
    } == {
        home: (1, 20.0, 40.0),
        card: (7, 70.0, 70.0),
    }
    assert asked.row("composables", card)["detail"] == (
        "2 in a first composition · 2 in a frame · 1 during measure · 2 elsewhere"
    )
    covered = asked.covered("composables")
    assert covered[home] == [(2 * MS, 4 * MS), (14 * MS, 15 * MS), (25 * MS, 42 * MS)]


def test_own_time_of_a_composable_whose_calls_lie_at_several_depths(load: Load) -> None:
    home, card = "app.Home (Home.kt:1)", "app.Card (Card.kt:2)"
    builder = app()
    put(builder, PID, 0, 40, home)
    put(builder, PID, 10, 20, "androidx.compose.Column (Column.kt:3)")
    put(builder, PID, 12, 14, card)
    put(builder, PID, 30, 40, card)
    asked = ask(load(builder), "composables", 0, 1000)
    assert {row["location"]: row["self_ms"] for row in asked.rows("composables")} == {home: 28.0, card: 12.0}
    assert asked.covered("composables") == {
        home: [(0, 12 * MS), (14 * MS, 30 * MS)],
        card: [(12 * MS, 14 * MS), (30 * MS, 40 * MS)],
    }


def test_composables_of_an_unknown_package(load: Load) -> None:
    builder = TraceBuilder()
    builder.slice(PID, PID, 0, 10 * MS, "some.Home (Home.kt:1)")
    builder.slice(PID, PID, 20 * MS, 40 * MS, "androidx.compose.Column (Column.kt:3)")
    asked = Asked(load(builder), PID, 0, 100 * MS, only="composables")
    assert [row["location"] for row in asked.rows("composables")] == ["some.Home (Home.kt:1)"]
