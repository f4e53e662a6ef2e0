"""One set on its way: every transition is written to the journals before the work it announces."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec.structs import replace

from echolot_tui.collect.earlier import belonging, choose_aside, move_aside, trace_name
from echolot_tui.collect.journal import Journal
from echolot_tui.collect.model import (
    CollectEvent,
    EventKind,
    Owner,
    RunFacts,
    RunRecord,
    RunState,
    SetRecord,
    SetStatus,
)
from echolot_tui.collect.publish import discard, give_name, holds, sealed, show_as
from echolot_tui.collect.runner import Recorded
from echolot_tui.project.files import make_folder


class SetKeeper:
    """Holds the record of one set and its files.

    Args:
        record: The set as it is known; of a resumed one as it was left.
        journals: Told of every transition, in order.
        now: UTC, ISO, whole seconds.
        scenarios: All scenario names of the project, to tell whose a file is.
        on_change: Called after every transition, for progress.
    """

    def __init__(
        self,
        record: SetRecord,
        journals: Sequence[Journal],
        *,
        now: Callable[[], str],
        scenarios: Sequence[str],
        on_change: Callable[[], None],
    ) -> None:
        self.record = record
        self._journals = journals
        self._now = now
        self._scenarios = scenarios
        self._on_change = on_change
        self._has_room = False

    def begin(self, owner: Owner) -> None:
        """The set is being recorded, by this process."""
        self.record = replace(self.record, status="running", reason=None, finished_at=None, owner=owner)
        self._save("begun", f"{self._name} begins: {_runs(self.record.iterations)}")

    def repair(self) -> None:
        """Bring an interrupted set in order: sealed traces get their name, half recordings go.

        A run that was done and whose file is no longer there is waiting again.
        """
        for run in self.record.runs:
            if run.state == "saving" and (holds(run.temporary, run.sha256) or holds(run.path, run.sha256)):
                self._name_it(run)
            elif run.state == "done" and _is_file(run.path):
                self._show(run)
            elif run.state != "waiting":
                discard(run.temporary)
                self._put(RunRecord(k=run.k), "run", f"{self._name} run {run.k + 1} waits again")

    def is_done(self, k: int) -> bool:
        """Whether run ``k`` has its trace."""
        return any(run.k == k for run in self.record.done)

    def want(self, iterations: int) -> None:
        """Another number of runs is asked for."""
        if iterations != self.record.iterations:
            self.record = replace(self.record, iterations=iterations)
            self._save("run", f"{self._name}: {_runs(iterations)} now")

    def start_run(self, k: int) -> Path:
        """Run ``k`` begins; where its trace is to be written."""
        folder = Path(self.record.folder)
        make_folder(folder, "the traces' folder")
        name = trace_name(self.record.scenario, k, self.record.suffix)
        temporary = folder / f".{name}.{secrets.token_hex(4)}.part{self.record.suffix}"
        run = RunRecord(k=k, state="recording", path=str(folder / name), temporary=str(temporary))
        self._put(run, "run", f"{self._name} run {k + 1} recording")
        return temporary

    def set_state(self, k: int, state: RunState) -> None:
        """What run ``k`` is doing now."""
        run = self._run(k)
        if run.state != state:
            self._put(replace(run, state=state), "run", f"{self._name} run {k + 1} {state}")

    def keep(self, k: int, recorded: Recorded) -> Path:
        """The trace of run ``k`` is complete: put it in its place.

        Raises:
            EcholotError: The disk refuses it.
        """
        run = self._run(k)
        assert run.temporary is not None
        trace = sealed(Path(run.temporary))
        run = replace(
            run, state="saving", sha256=trace.sha256, bytes=trace.bytes, launch_ms=recorded.launch_ms
        )
        self._put(run, "run", f"{self._name} run {k + 1} saving")
        return self._name_it(run)

    def fail_run(self, k: int, why: str) -> None:
        """Run ``k`` gave no trace."""
        run = self._run(k)
        discard(run.temporary)
        self._put(RunRecord(k=k, state="failed", error=why), "run", f"{self._name} run {k + 1} failed: {why}")

    def give_up_run(self, k: int) -> None:
        """Run ``k`` was stopped on the way: it is as if it had not begun."""
        run = self._run(k)
        if run.state not in {"done", "failed"}:
            discard(run.temporary)
            self._put(RunRecord(k=k), "run", f"{self._name} run {k + 1} given up")

    def measured(self, k: int, facts: RunFacts | None, unreadable: str | None) -> None:
        """What measuring run ``k`` told."""
        run = self._run(k)
        if (run.facts, run.unreadable) != (facts, unreadable):
            text = f"gave nothing: {unreadable}" if unreadable else "measured"
            self._put(
                replace(run, facts=facts, unreadable=unreadable),
                "measured",
                f"{self._name} run {k + 1} {text}",
            )

    def finish(self, status: SetStatus, reason: str | None) -> None:
        """Nothing more comes."""
        self.record = replace(self.record, status=status, reason=reason, finished_at=self._now(), owner=None)
        why = f": {reason}" if reason else ""
        self._save("finished", f"{self._name} {status}, {_runs(len(self.record.done))}{why}")

    @property
    def _name(self) -> str:
        return self.record.arm or self.record.scenario

    def _run(self, k: int) -> RunRecord:
        return next((run for run in self.record.runs if run.k == k), RunRecord(k=k))

    def _name_it(self, run: RunRecord) -> Path:
        assert run.temporary is not None
        assert run.path is not None
        path = Path(run.path)
        give_name(Path(run.temporary), path)
        done = replace(run, state="done", temporary=None, finished_at=self._now())
        self._put(done, "trace", f"{self._name} run {run.k + 1} done: {run.path}")
        self._show(done)
        return path

    def _show(self, run: RunRecord) -> None:
        """Let the trace be found among the newest; the earlier set makes room for the first."""
        if self.record.newest is None:
            return
        assert run.path is not None
        newest = Path(self.record.newest)
        if not self._has_room:
            self._make_room(newest)
            self._has_room = True
        show_as(Path(run.path), newest / Path(run.path).name)

    def _make_room(self, newest: Path) -> None:
        own = [Path(run.path) for run in self.record.done if run.path is not None]
        earlier = [
            path
            for path in belonging(newest, self.record.scenario, self._scenarios)
            if not any(path.name == mine.name and path.samefile(mine) for mine in own)
        ]
        if not earlier:
            return
        aside = Path(self.record.aside) if self.record.aside else None
        if aside is None or any((aside / path.name).exists() for path in earlier):
            aside = choose_aside(newest, self.record.scenario, earlier)
            self.record = replace(self.record, aside=str(aside))
            self._save("aside", f"the earlier set moves to {aside}")
        move_aside(earlier, aside)

    def _put(self, run: RunRecord, kind: EventKind, text: str) -> None:
        runs = {each.k: each for each in self.record.runs} | {run.k: run}
        self.record = replace(self.record, runs=tuple(runs[k] for k in sorted(runs)))
        self._save(kind, text, run.k)

    def _save(self, kind: EventKind, text: str, k: int | None = None) -> None:
        event = CollectEvent(kind=kind, text=text, arm=self.record.arm, k=k)
        for journal in self._journals:
            journal.save(self.record, event)
        self._on_change()


def tidy(retired: SetRecord) -> None:
    """Leave no half file of a set that nobody will resume: a sealed trace gets its name, half a one goes."""
    for run in retired.runs:
        if run.temporary is None:
            continue
        if run.state == "saving" and run.path is not None and holds(run.temporary, run.sha256):
            give_name(Path(run.temporary), Path(run.path))
        else:
            discard(run.temporary)


def _runs(count: int | None) -> str:
    if count is None:
        return "as many runs as the task makes"
    return "1 run" if count == 1 else f"{count} runs"


def _is_file(path: str | None) -> bool:
    return path is not None and Path(path).is_file()
