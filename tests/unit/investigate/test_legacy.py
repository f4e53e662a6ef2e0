"""Projects of the original are read in once; their files stay as they are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from echolot_tui.investigate.store import Store
from echolot_tui.project.layout import Layout
from unit.investigate.project import Clock, store_in

REPORT = {
    "schema": 1,
    "generated_at": "2025-05-02T10:00:00+00:00",
    "scenario": "coldStart",
    "traces": ["a_iter000.perfetto-trace", "a_iter001.perfetto-trace"],
    "runs": 2,
    "config": {"sha": "0123456789ab"},
    "detectors": [],
}


def write(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))


def hunt(n: int | None, question: str, status: str = "abandoned", **more: object) -> dict[str, object]:
    found: dict[str, object] = {
        "question": question,
        "since": None,
        "scenario": "coldStart",
        "config_sha": "0123456789ab",
        "confirmed": {"project.process": "com.example.app"},
        "opened_at": "2025-05-01T10:00:00+00:00",
        "touched_at": "2025-05-02T12:00:00+02:00",
        "status": status,
        "collects": 2,
        "analyzes": 2,
        "traces": [".echolot/traces/coldStart-20250501-100000"],
        "conclusion": None,
    }
    return found | more | ({"n": n} if n is not None else {})


@pytest.fixture
def project(tmp_path: Path) -> Path:
    state = tmp_path / ".echolot"
    write(state / "hunt.json", hunt(3, "why is it 7 s?", "open", since="the redesign"))
    for name in ("001", "002"):
        write(state / "hunts" / "3" / "reports" / f"{name}.json", REPORT)
    write(
        state / "hunts" / "2" / "hunt.json",
        hunt(2, "and the list?", "concluded", conclusion="the cache", closed_at="2025-04-02T10:00:00Z"),
    )
    write(state / "hunts" / "20240101-120000-older.json", hunt(None, "an older one", "open"))
    write(state / "hunts" / "7" / "reports" / "001.json", REPORT)
    return tmp_path


def everything(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*.json"))}


def test_everything_is_read_and_nothing_touched(project: Path) -> None:
    before = everything(project)
    with store_in(project) as store:
        assert store.imported == ()
        hunts = {each.n: each for each in store.hunts.all()}
    assert everything(project) == before
    assert {n: (each.question, each.state, each.current) for n, each in hunts.items()} == {
        2: ("and the list?", "concluded", False),
        3: ("why is it 7 s?", "open", True),
        7: ("(no question was recorded)", "abandoned", False),
        8: ("an older one", "abandoned", False),
    }
    latest = hunts[3]
    assert (latest.since, latest.scenario, latest.config_sha) == (
        "the redesign",
        "coldStart",
        "0123456789ab",
    )
    assert latest.confirmed == {"project.process": "com.example.app"}
    assert (latest.opened_at, latest.touched_at) == ("2025-05-01T10:00:00Z", "2025-05-02T10:00:00Z")
    assert latest.imported_from == ".echolot/hunt.json"
    assert (hunts[2].conclusion, hunts[2].closed_at) == ("the cache", "2025-04-02T10:00:00Z")


def test_each_report_copy_is_a_round_that_can_be_compared(project: Path) -> None:
    with store_in(project) as store:
        first, second = store.hunts.get(3).measured
    assert (first.k, second.k) == (1, 2)
    assert first.report is not None
    assert first.report.path == ".echolot/hunts/3/reports/001.json"
    assert [trace.path for trace in first.traces] == REPORT["traces"]
    assert all(trace.sha256 is None for trace in first.traces)
    assert first.is_measured


def test_it_happens_once(project: Path) -> None:
    with store_in(project) as store:
        store.hunts.conclude(3, "the lock")
        lines = len(store.journal())
    write(project / ".echolot" / "hunts" / "9" / "hunt.json", hunt(9, "written later"))
    with store_in(project) as store:
        assert len(store.journal()) == lines
        assert store.hunts.get(3).state == "concluded"
        assert 9 not in {each.n for each in store.hunts.all()}


def test_numbers_go_on_after_the_largest(project: Path) -> None:
    with store_in(project) as store:
        assert store.hunts.open("next?", scenario="coldStart").n == 9


@pytest.mark.parametrize("n", [10**30, -1, 0, True, "4", 2.5])
def test_a_number_that_is_none_is_given_a_new_one(project: Path, n: object) -> None:
    write(project / ".echolot" / "hunts" / "odd" / "hunt.json", hunt(None, "odd") | {"n": n})
    with store_in(project) as store:
        assert {each.n: each.question for each in store.hunts.all() if each.n > 7} == {
            8: "an older one",
            9: "odd",
        }


def test_new_rounds_follow_the_imported_ones(project: Path) -> None:
    with store_in(project) as store:
        assert store.rounds.plan(3, scenario="coldStart", runs=1).k == 3


@pytest.mark.parametrize(
    "broken", ["{", "[1]", "null", '{"n": 5, "question": 7, "status": [], "opened_at": 1}']
)
def test_a_broken_record_costs_only_itself(project: Path, broken: str) -> None:
    write(project / ".echolot" / "hunts" / "5" / "hunt.json", broken)
    with store_in(project) as store:
        numbers = {each.n for each in store.hunts.all()}
        assert {2, 3} <= numbers
        assert (5 in numbers) == broken.startswith('{"n"')
        assert len(store.imported) == (5 not in numbers)
    with store_in(project) as store:
        assert store.imported == ()  # said once


def test_a_broken_report_leaves_its_round_without_one(project: Path) -> None:
    write(project / ".echolot" / "hunts" / "3" / "reports" / "002.json", "{")
    with store_in(project) as store:
        first, second = store.hunts.get(3).rounds
        (said,) = store.imported
    assert first.report is not None
    assert second.report is None
    assert "002.json" in said
    assert said.endswith("its round has no report")


def test_two_records_of_one_number_are_both_kept(project: Path) -> None:
    write(project / ".echolot" / "hunts" / "3" / "hunt.json", hunt(3, "the same number"))
    with store_in(project) as store:
        questions = {each.question for each in store.hunts.all()}
    assert {"why is it 7 s?", "the same number"} <= questions


def test_only_the_latest_of_the_original_can_be_open(project: Path) -> None:
    write(project / ".echolot" / "hunts" / "2" / "hunt.json", hunt(2, "crashed", "open"))
    with store_in(project) as store:
        assert store.hunts.get(2).state == "abandoned"


def test_looking_is_enough_to_import(project: Path) -> None:
    store = Store.existing(Layout(root=project), Clock())
    assert store is not None
    with store:
        assert len(store.hunts.all()) == 4
