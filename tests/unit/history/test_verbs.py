"""The verbs: what is printed, what is written, and that findings never change the exit code."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from echolot_tui.errors import EcholotError
from echolot_tui.headless.history_store import auto_add
from echolot_tui.headless.main import root
from echolot_tui.headless.pipeline import Analysis
from echolot_tui.headless.setup import Flags, open_project
from echolot_tui.report.codec import encode_report
from echolot_tui.report.model import AllRows, Report, WindowReport
from history_repo import Checkout
from scatter import scattered

STEP = scattered("clean_step", [100] * 10 + [130] * 10)

Run = Callable[..., str]


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    made = Checkout(tmp_path / "repo")
    monkeypatch.chdir(made.folder)
    return made


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: str) -> str:
        code = root.main(["history", *arguments], standalone_mode=False)
        assert code == 0
        return capsys.readouterr().out

    return call


def report_file(folder: Path, value: float) -> Path:
    path = folder / "out" / "report.json"
    path.parent.mkdir(exist_ok=True)
    report = Report(window=WindowReport(duration_ms=value, values=(value,)), detectors=())
    path.write_bytes(encode_report(report))
    return path


def grown(checkout: Checkout, run: Run) -> list[str]:
    commits = []
    for value in STEP:
        commits.append(checkout.commit())
        run("add", str(report_file(checkout.folder, round(value, 2))))
    return commits


def test_added_reports_are_analysed(checkout: Checkout, run: Run, tmp_path: Path) -> None:
    commits = grown(checkout, run)
    assert (checkout.folder / ".echolot" / "history.db").is_file()
    text = run("analyze")
    assert "+29.5" in text
    assert commits[10][:12] in text
    markdown, summary = tmp_path / "h.md", tmp_path / "s.md"
    found = json.loads(run("analyze", "--json", "--markdown", str(markdown), "--summary", str(summary)))
    assert found["mode"] == "history"
    assert [each["commit"]["id"] for each in found["findings"]] == [commits[10]]
    assert "### window" in markdown.read_text()
    assert "### window" in summary.read_text()
    listed = json.loads(run("analyze", "--json", "--verbose"))
    assert listed["every"][0]["gates"]


def test_a_report_is_added_once_and_a_dirty_tree_is_marked(checkout: Checkout, run: Run) -> None:
    checkout.commit()
    path = report_file(checkout.folder, 100.0)
    assert json.loads(run("add", "--json", str(path)))[0]["added"] is True
    assert "was there already" in run("add", str(path.parent))
    checkout.make_dirty()
    assert json.loads(run("add", "--json", str(path)))[0]["dirty"] is True
    assert json.loads(run("add", "--json", "--clean", str(path)))[0]["added"] is False


def test_blessings_are_listed_and_taken_back(checkout: Checkout, run: Run) -> None:
    commits = grown(checkout, run)
    text = run("bless", "window", "--commit", commits[10], "--reason", "new parser")
    assert "window*" in text
    assert json.loads(run("analyze", "--json"))["findings"] == []
    assert "new parser" in run("blessings")
    assert json.loads(run("blessings", "--json"))[0]["commit"] == commits[10]
    assert run("unbless", "--all", "--commit", commits[10]) == "1 blessing taken back\n"
    assert run("blessings") == "no blessings\n"
    for arguments in ((), ("window", "--all")):
        with pytest.raises(EcholotError):
            run("bless", *arguments)


def test_a_base_without_a_usual_name_is_named(checkout: Checkout, run: Run) -> None:
    grown(checkout, run)
    checkout.git("branch", "-q", "-m", "topic")
    with pytest.raises(EcholotError, match="name it with --base"):
        run("bless", "window")
    assert "window*" in run("bless", "window", "--base", "topic")
    assert json.loads(run("unbless", "--all", "--json")) == {"taken_back": 1}


def test_examine_shows_values_and_gates(checkout: Checkout, run: Run) -> None:
    commits = grown(checkout, run)
    text = run("examine", "window", "duration_ms", "--gates")
    assert commits[0][:12] in text
    assert "current level" in text
    assert "false discoveries" in text
    found = json.loads(run("examine", "window", "duration_ms", "--json"))
    assert len(found["sets"][0]["observations"]) == 20
    assert "did you mean" in run("examine", "windw", "duration_ms")


def test_a_folder_of_results_is_imported(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "results"
    folder.mkdir()
    for at, value in enumerate(STEP):
        result = {"command": "app", "mean": value, "times": [value]}
        (folder / f"build{at}.json").write_text(json.dumps({"results": [result]}))
    (folder / "other.json").write_text("{}")
    added = json.loads(run("import", str(folder), "--machine", "box", "--json"))
    assert [each["commit"] for each in added[:3]] == ["build0", "build1", "build2"]
    found = json.loads(run("analyze", "--json"))
    assert found["findings"][0]["commit"]["id"] == "build10"
    assert found["findings"][0]["set"] == {"scenario": "hyperfine", "model": "box", "engine": "hyperfine"}
    assert "build10" in run("examine", "app", "time")
    assert run("bless", "--all", "--commit", "build10")
    assert json.loads(run("analyze", "--json"))["findings"] == []
    with pytest.raises(EcholotError, match="nothing to import"):
        run("import", str(folder / "other.json"))


def test_judge_prints_what_it_found(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "s.json"
    path.write_text(json.dumps({"series": [{"name": "a", "unit": "ms", "values": STEP}]}))
    found = json.loads(run("judge", str(path), "--json"))
    assert found["findings"][0]["method"] == "step"
    assert found["census"] == {
        "total": 1,
        "in_scope": 1,
        "judged": 1,
        "unjudged": 0,
        "reasons": {},
        "state": "full",
    }
    assert "+29.57 %" in run("judge", str(path))
    branch = json.loads(run("judge", str(path), "--branch", "--json"))
    assert branch["mode"] == "branch"
    assert "drift" in run("judge", str(path), "--verbose")
    with pytest.raises(EcholotError, match="no such file"):
        run("judge", str(tmp_path / "none.json"))


def test_no_history_yet_is_said(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(EcholotError, match="there is no history yet"):
        run("analyze")
    with pytest.raises(EcholotError, match="no git checkout"):
        run("add", str(report_file(tmp_path, 1.0)))
    assert run("add", str(report_file(tmp_path, 1.0)), "--commit", "v1")


def test_a_named_store_is_used(checkout: Checkout, run: Run, tmp_path: Path) -> None:
    checkout.commit()
    store = tmp_path / "elsewhere" / "h.db"
    run("add", str(report_file(checkout.folder, 1.0)), "--store", str(store))
    assert store.is_file()
    assert not (checkout.folder / ".echolot").exists()
    assert json.loads(run("analyze", "--store", str(store), "--json"))["census"]["reasons"] == {
        "too_few_points": 1
    }


def analysis(value: float) -> Analysis:
    report = Report(window=WindowReport(duration_ms=value, values=(value,)), detectors=())
    return Analysis(report=report, rows=AllRows(report_sha256="", detectors=()), data=encode_report(report))


def test_analyze_adds_its_report_where_the_config_asks(
    checkout: Checkout, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    commit = checkout.commit()
    (checkout.folder / "echolot.yml").write_text("history: {auto: true}\n")
    project = open_project(Flags())
    auto_add(analysis(5.0), project, checkout.folder / "report.json")
    assert f"added to the history at {commit[:12]}" in capsys.readouterr().err
    assert json.loads(run("analyze", "--json"))["runs"] == 1
    store = checkout.folder / ".echolot" / "history.db"
    store.write_bytes(b"not a database" * 100)
    auto_add(analysis(6.0), project, checkout.folder / "report.json")
    assert "the report is not added to the history" in capsys.readouterr().err


def test_outside_of_a_checkout_nothing_is_added(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "echolot.yml").write_text("history: {auto: true}\n")
    auto_add(analysis(5.0), open_project(Flags()), tmp_path / "report.json")
    assert "no git checkout" in capsys.readouterr().err
    assert not (tmp_path / ".echolot").exists()
