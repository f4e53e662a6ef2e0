"""The first config loads, and says what was chosen."""

from __future__ import annotations

import fnmatch
from pathlib import Path

import pytest

from echolot_tui.project.first_config import FirstChoice, exactly, first_config
from echolot_tui.project.load import load_config
from echolot_tui.project.scenario import Scenario, resolve_scenario
from screens_data import HOSTILE


def loaded(folder: Path, choice: FirstChoice) -> Scenario:
    path = folder / "echolot.yml"
    path.write_text(first_config(choice), encoding="utf-8")
    found = load_config(path)
    assert found.warnings == ()
    return resolve_scenario(found)


def test_nothing_chosen_measures_everything(tmp_path: Path) -> None:
    scenario = loaded(tmp_path, FirstChoice())
    assert (scenario.name, scenario.process, scenario.start, scenario.end) == ("run", None, None, None)


def test_an_application_can_also_be_launched(tmp_path: Path) -> None:
    scenario = loaded(tmp_path, FirstChoice(process="com.example.app"))
    assert (scenario.package, scenario.process) == ("com.example.app", "com.example.app")


def test_another_process_is_only_found_by_its_name(tmp_path: Path) -> None:
    scenario = loaded(tmp_path, FirstChoice(process="kworker/0:1"))
    assert (scenario.package, scenario.process) == (None, "kworker/0:1")


def test_a_command_makes_a_host_runner(tmp_path: Path) -> None:
    runner = loaded(tmp_path, FirstChoice(command='python -c "a: b # c" {trace}')).runner
    assert (runner.mode, runner.command, runner.suffix) == ("host", 'python -c "a: b # c" {trace}', ".json")


@pytest.mark.parametrize("name", [name for name in HOSTILE if name.isprintable() and name.strip()], ids=ascii)
def test_anchors_of_any_name_load_and_match_it(tmp_path: Path, name: str) -> None:
    scenario = loaded(tmp_path, FirstChoice(start=name, end=name))
    assert scenario.start == scenario.end
    assert scenario.start is not None
    assert fnmatch.fnmatchcase(name, scenario.start)


def test_a_glob_matches_only_its_name_with_any_long_number() -> None:
    assert exactly("Choreographer#doFrame 12345") == "Choreographer#doFrame *"
    assert exactly("a*b?[c] 12") == "a[*]b[?][[]c] 12"
