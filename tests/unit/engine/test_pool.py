"""Worker processes: what goes wrong in one costs one trace, and none outlives its pool."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from echolot_tui.engine.model import Columns, EngineChoice, QueryError, TraceUnreadableError
from echolot_tui.engine.pool import Event, Finished, Job, Note, Outcome, Started, run_jobs
from echolot_tui.errors import FAILED, EcholotError
from unit.engine import fake_shell, pool_jobs, tiny

LINUX = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="address space is bounded on Linux only"
)


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return tiny.write_perfetto(tmp_path / "a.pftrace")


def _run(
    path: Path, *what: tuple[Callable[..., Any], Any], workers: int = 1, **bounds: Any
) -> list[Outcome[Any]]:
    jobs = [Job(run=run, path=path, payload=payload) for run, payload in what]
    return run_jobs(jobs, workers=workers, choice=EngineChoice(**{"timeout_s": 60.0, **bounds}))


def test_the_pools_side_is_light() -> None:
    code = (
        "import sys, echolot_tui.engine.pool, echolot_tui.engine.formats;"
        "sys.exit(' '.join(sorted({'numpy', 'wasmtime', 'perfetto', 'google'} & set(sys.modules))))"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True).stderr
        == "\n"
    )


def test_no_jobs() -> None:
    assert run_jobs([], workers=2, choice=EngineChoice()) == []


def test_results_in_the_order_of_the_jobs(tmp_path: Path) -> None:
    paths = [tiny.write_perfetto(tmp_path / f"{n}", n) for n in range(1, 8)]
    jobs = [Job(run=pool_jobs.count, path=path, payload="slice") for path in paths]
    events: list[Event] = []
    outcomes = run_jobs(jobs, workers=3, choice=EngineChoice(), on_event=events.append)
    assert [outcome.result for outcome in outcomes] == list(range(1, 8))
    assert [outcome.path for outcome in outcomes] == paths
    assert all(outcome.ok and outcome.reason == "" for outcome in outcomes)
    assert sorted(event.index for event in events if isinstance(event, Started)) == list(range(7))
    finished = {event.index: event.outcome for event in events if isinstance(event, Finished)}
    assert finished == dict(enumerate(outcomes))


def test_workers_are_reused(trace: Path) -> None:
    pids = [outcome.result for outcome in _run(trace, *[(pool_jobs.pid, None)] * 4)]
    assert len(set(pids)) == 1
    assert pids[0] != os.getpid()


def test_columns_and_payloads_travel(trace: Path) -> None:
    sql = "SELECT name, dur, NULL AS n FROM slice"
    got, back = _run(trace, (pool_jobs.columns, sql), (pool_jobs.echo, {"a": [1, Path("x")]}))
    assert isinstance(got.result, Columns)
    assert got.result.records()[0] == {"name": "slice 0", "dur": 50, "n": None}
    assert back.result == {"a": [1, Path("x")]}


def test_a_failure_costs_only_its_trace(trace: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad"
    bad.write_bytes(tiny.OLD_GECKO)
    jobs = [
        Job(run=pool_jobs.count, path=path, payload="slice")
        for path in (trace, bad, tmp_path / "nope", trace)
    ]
    first, gecko, missing, last = run_jobs(jobs, workers=2, choice=EngineChoice())
    assert (first.result, last.result) == (3, 3)
    assert isinstance(gecko.error, TraceUnreadableError)
    assert "abort()" in gecko.reason
    assert "No such file" in missing.reason


def test_errors_keep_their_parts(trace: Path) -> None:
    refused, query, defect, result = _run(
        trace,
        (pool_jobs.refuse, "not this one"),
        (pool_jobs.count, "nope"),
        (pool_jobs.defect, None),
        (pool_jobs.unpicklable, None),
    )
    assert refused.error is not None
    assert refused.error.sentence == "here: not this one; do that"
    assert isinstance(query.error, QueryError)
    assert "SELECT COUNT(*) FROM nope" in query.error.where
    assert defect.error is not None
    assert defect.error.exit_code == FAILED
    assert "ZeroDivisionError at pool_jobs.py:" in defect.reason
    assert "a defect" in defect.reason
    assert not result.ok
    assert "internal error" in result.reason


@pytest.mark.parametrize(
    ("run", "payload", "why"),
    [
        (pool_jobs.abort, None, "was ended by SIGABRT (the last words)"),
        (pool_jobs.leave, 9, "ended with exit code 9"),
        (pool_jobs.crash, None, "was ended by SIGSEGV"),
    ],
)
def test_a_worker_that_dies(run: Callable[..., Any], payload: Any, why: str, trace: Path) -> None:
    dead, alive = _run(trace, (run, payload), (pool_jobs.count, "slice"))
    assert isinstance(dead.error, TraceUnreadableError)
    assert why in dead.reason
    assert alive.result == 3


def test_a_worker_that_dies_between_two_traces_costs_none(trace: Path) -> None:
    def wait_until_dead(event: Event) -> None:
        if isinstance(event, Finished) and event.index == 0:
            _wait_for(lambda: not _running(event.outcome.result))

    jobs: list[Job[Any, Any]] = [
        Job(run=pool_jobs.leave_later, path=trace, payload=0.1),
        Job(run=pool_jobs.count, path=trace, payload="slice"),
    ]
    outcomes = run_jobs(jobs, workers=1, choice=EngineChoice(), on_event=wait_until_dead)
    assert outcomes[1].result == 3


def test_a_query_that_never_ends(trace: Path) -> None:
    spun, swallowed, alive = _run(
        trace, (pool_jobs.spin, None), (pool_jobs.swallow, None), (pool_jobs.count, "slice"), timeout_s=1.0
    )
    assert "the engine was stopped after 1 s" in spun.reason
    assert "the engine was stopped after 1 s" in swallowed.reason, "what a dead engine gave is no result"
    assert alive.result == 3


def test_a_job_that_hangs_outside_the_engine_is_killed(trace: Path) -> None:
    begin = time.monotonic()
    hung, alive = _run(trace, (pool_jobs.hang, None), (pool_jobs.count, "slice"), timeout_s=1.0)
    assert "was stopped after 1 s" in hung.reason
    assert alive.result == 3
    assert time.monotonic() - begin < 20


@LINUX
def test_memory_beyond_the_bound(trace: Path) -> None:
    over, under = _run(trace, (pool_jobs.fill, 4000), (pool_jobs.fill, 100), memory_mb=1000)
    assert "out of memory" in over.reason
    assert under.result == float(100 << 17)


def test_the_engines_own_memory_is_bounded(tmp_path: Path) -> None:
    big, small = tiny.write_perfetto(tmp_path / "big", 60_000), tiny.write_perfetto(tmp_path / "small")
    jobs = [Job(run=pool_jobs.count, path=path, payload="slice") for path in (big, small)]
    over, under = run_jobs(jobs, workers=1, choice=EngineChoice(memory_mb=34))
    assert "ran out of memory at" in over.reason
    assert under.result == 3


def test_an_exception_in_the_listener_ends_the_workers(trace: Path, tmp_path: Path) -> None:
    mark = tmp_path / "mark"

    def stop(event: Event) -> None:
        if isinstance(event, Finished):
            _wait_for(lambda: mark.exists() and mark.read_text() != "")
            raise KeyboardInterrupt

    jobs: list[Job[Any, Any]] = [
        Job(run=pool_jobs.mark_and_hang, path=trace, payload=mark),
        Job(run=pool_jobs.count, path=trace, payload="slice"),
    ]
    with pytest.raises(KeyboardInterrupt):
        run_jobs(jobs, workers=2, choice=EngineChoice(), on_event=stop)
    _wait_for(lambda: not _alive(mark))


PARENT = """
    import sys
    from pathlib import Path
    from unit.engine import pool_jobs
    from echolot_tui.engine.model import EngineChoice
    from echolot_tui.engine.pool import Job, run_jobs
    job = Job(run=pool_jobs.ignore_and_hang, path=Path(sys.argv[1]), payload=Path(sys.argv[2]))
    run_jobs([job], workers=1, choice=EngineChoice())
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_no_worker_outlives_its_parent(number: signal.Signals, trace: Path, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    env = os.environ | {"PYTHONPATH": os.pathsep.join(part for part in sys.path if part)}
    parent = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(PARENT), str(trace), str(mark)],
        env=env,
        stderr=subprocess.DEVNULL,
    )
    _wait_for(lambda: mark.exists() and mark.read_text() != "")
    assert _alive(mark)
    parent.send_signal(number)
    parent.wait(timeout=10)
    _wait_for(lambda: not _alive(mark))


