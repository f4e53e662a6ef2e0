"""Several processes at one record, and processes that die."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from echolot_tui.investigate.model import Round
from echolot_tui.investigate.store import Store
from echolot_tui.project.files import sha256_of, write_atomic
from unit.investigate import workers
from unit.investigate.project import store_in

PROGRAM = str(Path(workers.__file__))


def start(*arguments: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, PROGRAM, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def kill(process: subprocess.Popen[str]) -> list[str]:
    """End it without a chance to say goodbye; the whole lines it said."""
    process.send_signal(signal.SIGKILL)
    process.wait(60)
    assert process.stdout is not None
    assert process.stderr is not None
    with process.stdout, process.stderr:
        said = process.stdout.read()
    return said.splitlines() if said.endswith("\n") else said.splitlines()[:-1]


def consistent(store: Store) -> None:
    """The journal, replayed, gives the states there are, step by step."""
    told: dict[tuple[object, ...], str | None] = {}
    for line in store.journal():
        if line.target is not None:
            about = (line.subject, line.hunt, line.k, line.run)
            assert told.get(about) == line.source, line
            told[about] = line.target
    found: dict[tuple[object, ...], str | None] = {
        ("hunt", hunt.n, None, None): hunt.state for hunt in store.hunts.all()
    }
    for each in store.rounds.all():
        found["round", each.hunt, each.k, None] = each.state
        found |= {("run", each.hunt, each.k, run.run): run.state for run in each.runs}
    assert told == found


def whole(root: Path, each: Round) -> None:
    """Every run that is done has its trace, with the content that was told; nothing else has a real name."""
    assert {trace.run for trace in each.traces} == set(each.done)
    for trace in each.traces:
        assert sha256_of((root / trace.path).read_bytes()) == trace.sha256
    folder = root / ".echolot" / "hunts" / "1" / f"round-{each.k}" / "traces"
    named = {path.name for path in folder.glob("[!.]*")} if folder.is_dir() else set()
    assert named == {Path(trace.path).name for trace in each.traces}


def hammered(root: Path, processes: int, times: int) -> None:
    names = [f"worker-{number}" for number in range(processes)]
    running = [start("hammer", root, name, str(times)) for name in names]
    for process in running:
        _, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
    with store_in(root) as store:
        hunts = store.hunts.all()
        assert [hunt.n for hunt in hunts] == list(range(1, processes * times + 1))
        assert Counter(hunt.question for hunt in hunts) == Counter(
            f"{name} {at}" for name in names for at in range(times)
        )
        assert Counter(hunt.state for hunt in hunts)["concluded"] == processes * (times // 2)
        assert all([note.text for note in hunt.notes] == [hunt.question] for hunt in hunts)
        planned = [each for each in hunts[0].rounds if each.state == "planned"]
        assert Counter(each.label for each in planned) == dict.fromkeys(names, times)
        assert sum(hunt.current for hunt in hunts) <= 1
        consistent(store)


def test_several_processes_at_once_lose_nothing(tmp_path: Path) -> None:
    hammered(tmp_path, processes=4, times=4)


@pytest.mark.slow
def test_many_processes_at_once_lose_nothing(tmp_path: Path) -> None:
    hammered(tmp_path, processes=8, times=25)


def test_a_killed_recording_is_interrupted_and_another_ones_goes_on(tmp_path: Path) -> None:
    with store_in(tmp_path) as store:
        store.hunts.open("why?", scenario="cold")
        rounds = [store.rounds.plan(1, scenario="cold", runs=2) for _ in range(2)]
    running = [start("hold", tmp_path, str(each.id)) for each in rounds]
    for process in running:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("recording")
    kill(running[0])
    try:
        with store_in(tmp_path) as store:
            assert [each.state for each in store.hunts.get(1).rounds] == ["interrupted", "recording"]
    finally:
        kill(running[1])
    with store_in(tmp_path) as store:
        assert [each.state for each in store.hunts.get(1).rounds] == ["interrupted", "interrupted"]
        consistent(store)


def dies_at(root: Path, statement: int) -> bool:
    """Whether it died at all; if so, what it had said holds, and the next process can finish the work."""
    process = start("die", root, str(statement))
    said, errors = process.communicate(timeout=60)
    if process.returncode == 0:
        return False
    assert process.returncode == -signal.SIGKILL, errors
    with store_in(root) as store:
        consistent(store)
        hunts = store.hunts.all()
        assert len(hunts) >= ("open" in said)
        rounds = hunts[0].rounds if hunts else ()
        assert len(rounds) >= ("planned" in said)
        if "concluded" in said:
            assert hunts[0].state == "concluded"
        for each in rounds:
            whole(root, each)
            assert each.done == ((0,) if "named" in said else each.done)
            if each.state != "complete":
                with store.record(each.id) as recording:
                    for run in recording.round.missing:
                        recording.run_state(run, "recording")
                        write_atomic(recording.trace_path(run), b"again")
                        recording.trace_finished(run, recording.trace_path(run), sha256_of(b"again"))
                assert store.rounds.get(each.id).state == "complete"
                whole(root, store.rounds.get(each.id))
        consistent(store)
    return True


@pytest.mark.parametrize("statement", [2, 30, 47, 60])
def test_a_process_that_dies_between_two_statements(tmp_path: Path, statement: int) -> None:
    assert dies_at(tmp_path, statement)


@pytest.mark.slow
def test_a_process_that_dies_between_any_two_statements(tmp_path: Path) -> None:
    statement = 1
    while dies_at(tmp_path / f"{statement}", statement):
        statement += 1
    assert statement > 100


def killed_while_recording(root: Path, kills: int, seed: int) -> Counter[str]:
    """Kill a recording at random moments, resume it until it is complete, and begin anew."""
    luck = random.Random(seed)
    number, came, found = 0, dict[int, str](), Counter[str]()
    for _ in range(kills):
        process = start("record", root, str(number))
        assert process.stdout is not None
        assert process.stdout.readline().startswith("recording")
        time.sleep(luck.uniform(0.0, 0.05))
        said = kill(process)
        with store_in(root) as store:
            consistent(store)
            rounds = store.hunts.get(1).rounds
            assert all(each.state != "recording" for each in rounds)
            for each in rounds:
                whole(root, each)
            if not rounds:
                continue
            last = rounds[-1]
            if last.id != number:
                number, came = last.id, {}
            came |= {int(words[1]): words[2] for line in said if (words := line.split())[0] == "came"}
            kept = {trace.run: trace.sha256 for trace in last.traces}
            assert came.items() <= kept.items()
            found[last.state] += 1
            if last.state == "complete":
                number, came = 0, {}
    return found


def test_a_recording_killed_at_random_keeps_every_trace_that_came(tmp_path: Path) -> None:
    with store_in(tmp_path) as store:
        store.hunts.open("why?", scenario="cold")
    killed_while_recording(tmp_path, kills=4, seed=1)


@pytest.mark.slow
def test_a_recording_killed_a_hundred_times_keeps_every_trace_that_came(tmp_path: Path) -> None:
    with store_in(tmp_path) as store:
        store.hunts.open("why?", scenario="cold")
    found = killed_while_recording(tmp_path, kills=100, seed=2)
    assert found["interrupted"] > 30


@pytest.mark.slow
def test_whatever_was_said_to_be_done_is_done_after_a_kill(tmp_path: Path) -> None:
    luck = random.Random(3)
    for at in range(50):
        root = tmp_path / f"{at}"
        process = start("steer", root)
        time.sleep(luck.uniform(0.15, 0.5))
        said = [line.split() for line in kill(process)]
        with store_in(root) as store:
            consistent(store)
            states = {hunt.n: hunt.state for hunt in store.hunts.all()}
            assert max(states, default=0) - len({n for _, n in said}) in {0, 1}
            for n in {int(n) for _, n in said[:-1]} - {int(said[-1][1])} if said else ():
                assert states[n] == "open"
