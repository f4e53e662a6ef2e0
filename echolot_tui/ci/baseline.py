"""The report the last good run of the base branch kept: found, fetched and unpacked, or why there is none."""

from __future__ import annotations

import io
import urllib.parse
import zipfile
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, NamedTuple

from echolot_tui.ci.github import ApiError, GitHub
from echolot_tui.ci.inputs import Inputs, Job
from echolot_tui.errors import EcholotError
from echolot_tui.frozen import Frozen
from echolot_tui.project.files import write_atomic
from echolot_tui.report.codec import decode_report
from echolot_tui.text import visible

REPORT: Final = "report.json"
FILES: Final = (REPORT, "rows.json")
_RUNS: Final = 30
"""Runs looked through, newest first: some of a workflow's runs skip the benchmark."""
_MOST_BYTES: Final = 256 << 20
"""Of one file in the artifact, unpacked."""
_NOT_OF_THE_BRANCH: Final = frozenset({"pull_request", "pull_request_target"})
"""Runs of these events are named after the branch that asks, which may be a fork's and carry any name."""


class Baseline(Frozen, frozen=True, kw_only=True):
    """What to compare with; or, without a path, why there is nothing."""

    path: Path | None = None
    branch: str | None = None
    """Where its run was, of one that was looked up."""
    text: str
    """Where it is from, or why there is none."""
    warning: bool = False
    """Somebody should do something about it: it is not merely the first run."""


class _Run(NamedTuple):
    id: int
    sha: str


def named(path: str, root: Path) -> Baseline:
    """A report somebody named.

    Args:
        path: As given.
        root: What a relative one starts from.
    """
    whole = root / path
    if whole.is_file():
        return Baseline(path=whole, text=f"the named baseline {visible(path)}")
    return Baseline(text=f"the named baseline {visible(path)} is not there", warning=True)


def look_up(hub: GitHub, job: Job, inputs: Inputs, folder: Path) -> Baseline:
    """The last successful run's report on the base branch, unpacked into ``folder``.

    Never fails: what went wrong is in the answer.
    """
    workflow = inputs.workflow or job.workflow
    try:
        branch = inputs.branch or job.base_branch or default_branch(hub)
        runs = _runs(hub, job, branch, workflow)
        if not runs:
            return _none_yet(branch, workflow, named=inputs.workflow is not None)
        expired = False
        for run in runs:
            artifact = _artifact(hub, run, inputs.artifact)
            if artifact is None:
                continue
            if artifact.get("expired"):
                expired = True
                continue
            return _fetched(hub, artifact, run, folder, branch)
        return _nothing_kept(inputs.artifact, branch, workflow, expired=expired)
    except ApiError as error:
        return Baseline(text=_why(error, workflow), warning=True)
    except EcholotError as error:
        return Baseline(text=f"the baseline cannot be used: {error.sentence}", warning=True)


def default_branch(hub: GitHub) -> str:
    """The repository's own, for events that do not say it.

    Raises:
        ApiError: The API does not say it either.
    """
    answer = hub.get("")
    name = answer.get("default_branch") if isinstance(answer, dict) else None
    return name if isinstance(name, str) else "main"


def unpack(archive: bytes, folder: Path) -> Path:
    """Write an artifact's report, and the rows beside it, into ``folder``.

    Nothing else in the archive is looked at, and no name in it decides where something is written.

    Returns:
        The report's path.

    Raises:
        EcholotError: It is no archive, holds no report, or one that does not load.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as packed:
            content = {name: _member(packed, name) for name in FILES if name in packed.namelist()}
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, ValueError) as error:
        raise EcholotError(f"the artifact is no archive that can be read ({error})") from error
    if REPORT not in content:
        raise EcholotError(
            f"the artifact holds no {REPORT}", todo="let artifact-name name what this action kept"
        )
    decode_report(content[REPORT], where=f"the baseline's {REPORT}")
    for name, data in content.items():
        write_atomic(folder / name, data)
    return folder / REPORT


def _member(packed: zipfile.ZipFile, name: str) -> bytes:
    with packed.open(name) as file:
        content = file.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise EcholotError(f"the artifact's {name} is larger than any report")
    return content


def _runs(hub: GitHub, job: Job, branch: str, workflow: str) -> list[_Run]:
    """Successful runs on the branch, newest first, none of a pull request."""
    name = urllib.parse.quote(workflow, safe="")
    answer = hub.get(f"actions/workflows/{name}/runs", branch=branch, status="success", per_page=_RUNS)
    return [
        _Run(id=int(run["id"]), sha=str(run.get("head_sha", ""))[:7])
        for run in _list(answer, "workflow_runs")
        if isinstance(run.get("id"), int)
        and str(run["id"]) != job.run_id
        and run.get("event") not in _NOT_OF_THE_BRANCH
        and _repository(run) in (None, job.repository.lower())
    ]


def _repository(run: dict[str, Any]) -> str | None:
    head = run.get("head_repository")
    name = head.get("full_name") if isinstance(head, dict) else None
    return name.lower() if isinstance(name, str) else None


def _artifact(hub: GitHub, run: _Run, name: str) -> dict[str, Any] | None:
    """The run's artifact of that name; of several attempts the newest that is still there."""
    answer = hub.get(f"actions/runs/{run.id}/artifacts", name=name, per_page=100)
    of_name = [one for one in _list(answer, "artifacts") if one.get("name") == name]
    of_name.sort(key=lambda one: (not one.get("expired"), str(one.get("created_at"))), reverse=True)
    return of_name[0] if of_name else None


def _fetched(hub: GitHub, artifact: dict[str, Any], run: _Run, folder: Path, branch: str) -> Baseline:
    url = artifact.get("archive_download_url")
    if not isinstance(url, str):
        raise EcholotError("the artifact names no address to fetch it from")
    try:
        archive = hub.download(url)
    except ApiError as error:
        if error.status in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE):
            raise EcholotError(f"the artifact of run {run.id} has expired or was deleted") from error
        raise
    at = f" at {visible(run.sha)}" if run.sha else ""
    return Baseline(
        path=unpack(archive, folder), branch=branch, text=f"run {run.id} of {visible(branch)}{at}"
    )


def _list(answer: Any, key: str) -> list[dict[str, Any]]:
    found = answer.get(key) if isinstance(answer, dict) else None
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _none_yet(branch: str, workflow: str, *, named: bool) -> Baseline:
    where = f"{visible(workflow)} on {visible(branch)}"
    if named:
        text = f"no successful run of {where}: see that baseline-workflow names the workflow's file"
        return Baseline(text=text, warning=True)
    return Baseline(text=f"no successful run of {where} yet: the next run compares with this one")


def _nothing_kept(artifact: str, branch: str, workflow: str, *, expired: bool) -> Baseline:
    what = f"artifact {visible(artifact)} of {visible(workflow)} on {visible(branch)}"
    if expired:
        return Baseline(text=f"the {what} has expired: run the workflow there again", warning=True)
    return Baseline(text=f"no {what} yet: the next run compares with this one")


def _why(error: ApiError, workflow: str) -> str:
    """What the API's refusal means here."""
    if error.limited:
        return f"the baseline was not looked up: too many requests ({error.what})"
    if error.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return f"the token cannot read the runs ({error.what}): give the job permissions: actions: read"
    if error.status == HTTPStatus.NOT_FOUND:
        return (
            f"there is no workflow {visible(workflow)} or the token cannot see it ({error.what}): see "
            "baseline-workflow, and give the job permissions: actions: read"
        )
    return f"the baseline could not be fetched: {error.sentence}"
