"""The set that was there before makes room when the first new trace is about to take its name."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from echolot_tui.collect.runner import CollectError


def trace_name(scenario: str, k: int, suffix: str) -> str:
    """``<scenario>_iterNNN<suffix>``."""
    return f"{scenario}_iter{k:03d}{suffix}"


def belonging(folder: Path, scenario: str, scenarios: Iterable[str]) -> tuple[Path, ...]:
    """Files of ``folder`` that are this scenario's: a file is the longest scenario name's it starts with."""
    names = {*scenarios, scenario}
    if not folder.is_dir():
        return ()
    found = [
        path
        for path in folder.iterdir()
        if path.is_file() and not path.name.startswith(".") and scenario_of(path.name, names) == scenario
    ]
    return tuple(sorted(found))


def scenario_of(file_name: str, scenarios: Iterable[str]) -> str | None:
    """The scenario a file belongs to: the longest name it starts with; ``None`` when it starts with none."""
    return max((name for name in scenarios if file_name.startswith(name)), key=len, default=None)


def choose_aside(folder: Path, scenario: str, files: Iterable[Path]) -> Path:
    """A folder that is not there yet: ``<scenario>-YYYYMMDD-HHMMSS[-k]``, by the newest of the files."""
    newest = max(path.stat().st_mtime for path in files)
    stamp = datetime.fromtimestamp(newest, UTC).strftime("%Y%m%d-%H%M%S")
    plain = folder / f"{scenario}-{stamp}"
    candidate, number = plain, 1
    while candidate.exists():
        number += 1
        candidate = plain.with_name(f"{plain.name}-{number}")
    return candidate


def move_aside(files: Iterable[Path], aside: Path) -> None:
    """Move files into ``aside``; doing it again after an interruption moves the rest.

    Raises:
        CollectError: They cannot be moved.
    """
    try:
        aside.mkdir(parents=True, exist_ok=True)
        for path in files:
            path.rename(aside / path.name)
    except OSError as error:
        raise CollectError(
            f"the earlier set cannot be moved aside ({error.strerror or error})",
            where=str(aside),
            todo="check the folder's permissions",
        ) from error
