"""What Home and Collect read from disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from echolot_tui.collect.control import read_request
from echolot_tui.collect.files import CollectFiles
from echolot_tui.collect.owner import this_process
from echolot_tui.collect.progress import progress_of, write_progress
from echolot_tui.errors import EcholotError
from echolot_tui.investigate.store import Store
from echolot_tui.project.layout import Layout
from echolot_tui.tui.project_reading import Place, ask_collect, first_trace, read_collect, read_hunts
from recording import a_set

CONFIG = "scenario: {name: app}\nrunner: {mode: host, command: 'run {trace}', iterations: 4}\n"
NOW = "2026-03-01T12:00:00Z"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "echolot.yml").write_text(CONFIG)
    return tmp_path


def in_flight(project: Path, *, alive: bool = True) -> CollectFiles:
    """A collect this process records, or one whose process is gone."""
    files = CollectFiles(layout=Layout(root=project))
    owner = this_process()
    record = a_set(
        project, owner=owner if alive else type(owner)(pid=owner.pid, started="x", host=owner.host)
    )
    log = project / "the.log"
    log.write_text("one\n\x1b[31mtwo\n")
    write_progress(files.progress, progress_of([record], pid=1, log=log))
    return files


def test_no_project_has_no_hunts_and_says_why_nothing_can_be_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert read_hunts(Place(()), None) == ((), None)
    shown = read_collect(Place(()))
    assert (shown.plan, shown.progress) == (None, None)
    assert shown.problem is not None
    assert "there is no echolot.yml" in shown.problem


def test_the_config_can_be_named(
    project: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    place = Place(("-c", str(project / "echolot.yml"), "--scenario", "app"))
    assert place.layout == Layout(root=project.resolve())
    assert read_collect(place).plan is not None


def test_the_current_hunt_is_looked_at_unless_another_is_asked_for(project: Path) -> None:
    with Store(Layout(root=project), lambda: NOW) as record:
        for question in ("first", "second"):
            record.hunts.open(question, scenario="app")
    hunts, shown = read_hunts(Place(()), None)
    assert [hunt.question for hunt in hunts] == ["second", "first"]
    assert shown is not None
    assert shown.hunt.question == "second"
    _, other = read_hunts(Place(()), 1)
    assert other is not None
    assert other.hunt.question == "first"


def test_the_plan_says_what_would_be_run(project: Path) -> None:
    plan = read_collect(Place(())).plan
    assert plan is not None
    assert (plan.mode, plan.iterations, plan.commands, plan.hunt) == ("host", 4, ("run {trace}",), None)


def test_a_runner_without_its_command_is_said(project: Path) -> None:
    (project / "echolot.yml").write_text("runner: {mode: host}\n")
    assert read_collect(Place(())).problem == "the config's runner has mode host and no command"


def test_a_collect_in_flight_is_shown_with_its_log_made_harmless(project: Path) -> None:
    in_flight(project)
    shown = read_collect(Place(()))
    assert (shown.running, shown.lost) == (True, False)
    assert shown.log == ("one", "\\x1b[31mtwo")
    assert [line.state for line in shown.lines] == ["waiting"] * 3


def test_a_collect_whose_process_is_gone_is_lost(project: Path) -> None:
    in_flight(project, alive=False)
    shown = read_collect(Place(()))
    assert (shown.running, shown.lost) == (False, True)


def test_requests_add_up(project: Path) -> None:
    files = in_flight(project)
    assert ask_collect(Place(()), more=1) == "4 runs now"
    assert ask_collect(Place(()), more=1) == "5 runs now"
    ask_collect(Place(()), stop="after run")
    request = read_request(files.request)
    assert request is not None
    assert (request.iterations, request.stop) == (5, "after run")
    assert read_collect(Place(())).asked == "stopping after this run"


def test_nothing_in_flight_cannot_be_asked(project: Path) -> None:
    with pytest.raises(EcholotError, match="no collect is running"):
        ask_collect(Place(()), stop="now")


def test_the_first_trace_of_a_folder_is_looked_into(tmp_path: Path) -> None:
    for name in ("b.pftrace", "a.pftrace"):
        (tmp_path / name).write_bytes(b"\x0a\x03abc")
    assert first_trace(str(tmp_path)) == str(tmp_path / "a.pftrace")
    with pytest.raises(EcholotError):
        first_trace(str(tmp_path / "gone"))
