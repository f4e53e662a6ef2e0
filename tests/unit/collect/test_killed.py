"""A collect that is killed loses nothing that was finished, and the next one knows what is missing."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest

from echolot_tui.collect.model import CollectOrder, SetRecord
from echolot_tui.collect.sets import SetFiles
from echolot_tui.headless.clock import now
from echolot_tui.investigate.store import Store
from echolot_tui.project.layout import Layout
from echolot_tui.project.model import Runner

RUNS = 3
COMMAND = "seq 1 20000 > {trace}; sleep 0.03; echo $$ END >> {trace}"
"""Writes in two goes; only a file that ends with END is whole. The number makes each a file of its own."""

SCRIPT = Path(__file__).parents[2] / "collecting_once.py"
RANDOM_KILLS = 110


@dataclass
class Project:
    """A project with an earlier set of two, and the collect under test."""

    root: Path

    def __post_init__(self) -> None:
        self.root.mkdir()
        (self.root / "echolot.yml").write_text(
            f'scenario: {{name: app}}\nrunner: {{mode: host, iterations: {RUNS}, command: "{COMMAND}"}}\n'
        )
        self.layout = Layout(root=self.root)
        self.newest = self.layout.traces
        self.newest.mkdir(parents=True)
        for k in range(2):
            (self.newest / f"app_iter00{k}.json").write_text(f"earlier {k}")
        (self.newest / "other_iter000.json").write_text("another scenario")

    def start(self, *, resume: bool = False, kill_at: int = -1) -> subprocess.Popen[str]:
        order = CollectOrder(
            collect="c1",
            project=str(self.root),
            config=str(self.root / "echolot.yml"),
            scenario="app",
            settings=Runner(mode="host", iterations=RUNS, command=COMMAND),
            resume=resume,
        )
        path = self.root / "order.json"
        path.write_bytes(msgspec.json.encode(order))
        env = os.environ | {
            "PYTHONPATH": os.pathsep.join(part for part in sys.path if part),
            "OPENBLAS_NUM_THREADS": "1",
        }
        return subprocess.Popen(
            [sys.executable, str(SCRIPT), str(path), str(kill_at)],
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.root,
        )

    def record(self) -> SetRecord | None:
        found = SetFiles(self.root / ".echolot" / "log" / "sets").latest("app")
        return found[0] if found else None

    def traces(self) -> dict[str, int]:
        """Named traces of the rounds: name to inode."""
        return {
            str(path): path.stat().st_ino
            for path in self.root.glob(".echolot/loose/*/traces/*")
            if not path.name.startswith(".")
        }

    def check_left(self) -> None:
        """What holds at any moment."""
        for path in (*map(Path, self.traces()), *self.newest.glob("app_iter*.json")):
            text = path.read_text()
            assert text.endswith("END\n") or text.startswith("earlier"), f"{path} is half a trace"
        assert sorted(self.earlier()) == ["earlier 0", "earlier 1"]
        record = self.record()
        for run in record.done if record else ():
            assert run.path is not None
            assert Path(run.path).is_file(), "a trace that was told is gone"

    def earlier(self) -> list[str]:
        """Content of the earlier set's files, wherever they are."""
        texts = [path.read_text() for path in self.newest.rglob("app_iter*")]
        return [text for text in texts if text.startswith("earlier")]

    def check_complete(self) -> None:
        record = self.record()
        assert record is not None
        assert (record.status, len(record.done)) == ("complete", RUNS)
        names = sorted(path.name for path in self.newest.glob("*.json"))
        assert names == [*(f"app_iter00{k}.json" for k in range(RUNS)), "other_iter000.json"]
        hidden = [path for path in self.root.glob(".echolot/**/.*") if path.is_file()]
        assert hidden == [], "something half-written is left"
        asides = [path for path in self.newest.iterdir() if path.is_dir()]
        assert len(asides) == 1
        assert sorted(path.read_text() for path in asides[0].iterdir()) == ["earlier 0", "earlier 1"]
        with Store(self.layout, now) as store:
            (found,) = [each for each in store.rounds.all() if each.id == record.round]
            assert (found.state, found.done) == ("complete", tuple(range(RUNS)))
            assert [trace.sha256 for trace in found.traces] == [run.sha256 for run in record.done]
            assert all((self.root / trace.path).is_file() for trace in found.traces)


def _end(process: subprocess.Popen[str]) -> tuple[int, str]:
    out, said = process.communicate(timeout=120)
    assert process.returncode in {0, -signal.SIGKILL}, said
    return process.returncode, out


def _survives(project: Project, process: subprocess.Popen[str]) -> bool:
    """Check what a collect left, and that the next one completes it; whether it was killed."""
    killed = _end(process)[0] != 0
    project.check_left()
    before = project.traces()
    code, _ = _end(project.start(resume=project.record() is not None))
    assert code == 0
    after = project.traces()
    assert before.items() <= after.items(), "a finished trace was recorded again"
    project.check_left()
    project.check_complete()
    return killed


def test_nothing_is_lost_at_three_moments(tmp_path: Path) -> None:
    for kill_at in (9, 23, 37):
        project = Project(tmp_path / f"p{kill_at}")
        assert _survives(project, project.start(kill_at=kill_at))


@pytest.mark.slow
def test_nothing_is_lost_at_any_moment(tmp_path: Path) -> None:
    whole = Project(tmp_path / "whole")
    code, out = _end(whole.start())
    assert code == 0
    moments = int(out)
    assert moments >= 100
    for kill_at in range(moments):
        project = Project(tmp_path / f"p{kill_at}")
        assert _survives(project, project.start(kill_at=kill_at)), f"moment {kill_at} never came"


@pytest.mark.slow
def test_nothing_is_lost_at_random_times(tmp_path: Path) -> None:
    rng = random.Random(5)
    whole = Project(tmp_path / "whole")
    begun = time.monotonic()
    assert _end(whole.start())[0] == 0
    length = time.monotonic() - begun
    killed = 0
    for number in range(RANDOM_KILLS):
        project = Project(tmp_path / f"p{number}")
        process = project.start()
        time.sleep(rng.uniform(0.2, 1.0) * length)
        process.kill()
        killed += _survives(project, process)
    assert killed >= 0.6 * RANDOM_KILLS  # the rest had ended before the kill


@pytest.mark.slow
def test_nothing_is_lost_when_resuming_is_killed_as_well(tmp_path: Path) -> None:
    rng = random.Random(6)
    project = Project(tmp_path / "p")
    for _ in range(12):
        process = project.start(resume=project.record() is not None, kill_at=rng.randrange(5, 60))
        _end(process)
        project.check_left()
    _survives(project, project.start(resume=True))
