"""What decides how a run is recorded: which commands are run, and whether two runs belong to one set."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec

from echolot_tui.collect.model import Arm
from echolot_tui.project.model import Runner

_LENGTH_ONLY = {"iterations": 1, "timeout_s": 1}
"""Settings that change how many runs there are or how long one may take, not what one is."""


def recipe(settings: Runner, arms: Sequence[Arm]) -> str:
    """SHA-256 of everything that decides what a run is."""
    fixed = msgspec.structs.replace(settings, **_LENGTH_ONLY)
    return hashlib.sha256(msgspec.json.encode([fixed, list(arms)], order="deterministic")).hexdigest()


def commands_of(settings: Runner) -> tuple[str, ...]:
    """The shell lines the config would have run on this machine."""
    if settings.mode in {"host", "command"}:
        return (settings.command,) if settings.command else ()
    if settings.mode == "gradle":
        return (" ".join((settings.gradle, settings.gradle_task or "", *settings.gradle_args)),)
    return ()
