"""Mode host: a command that writes its trace itself."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from echolot_tui.collect.host import HostRunner
from echolot_tui.collect.model import Arm
from echolot_tui.collect.modes import suffix_of
from echolot_tui.collect.recipe import commands_of, recipe
from echolot_tui.collect.runner import CollectError, Recorded, Runner
from echolot_tui.collect.trust import Trust
from echolot_tui.project.model import Runner as RunnerSettings
from recording import listening


def _record(command: str, tmp_path: Path, *, timeout_s: float = 20.0) -> str:
    runner = HostRunner(command, folder=tmp_path, env=dict(os.environ), timeout_s=timeout_s)
    assert isinstance(runner, Runner)
    to = tmp_path / "a b'c.json"
    assert runner.record_one(1, to, listening(tmp_path)) == Recorded()
    return to.read_text()


def test_the_command_finds_where_its_trace_goes_whatever_the_name(tmp_path: Path) -> None:
    assert _record("echo written > {trace}", tmp_path) == "written\n"


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (
            "echo why >&2; exit 3 # {trace}",
            'run 2: the command ended with exit code 3; its last line: "why"; run the command by hand',
        ),
        ("touch {trace}", "run 2: the command ended well but left an empty trace at {trace}"),
        ("mkdir {trace}", "run 2: the command ended well but left a folder at {trace}"),
        ("echo hm # {trace}", 'left no trace at {trace}; its last line: "hm"'),
        ("kill -9 $$ # {trace}", "run 2: the command was ended by SIGKILL"),
    ],
)
def test_a_failure_says_how_it_failed(command: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(CollectError) as failed:
        _record(command, tmp_path)
    assert sentence in failed.value.sentence


def test_a_run_that_takes_too_long_names_the_setting(tmp_path: Path) -> None:
    with pytest.raises(CollectError, match=r"took too long and was ended \(runner.timeout_s is 0.3\)"):
        _record("sleep 60 # {trace}", tmp_path, timeout_s=0.3)


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (None, "runner.command: mode host needs a command"),
        ("  ", "runner.command: mode host needs a command"),
        ("python app.py", "does not say where its trace goes (python app.py); put {trace} where"),
    ],
)
def test_a_command_that_cannot_work_is_refused_before_a_run(
    command: str | None, sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(CollectError) as refused:
        HostRunner(command, folder=tmp_path, env={}, timeout_s=1)
    assert sentence in refused.value.sentence


def test_a_folder_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    runner = HostRunner("echo {trace}", folder=tmp_path / "no", env={}, timeout_s=1)
    with pytest.raises(CollectError, match="could not be started"):
        runner.record_one(0, tmp_path / "x.json", listening(tmp_path))


@pytest.mark.parametrize("suffix", ["json", "", ".", "..", "./x"])
def test_an_ending_that_is_none_is_refused(suffix: str) -> None:
    with pytest.raises(CollectError, match="is no ending of a file"):
        suffix_of(RunnerSettings(mode="host", suffix=suffix))


def test_a_recipe_is_what_a_run_is_not_how_many() -> None:
    settings = RunnerSettings(mode="host", command="a {trace}")
    assert recipe(settings, ()) == recipe(RunnerSettings(mode="host", command="a {trace}", iterations=9), ())
    assert recipe(settings, ()) != recipe(RunnerSettings(mode="host", command="b {trace}"), ())
    assert recipe(settings, ()) != recipe(settings, (Arm(name="a", command="x"), Arm(name="b", command="y")))


def test_the_commands_a_config_brings() -> None:
    assert commands_of(RunnerSettings(mode="host", command="x {trace}")) == ("x {trace}",)
    assert commands_of(RunnerSettings(mode="launch", command="x")) == ()
    gradle = RunnerSettings(mode="gradle", gradle_task=":b:connectedCheck", gradle_args=("-Pa",))
    assert commands_of(gradle) == ("./gradlew :b:connectedCheck -Pa",)


def test_trust_is_for_these_commands_in_this_project(tmp_path: Path) -> None:
    trust = Trust(tmp_path / "state")
    project = tmp_path / "project"
    assert not trust.has(project, ["a", "b"])
    trust.give(project, ["a", "b"])
    assert trust.has(project, ["a", "b"])
    assert not trust.has(project, ["a b"])
    assert not trust.has(project, ["b", "a"])
    assert not trust.has(tmp_path / "other", ["a", "b"])
