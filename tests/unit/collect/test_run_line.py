"""One line a run, also of runs nobody began, and the time the rest takes."""

from __future__ import annotations

from pathlib import Path

from echolot_tui.collect.live import facts_of
from echolot_tui.collect.model import Progress, RunFacts, RunRecord, SetRecord
from echolot_tui.collect.progress import progress_of
from echolot_tui.collect.run_line import lines_of, lines_of_report, seconds_left
from recording import a_set, measured


def progress(*sets: SetRecord) -> Progress:
    return progress_of(sets, pid=1, log=Path("log"))


def ended_at(k: int, minute: int, **fields: object) -> RunRecord:
    return RunRecord(
        **{"k": k, "state": "done", "path": f"/t/{k}.json", "finished_at": f"2026-01-01T00:{minute:02}:00Z"}
        | fields
    )


def test_runs_nobody_began_wait(tmp_path: Path) -> None:
    lines = lines_of(progress(a_set(tmp_path, runs=(RunRecord(k=1, state="recording"),))))
    assert [(each.name, each.state) for each in lines] == [
        ("1", "waiting"),
        ("2", "recording"),
        ("3", "waiting"),
    ]


def test_a_trace_that_is_not_measured_yet_is_being_analyzed_until_the_set_ends(tmp_path: Path) -> None:
    runs = (ended_at(0, 1), ended_at(1, 2, facts=RunFacts(window_ms=3.0)))
    assert [each.state for each in lines_of(progress(a_set(tmp_path, runs=runs)))][:2] == [
        "analyzing",
        "done",
    ]
    over = a_set(tmp_path, runs=runs, status="partial", finished_at="2026-01-01T01:00:00Z")
    assert [each.state for each in lines_of(progress(over))][:2] == ["done", "done"]


def test_more_runs_than_asked_are_all_shown(tmp_path: Path) -> None:
    assert len(lines_of(progress(a_set(tmp_path, iterations=None, runs=(ended_at(4, 1),))))) == 5


def test_two_arms_are_told_apart(tmp_path: Path) -> None:
    lines = lines_of(
        progress(a_set(tmp_path, arm="old", iterations=1), a_set(tmp_path, arm="new", iterations=1))
    )
    assert [each.name for each in lines] == ["old 1", "new 1"]


def test_the_rest_takes_as_long_as_the_runs_so_far(tmp_path: Path) -> None:
    assert seconds_left(progress(a_set(tmp_path, runs=(ended_at(0, 2),)))) == 240.0


def test_a_night_between_two_runs_does_not_count(tmp_path: Path) -> None:
    runs = (ended_at(0, 1), ended_at(1, 2), ended_at(2, 3), ended_at(3, 59))
    assert seconds_left(progress(a_set(tmp_path, iterations=6, runs=runs))) == 120.0


def test_nothing_is_said_of_the_rest_where_nobody_knows_it(tmp_path: Path) -> None:
    assert seconds_left(progress(a_set(tmp_path))) is None
    assert seconds_left(progress(a_set(tmp_path, iterations=None, runs=(ended_at(0, 1),)))) is None
    assert seconds_left(progress(a_set(tmp_path, iterations=1, runs=(ended_at(0, 1),)))) is None


def test_a_watched_folder_has_the_lines_of_its_report(tmp_path: Path) -> None:
    record = a_set(tmp_path, runs=(ended_at(0, 1, sha256="a"), ended_at(1, 2, sha256="b")))
    report = measured(record)
    lines = lines_of_report(report, facts_of(report))
    assert [(each.name, each.facts.window_ms if each.facts else None) for each in lines] == [
        ("0", 100.0),
        ("1", 101.0),
    ]
