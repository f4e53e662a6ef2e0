"""Inputs and the run's own facts, from the step's environment."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from echolot_tui.ci.inputs import Inputs, find_traces, read_inputs, read_job
from echolot_tui.ci.runner import RunnerError
from echolot_tui.errors import EcholotError

JOB = {
    "GITHUB_REPOSITORY": "team/app",
    "GITHUB_RUN_ID": "7",
    "GITHUB_WORKFLOW_REF": "team/app/.github/workflows/night ly.yml@refs/heads/a@b",
}


def test_blank_inputs_are_not_given() -> None:
    assert read_inputs({"ECHOLOT_CONFIG": " ", "ECHOLOT_TRACES": "\n \n"}) == Inputs()


def test_inputs() -> None:
    given = read_inputs(
        {
            "ECHOLOT_TRACES": " a/*.trace \n\nb.trace",
            "ECHOLOT_CONFIG": "e.yml",
            "ECHOLOT_SCENARIO": "cold",
            "ECHOLOT_BASELINE": "old.json",
            "ECHOLOT_BASELINE_BRANCH": "release",
            "ECHOLOT_BASELINE_WORKFLOW": "night.yml",
            "ECHOLOT_ARTIFACT_NAME": "mine",
            "ECHOLOT_COMMENT": "True",
        }
    )
    assert given == Inputs(
        traces=("a/*.trace", "b.trace"),
        config="e.yml",
        scenario="cold",
        baseline="old.json",
        branch="release",
        workflow="night.yml",
        artifact="mine",
        comment=True,
    )
    with pytest.raises(RunnerError, match='comment is "yes"; write true or false'):
        read_inputs({"ECHOLOT_COMMENT": "yes"})


@pytest.mark.parametrize(
    ("event", "base", "branch", "number"),
    [
        ({"repository": {"default_branch": "trunk"}}, "", "trunk", None),
        ({"repository": {"default_branch": "trunk"}, "pull_request": {"number": 3}}, "main", "main", 3),
        ({}, "", None, None),
        ({"repository": None, "pull_request": "odd"}, "", None, None),
        ([], "", None, None),
    ],
)
def test_where_the_baseline_comes_from(
    event: object, base: str, branch: str | None, number: int | None, tmp_path: Path
) -> None:
    path = tmp_path / "event.json"
    path.write_text(json.dumps(event))
    job = read_job(JOB | {"GITHUB_EVENT_PATH": str(path), "GITHUB_BASE_REF": base})
    assert (job.base_branch, job.pull_request) == (branch, number)
    assert job.workflow == "night ly.yml"
    assert job.token is None


def test_a_job_without_its_variables(tmp_path: Path) -> None:
    with pytest.raises(RunnerError, match="GITHUB_REPOSITORY is not set"):
        read_job({})
    with pytest.raises(RunnerError, match="cannot be read"):
        read_job(JOB | {"GITHUB_EVENT_PATH": str(tmp_path / "absent")})


def test_patterns_name_files_in_run_order(tmp_path: Path) -> None:
    for name in ("out/b/t_iter10.trace", "out/b/t_iter2.trace", "out/c/t_iter1.trace", "other [1].trace"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    found = find_traces(["out/**/b/*.trace", "out/**/*.trace"], tmp_path)
    assert [path.name for path in found] == ["t_iter2.trace", "t_iter10.trace", "t_iter1.trace"]
    assert find_traces([str(tmp_path / "out/c/*.trace")], tmp_path)[0].name == "t_iter1.trace"


def test_a_line_that_names_no_trace_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.trace").touch()
    (tmp_path / "folder.trace").mkdir()
    for pattern in ("b*.trace", "folder*"):
        with pytest.raises(EcholotError, match="names no trace"):
            find_traces(["a.trace", pattern], tmp_path)
    with pytest.raises(EcholotError, match="the input traces is empty"):
        find_traces([], tmp_path)
