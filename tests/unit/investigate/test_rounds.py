"""Rounds of traces recorded elsewhere, reports and comparisons."""

from __future__ import annotations

from pathlib import Path

import pytest

from echolot_tui.errors import REFUSED
from echolot_tui.investigate.facts import round_facts
from echolot_tui.investigate.model import ReportLink, Round, TraceFile
from echolot_tui.investigate.next_step import is_compared, last_pair
from echolot_tui.investigate.rounds import MixedTracesError
from echolot_tui.investigate.states import IllegalTransitionError
from echolot_tui.investigate.store import Store


def traces(*names: str) -> list[TraceFile]:
    return [TraceFile(path=f"somewhere/{name}", sha256=f"hash of {name}") for name in names]


def attach(store: Store, *names: str) -> Round:
    return store.rounds.attach(1, traces(*names), scenario="cold")


def report(store: Store, of: Round, *names: str) -> Round:
    return store.rounds.report_saved(
        of.id,
        path=f"round-{of.k}/report.json",
        sha256=f"report of {'+'.join(names)}",
        traces=[f"hash of {name}" for name in names],
        generated_at="2026-03-01T12:00:00Z",
        config_sha="abc",
    )


@pytest.fixture(autouse=True)
def hunt(store: Store) -> None:
    store.hunts.open("why?", scenario="cold")


def test_traces_that_are_not_where_they_were_are_known(store: Store) -> None:
    first = attach(store, "a", "b", "c")
    assert round_facts(first, store.layout).gone == (0, 1, 2)
    there = store.layout.root / "somewhere" / "b"
    there.parent.mkdir()
    there.write_bytes(b"")
    assert round_facts(first, store.layout).gone == (0, 2)


def test_unknown_traces_make_a_round_that_is_complete(store: Store) -> None:
    first = attach(store, "a", "b", "c")
    assert (first.k, first.state, first.done, first.missing) == (1, "complete", (0, 1, 2), ())
    assert [(trace.run, trace.path, trace.sha256) for trace in first.traces] == [
        (at, f"somewhere/{name}", f"hash of {name}") for at, name in enumerate("abc")
    ]
    assert attach(store, "d").k == 2


def test_known_traces_find_their_round_whatever_the_path_and_order(store: Store) -> None:
    first = attach(store, "a", "b")
    attach(store, "x")
    again = store.rounds.attach(1, [TraceFile(path="elsewhere/B", sha256="hash of b")], scenario="cold")
    assert again.id == first.id
    assert len(again.traces) == 2


def test_a_trace_that_moved_is_found_again_and_one_that_stays_keeps_its_path(
    store: Store, tmp_path: Path
) -> None:
    attach(store, "a", "b")
    (tmp_path / "somewhere").mkdir()
    (tmp_path / "somewhere" / "a").write_text("still here")
    moved = [TraceFile(path=f"new/{name}", sha256=f"hash of {name}") for name in "ab"]
    after = store.rounds.attach(1, moved, scenario="cold")
    assert [trace.path for trace in after.traces] == ["somewhere/a", "new/b"]


def test_more_runs_join_the_round(store: Store) -> None:
    attach(store, "a")
    both = attach(store, "a", "b")
    assert (both.k, len(both.traces), both.done) == (1, 2, (0, 1))


def test_the_same_recording_twice_is_two_runs(store: Store) -> None:
    assert len(attach(store, "a", "a").runs) == 2
    assert len(attach(store, "a", "a").runs) == 2


def test_traces_of_two_rounds_belong_to_neither(store: Store) -> None:
    attach(store, "a")
    attach(store, "b")
    with pytest.raises(MixedTracesError, match="rounds 1 and 2 of hunt 1") as error:
        attach(store, "a", "b", "c")
    assert error.value.exit_code == REFUSED
    assert len(store.rounds.all()) == 2


def test_rounds_of_another_hunt_are_not_looked_at(store: Store) -> None:
    attach(store, "a")
    store.hunts.open("and now?", scenario="cold")
    again = store.rounds.attach(2, traces("a"), scenario="cold")
    assert (again.hunt, again.k) == (2, 1)


