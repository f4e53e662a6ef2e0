"""Runs the steps of action.yml the way the runner does: expressions, environment files, bash."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from echolot_tui.ci.bootstrap import environment
from github_server import REPOSITORY, Artifact, Hub, Run, zipped

ROOT = Path(__file__).parents[1]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
CHECK = "Check that this runner computes correctly"
EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
_OUTPUT = re.compile(r"(?P<name>[^\n<=]+)<<(?P<end>[^\n]+)\n(?P<value>.*?)\n(?P=end)\n", re.DOTALL)


@dataclass
class Outcome:
    """What a call of the action left behind."""

    failed: str = ""
    """Name of the step that failed."""
    outputs: dict[str, str] = field(default_factory=dict)
    summary: str = ""
    log: str = ""
    uploaded: dict[str, bytes] = field(default_factory=dict)

    @property
    def annotations(self) -> list[str]:
        return [line for line in self.log.splitlines() if re.match(r"::(notice|warning|error) ", line)]


@dataclass
class Call:
    """One call of the action inside one job."""

    hub: Hub
    workspace: Path
    temp: Path
    run_id: int = 100
    event: str = "push"
    branch: str = "main"
    base: str = ""
    checked: bool = False
    """Whether the self-check, which takes seconds, runs too."""
    payload: dict[str, Any] = field(default_factory=lambda: {"repository": {"default_branch": "main"}})

    def run(self, **inputs: str) -> Outcome:
        given = {name: str(one.get("default", "")) for name, one in ACTION["inputs"].items()}
        given |= {name.replace("_", "-"): value for name, value in inputs.items()}
        given["token"] = given["token"] if "token" in inputs else "s3cret"
        self._install()
        outcome, steps = Outcome(), {"python": {"python-path": sys.executable}}
        for step in ACTION["runs"]["steps"]:
            if "if" in step and self._evaluate(step["if"], given, steps) != "true":
                continue
            if step["name"] == CHECK and not self.checked:
                continue
            if "run" in step:
                code, outputs = self._bash(step, given, steps, outcome)
                steps[step.get("id", "")] = outputs
                if code:
                    outcome.failed = step["name"]
                    break
            elif "upload-artifact" in step["uses"]:
                self._upload(step["with"], given, steps, outcome)
        outcome.outputs = {
            name: self._evaluate(one["value"], given, steps) for name, one in ACTION["outputs"].items()
        }
        return outcome

    def _install(self) -> None:
        """What the install step finds when an earlier call of the job has installed this ref."""
        program = environment(self.temp, ROOT, "v1") / "bin" / "echolot"
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m echolot_tui "$@"\n')
        program.chmod(0o755)

    def _bash(
        self, step: dict[str, Any], given: dict[str, str], steps: dict[str, dict[str, str]], outcome: Outcome
    ) -> tuple[int, dict[str, str]]:
        assert step["shell"] == "bash"
        files = {name: self.temp / f"_{name}" for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for path in files.values():
            path.write_text("")
        script = self.temp / "step.sh"
        script.write_text(self._evaluate(step["run"], given, steps))
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)],
            cwd=self.workspace,
            env=self._environment()
            | {name: self._evaluate(value, given, steps) for name, value in step["env"].items()}
            | {name: str(path) for name, path in files.items()},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=240,
        )
        outcome.log += (done.stdout + done.stderr).decode("utf-8", "replace")
        outcome.summary += files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")
        return done.returncode, read_outputs(files["GITHUB_OUTPUT"].read_text(encoding="utf-8"))

    def _environment(self) -> dict[str, str]:
        event = self.temp / "event.json"
        event.write_text(json.dumps(self.payload))
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "ECHOLOT_"))
        }
        return kept | {
            "PYTHONPATH": str(ROOT),
            "RUNNER_TEMP": str(self.temp),
            "GITHUB_WORKSPACE": str(self.workspace),
            "GITHUB_API_URL": self.hub.url,
            "GITHUB_SERVER_URL": "https://example.org",
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_RUN_ID": str(self.run_id),
            "GITHUB_EVENT_NAME": self.event,
            "GITHUB_EVENT_PATH": str(event),
            "GITHUB_BASE_REF": self.base,
            "GITHUB_REF_NAME": self.branch,
            "GITHUB_WORKFLOW_REF": f"{REPOSITORY}/.github/workflows/ci.yml@refs/heads/{self.branch}",
            "CI": "true",
        }

    def _upload(
        self,
        given: dict[str, Any],
        inputs: dict[str, str],
        steps: dict[str, dict[str, str]],
        outcome: Outcome,
    ) -> None:
        folder = Path(self._evaluate(given["path"], inputs, steps))
        name = self._evaluate(given["name"], inputs, steps)
        outcome.uploaded = {
            str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()
        }
        run = next((run for run in self.hub.runs if run.id == self.run_id), None)
        if run is None:
            run = Run(self.run_id, branch=self.branch, event=self.event)
            self.hub.runs.append(run)
        assert name not in {one.name for one in run.artifacts}, "a run keeps one artifact of each name"
        run.artifacts.append(Artifact(name, zipped(outcome.uploaded)))

    def _evaluate(self, text: str, inputs: dict[str, str], steps: dict[str, dict[str, str]]) -> str:
        def value(match: re.Match[str]) -> str:
            path, comparison, wanted = re.fullmatch(r"(\S+)(?: (==|!=) '([^']*)')?", match[1]).groups()  # type: ignore[union-attr]
            match path.split("."):
                case ["inputs", name]:
                    found = inputs[name]
                case ["steps", step, "outputs", name]:
                    found = steps.get(step, {}).get(name, "")
                case ["runner", "temp"]:
                    found = str(self.temp)
                case ["github", "action_ref"]:
                    found = "v1"
                case ["github", "action_path"]:
                    found = str(ROOT)
                case ["github", "token"]:
                    found = "s3cret"
                case _:
                    raise AssertionError(f"unknown expression {match[0]}")
            if comparison is None:
                return found
            return str((found == wanted) is (comparison == "==")).lower()

        return EXPRESSION.sub(value, text)


def read_outputs(text: str) -> dict[str, str]:
    """A file of outputs as the runner reads it: blocks with a delimiter, or one line each."""
    found = {match["name"]: match["value"] for match in _OUTPUT.finditer(text)}
    rest = _OUTPUT.sub("", text)
    return found | dict(line.split("=", 1) for line in rest.splitlines() if line)
