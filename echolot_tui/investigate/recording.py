"""One round while a process records it: what the collect tells, and what is left when it dies."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from echolot_tui.engine.locate import file_sha256
from echolot_tui.errors import EcholotError
from echolot_tui.investigate import states
from echolot_tui.investigate.database import Change, Database
from echolot_tui.investigate.hunts import require_open
from echolot_tui.investigate.model import Round, TraceFile
from echolot_tui.investigate.reading import read_rounds
from echolot_tui.investigate.rounds import add_run, move_round, move_run, next_run, no_run, put_trace
from echolot_tui.investigate.states import ToldState
from echolot_tui.project.files import make_folder
from echolot_tui.project.layout import Layout

DEFAULT_SUFFIX: Final = ".perfetto-trace"

_MAY_HAVE_COME: Final = frozenset({"recording", "pulling", "analyzing"})
"""A file at the place of a run that is still cooling is of an attempt that failed."""


class Recording:
    """A round being recorded by this process. Every method is one transaction."""

    def __init__(self, database: Database, layout: Layout, round_id: int) -> None:
        self._database = database
        self._layout = layout
        self.round_id = round_id
        self._first = self.round
        self.folder = layout.round(self._first.hunt, self._first.k) / "traces"
        """Where the round's traces belong; there when the recording starts."""

    @property
    def round(self) -> Round:
        """The round as it stands."""
        return _get(self._database, self.round_id)

    def trace_path(self, run: int) -> Path:
        """Where a run's trace belongs once it is complete."""
        return trace_path(self.folder, self._first, run)

    def run_state(self, run: int, state: ToldState, reason: str | None = None) -> None:
        """Say what is about to happen to a run, or that it ended.

        Before a run is recorded, whatever lies at its path is removed: it belongs to an attempt that
        failed, and after a crash only a file of this attempt may lie there.

        Raises:
            EcholotError: No legal step leads there.
        """
        if state == "recording":
            self._check(run, state)
            self.trace_path(run).unlink(missing_ok=True)
        with self._database.change() as change:
            move_run(change, self.round_id, run, state, reason=reason)

    def trace_finished(self, run: int, path: Path, sha256: str) -> None:
        """A run's trace lies whole and synced at ``path``: the run is being analyzed from now on."""
        with self._database.change() as change:
            move_run(change, self.round_id, run, "analyzing")
            put_trace(change, self.round_id, run, TraceFile(path=self._layout.relative(path), sha256=sha256))

    def extend(self, runs: int = 1) -> tuple[int, ...]:
        """Plan more runs; their numbers."""
        with self._database.change() as change:
            first = next_run(change, self.round_id)
            added = tuple(range(first, first + runs))
            for run in added:
                add_run(change, self.round_id, run, "waiting")
        return added

    def finish(self) -> Round:
        """The recording ends: complete when every planned run is done, else partial."""
        with self._database.change() as change:
            _end(change, self.round_id)
        return self.round

    def _check(self, run: int, state: ToldState) -> None:
        found = next((each for each in self.round.runs if each.run == run), None)
        if found is None:
            raise no_run(run)
        states.check("run", f"run {run}", found.state, state)


@contextmanager
def record(database: Database, layout: Layout, round_id: int) -> Iterator[Recording]:
    """Record a planned round, or what a resumed one lacks.

    As long as the block runs, a lock that the system gives back when this process dies says that the round
    is being recorded. Runs that failed, and runs whose trace is gone, wait again. When the block ends
    without :meth:`Recording.finish`, whatever the reason, the round is ended with what is there.

    Raises:
        EcholotError: Another process records it, or its state does not allow it.
    """
    lock = _lock(layout, round_id)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise EcholotError(
            "another process is recording this round", todo="echolot collect --attach shows it"
        ) from None
    try:
        recording = Recording(database, layout, round_id)
        now = recording.round
        with database.change() as change:
            if now.hunt is not None:
                require_open(change, now.hunt, "takes no more recordings")
            move_round(change, round_id, "recording", pid=os.getpid())
            for run in now.runs:
                if run.state == "failed" or (run.state == "done" and not _has_trace(layout, now, run.run)):
                    move_run(change, round_id, run.run, "waiting")
        try:
            make_folder(recording.folder, "the round's folder")
            yield recording
        finally:
            if recording.round.state == "recording":
                recording.finish()
    finally:
        lock.release()


def settle(database: Database, layout: Layout) -> tuple[Round, ...]:
    """Rounds whose recording process is gone become interrupted; every trace that came is kept.

    A trace counts as come when it lies at its place, even when the process died before it could say so:
    files get their real name only when they are whole.

    Returns:
        The rounds found so.
    """
    lost = []
    for each in read_rounds(database):
        if each.state != "recording":
            continue
        lock = _lock(layout, each.id)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            continue
        try:
            # Read again: the process may have ended the round in good order before it let go.
            now = _get(database, each.id)
            if now.state == "recording":
                _lose(database, layout, now)
                lost.append(_get(database, each.id))
        finally:
            lock.release()
    return tuple(lost)


def content_hash(path: Path) -> str:
    """SHA-256 of a trace.

    Raises:
        EcholotError: It cannot be read.
    """
    try:
        return file_sha256(path)
    except OSError as error:
        raise EcholotError(f"cannot be read ({error.strerror or error})", where=str(path)) from error


def trace_path(folder: Path, of: Round, run: int) -> Path:
    """``<scenario>_iterNNN`` and the suffix the plan names."""
    return folder / f"{of.scenario}_iter{run:03d}{of.plan.get('suffix') or DEFAULT_SUFFIX}"


def _lose(database: Database, layout: Layout, lost: Round) -> None:
    folder = layout.round(lost.hunt, lost.k) / "traces"
    arrived = {
        run.run: path
        for run in lost.runs
        if run.state in _MAY_HAVE_COME and (path := trace_path(folder, lost, run.run)).is_file()
    }
    traces = {
        run: TraceFile(path=layout.relative(path), sha256=content_hash(path)) for run, path in arrived.items()
    }
    with database.change() as change:
        for run in lost.runs:
            if run.run in traces:
                if run.state != "analyzing":
                    move_run(change, lost.id, run.run, "analyzing", is_work=False)
                    put_trace(change, lost.id, run.run, traces[run.run], is_work=False)
                move_run(change, lost.id, run.run, "done", is_work=False)
            elif run.state in states.WORKING:
                move_run(change, lost.id, run.run, "waiting", is_work=False)
        move_round(change, lost.id, "interrupted", is_work=False)


def _end(change: Change, round_id: int) -> None:
    for run in change.run("SELECT run, state FROM runs WHERE round = ?", round_id).fetchall():
        if run["state"] == "analyzing":
            move_run(change, round_id, run["run"], "done")
        elif run["state"] in states.WORKING:
            move_run(change, round_id, run["run"], "failed", reason="stopped")
    planned, done = change.run(
        "SELECT COUNT(*), COALESCE(SUM(state = 'done'), 0) FROM runs WHERE round = ?", round_id
    ).fetchone()
    move_round(change, round_id, "complete" if planned and planned == done else "partial")


def _has_trace(layout: Layout, of: Round, run: int) -> bool:
    return any(trace.run == run and (layout.root / trace.path).is_file() for trace in of.traces)


def _get(database: Database, round_id: int) -> Round:
    return next(each for each in read_rounds(database) if each.id == round_id)


def _lock(layout: Layout, round_id: int) -> FileLock:
    path = layout.lock(f"round-{round_id}")
    path.parent.mkdir(parents=True, exist_ok=True)
    return FileLock(path)
