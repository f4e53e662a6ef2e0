"""From flags and config to a plan: settings of every scenario, and a project's own detectors."""

from __future__ import annotations

from pathlib import Path

import pytest

from echolot_tui.errors import ConfigError, EcholotError
from echolot_tui.headless.hunting import project_of
from echolot_tui.headless.setup import Flags, make_plan, open_project
from echolot_tui.investigate.store import Store
from echolot_tui.project.layout import Layout

SEVERAL = """\
scenarios:
  cold:
    detectors: {anr: false}
  warm:
    detectors:
      gc_presure: {max_events: 3}
"""
OWN = "-- @id: mine\n-- @title: Mine\n-- @rank: total_ms\nSELECT 'a' AS location, 1.0 AS total_ms"


def planned(folder: Path, text: str, **flags: str) -> object:
    path = folder / "echolot.yml"
    path.write_text(text)
    given = Flags(config=str(path), **flags)  # type: ignore[arg-type]
    return make_plan(given, open_project(given))


def test_a_mistake_in_a_scenario_that_is_not_measured_is_refused_too(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"line 6, scenarios.warm.detectors.gc_presure: .*mean gc_pressure"):
        planned(tmp_path, SEVERAL, scenario="cold")
    planned(tmp_path, SEVERAL.replace("presure", "pressure"), scenario="cold")


def test_of_another_scenario_everything_may_be_off(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "mine.sql").write_text(OWN)
    planned(tmp_path, "detectors_dir: own\nscenarios: {cold: , warm: {detectors: {mine: false}}}\n")


def test_a_setting_of_a_detector_whose_file_is_broken_is_refused_after_saying_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "mine.sql").write_text(OWN.replace("@title", "@titel"))
    with pytest.raises(ConfigError, match="there is no detector mine"):
        planned(tmp_path, "detectors_dir: own\ndetectors: {mine: false}\n")
    assert "mine.sql:2: @titel is no key of a detector file" in capsys.readouterr().err


def test_the_folder_of_own_detectors_may_lie_with_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home" / "own").mkdir(parents=True)
    planned(tmp_path, "detectors_dir: ~/own\n")
    with pytest.raises(ConfigError, match=r"line 1, detectors_dir: .* is no folder"):
        planned(tmp_path, "detectors_dir: own\n")


TWO = "scenarios:\n  cold:\n  warm:\n    detectors: {anr: false}\n"


def test_without_a_name_the_current_hunts_scenario_is_meant_and_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "echolot.yml"
    path.write_text(TWO)
    assert project_of(Flags(config=str(path))).scenario.name == "cold"
    assert 'this is "cold"; --scenario picks another' in capsys.readouterr().err
    with Store(Layout(root=tmp_path), lambda: "2026-01-01T00:00:00Z") as store:
        store.hunts.open("why?", scenario="warm")
    assert project_of(Flags(config=str(path))).scenario.name == "warm"
    assert 'this is "warm"; --scenario picks another' in capsys.readouterr().err
    assert project_of(Flags(config=str(path), scenario="cold")).scenario.name == "cold"
    assert capsys.readouterr().err == ""


def test_one_scenario_needs_no_saying(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "echolot.yml"
    path.write_text("scenarios: {cold: }\n")
    assert open_project(Flags(config=str(path))).scenario.name == "cold"
    assert capsys.readouterr().err == ""


def test_an_overlay_in_use_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "echolot.yml"
    path.write_text("scenario: {name: cold}\n")
    (tmp_path / "local.yml").write_text("scenario: {start: go}\n")
    project = open_project(Flags(config=str(path)))
    assert (project.scenario.name, project.scenario.start) == ("cold", "go")
    assert capsys.readouterr().err == f"[i] {tmp_path / 'local.yml'} is laid over the config\n"
    (tmp_path / "mine.yml").write_text("scenario: {start: gone}\n")
    named = Flags(config=str(path), local=str(tmp_path / "mine.yml"))
    assert open_project(named).scenario.start == "gone"
    assert "mine.yml is laid over the config" in capsys.readouterr().err


def test_where_results_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "taken").touch()
    (tmp_path / "echolot.yml").write_text("scenarios: {cold: }\n")
    monkeypatch.chdir(tmp_path / "deep")
    project = open_project(Flags())
    assert project.output_folder(None) == tmp_path / ".echolot" / "out" / "cold"
    assert project.output_folder("here") == tmp_path / "here", "from the config's folder, not the current one"
    assert project.output_folder(str(tmp_path / "abs")) == tmp_path / "abs"
    with pytest.raises(EcholotError, match="taken: is a file; name a folder with -o"):
        project.output_folder("taken")
    (tmp_path / "deep" / ".git").mkdir()
    outside = open_project(Flags())
    assert outside.loaded is None, "the search ends at the checkout's root"
    assert outside.output_folder(None) is None
    assert outside.output_folder("here") == tmp_path / "deep" / "here"


def test_an_output_that_could_not_be_written_is_refused_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    project = open_project(Flags())
    (tmp_path / "file").touch()
    with pytest.raises(EcholotError, match=r"file: is a file; name a folder with -o"):
        project.output_folder(str(tmp_path / "file" / "deeper" / "out"))
    assert project.output_folder(str(tmp_path / "new" / "out")) == tmp_path / "new" / "out"
    assert not (tmp_path / "new").exists()


def test_each_without_a_start_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "echolot.yml"
    path.write_text("scenario: {name: feed, window: each, end: done}\n")
    open_project(Flags(config=str(path)))
    assert "[!] feed: window: each needs a start anchor" in capsys.readouterr().err
    open_project(Flags(config=str(path), start="scroll"))
    path.write_text("scenario: {name: feed, window: each, start: scroll}\n")
    open_project(Flags(config=str(path)))
    assert capsys.readouterr().err == ""
