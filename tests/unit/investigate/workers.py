"""Programs the tests of several processes run: ``python workers.py NAME ROOT …``."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from echolot_tui.investigate.model import TraceFile
from echolot_tui.investigate.moments import written
from echolot_tui.investigate.store import Store
from echolot_tui.project.files import sha256_of, write_atomic
from echolot_tui.project.layout import Layout


def clock() -> str:
    return written(datetime.now(UTC))


def say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def hammer(root: Path, name: str, times: str) -> None:
    """Everything a person or a collect does, over and over, opening the record anew each time."""
    for at in range(int(times)):
        with Store(Layout(root=root), clock) as store:
            n = store.hunts.open(f"{name} {at}", scenario="cold").n
            store.hunts.note(n, f"{name} {at}")
            attached = store.rounds.attach(
                n, [TraceFile(path=f"{name}/{at}", sha256=f"{name}.{at}")], scenario="cold"
            )
            store.rounds.report_saved(
                attached.id, path="report.json", sha256=f"{name}.{at}", traces=[f"{name}.{at}"]
            )
            store.hunts.label(1, store.rounds.plan(1, scenario="cold", runs=2).k, name)
            if at % 2:
                store.hunts.conclude(n, "done")


def record(root: Path, number: str) -> None:
    """Record a round, run by run, saying when each trace came; then begin another."""
    with Store(Layout(root=root), clock) as store:
        planned = int(number) or store.rounds.plan(1, scenario="cold", runs=8).id
        with store.record(planned) as recording:
            say("recording", planned)
            for run in recording.round.missing:
                recording.run_state(run, "cooling")
                recording.run_state(run, "recording")
                data = os.urandom(20_000)
                time.sleep(0.005)
                recording.run_state(run, "pulling")
                write_atomic(recording.trace_path(run), data)
                recording.trace_finished(run, recording.trace_path(run), sha256_of(data))
                say("came", run, sha256_of(data))
                recording.run_state(run, "done")
        say("ended", planned)


def hold(root: Path, number: str) -> None:
    """Record nothing, for a long time."""
    with Store(Layout(root=root), clock) as store, store.record(int(number)) as recording:
        recording.run_state(0, "recording")
        say("recording", number)
        time.sleep(60)


def steer(root: Path) -> None:
    """Open, close and reopen hunts for ever, saying what is done as soon as it is."""
    with Store(Layout(root=root), clock) as store:
        while True:
            n = store.hunts.open("why?", scenario="cold").n
            say("open", n)
            store.hunts.conclude(n, "so")
            say("concluded", n)
            store.hunts.reopen(n)
            say("open", n)


def die(root: Path, last: str) -> None:
    """A short investigation, killed when it is about to execute its ``last``-th statement."""
    left = int(last)

    def count(_: str) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    with Store(Layout(root=root), clock) as store:
        store._database._connection.set_trace_callback(count)
        n = store.hunts.open("why?", scenario="cold").n
        say("open")
        planned = store.rounds.plan(n, scenario="cold", runs=1)
        say("planned")
        with store.record(planned.id) as recording:
            recording.run_state(0, "recording")
            write_atomic(recording.trace_path(0), b"whole")
            say("named")
            recording.trace_finished(0, recording.trace_path(0), sha256_of(b"whole"))
            recording.run_state(0, "done")
        say("complete")
        store.hunts.conclude(n, "so")
        say("concluded")


WORK: dict[str, Callable[..., None]] = {work.__name__: work for work in (hammer, record, hold, steer, die)}

if __name__ == "__main__":
    WORK[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])
