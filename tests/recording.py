"""Set records, journals and runners for the tests of ``collect``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from echolot_tui.collect.control import Listening
from echolot_tui.collect.keeper import SetKeeper
from echolot_tui.collect.model import CollectEvent, Owner, SetRecord
from echolot_tui.collect.owner import this_process
from echolot_tui.collect.runner import CollectError, Control, Recorded
from echolot_tui.report.model import Repeat, Report

OWNER = Owner(pid=1, started="then", host="here")


class Memory:
    """A journal that keeps what it was told, and looks at the disk at that moment."""

    def __init__(self, look: Callable[[], Any] | None = None) -> None:
        self.told: list[tuple[SetRecord, CollectEvent]] = []
        self.seen: list[Any] = []
        self._look = look

    def save(self, record: SetRecord, event: CollectEvent) -> None:
        self.told.append((record, event))
        if self._look is not None:
            self.seen.append(self._look())

    @property
    def kinds(self) -> list[str]:
        return [event.kind for _, event in self.told]

    def states(self, k: int) -> list[str]:
        """The states run ``k`` went through."""
        found: list[str] = []
        for record, _ in self.told:
            for run in record.runs:
                if run.k == k and (not found or found[-1] != run.state):
                    found.append(run.state)
        return found


def a_set(root: Path, **given: Any) -> SetRecord:
    """A set of three runs that is shown among the newest."""
    return SetRecord(
        **{
            "collect": "c1",
            "scenario": "app",
            "mode": "host",
            "folder": str(root / "round" / "traces"),
            "newest": str(root / "traces"),
            "suffix": ".json",
            "recipe": "r",
            "iterations": 3,
            "started_at": "2026-01-01T00:00:00Z",
        }
        | given
    )


def a_keeper(
    root: Path,
    *,
    record: SetRecord | None = None,
    memory: Memory | None = None,
    scenarios: Sequence[str] = (),
) -> SetKeeper:
    """Keeps ``record``; the clock stands still."""
    return SetKeeper(
        record or a_set(root),
        [memory or Memory()],
        now=lambda: "2026-01-01T00:00:09Z",
        scenarios=scenarios,
        on_change=lambda: None,
    )


def listening(root: Path, collect: str = "c1") -> Listening:
    """An ear nobody speaks to yet."""
    return Listening(root / "request.json", collect, say=lambda _line: None, on_state=lambda _state: None)


class Writes:
    """A runner that writes a small text, or fails as told."""

    resource = "host"

    def __init__(
        self,
        *,
        here: bool = True,
        fail_at: int | None = None,
        before: Callable[[int], None] | None = None,
        broken: str | None = None,
    ) -> None:
        self.here = here
        self.calls: list[str] = []
        self._fail_at = fail_at
        self._before = before
        self._broken = broken

    def prepare(self, control: Control) -> None:
        self.calls.append("prepare")
        if self._broken is not None:
            raise CollectError(self._broken)

    def record_one(self, k: int, to: Path, control: Control) -> Recorded:
        self.calls.append(f"run {k}")
        if self._before is not None:
            self._before(k)
        control.check()
        if k == self._fail_at:
            to.write_text("half")
            raise CollectError(f"run {k + 1} broke")
        to.write_text(f"trace {k} of {id(self)}")
        return Recorded(launch_ms=10.0 + k)

    def finish(self, control: Control) -> None:
        self.calls.append("finish")


def measured(record: SetRecord) -> Report:
    """A report that knows every trace of the set; run k has a window of 100 + k ms."""
    return Report(
        detectors=(),
        repeats=tuple(
            Repeat(
                label=str(run.k),
                trace=run.path or "",
                trace_index=at,
                sha256=run.sha256,
                window_ms=100.0 + run.k,
            )
            for at, run in enumerate(record.done)
        ),
    )


__all__ = ["OWNER", "Memory", "Writes", "a_keeper", "a_set", "listening", "measured", "this_process"]
