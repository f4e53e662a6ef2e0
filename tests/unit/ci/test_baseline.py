"""The baseline lookup against a server that answers like GitHub."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from echolot_tui.ci import baseline
from echolot_tui.ci.baseline import Baseline, look_up, unpack
from echolot_tui.ci.comment import put_comment
from echolot_tui.ci.github import GitHub
from echolot_tui.ci.inputs import Inputs, Job
from echolot_tui.errors import EcholotError
from github_server import REPOSITORY, Artifact, Hub, Run, serving, zipped

REPORT = b'{"detectors": [], "scenario": "cold"}'
ROWS = b'{"kind": "rows"}'


@pytest.fixture(scope="module")
def server() -> Iterator[Hub]:
    with serving() as hub:
        yield hub


@pytest.fixture
def hub(server: Hub) -> Hub:
    server.runs, server.comments, server.asked, server.refuse = [], [], [], {}
    server.limited, server.default_branch, server.redirect = False, "main", ""
    return server


def look(hub: Hub, folder: Path, inputs: Inputs | None = None, *, base: str | None = "main") -> Baseline:
    job = Job(
        repository=REPOSITORY,
        run_id="50",
        api=hub.url,
        server="",
        workflow="ci.yml",
        base_branch=base,
        token="t",
    )
    return look_up(GitHub(hub.url, REPOSITORY, "t"), job, inputs or Inputs(), folder)


def kept(name: str = "echolot-report", **more: object) -> Artifact:
    return Artifact(name, zipped({"report.json": REPORT, "rows.json": ROWS}), **more)  # type: ignore[arg-type]


def test_the_newest_successful_run_of_the_branch(hub: Hub, tmp_path: Path) -> None:
    hub.runs = [
        Run(1, artifacts=[kept()]),
        Run(2, artifacts=[kept()]),
        Run(3, artifacts=[kept()], conclusion="failure"),
        Run(4, artifacts=[kept()], branch="topic"),
        Run(50, artifacts=[kept()]),
    ]
    found = look(hub, tmp_path)
    assert (found.path, found.branch, found.warning) == (tmp_path / "report.json", "main", False)
    assert found.text == "run 2 of main at 0000000"
    assert (tmp_path / "report.json").read_bytes() == REPORT
    assert (tmp_path / "rows.json").read_bytes() == ROWS


def test_a_fork_cannot_pose_as_the_branch(hub: Hub, tmp_path: Path) -> None:
    hub.runs = [
        Run(1, artifacts=[kept()]),
        Run(2, artifacts=[kept()], event="pull_request", repository="evil/app"),
        Run(3, artifacts=[kept()], event="pull_request_target"),
        Run(4, artifacts=[kept()], event="push", repository="evil/app"),
    ]
    assert look(hub, tmp_path).text.startswith("run 1 ")


def test_runs_without_the_artifact_are_passed_over(hub: Hub, tmp_path: Path) -> None:
    hub.runs = [Run(1, artifacts=[kept()]), Run(2), Run(3, artifacts=[kept("other")])]
    assert look(hub, tmp_path).text.startswith("run 1 ")


def test_of_two_attempts_the_newer_is_taken(hub: Hub, tmp_path: Path) -> None:
    newer = Artifact("echolot-report", zipped({"report.json": b'{"detectors": []}'}), created_at="2026-02-01")
    hub.runs = [Run(1, artifacts=[newer, kept()])]
    look(hub, tmp_path)
    assert (tmp_path / "report.json").read_bytes() == b'{"detectors": []}'


def test_inputs_name_branch_workflow_and_artifact(hub: Hub, tmp_path: Path) -> None:
    hub.runs = [
        Run(1, artifacts=[kept()]),
        Run(2, branch="release/1 0", workflow="night ly.yml", artifacts=[kept("a/b c")]),
    ]
    inputs = Inputs(branch="release/1 0", workflow="night ly.yml", artifact="a/b c")
    assert look(hub, tmp_path, inputs).text.startswith("run 2 of release/1 0")


def test_an_event_without_a_repository_asks_for_the_default_branch(hub: Hub, tmp_path: Path) -> None:
    hub.default_branch = "trunk"
    hub.runs = [Run(1, branch="trunk", artifacts=[kept()])]
    assert look(hub, tmp_path, base=None).branch == "trunk"


def test_a_first_run_is_no_warning(hub: Hub, tmp_path: Path) -> None:
    assert look(hub, tmp_path) == Baseline(
        text="no successful run of ci.yml on main yet: the next run compares with this one"
    )
    hub.runs = [Run(1)]
    found = look(hub, tmp_path)
    assert (found.warning, found.path) == (False, None)
    assert "no artifact echolot-report" in found.text


@pytest.mark.parametrize(
    ("inputs", "says"),
    [
        (Inputs(workflow="absent.yml"), "there is no workflow absent.yml"),
        (Inputs(workflow="ci.yml", branch="empty"), "see that baseline-workflow names the workflow's file"),
    ],
)
def test_a_workflow_that_has_no_runs_is_a_warning(
    inputs: Inputs, says: str, hub: Hub, tmp_path: Path
) -> None:
    found = look(hub, tmp_path, inputs)
    assert found.warning
    assert says in found.text


def test_an_expired_artifact_is_a_warning(hub: Hub, tmp_path: Path) -> None:
    hub.runs = [Run(1, artifacts=[kept(expired=True)])]
    found = look(hub, tmp_path)
    assert found.warning
    assert "has expired" in found.text


@pytest.mark.parametrize(
    ("part", "status", "says"),
    [
        ("/workflows/", 401, "permissions: actions: read"),
        ("/workflows/", 403, "permissions: actions: read"),
        ("/workflows/", 404, "there is no workflow ci.yml or the token cannot see it"),
        ("/workflows/", 301, "has moved"),
        ("/artifacts?", 500, "answers 500 Internal Server Error"),
        ("/zip", 403, "permissions: actions: read"),
        ("/zip", 404, "has expired or was deleted"),
        ("/zip", 410, "has expired or was deleted"),
        ("/blob/", 503, "answers 503 Service Unavailable"),
    ],
)
def test_a_refusal_is_a_warning_that_says_what_to_do(
    part: str, status: int, says: str, hub: Hub, tmp_path: Path
) -> None:
    hub.runs = [Run(1, artifacts=[kept()])]
    hub.refuse = {part: status}
    found = look(hub, tmp_path)
    assert (found.warning, found.path) == (True, None)
    assert says in found.text
    assert "signature" not in found.text
    assert list(tmp_path.iterdir()) == []


def test_too_many_requests_are_not_too_few_rights(hub: Hub, tmp_path: Path) -> None:
    hub.refuse, hub.limited = {"/workflows/": 403}, True
    assert "too many requests" in look(hub, tmp_path).text


def test_nobody_answers(hub: Hub, tmp_path: Path) -> None:
    job = Job(
        repository="a/b", run_id="1", api="http://127.0.0.1:9", server="", workflow="w", base_branch="m"
    )
    found = look_up(GitHub(job.api, job.repository, None), job, Inputs(), tmp_path)
    assert found.warning
    assert "does not answer" in found.text


@pytest.mark.parametrize(
    ("redirect", "says"),
    [("zip", "redirects without an end"), ("file:///etc/passwd", "redirects to file:///etc/passwd")],
)
def test_a_redirect_in_a_circle_or_to_a_file(redirect: str, says: str, hub: Hub, tmp_path: Path) -> None:
    hub.runs, hub.redirect = [Run(1, artifacts=[kept()])], redirect
    found = look(hub, tmp_path)
    assert found.warning
    assert says in found.text


@pytest.mark.parametrize(
    ("archive", "says"),
    [
        (b"no zip", "is no archive"),
        (zipped({"other.json": b"{}"}), "holds no report.json"),
        (zipped({"report.json": b"{}"}), "has no detectors"),
        (zipped({"folder/report.json": REPORT}), "holds no report.json"),
    ],
)
def test_an_artifact_that_holds_no_report(archive: bytes, says: str, tmp_path: Path) -> None:
    with pytest.raises(EcholotError, match=says):
        unpack(archive, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_an_archive_decides_neither_where_nor_how_much_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "in"
    unpack(zipped({"report.json": REPORT, "../out.json": b"x", "/abs.json": b"x"}), folder)
    assert [path.name for path in tmp_path.rglob("*")] == ["in", "report.json"]
    monkeypatch.setattr(baseline, "_MOST_BYTES", 1000)
    with pytest.raises(EcholotError, match="larger than any report"):
        unpack(zipped({"report.json": b" " * 2000 + REPORT}), tmp_path / "bomb")


def test_a_damaged_member_is_said(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("report.json", REPORT)
    broken = packed.getvalue().replace(b'"scenario"', b'"scenariX"')
    with pytest.raises(EcholotError, match="is no archive that can be read"):
        unpack(broken, tmp_path)


def test_a_comment_is_written_once_and_renewed(hub: Hub) -> None:
    api = GitHub(hub.url, REPOSITORY, "t")
    hub.comments = [
        {"id": number, "user": {"type": "User"}, "body": "<!-- echolot: a%2D%2D -->"}
        for number in range(1, 131)
    ]
    put_comment(api, 12, "a b", "first")
    put_comment(api, 12, "a b", "second")
    put_comment(api, 12, "c", "third")
    ours = [one["body"] for one in hub.comments if one["user"]["type"] == "Bot"]
    assert ours == ["<!-- echolot: a%20b -->\nsecond", "<!-- echolot: c -->\nthird"]
    put_comment(api, 12, "a b", "x\n" * 50_000)
    assert len(hub.comments[130]["body"]) < 65_536
    assert json.dumps(hub.comments[130]["body"]).count("Cut here") == 1