def test_a_report_links_its_traces(store: Store) -> None:
    first = report(store, attach(store, "a", "b"), "a", "b")
    assert first.report == ReportLink(
        id=1,
        path="round-1/report.json",
        sha256="report of a+b",
        generated_at="2026-03-01T12:00:00Z",
        config_sha="abc",
        runs=(0, 1),
    )
    assert first.is_measured


def test_a_report_of_some_runs_and_runs_that_came_later_leave_the_round_unmeasured(store: Store) -> None:
    first = attach(store, "a", "b")
    assert not first.is_measured
    assert not report(store, first, "a").is_measured
    assert report(store, first, "a", "b").is_measured
    assert not attach(store, "a", "c").is_measured
    assert report(store, first, "a", "b", "c").is_measured


def test_what_a_report_was_made_from_outlives_the_trace(store: Store) -> None:
    first = report(store, attach(store, "a"), "a")
    assert first.report is not None
    (row,) = store._database.rows("SELECT * FROM report_traces WHERE report = ?", first.report.id)
    assert (row["path"], row["sha256"]) == ("somewhere/a", "hash of a")


def test_a_plan_nobody_began_makes_room_for_the_next(store: Store) -> None:
    left = store.rounds.plan(1, scenario="cold", runs=3, label="before", plan={"collect": "a"})
    again = store.rounds.plan(1, scenario="cold", runs=2, plan={"collect": "b"}, over=left.id)
    assert (again.id, again.k, again.state, again.label) == (left.id, 1, "planned", None)
    assert (again.plan, [run.state for run in again.runs]) == ({"collect": "b"}, ["waiting"] * 2)
    assert [line.event for line in store.journal(1) if line.subject == "round"] == ["plan", "replan"]


def test_a_round_that_was_begun_makes_room_for_none(store: Store) -> None:
    kept = attach(store, "a")
    with pytest.raises(IllegalTransitionError, match="round 1 of hunt 1 is complete and cannot become"):
        store.rounds.plan(1, scenario="cold", runs=2, over=kept.id)
    assert store.rounds.get(kept.id) == kept


def test_the_pair_to_compare_is_the_last_two_with_a_report(store: Store) -> None:
    assert last_pair(store.hunts.get(1)) is None
    for name in "abc":
        report(store, attach(store, name), name)
    attach(store, "d")
    pair = last_pair(store.hunts.get(1))
    assert pair is not None
    assert [each.k for each in pair] == [2, 3]


def test_a_comparison_is_of_the_reports_it_was_made_of(store: Store) -> None:
    one, two = (report(store, attach(store, name), name) for name in "ab")
    assert one.report is not None
    assert two.report is not None
    store.rounds.compared(one.report.id, two.report.id, "round-2/comparison.json")
    before, after = store.hunts.get(1).rounds
    assert after.comparison is not None
    assert (after.comparison.before_k, after.comparison.path) == (1, "round-2/comparison.json")
    assert before.comparison is None
    assert is_compared(before, after)
    assert not is_compared(after, before)
    report(store, one, "a")
    assert not is_compared(*store.hunts.get(1).rounds)


def test_the_latest_comparison_of_a_round_counts(store: Store) -> None:
    ids = [made.report.id for name in "abc" if (made := report(store, attach(store, name), name)).report]
    for before in ids[:2]:
        store.rounds.compared(before, ids[2], f"after report {before}")
    found = store.hunts.get(1).rounds[2].comparison
    assert found is not None
    assert (found.before_k, found.path) == (2, f"after report {ids[1]}")


def test_sets_outside_any_hunt_have_numbers_of_their_own(store: Store) -> None:
    loose = [store.rounds.plan(None, scenario="cold", runs=1) for _ in range(2)]
    inside = store.rounds.plan(1, scenario="cold", runs=1)
    assert [(each.hunt, each.k) for each in (*loose, inside)] == [(None, 1), (None, 2), (1, 1)]
    assert store.hunts.get(1).rounds == (inside,)
    folders = [store.layout.round(each.hunt, each.k) for each in (*loose, inside)]
    assert len(set(folders)) == 3
