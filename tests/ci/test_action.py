"""The action as a whole: its steps run in bash, against an API served on this machine."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from action_runner import Call
from echolot_tui.generate.demo import CONFIG, write_demo
from github_server import Artifact, Hub, Run, serving, zipped

DEMO = "cold-start_iter*.perfetto-trace"
ONE = "build/before/*iter000.perfetto-trace"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Traces of both rounds."""
    root = tmp_path_factory.mktemp("demo")
    write_demo(root / "demo")
    return root / "demo"


@pytest.fixture
def workspace(tmp_path: Path, demo: Path) -> Path:
    """The checkout: a config, and what the benchmark wrote."""
    folder = tmp_path / "work space"
    folder.mkdir()
    shutil.copy(demo / CONFIG, folder)
    for side in ("before", "after"):
        shutil.copytree(demo / side, folder / "build" / side)
    return folder


@pytest.fixture
def hub() -> Iterator[Hub]:
    with serving() as hub:
        yield hub


@pytest.fixture
def temp(tmp_path: Path) -> Path:
    folder = tmp_path / "temp"
    folder.mkdir()
    return folder


def pull_request(hub: Hub, workspace: Path, temp: Path, run_id: int = 200) -> Call:
    payload = {"repository": {"default_branch": "trunk"}, "pull_request": {"number": 12}}
    return Call(
        hub,
        workspace,
        temp,
        run_id=run_id,
        event="pull_request",
        branch="topic",
        base="main",
        payload=payload,
    )


@pytest.mark.slow
def test_first_run_then_a_pull_request_against_it(hub: Hub, workspace: Path, temp: Path) -> None:
    first = Call(hub, workspace, temp, checked=True).run(traces=f"build/before/{DEMO}")
    assert first.failed == "", first.log
    assert Path(first.outputs["report"]).is_file()
    assert [first.outputs[name] for name in ("baseline", "comparison", "moved", "appeared", "vanished")] == [
        ""
    ] * 5
    assert "the next run compares with this one" in first.summary
    assert "<summary>Report</summary>" in first.summary
    assert first.annotations == []
    assert set(first.uploaded) == {"report.json", "report.md", "rows.json"}

    second = pull_request(hub, workspace, temp).run(traces=f"build/**/after/{DEMO}", comment="true")
    assert second.failed == "", second.log
    comparison = json.loads(Path(second.outputs["comparison"]).read_text())
    assert [(row["detector"], row["verdict"]) for row in comparison["rows"][:2]] == [
        ("main_thread_block", "slower"),
        ("monitor_contention", "slower"),
    ]
    counts = comparison["summary"]
    assert second.outputs["moved"] == str(counts["moved"])
    assert (second.outputs["appeared"], second.outputs["vanished"]) == ("0", "0")
    assert comparison["before"]["name"] == "main"
    assert Path(second.outputs["baseline"]).read_bytes() == first.uploaded["report.json"]
    assert set(second.uploaded) == {
        "report.json",
        "report.md",
        "rows.json",
        "comparison.json",
        "comparison.md",
        "baseline/report.json",
        "baseline/rows.json",
    }
    assert "run 100 of main" in second.summary
    (comment,) = hub.comments
    assert "Compared with run 100 of main" in comment["body"]

    api = [one for one in hub.asked if one.host in hub.url]
    storage = [one for one in hub.asked if one.host in hub.storage]
    assert {one.authorization for one in api} == {"Bearer s3cret"}
    assert [one.authorization for one in storage] == [None]
    assert "s3cret" not in first.log + second.log + second.summary


def test_traces_that_name_nothing_fail_the_step(hub: Hub, workspace: Path, temp: Path) -> None:
    done = Call(hub, workspace, temp).run(traces=f"build/before/{DEMO}\nbuild/nowhere/*.perfetto-trace\n")
    assert done.failed == "Analyze the traces"
    (annotation,) = done.annotations
    assert annotation.startswith(
        '::error title=echolot::traces "build/nowhere/*.perfetto-trace": names no trace'
    )
    assert hub.runs == []


def test_a_comment_that_is_neither_true_nor_false_is_refused_before_anything_is_kept(
    hub: Hub, workspace: Path, temp: Path
) -> None:
    done = Call(hub, workspace, temp).run(traces=ONE, comment="yes")
    assert done.failed == "Analyze the traces"
    assert done.annotations == ['::error title=echolot::the input comment is "yes"; write true or false']


