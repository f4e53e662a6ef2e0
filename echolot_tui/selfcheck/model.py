"""What a self-check found: named checks, each passed, failed or skipped, with what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from echolot_tui.engine.model import EngineInfo
from echolot_tui.errors import FAILED, REFUSED
from echolot_tui.frozen import Frozen

State = Literal["ok", "failed", "skip"]
Group = Literal["engine", "machine", "project", "self-check"]


class Check(Frozen, frozen=True, kw_only=True, omit_defaults=False):
    """One question asked of this machine."""

    id: str
    group: Group
    state: State
    text: str
    """What was found."""
    todo: str = ""
    """How to make it pass; never empty when it failed."""


class Versions(Frozen, frozen=True, kw_only=True):
    """What shapes a number on this machine."""

    echolot: str
    python: str
    platform: str
    packages: dict[str, str]
    """Distribution to version, of those that compute."""


class Doctor(Frozen, frozen=True, kw_only=True, omit_defaults=False):
    """Everything the self-check found."""

    exit_code: int
    """0 nothing failed, 1 something did, 2 there is no engine to compute with."""
    versions: Versions
    engine: EngineInfo | None
    """The engine analyze would use; null when there is none."""
    checks: tuple[Check, ...]

    @property
    def failures(self) -> tuple[Check, ...]:
        """The checks that failed."""
        return self.of("failed")

    def of(self, state: State) -> tuple[Check, ...]:
        """The checks in one state."""
        return tuple(check for check in self.checks if check.state == state)


def exit_code(engine: EngineInfo | None, checks: Sequence[Check]) -> int:
    """What the checks come to; see ``Doctor.exit_code``."""
    failed = {check.group for check in checks if check.state == "failed"}
    if engine is None and "engine" in failed:
        return REFUSED
    return FAILED if failed else 0
