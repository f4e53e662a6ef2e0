"""What the action was given, and what the run says about itself: read from the step's environment."""

from __future__ import annotations

import glob
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from echolot_tui.ci.runner import RunnerError
from echolot_tui.errors import EcholotError
from echolot_tui.frozen import Frozen
from echolot_tui.measure.inputs import natural_key

ARTIFACT: Final = "echolot-report"


class Inputs(Frozen, frozen=True, kw_only=True):
    """The action's inputs; blank is not given."""

    traces: tuple[str, ...] = ()
    """One pattern a line."""
    config: str | None = None
    scenario: str | None = None
    baseline: str | None = None
    """A ``report.json`` to compare with, in the place of the last run's."""
    branch: str | None = None
    workflow: str | None = None
    artifact: str = ARTIFACT
    comment: bool = False


class Job(Frozen, frozen=True, kw_only=True):
    """The run this step belongs to."""

    repository: str
    run_id: str
    api: str
    server: str
    workflow: str
    """File name of the workflow."""
    base_branch: str | None
    """Where the baseline comes from: the pull request's base, else the default branch; null where the
    event says neither."""
    pull_request: int | None = None
    token: str | None = None


def read_inputs(environ: Mapping[str, str]) -> Inputs:
    """The inputs, which reach a step only through its environment.

    Raises:
        RunnerError: ``comment`` is neither true nor false.
    """
    given = {
        name: environ.get(f"ECHOLOT_{name}", "").strip()
        for name in (
            "CONFIG",
            "SCENARIO",
            "BASELINE",
            "BASELINE_BRANCH",
            "BASELINE_WORKFLOW",
            "ARTIFACT_NAME",
        )
    }
    lines = environ.get("ECHOLOT_TRACES", "").splitlines()
    return Inputs(
        traces=tuple(line.strip() for line in lines if line.strip()),
        config=given["CONFIG"] or None,
        scenario=given["SCENARIO"] or None,
        baseline=given["BASELINE"] or None,
        branch=given["BASELINE_BRANCH"] or None,
        workflow=given["BASELINE_WORKFLOW"] or None,
        artifact=given["ARTIFACT_NAME"] or ARTIFACT,
        comment=_truth("comment", environ.get("ECHOLOT_COMMENT", "")),
    )


def read_job(environ: Mapping[str, str]) -> Job:
    """The run, from the runner's variables and the event's file.

    Raises:
        RunnerError: A variable every job has is missing, or the event cannot be read.
    """
    event = _event(environ)
    repository: Any = event.get("repository") or {}
    default = repository.get("default_branch") if isinstance(repository, dict) else None
    pull: Any = event.get("pull_request")
    number = pull.get("number") if isinstance(pull, dict) else None
    return Job(
        repository=_needed(environ, "GITHUB_REPOSITORY"),
        run_id=_needed(environ, "GITHUB_RUN_ID"),
        api=environ.get("GITHUB_API_URL") or "https://api.github.com",
        server=environ.get("GITHUB_SERVER_URL") or "https://github.com",
        workflow=_workflow(_needed(environ, "GITHUB_WORKFLOW_REF")),
        base_branch=environ.get("GITHUB_BASE_REF") or (default if isinstance(default, str) else None),
        pull_request=number if isinstance(number, int) else None,
        token=environ.get("ECHOLOT_TOKEN") or None,
    )


def find_traces(patterns: Sequence[str], root: Path) -> tuple[Path, ...]:
    """Every file the patterns name, each once, in natural order by pattern.

    Args:
        patterns: As given; ``**`` reaches into folders.
        root: What relative ones start from.

    Raises:
        EcholotError: None was given, or one of them names nothing.
    """
    if not patterns:
        raise EcholotError(
            "the input traces is empty", todo="name the repeats of one test, one pattern a line"
        )
    found: dict[Path, None] = {}
    for pattern in patterns:
        names = glob.iglob(pattern, root_dir=root, recursive=True)  # noqa: PTH207 - takes absolute ones too
        matches = [root / name for name in names]
        files = sorted((one for one in matches if one.is_file()), key=lambda path: natural_key(str(path)))
        if not files:
            raise EcholotError(
                "names no trace",
                where=f'traces "{pattern}"',
                todo="see where the benchmark wrote them, and that it ran before this step",
            )
        found |= dict.fromkeys(files)
    return tuple(found)


def _event(environ: Mapping[str, str]) -> dict[str, Any]:
    path = environ.get("GITHUB_EVENT_PATH")
    if not path:
        return {}
    try:
        event = msgspec.json.decode(Path(path).read_bytes())
    except (OSError, msgspec.DecodeError) as error:
        raise RunnerError(f"cannot be read ({error})", where=path) from error
    return event if isinstance(event, dict) else {}


def _needed(environ: Mapping[str, str], name: str) -> str:
    value = environ.get(name)
    if not value:
        raise RunnerError(f"{name} is not set", todo="echolot ci runs inside the action's steps")
    return value


def _workflow(ref: str) -> str:
    """``owner/repo/.github/workflows/ci.yml@refs/heads/main`` is ``ci.yml``."""
    return ref.partition("@")[0].rpartition("/")[2]


def _truth(name: str, text: str) -> bool:
    word = text.strip().lower()
    if word in ("", "false"):
        return False
    if word == "true":
        return True
    raise RunnerError(f'the input {name} is "{text}"', todo="write true or false")