def test_a_native_engine_goes_with_its_worker(trace: Path, tmp_path: Path) -> None:
    binary = fake_shell.install(tmp_path, before=f"echo $$ >> {tmp_path / 'pids'}")
    choice = EngineChoice(tp_binary=binary, timeout_s=60.0)
    jobs: list[Job[Any, Any]] = [
        Job(run=pool_jobs.count, path=trace, payload="slice"),
        Job(run=pool_jobs.leave, path=trace, payload=1),
    ]
    good, dead = run_jobs(jobs, workers=1, choice=choice)
    assert good.result == 3
    assert "exit code 1" in dead.reason
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    assert len(pids) >= 3
    _wait_for(lambda: not any(_running(pid) for pid in pids))


def test_what_the_worker_says_arrives(trace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("ECHOLOT_CACHE_DIR", str(tmp_path / "file"))
    notes: list[str] = []

    def listen(event: Event) -> None:
        if isinstance(event, Note):
            notes.append(event.text)
            raise EcholotError("enough")

    with pytest.raises(EcholotError, match="enough"):
        run_jobs(
            [Job(run=pool_jobs.count, path=trace, payload="slice")],
            workers=1,
            choice=EngineChoice(),
            on_event=listen,
        )
    assert "cannot write" in notes[0]


def _alive(mark: Path) -> bool:
    return any(_running(int(pid)) for pid in mark.read_text().split())


def _running(pid: int) -> bool:
    """Whether a process runs: one that ended but was not waited for does not."""
    state = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
    ).stdout
    return bool(state.strip()) and not state.strip().startswith("Z")


def _wait_for(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    give_up = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < give_up, "took too long"
        time.sleep(0.02)
