"""A project on disk with a clock that ticks when told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from echolot_tui.investigate.moments import written
from echolot_tui.investigate.recording import Recording
from echolot_tui.investigate.store import Store
from echolot_tui.project.files import sha256_of, write_atomic
from echolot_tui.project.layout import Layout

START = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


class Clock:
    """A second later each time it is asked; ``wait`` lets more pass."""

    def __init__(self) -> None:
        self.moment = START

    def __call__(self) -> str:
        self.moment += timedelta(seconds=1)
        return written(self.moment)

    def wait(self, **time: float) -> None:
        self.moment += timedelta(**time)

    @property
    def now(self) -> str:
        return written(self.moment)


@contextmanager
def store_in(root: Path, clock: Clock | None = None, *, busy_s: float = 5.0) -> Iterator[Store]:
    with Store(Layout(root=root), clock or Clock(), busy_s=busy_s) as store:
        yield store


def record_run(recording: Recording, run: int, content: bytes | None = None) -> str:
    """One run as a collect makes it; the trace's hash."""
    data = content if content is not None else f"trace {run}".encode()
    recording.run_state(run, "recording")
    path = recording.trace_path(run)
    write_atomic(path, data)
    recording.trace_finished(run, path, sha256_of(data))
    recording.run_state(run, "done")
    return sha256_of(data)
