"""A loop's control that never waits, and remembers what it was told."""

from __future__ import annotations

from echolot_tui.collect.model import RunState
from echolot_tui.collect.runner import Stopped


class Control:
    def __init__(self) -> None:
        self.told: list[str] = []
        self.states: list[RunState] = []
        self.slept: list[float] = []
        self.stop_after_sleeps: int | None = None

    @property
    def text(self) -> str:
        return "\n".join(self.told)

    def check(self) -> None:
        if self.stop_after_sleeps is not None and len(self.slept) > self.stop_after_sleeps:
            raise Stopped

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.check()

    def say(self, text: str) -> None:
        self.told.append(text)

    def state(self, state: RunState) -> None:
        self.states.append(state)