@pytest.mark.slow
def test_two_scenarios_in_one_job(hub: Hub, workspace: Path, temp: Path) -> None:
    anchors = 'start: "bindApplication", end: "reportFullyDrawn*"'
    (workspace / CONFIG).write_text(
        f"project: {{package: com.example.app}}\nscenarios:\n  other: {{}}\n  cold-start: {{{anchors}}}\n"
    )
    call = Call(hub, workspace, temp)
    first = call.run(traces=ONE, scenario="cold-start", artifact_name="echolot-cold")
    second = call.run(traces=ONE, scenario="other", artifact_name="echolot-other")
    assert (first.failed, second.failed) == ("", ""), first.log + second.log
    assert json.loads(first.uploaded["report.json"])["scenario"] == "cold-start"
    assert json.loads(second.uploaded["report.json"])["scenario"] == "other"
    assert first.outputs["report"] != second.outputs["report"]
    assert [one.name for one in hub.runs[0].artifacts] == ["echolot-cold", "echolot-other"]

    again = pull_request(hub, workspace, temp).run(
        traces=ONE, scenario="cold-start", artifact_name="echolot-cold"
    )
    assert again.outputs["comparison"]

    shared = pull_request(hub, workspace, temp, run_id=300).run(
        traces=ONE, scenario="cold-start", artifact_name="echolot-other"
    )
    assert shared.failed == ""
    assert shared.outputs["comparison"] == ""
    assert "No comparison: main measured the scenario other, this run measured cold-start" in shared.summary
    assert shared.annotations[0].startswith("::warning title=echolot::not compared: ")
    assert "report.json" in shared.uploaded


@pytest.mark.slow
def test_what_the_token_may_not_is_a_warning(hub: Hub, workspace: Path, temp: Path) -> None:
    hub.refuse = {"/workflows/": 403, "/comments": 403}
    done = pull_request(hub, workspace, temp).run(traces=ONE, comment="true")
    assert done.failed == "", done.log
    assert done.outputs["comparison"] == ""
    baseline, comment = done.annotations
    assert baseline.startswith("::warning title=echolot::the token cannot read the runs")
    assert "permissions: actions: read" in done.summary
    assert comment.startswith("::warning title=echolot::no comment could be written")
    assert "report.json" in done.uploaded


HOSTILE = (
    "$(touch hacked); `touch hacked`; \"; touch hacked; '; touch hacked; ${{ github.token }} %0A::error::x"
)


@pytest.mark.slow
def test_hostile_inputs_are_only_values(hub: Hub, workspace: Path, temp: Path) -> None:
    before = set(workspace.rglob("*"))
    Call(hub, workspace, temp).run(
        traces=f"{ONE}\n{HOSTILE}", config=HOSTILE, scenario=HOSTILE, artifact_name=HOSTILE
    )
    done = Call(hub, workspace, temp).run(
        traces=ONE,
        baseline_branch=HOSTILE,
        baseline_workflow=HOSTILE,
        artifact_name=HOSTILE,
    )
    assert done.failed == "", done.log
    assert {path for path in workspace.rglob("*") if path.name == "hacked"} == set()
    assert {path for path in workspace.rglob("*") if ".echolot" not in path.parts} == before
    assert not any(line.startswith("::error") for line in done.log.splitlines())


@pytest.mark.slow
def test_hostile_traces_set_no_output(hub: Hub, workspace: Path, temp: Path) -> None:
    name = "\n::set-output name=moved::99\n::warning::x"
    report = json.loads((Path(__file__).parents[1] / "golden" / "report.json").read_text())
    report["scenario"] = "cold-start"
    for detector in report["detectors"]:
        for row in detector["rows"]:
            row["location"] = name
    data = json.dumps(report).encode()
    hub.runs.append(Run(1, artifacts=[Artifact("echolot-report", zipped({"report.json": data}))]))
    done = Call(hub, workspace, temp).run(traces=f"build/before/{DEMO}")
    assert done.failed == ""
    assert done.annotations == []
    assert not any(
        line.strip().startswith("::") and "stop" not in line and len(line) < 36
        for line in done.log.splitlines()
    )
    assert "\n::set-output" not in done.summary
    assert (
        hashlib.sha256(Path(done.outputs["baseline"]).read_bytes()).digest() == hashlib.sha256(data).digest()
    )
