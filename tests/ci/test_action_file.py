"""What action.yml may and may not say."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest

from action_runner import ACTION, EXPRESSION, ROOT
from echolot_tui.headless.verbs.ci import STEPS

ALL: list[dict[str, Any]] = ACTION["runs"]["steps"]
SHELL = [step for step in ALL if "run" in step]
USES = [step for step in ALL if "uses" in step]


def test_inputs_and_outputs_are_the_documented_ones() -> None:
    assert set(ACTION["inputs"]) == {
        "traces",
        "config",
        "scenario",
        "baseline",
        "baseline-branch",
        "baseline-workflow",
        "artifact-name",
        "comment",
        "python",
        "token",
    }
    assert set(ACTION["outputs"]) == {"report", "baseline", "comparison", "moved", "appeared", "vanished"}
    assert [name for name, one in ACTION["inputs"].items() if one.get("required")] == ["traces"]


@pytest.mark.parametrize("step", SHELL, ids=lambda step: step["name"])
def test_no_expression_stands_in_a_shell_line(step: dict[str, Any]) -> None:
    assert EXPRESSION.search(step["run"]) is None
    assert step["shell"] == "bash"


@pytest.mark.parametrize("step", SHELL, ids=lambda step: step["name"])
def test_every_variable_of_a_shell_line_is_quoted_and_comes_from_env(step: dict[str, Any]) -> None:
    unquoted = re.sub(r'"[^"]*"', "", step["run"])
    assert "$" not in unquoted
    assert "`" not in step["run"]
    assert set(re.findall(r"\$\{?([A-Z_]+)", step["run"])) <= set(step["env"])


@pytest.mark.parametrize("step", SHELL, ids=lambda step: step["name"])
def test_each_variable_is_one_expression(step: dict[str, Any]) -> None:
    for name, value in step["env"].items():
        assert re.fullmatch(r"\$\{\{ [^{}]+ \}\}(/[a-z-]+)?", value), (name, value)


def test_only_two_steps_see_the_token() -> None:
    having = [step["name"] for step in ALL if "token" in str(step.get("env")) + str(step.get("with"))]
    assert having == ["Fetch the baseline", "Comment on the pull request"]


@pytest.mark.parametrize("step", USES, ids=lambda step: step["uses"].partition("@")[0])
def test_actions_are_pinned_by_hash(step: dict[str, Any]) -> None:
    assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", step["uses"])
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    assert re.search(re.escape(step["uses"]) + r" # v[0-9]+\.[0-9]+\.[0-9]+\n", text)


def test_the_engine_cache_is_keyed_by_what_compiles_it() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pinned = dict(one.split("==") for one in project["dependencies"] if "==" in one)
    (cache,) = [step for step in USES if step["uses"].startswith("actions/cache@")]
    assert f"viztracer{pinned['viztracer']}-wasmtime{pinned['wasmtime']}-" in cache["with"]["key"]


def test_every_step_of_the_verb_is_used() -> None:
    called = [step["run"].removeprefix('"$ECHOLOT" ci ') for step in SHELL[1:]]
    assert tuple(called) == STEPS
