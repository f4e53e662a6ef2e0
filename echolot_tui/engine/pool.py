"""Run a function on many traces, each in a worker process, so that a bad trace costs only itself."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import IO, Any, Final, Generic, TypeVar

from echolot_tui.engine.messages import Began, Gave, Lost, Said, Task
from echolot_tui.engine.model import EngineChoice, TraceSession, TraceUnreadableError
from echolot_tui.errors import EcholotError
from echolot_tui.text import visible

P = TypeVar("P")
R = TypeVar("R")

_START_S: Final = 300.0
"""For a worker to start and, once, to compile the engine."""

_GRACE_S: Final = 2.0
"""Beyond the trace's own time, after which the engine stops itself and says where it was."""

_FAREWELL_S: Final = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Job(Generic[P, R]):
    """One trace and what to do with it.

    ``run`` is a function at the top of an importable module: the worker imports it. It gets the loaded
    trace and ``payload``; payload and result have to be picklable.
    """

    run: Callable[[TraceSession, P], R]
    path: Path
    payload: P


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Generic[R]):
    """What became of one job: ``result``, or ``error`` with the reason."""

    path: Path
    result: R | None = None
    error: EcholotError | None = None

    @property
    def ok(self) -> bool:
        """Whether there is a result."""
        return self.error is None

    @property
    def reason(self) -> str:
        """Why there is no result, without the path; empty when there is one."""
        return "" if self.error is None else self.error.what


@dataclass(frozen=True, slots=True)
class Started:
    """A worker took a trace."""

    index: int
    path: Path


@dataclass(frozen=True, slots=True)
class Finished(Generic[R]):
    """A trace is done, one way or the other."""

    index: int
    outcome: Outcome[R]


@dataclass(frozen=True, slots=True)
class Note:
    """A line for the person who waits, such as that the engine is being compiled."""

    text: str


Event = Started | Finished[Any] | Note


def run_jobs(
    jobs: Sequence[Job[P, R]],
    *,
    workers: int,
    choice: EngineChoice,
    on_event: Callable[[Event], None] | None = None,
) -> list[Outcome[R]]:
    """Run every job in a worker process; outcomes in the order of the jobs.

    A trace that cannot be read, crashes or outlives its worker, or takes longer than
    ``choice.timeout_s`` fails alone. Whatever ends this call early, Ctrl-C and an exception raised by
    ``on_event`` included, ends the workers at once.

    Args:
        jobs: What to do.
        workers: Processes at a time, at least one.
        choice: Engine and bounds.
        on_event: Called in this thread as things happen.
    """
    pool = _Pool(jobs, choice, on_event or (lambda _event: None))
    return pool.run(max(1, min(workers, len(jobs))))


class _Pool(Generic[P, R]):
    def __init__(
        self, jobs: Sequence[Job[P, R]], choice: EngineChoice, on_event: Callable[[Event], None]
    ) -> None:
        self._jobs = jobs
        self._choice = choice
        self._on_event = on_event
        self._pending = deque(range(len(jobs)))
        self._outcomes: dict[int, Outcome[R]] = {}
        self._workers: list[_Process] = []

    def run(self, limit: int) -> list[Outcome[R]]:
        try:
            while len(self._outcomes) < len(self._jobs):
                self._assign(limit)
                self._listen()
            for worker in self._workers:
                worker.connection.close()  # an idle worker ends by itself then
            for worker in self._workers:
                worker.wait()
        finally:
            for worker in self._workers:
                worker.kill()
        return [self._outcomes[index] for index in range(len(self._jobs))]

    def _assign(self, limit: int) -> None:
        """Give waiting jobs to idle workers, starting workers up to the limit."""
        while self._pending:
            worker = next((worker for worker in self._workers if worker.index is None), None)
            if worker is None:
                if len(self._workers) >= limit:
                    return
                worker = _Process()
                self._workers.append(worker)
            index = self._pending.popleft()
            job = self._jobs[index]
            if not worker.give(
                index, Task(run=job.run, path=job.path, payload=job.payload, choice=self._choice)
            ):
                worker.kill()
                self._workers.remove(worker)
                self._pending.appendleft(index)
                continue
            self._on_event(Started(index, job.path))

    def _listen(self) -> None:
        """Wait for the next message, death or deadline of a worker."""
        busy = [worker for worker in self._workers if worker.index is not None]
        nearest = min(worker.deadline for worker in busy)
        ready = wait([worker.connection for worker in busy], max(nearest - time.monotonic(), 0.0))
        for worker in busy:
            if worker.connection in ready:
                self._hear(worker)
            elif time.monotonic() >= worker.deadline:
                self._bury(worker, f"was stopped after {self._choice.timeout_s:g} s")

    def _hear(self, worker: _Process) -> None:
        try:
            message = worker.connection.recv()
        except (EOFError, OSError):
            self._bury(worker, worker.obituary())
            return
        if isinstance(message, Said):
            self._on_event(Note(message.text))
        elif isinstance(message, Began):
            worker.deadline = time.monotonic() + self._choice.timeout_s + _GRACE_S
        elif isinstance(message, Gave):
            self._finish(worker, result=message.result)
        elif isinstance(message, Lost):
            self._finish(worker, error=message.error)

    def _bury(self, worker: _Process, why: str) -> None:
        worker.kill()
        self._workers.remove(worker)
        assert worker.index is not None
        where = visible(str(self._jobs[worker.index].path))
        self._finish(worker, error=TraceUnreadableError(f"its worker process {why}", where=where))

    def _finish(
        self, worker: _Process, *, result: R | None = None, error: EcholotError | None = None
    ) -> None:
        index, worker.index = worker.index, None
        assert index is not None
        outcome = Outcome(path=self._jobs[index].path, result=result, error=error)
        self._outcomes[index] = outcome
        self._on_event(Finished(index, outcome))


class _Process:
    """A worker process and this side of the connection to it.

    It leads a process group, so that a native engine it runs ends with it, and Ctrl-C on the terminal
    reaches only this process, which then ends the workers.
    """

    def __init__(self) -> None:
        self.index: int | None = None
        self.deadline = 0.0
        ours, theirs = socket.socketpair()
        with theirs:
            self.connection: Connection[Task, Any] = Connection(ours.detach())
            self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the worker
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "echolot_tui.engine.worker", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=self._log,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                env=os.environ | {"PYTHONPATH": os.pathsep.join(part for part in sys.path if part)},
            )

    def give(self, index: int, task: Task) -> bool:
        """Hand over a task; false when the worker died while it was idle."""
        self.index = index
        self.deadline = time.monotonic() + _START_S
        try:
            self.connection.send(task)
        except (BrokenPipeError, ConnectionResetError):
            return False
        return True

    def wait(self) -> None:
        """Give a worker that is about to end the time to do so."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_FAREWELL_S)

    def kill(self) -> None:
        """End the worker and what it started; more than once is fine."""
        self.connection.close()
        if self._process.returncode != 0:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._log.close()

    def obituary(self) -> str:
        """How it ended, and the last line it wrote."""
        try:
            code = self._process.wait(_FAREWELL_S)
        except subprocess.TimeoutExpired:
            return "closed its connection"
        ended = f"was ended by {_signal_name(-code)}" if code < 0 else f"ended with exit code {code}"
        self._log.seek(0)
        lines = self._log.read().decode("utf-8", errors="replace").strip().splitlines()
        return f"{ended} ({visible(lines[-1].strip(), 200)})" if lines else ended


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
