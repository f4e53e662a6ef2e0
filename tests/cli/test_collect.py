"""``collect`` and ``watch`` as programs: own process, stop, resume, trust, arms, a folder that fills."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from echolot_tui.investigate.store import Store
from echolot_tui.project.layout import Layout

TRACE = json.dumps(
    {
        "traceEvents": [
            {"ph": "X", "name": "work", "ts": 0, "dur": 200_000, "pid": 1, "tid": 1},
            {"ph": "M", "name": "process_name", "pid": 1, "tid": 1, "args": {"name": "app"}},
        ]
    }
)
WRITE = "cp sample.json {trace}"


@dataclass
class Project:
    """A project in a folder of its own, with a state folder nobody else has."""

    root: Path
    env: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.env = {
            **os.environ,
            "XDG_STATE_HOME": str(self.root.parent / "state"),
            "PYTHONPATH": os.pathsep.join(part for part in sys.path if part),
        }
        self.root.mkdir()
        (self.root / "sample.json").write_text(TRACE)
        self.config(WRITE)

    def config(self, command: str, iterations: int = 2, scenario: str = "app") -> None:
        runner = {"mode": "host", "iterations": iterations, "command": command}
        text = {"scenario": {"name": scenario}, "runner": runner}
        (self.root / "echolot.yml").write_text(json.dumps(text))  # JSON is YAML

    def run(self, *arguments: str | Path, timeout: float = 120) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.line(*arguments),
            cwd=self.root,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout,
        )

    def line(self, *arguments: str | Path) -> list[str]:
        return [sys.executable, "-m", "echolot_tui", *map(str, arguments)]

    def start(self, *arguments: str | Path) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.line(*arguments),
            cwd=self.root,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def progress(self) -> dict[str, Any]:
        path = self.root / ".echolot" / "log" / "collect.json"
        found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
        return found


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    made = Project(tmp_path / "project")
    yield made
    made.run("collect", "--stop", "now")  # whatever a failed test left running


def _until(condition: Callable[[], Any], seconds: float = 60) -> Any:
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.05)
    return found


def _wait_for(project: Project, trace: int) -> None:
    """Until run ``trace`` is being recorded by a command that says so."""
    _until((project.root / f"began{trace}").exists)


SLOW = "n=$(ls began* 2>/dev/null | wc -l); touch began$n; while [ ! -e go$n ]; do sleep 0.05; done; " + WRITE
"""Each run says that it began, and waits to be let go."""


def test_a_set_is_recorded_measured_and_reported(project: Project) -> None:
    done = project.run("collect", "--trust")
    assert done.returncode == 0, done.stderr
    traces = done.stdout.splitlines()
    assert traces == [str(project.root / f".echolot/traces/app_iter00{k}.json") for k in range(2)]
    assert all(Path(trace).read_text() == TRACE for trace in traces)
    report = json.loads((project.root / ".echolot/out/report.json").read_text())
    assert (report["runs"], report["window"]["duration_ms"]) == (2, 200.0)
    assert f"{project.root}/echolot.yml has this run here: {WRITE}" in done.stderr
    progress = project.progress()
    assert (progress["scenario"], progress["mode"], progress["iterations"], progress["done"]) == (
        "app",
        "host",
        2,
        2,
    )
    assert (progress["exit"], progress["traces"]) == (0, traces)
    assert progress["finished"] >= progress["started"]
    again = project.run("collect", "-n", "1")
    assert again.returncode == 0, again.stderr
    assert len(again.stdout.splitlines()) == 1
    aside = next(path for path in (project.root / ".echolot/traces").iterdir() if path.is_dir())
    assert sorted(path.name for path in aside.iterdir()) == ["app_iter000.json", "app_iter001.json"]
    assert f"the earlier set is in {aside} now" in again.stderr


def test_commands_nobody_confirmed_are_not_run_where_nobody_can_be_asked(project: Project) -> None:
    refused = project.run("collect")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert WRITE in refused.stderr
    assert "collection error: the config's commands were never confirmed on this machine" in refused.stderr
    assert not (project.root / ".echolot" / "traces").exists()


@pytest.mark.slow
def test_on_a_terminal_the_commands_are_shown_and_asked_once(project: Project) -> None:
    for answer, code in ((b"n\n", 2), (b"y\n", 0)):
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            project.line("collect", "-n", "1"),
            cwd=project.root,
            env=project.env,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)
        said = b""
        while b"Run it?" not in said:
            said += os.read(ours, 4096)
        assert WRITE.encode() in said
        os.write(ours, answer)
        with contextlib.suppress(OSError):  # the terminal ends with its last process
            while os.read(ours, 4096):
                pass
        os.close(ours)
        assert process.wait(60) == code
    assert project.run("collect", "-n", "1").returncode == 0
    project.config("cp sample.json  {trace}")
    assert project.run("collect", "-n", "1").returncode == 2


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--resume",), 'no set of scenario "app" was begun here; record one without --resume'),
        (("--attach",), "no collect is running in this project"),
        (("--stop",), "no collect is running in this project"),
        (("--arm", "a=x {trace}"), "--arm is given twice"),
        (("--arm", "a=x {trace}", "--arm", "a=y {trace}"), "--arm is given twice, with two names"),
        (("--arm", "x {trace}"), '--arm "x {trace}" is not of the form NAME=COMMAND'),
        (("--arm", "a=x", "--arm", "b=y"), "does not say where its trace goes (x)"),
        (("--max", "9"), "--max and --against belong to --until-settled"),
        (("--until-settled",), "--until-settled needs a side to compare with"),
        (("--until-settled", "--against", "x", "--max", "1"), "--max 1 is less than the 2 runs"),
    ],
)
def test_refusals(arguments: tuple[str, ...], sentence: str, project: Project) -> None:
    refused = project.run("collect", *arguments)
    assert refused.returncode in {1, 2}
    assert refused.stdout == ""
    assert "collection error: " in refused.stderr
    assert sentence in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--arm", "a=./a", "--arm", "b=./b"), "so two arms cannot take turns"),
        (("--until-settled", "--against", "x"), "so nobody can look between them"),
    ],
)
def test_what_a_gradle_task_cannot_do(arguments: tuple[str, ...], why: str, project: Project) -> None:
    runner = {"mode": "gradle", "gradle_task": "check"}
    text = json.dumps({"scenario": {"name": "app"}, "runner": runner})
    (project.root / "echolot.yml").write_text(text)
    refused = project.run("collect", *arguments)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert f"collection error: a gradle task records all its runs at once, {why}; " in refused.stderr
    assert not (project.root / ".echolot/loose").exists()


@pytest.mark.slow
def test_a_collect_that_died_before_it_began_leaves_no_empty_round(project: Project) -> None:
    assert project.run("hunt", "why?").returncode == 0
    layout = Layout(root=project.root)
    for hunt in (1, None):
        with Store(layout, lambda: "2026-03-01T12:00:00Z") as store:
            left = store.rounds.plan(hunt, scenario="app", runs=5, label="left", plan={"collect": "dead"})
        assert project.run("collect", "--trust", "--label", "mine").returncode == 0
        with Store(layout, lambda: "2026-03-01T12:00:00Z") as store:
            rounds = [each for each in store.rounds.all() if each.hunt == hunt]
            if hunt == 1:
                store.hunts.abandon(1)
        assert [(each.id, each.state, each.label) for each in rounds] == [(left.id, "complete", "mine")]
        assert len(rounds[0].done) == 2


def test_without_a_project_there_is_nothing_to_record(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "echolot_tui", "collect"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "collection error: there is no echolot.yml here or above" in done.stderr


@pytest.mark.slow
def test_a_failed_run_is_told_with_its_last_words_and_resumed(project: Project) -> None:
    project.config("if [ -e broken ]; then echo no luck >&2; exit 4; fi; touch broken; " + WRITE)
    failed = project.run("collect", "--trust")
    assert failed.returncode == 2
    assert len(failed.stdout.splitlines()) == 1
    assert "collection error: if [ -e broken ]" in failed.stderr
    assert 'run 2: the command ended with exit code 4; its last line: "no luck"' in failed.stderr
    assert "broken" in project.run("status").stdout
    newer = project.root / ".echolot/traces/mine.json"
    newer.write_text("[]")
    os.utime(newer, (time.time() + 60, time.time() + 60))
    assert "no luck" not in project.run("status").stdout, "newer traces are there"
    newer.unlink()
    assert project.progress()["sets"][0]["status"] == "partial"
    (project.root / "broken").unlink()
    done = project.run("collect", "--resume")
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 2
    assert json.loads((project.root / ".echolot/out/report.json").read_text())["runs"] == 2


@pytest.mark.slow
def test_a_set_is_not_resumed_with_other_settings(project: Project) -> None:
    assert project.run("collect", "--trust", "-n", "1").returncode == 0
    project.config("cat sample.json > {trace}")
    refused = project.run("collect", "--resume", "--trust")
    assert refused.returncode == 2
    assert "the runner's settings changed since this set was begun" in refused.stderr


@pytest.mark.slow
def test_recording_outlives_whoever_started_it(project: Project) -> None:
    project.config(SLOW)
    starter = project.start("collect", "--trust")
    _wait_for(project, 0)
    starter.send_signal(signal.SIGINT)
    _, said = starter.communicate(timeout=60)
    assert starter.returncode == 130
    assert "recording goes on; echolot collect --attach follows it, --stop ends it" in said
    second = project.run("collect")
    assert second.returncode == 2
    assert "a collect is being recorded in this project" in second.stderr
    follower = project.start("collect", "--attach")
    (project.root / "go0").touch()
    _wait_for(project, 1)
    (project.root / "go1").touch()
    out, said = follower.communicate(timeout=60)
    assert follower.returncode == 0, said
    assert len(out.splitlines()) == 2
    assert "run 2/2 done, window 200 ms" in said


def test_a_killed_starter_and_a_hang_up_change_nothing(project: Project) -> None:
    project.config(SLOW, iterations=1)
    starter = project.start("collect", "--trust")
    _wait_for(project, 0)
    starter.kill()
    starter.communicate()
    os.kill(project.progress()["pid"], signal.SIGHUP)
    (project.root / "go0").touch()
    _until(lambda: project.progress().get("finished"))
    assert project.progress()["exit"] == 0


@pytest.mark.slow
def test_stop_after_this_run_and_stop_now(project: Project) -> None:
    project.config(SLOW, iterations=3)
    assert project.run("collect", "--trust", "--detach").returncode == 0
    _wait_for(project, 0)
    stopper = project.start("collect", "--stop")
    time.sleep(0.5)
    assert stopper.poll() is None
    (project.root / "go0").touch()
    out, said = stopper.communicate(timeout=60)
    assert (stopper.returncode, len(out.splitlines())) == (0, 1), said
    assert project.progress()["sets"][0]["status"] == "partial"
    assert project.run("collect", "--resume", "--detach").returncode == 0
    _wait_for(project, 1)
    stopped = project.run("collect", "--stop", "now")
    assert stopped.returncode == 0
    (record,) = project.progress()["sets"]
    assert (record["status"], project.progress()["exit"]) == ("interrupted", 130)
    assert [run["state"] for run in record["runs"]] == ["done", "waiting"]


def test_a_terminated_recorder_keeps_what_it_has(project: Project) -> None:
    project.config(SLOW)
    assert project.run("collect", "--trust", "--detach").returncode == 0
    _wait_for(project, 0)
    (project.root / "go0").touch()
    _wait_for(project, 1)
    os.kill(project.progress()["pid"], signal.SIGTERM)
    _until(lambda: project.progress()["finished"])
    (record,) = project.progress()["sets"]
    assert (record["status"], len([run for run in record["runs"] if run["state"] == "done"])) == (
        "interrupted",
        1,
    )


@pytest.mark.slow
def test_a_killed_recorder_is_noticed_and_resumed(project: Project) -> None:
    project.config(SLOW)
    follower = project.start("collect", "--trust")
    _wait_for(project, 0)
    (project.root / "go0").touch()
    _wait_for(project, 1)
    os.kill(project.progress()["pid"], signal.SIGKILL)
    _, said = follower.communicate(timeout=60)
    assert follower.returncode == 2
    assert "collection error: " in said
    assert "the recording process is gone; its finished traces are kept; echolot collect --resume" in said
    (project.root / "go2").touch()
    done = project.run("collect", "--resume")
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 2


@pytest.mark.slow
def test_a_second_process_analyzes_while_the_first_collects(project: Project) -> None:
    project.config("sleep 0.3; " + WRITE, iterations=6)
    starter = project.start("collect", "--trust")
    analyzed = 0
    while starter.poll() is None:
        if list((project.root / ".echolot/traces").glob("*.json")):
            done = project.run("analyze", ".echolot/traces", "--json")
            assert done.returncode == 0, done.stderr
            assert json.loads(done.stdout)["window"]["duration_ms"] == 200.0
            analyzed += 1
        time.sleep(0.02)
    out, said = starter.communicate()
    assert starter.returncode == 0, said
    assert len(out.splitlines()) == 6
    assert analyzed >= 2
    assert json.loads((project.root / ".echolot/loose/round-1/report.json").read_text())["runs"] == 6


@pytest.mark.slow
def test_inside_a_hunt_each_collect_is_a_round_with_its_report(project: Project) -> None:
    assert project.run("hunt", "why is it slow?").returncode == 0
    assert project.run("collect", "--trust", "-n", "5", "--label", "before").returncode == 0
    project.config("sed s/200000/300000/ sample.json > {trace}")
    done = project.run("collect", "--trust", "-n", "5")
    assert done.returncode == 0, done.stderr
    rounds = project.root / ".echolot" / "hunts" / "1"
    for k, window in ((1, 200.0), (2, 300.0)):
        report = json.loads((rounds / f"round-{k}" / "report.json").read_text())
        assert (report["runs"], report["window"]["duration_ms"]) == (5, window)
        assert len(list((rounds / f"round-{k}" / "traces").glob("app_iter*.json"))) == 5
    compared = project.run("compare", "--json")
    assert compared.returncode == 0, compared.stderr
    comparison = json.loads(compared.stdout)
    assert comparison["before"]["name"] == "before"
    assert comparison["window"]["verdict"] == "slower"
    status = json.loads(project.run("status", "--json").stdout)
    assert status["collect"].startswith("app: 5/5 done ")


@pytest.mark.slow
def test_two_arms_become_two_rounds_and_a_comparison(project: Project) -> None:
    (project.root / "slow.json").write_text(TRACE.replace("200000", "300000"))
    arms = ("--arm", f"old={WRITE}", "--arm", "new=cp slow.json {trace}")
    done = project.run("collect", *arms, "-n", "5", "--seed", "3")
    assert done.returncode == 0, done.stderr
    sets = project.progress()["sets"]
    assert [(each["arm"], each["seed"], each["status"]) for each in sets] == [
        ("old", 3, "complete"),
        ("new", 3, "complete"),
    ]
    assert len(done.stdout.splitlines()) == 10
    comparison = json.loads((project.root / ".echolot/out/comparison.json").read_text())
    assert [comparison[side]["name"] for side in ("before", "after")] == ["old", "new"]
    assert (comparison["window"]["before_ms"], comparison["window"]["after_ms"]) == (200.0, 300.0)
    assert comparison["window"]["verdict"] == "slower"


@pytest.mark.slow
def test_until_settled_stops_at_the_look_that_settles(project: Project) -> None:
    (project.root / "slow.json").write_text(TRACE.replace("200000", "300000"))
    arms = ("--arm", f"old={WRITE}", "--arm", "new=cp slow.json {trace}")
    done = project.run("collect", *arms, "-n", "5", "--until-settled", "--max", "20")
    assert done.returncode == 0, done.stderr
    assert (
        "look 1 of 3, 5 runs a side, findings up to p 0.01: every row that matters is settled" in done.stderr
    )
    assert len(done.stdout.splitlines()) == 10
    comparison = json.loads((project.root / ".echolot/out/comparison.json").read_text())
    assert comparison["family"]["level"] == 0.01


@pytest.mark.slow
def test_a_single_set_is_recorded_until_settled_against_a_report(project: Project) -> None:
    assert project.run("collect", "--trust", "-n", "5").returncode == 0
    before = project.root / "before.json"
    (project.root / ".echolot/out/report.json").rename(before)
    project.config("sed s/200000/300000/ sample.json > {trace}", iterations=5)
    done = project.run("collect", "--trust", "--until-settled", "--against", str(before))
    assert done.returncode == 0, done.stderr
    comparison = json.loads((project.root / ".echolot/out/comparison.json").read_text())
    assert (comparison["before"]["runs"], comparison["window"]["verdict"]) == (5, "slower")


@pytest.mark.slow
def test_watch_once_settles_and_ends(project: Project) -> None:
    folder = project.root / "fills"
    folder.mkdir()
    empty = project.run("watch", folder, "--once")
    assert (empty.returncode, empty.stdout) == (2, "")
    assert "the folder holds no traces" in empty.stderr
    for number in range(3):
        (folder / f"run{number}.json").write_text(TRACE)
    (folder / "broken.pftrace").write_text("not a trace")
    done = project.run("watch", folder, "--once")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "3 runs · 1 unreadable · window 200 ms\n"
    assert json.loads((project.root / ".echolot/out/report.json").read_text())["runs"] == 3


@pytest.mark.parametrize("poll", [(), pytest.param(("--poll",), marks=pytest.mark.slow)])
def test_watch_follows_new_replaced_and_deleted_traces(poll: tuple[str, ...], project: Project) -> None:
    folder, before = project.root / "fills", project.root / "before"
    for place in (folder, before):
        place.mkdir()
    for number in range(4):
        (before / f"run{number}.json").write_text(TRACE)
    watcher = project.start("watch", folder, "--json", "--against", before, *poll)
    try:
        assert watcher.stdout is not None

        def update() -> dict[str, Any]:
            found: dict[str, Any] = json.loads(watcher.stdout.readline())  # type: ignore[union-attr]
            return found

        slow = TRACE.replace("200000", "300000")
        half = folder / "run0.json"
        half.write_text(slow[:20])
        time.sleep(0.3)
        half.write_text(slow)
        assert (first := update())["new"] == ["run0.json"]
        assert (first["runs"], first["window_ms"]) == (1, 300.0)
        half.write_text(TRACE)
        assert (second := update())["replaced"] == ["run0.json"]
        assert second["window_ms"] == 200.0
        for number in range(1, 5):
            part = folder / f"run{number}.json.part"
            part.write_text(slow)
            part.rename(folder / f"run{number}.json")
        last = update()
        while last["runs"] < 5:
            last = update()
        assert last["window_verdict"] in {"slower", "can't tell"}
        half.unlink()
        assert (gone := update())["gone"] == ["run0.json"]
        assert (gone["runs"], gone["window_verdict"]) == (4, "slower")
        watcher.send_signal(signal.SIGINT)
        assert watcher.wait(30) == 130
        assert (
            json.loads((project.root / ".echolot/out/comparison.json").read_text())["window"]["verdict"]
            == "slower"
        )
    finally:
        watcher.kill()
        watcher.communicate()
