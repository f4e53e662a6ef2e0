"""Hunts, rounds and notes as a person at a shell meets them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from cli.test_command_line import echolot

CONFIG = """project:
  package: com.example.app
  _source: confirmed_by_user
scenario:
  name: cold
  start: bindApplication
"""


def answer(*arguments: str | Path, cwd: Path) -> Any:
    done = echolot(*arguments, "--json", cwd=cwd)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def report(path: Path, ms: float, scenario: str = "cold") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [{"location": "draw", "self_ms": ms}]
    path.write_text(
        json.dumps({"scenario": scenario, "detectors": [{"id": "main_thread_block", "rows": rows}]})
    )
    return path


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "echolot.yml").write_text(CONFIG)
    return tmp_path


@pytest.fixture(scope="session")
def demo_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo") / "project"
    assert echolot("demo", folder, cwd=folder.parent).returncode == 0
    return folder


@pytest.fixture
def demo(demo_once: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(demo_once, tmp_path / "demo"))


def test_from_the_question_to_the_answer(project: Path) -> None:
    opened = answer("hunt", "why", "is it 7 s?", "--since", "the redesign", cwd=project)
    assert opened["hunt"]["n"] == 1
    assert opened["hunt"]["question"] == "why is it 7 s?"
    assert opened["hunt"]["confirmed"] == {"project.package": "com.example.app"}
    assert opened["hunt"]["anchors"] == {
        "end": None,
        "process": "com.example.app",
        "start": "bindApplication",
    }
    assert (opened["fresh"], opened["next"]["word"]) == (True, "collect")
    assert [note["text"] for note in answer("note", "the cheap phone", cwd=project)] == ["the cheap phone"]
    status = answer("status", cwd=project)
    assert (status["hunt"]["hunt"]["n"], status["open_hunts"], status["next"]) == (1, [1], "collect")
    assert echolot("status", "--next", cwd=project).stdout == "collect\n"
    done = answer("hunt", "--done", "a lock", cwd=project)["hunt"]
    assert (done["state"], done["conclusion"], done["current"]) == ("concluded", "a lock", False)
    assert "hunt" not in answer("status", cwd=project)
    reopened = answer("hunt", "--reopen", "7 S", cwd=project)["hunt"]
    assert (reopened["state"], reopened["current"]) == ("open", True)
    events = [line["event"] for line in answer("hunt", "--journal", cwd=project)]
    assert events == ["open", "note", "conclude", "reopen"]


@pytest.mark.parametrize("verb", ["hunt", "round", "note", "status"])
def test_help_fits_a_screen(verb: str, tmp_path: Path) -> None:
    done = echolot(verb, "--help", cwd=tmp_path, width=80)
    assert done.returncode == 0
    assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.slow
def test_what_is_printed_keeps_to_its_schema(demo: Path) -> None:
    import jsonschema

    schema = json.loads(echolot("schema", "hunt", cwd=demo).stdout)
    jsonschema.Draft202012Validator(schema).validate(answer("hunt", cwd=demo))


@pytest.mark.slow
def test_several_hunts_and_one_current(project: Path) -> None:
    for question in ("the start?", "the list?", "the battery?"):
        echolot("hunt", question, cwd=project)
    listed = answer("hunt", "--list", cwd=project)
    assert [(hunt["n"], hunt["current"]) for hunt in listed] == [(3, True), (2, False), (1, False)]
    assert answer("hunt", "--resume", "list", cwd=project)["hunt"]["n"] == 2
    assert answer("hunt", "--resume", cwd=project)["hunt"]["n"] == 2
    assert answer("hunt", "--abandon", cwd=project)["hunt"]["state"] == "abandoned"
    step = answer("status", cwd=project)
    assert (step["next"], step["open_hunts"]) == ("resume-or-new", [1, 3])
    text = echolot("hunt", "--list", cwd=project, width=60).stdout
    assert max(map(len, text.splitlines())) <= 60
    assert all(word in text for word in ("abandoned", "open", "the battery?"))


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("hunt",), 1, 'error: there is no hunt yet; echolot hunt "QUESTION" opens one'),
        (("hunt", "--done", "x"), 1, "error: no hunt is current"),
        (("hunt", "--abandon"), 1, "error: no hunt is current"),
        (("hunt", "--resume"), 1, "error: no hunt is current"),
        (("hunt", "--resume", "7"), 1, "error: there is no hunt 7; echolot hunt --list shows them"),
        (("hunt", "--show", "lock"), 1, "error: there is no hunt lock"),
        (("hunt", "--reopen", "7"), 1, "error: there is no hunt 7"),
        (("round",), 1, "error: there is no hunt yet"),
        (("note", "x"), 1, "error: no hunt is current"),
        (("hunt", " "), 2, "error: a question needs words"),
        (("hunt", "7"), 2, "error: 7 is no question; --show 7 shows that hunt, --resume 7 goes on with it"),
        (("hunt", "a question", "--list"), 2, "error: a question and --list are two things"),
        (("hunt", "--since", "x"), 2, "error: --since belongs to a new question"),
        (("hunt", "q", "--scenario", "warm"), 2, 'has no scenario "warm"'),
        (("round", "--label", "x"), 2, "error: --label needs the number of a round"),
        (("round", "0"), 2, "Invalid value for"),
        (("compare", "--hunt", "7"), 2, "error: there is no hunt 7"),
        (("compare", "--hunt", "7", "a.json"), 2, "error: --hunt and named sides are two comparisons"),
        (("compare",), 2, "error: a comparison needs two sides"),
    ],
)
def test_refusals(arguments: tuple[str, ...], code: int, sentence: str, project: Path) -> None:
    done = echolot(*arguments, cwd=project)
    assert (done.returncode, done.stdout) == (code, "")
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


def test_a_hunt_needs_a_config_that_loads_only_to_be_opened(project: Path, tmp_path: Path) -> None:
    echolot("hunt", "why?", cwd=project)
    (project / "echolot.yml").write_text("runner: {mode: x}\n")
    refused = echolot("hunt", "and why that?", cwd=project)
    assert refused.returncode == 2
    assert refused.stderr.startswith("config error: ")
    assert [hunt["n"] for hunt in answer("hunt", "--list", cwd=project)] == [1]
    assert answer("status", cwd=project)["next"] == "fix-config"
    assert answer("hunt", "--done", "x", cwd=project)["hunt"]["state"] == "concluded"


def test_without_a_project_there_is_no_hunt(tmp_path: Path) -> None:
    done = echolot("hunt", "why?", cwd=tmp_path)
    assert done.returncode == 2
    assert "there is no echolot.yml here or above" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_looking_makes_no_database(project: Path) -> None:
    echolot("status", cwd=project)
    echolot("compare", report(project / "a.json", 1), report(project / "b.json", 2), cwd=project)
    assert not (project / ".echolot" / "echolot.db").exists()


def test_a_damaged_database_is_one_sentence_and_costs_nothing_else(project: Path) -> None:
    database = project / ".echolot" / "echolot.db"
    database.parent.mkdir()
    database.write_text("nothing of the kind " * 300)
    for arguments in (("hunt",), ("hunt", "why?"), ("round",), ("note", "x")):
        done = echolot(*arguments, cwd=project)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"error: {database}: is no record of hunts; ")
        assert done.stderr.count("\n") == 1
    compared = echolot("compare", report(project / "a.json", 1), report(project / "b.json", 2), cwd=project)
    assert compared.returncode == 0
    assert "is no record of hunts" in compared.stderr
    assert "is no record of hunts" in echolot("status", cwd=project).stderr
    assert database.read_text().startswith("nothing of the kind")


def test_hostile_words_come_out_harmless(project: Path) -> None:
    done = echolot("hunt", "why \x1b]0;x\x07 [/] \u202e?", cwd=project)
    assert "\\x1b]0;x\\x07 [/] \\u202e?" in done.stdout
    assert "\x1b" not in done.stdout
    assert answer("hunt", cwd=project)["hunt"]["question"] == "why \x1b]0;x\x07 [/] \u202e?"


def test_words_that_are_no_utf8(project: Path) -> None:
    assert answer("hunt", "caf\udce9?", cwd=project)["hunt"]["question"] == "caf\\udce9?"


def test_a_project_of_the_original_is_taken_over(project: Path) -> None:
    state = project / ".echolot"
    report(state / "hunts" / "4" / "reports" / "001.json", 100)
    report(state / "hunts" / "4" / "reports" / "002.json", 200)
    report(state / "hunts" / "4" / "reports" / "003.json", 250)
    record = {"n": 4, "question": "why?", "status": "open", "scenario": "cold"}
    (state / "hunt.json").write_text(json.dumps(record))
    compared = answer("compare", cwd=project)
    assert [compared["before"]["name"], compared["after"]["name"]] == ["round 2", "round 3"]
    assert compared["rows"][0]["delta_ms"] == 50
    assert (state / "hunts" / "4" / "round-3" / "comparison.json").is_file()
    assert answer("status", cwd=project)["hunt"]["hunt"]["rounds"][2]["comparison"]["before_k"] == 2
    first_and_last = answer("compare", "--hunt", "why", "--names", "old,new", cwd=project)
    assert first_and_last["rows"][0]["delta_ms"] == 150
    assert [first_and_last[side]["name"] for side in ("before", "after")] == ["old", "new"]
    assert json.loads((state / "hunt.json").read_text()) == record


def test_the_demo_holds_an_open_hunt_with_two_rounds(demo: Path) -> None:
    status = answer("status", cwd=demo)
    assert "cold-start: those of the rounds below" in echolot("status", cwd=demo).stdout
    assert status["next"] == "conclude"
    hunt = status["hunt"]["hunt"]
    assert [(each["k"], each["label"], each["state"]) for each in hunt["rounds"]] == [
        (1, "before", "complete"),
        (2, "after", "complete"),
    ]
    assert all(fact["window_ms"] and len(fact["values"]) == 5 for fact in status["hunt"]["facts"])
    for each in hunt["rounds"]:
        folder = demo / ".echolot" / "hunts" / "1" / f"round-{each['k']}"
        assert {"report.json", "report.md", "rows.json"} <= {path.name for path in folder.iterdir()}
        assert each["report"]["runs"] == [0, 1, 2, 3, 4]
        assert all((demo / trace["path"]).is_file() for trace in each["traces"])
    assert hunt["rounds"][1]["comparison"]["before_k"] == 1


@pytest.mark.slow
def test_the_demo_again_changes_no_round(demo: Path) -> None:
    before = answer("hunt", cwd=demo)["hunt"]["rounds"]
    assert echolot("demo", ".", cwd=demo).returncode == 0
    after = answer("hunt", cwd=demo)["hunt"]["rounds"]
    assert [each["traces"] for each in after] == [each["traces"] for each in before]
    assert len(answer("hunt", "--list", cwd=demo)) == 1
    answer("hunt", "--done", "a lock", cwd=demo)
    assert echolot("demo", ".", cwd=demo).returncode == 0
    assert [hunt["state"] for hunt in answer("hunt", "--list", cwd=demo)] == ["concluded"]


def test_plain_compare_is_the_last_two_rounds(demo: Path) -> None:
    compared = answer("compare", cwd=demo)
    assert (compared["before"]["name"], compared["after"]["name"]) == ("before", "after")
    assert compared["summary"]["moved"] == 2
    folder = demo / ".echolot"
    latest = json.loads((folder / "out" / "comparison.json").read_text())
    kept = json.loads((folder / "hunts" / "1" / "round-2" / "comparison.json").read_text())
    assert latest == kept == compared


def test_a_hunt_with_one_round_is_not_compared_and_a_named_one_may_be_another(demo: Path) -> None:
    shutil.copytree(demo / "before", demo / "third")
    echolot("hunt", "another question", cwd=demo)
    assert echolot("analyze", "third", cwd=demo).returncode == 0
    refused = echolot("compare", cwd=demo)
    assert refused.returncode == 2
    assert "hunt 2 has only one round with a report" in refused.stderr
    compared = answer("compare", "--hunt", "cold start", cwd=demo)
    assert (compared["before"]["name"], compared["after"]["name"]) == ("before", "after")


def test_one_named_report_is_compared_with_the_latest(demo: Path) -> None:
    assert echolot("analyze", "after", cwd=demo).returncode == 0
    compared = answer("compare", "before/report.json", cwd=demo)
    assert compared["before"]["path"] == "before/report.json"
    assert compared["after"]["path"].endswith(".echolot/out/report.json")
    assert compared["summary"]["moved"] == 2


def test_traces_find_their_round_again(demo: Path) -> None:
    done = echolot("analyze", "after", cwd=demo)
    assert '[i] hunt 1, round 2 "after": report of 5 traces' in done.stderr
    (demo / "before").rename(demo / "old")
    assert 'round 1 "before"' in echolot("analyze", "old", cwd=demo).stderr
    rounds = answer("round", cwd=demo)
    assert [len(each["round"]["traces"]) for each in rounds] == [5, 5]
    assert all(trace["path"].startswith("old/") for trace in rounds[0]["round"]["traces"])
    mixed = echolot("analyze", "old", "after", cwd=demo)
    assert mixed.returncode == 0
    assert "the traces come from rounds 1 and 2 of hunt 1" in mixed.stderr
    assert len(answer("round", cwd=demo)) == 2


def test_rounds_are_shown_and_labelled(demo: Path) -> None:
    shown = answer("round", "2", "--label", "with the change", cwd=demo)
    assert shown["round"]["label"] == "with the change"
    text = echolot("round", "2", cwd=demo, width=100).stdout
    assert "with the change" in text
    assert text.count("done") == 5
    assert "after/cold-start_iter003.perfetto-trace" in text
    missing = echolot("round", "7", cwd=demo)
    assert (missing.returncode, missing.stdout) == (1, "")
    assert "hunt 1 has no round 7" in missing.stderr


def test_a_report_that_is_gone_or_another_is_said(demo: Path) -> None:
    path = demo / ".echolot" / "hunts" / "1" / "round-1" / "report.json"
    path.write_bytes(path.read_bytes() + b"\n")
    assert "is not the report" in echolot("compare", cwd=demo).stderr
    assert "is not the report before was measured with" in echolot("hunt", cwd=demo).stdout
    path.unlink()
    refused = echolot("compare", cwd=demo)
    assert refused.returncode == 2
    assert "there is no such file" in refused.stderr
    assert "there is no such file" in answer("hunt", cwd=demo)["facts"][0]["problem"]


def test_confirmed_values_that_changed_are_said_before_measuring(project: Path, demo: Path) -> None:
    config = demo / "echolot.yml"
    config.write_text(config.read_text().replace("scenario:\n", "scenario:\n  _source: confirmed_by_user\n"))
    echolot("hunt", "why?", cwd=demo)
    config.write_text(config.read_text().replace("name: cold-start", "name: warm-start"))
    done = echolot("analyze", "before", cwd=demo)
    assert done.returncode == 0
    warned = done.stderr.index("(confirmed_changed)")
    assert warned < done.stderr.index("report.json")
    assert 'so the report of "warm-start" is kept in none of its rounds' in done.stderr
    kinds = {each["id"] for each in answer("hunt", cwd=demo)["drift"]}
    assert {"scenario_gone", "confirmed_changed"} <= kinds


@pytest.mark.slow
def test_the_hunts_scenario_is_the_default_of_several(demo: Path) -> None:
    config = demo / "echolot.yml"
    text = config.read_text()
    head, _, scenario = text.partition("scenario:\n")
    block, _, rest = scenario.partition("\ninstrumentation")
    body = "\n".join(f"  {line}" for line in block.splitlines() if "name: cold" not in line)
    config.write_text(f"{head}scenarios:\n  warm: {{}}\n  cold-start:\n{body}\ninstrumentation{rest}")
    assert answer("analyze", "before", cwd=demo)["scenario"] == "cold-start"
    assert (demo / ".echolot" / "out" / "cold-start" / "report.json").is_file()
    assert answer("analyze", "before", "--scenario", "warm", cwd=demo)["scenario"] == "warm"
    compared = answer("compare", "before/report.json", cwd=demo)
    assert compared["after"]["path"].endswith("out/cold-start/report.json")


def test_a_comparison_lies_with_the_scenario_its_reports_are_about(tmp_path: Path) -> None:
    """Whatever hunt is current, and of --hunt with the scenario of that hunt."""
    (tmp_path / "echolot.yml").write_text("scenarios: {cold: {}, warm: {}}\n")
    out = tmp_path / ".echolot" / "out"
    report(out / "cold" / "report.json", 1.0)
    report(out / "warm" / "report.json", 9.0, "warm")
    old = report(tmp_path / "old.json", 5.0, "warm")
    for question, scenario in (("slow when warm?", "warm"), ("slow when cold?", "cold")):
        echolot("hunt", question, "--scenario", scenario, cwd=tmp_path)
    done = echolot("compare", old, cwd=tmp_path)
    assert done.returncode == 0
    assert 'this is "warm"' in done.stderr
    assert [path.name for path in out.glob("*/comparison.json")] == ["comparison.json"]
    compared = json.loads((out / "warm" / "comparison.json").read_text())
    assert compared["after"]["path"].endswith("out/warm/report.json")
