"""The JSON of hyperfine: one result a command, with the seconds of every run."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec

from echolot_tui.frozen import Frozen
from echolot_tui.history.measured import Run, measured
from echolot_tui.history.series import SetName


class _Result(Frozen, frozen=True, kw_only=True):
    command: str
    mean: float
    median: float | None = None
    times: tuple[float, ...] | None = None
    parameters: dict[str, Any] | None = None


class _File(Frozen, frozen=True, kw_only=True):
    results: tuple[_Result, ...]


def recognises(document: dict[str, Any]) -> bool:
    """Whether it is one: results that hold commands."""
    results = document.get("results")
    first = results[0] if isinstance(results, list) and results else None
    return isinstance(first, dict) and "command" in first and "mean" in first


def read(document: dict[str, Any]) -> Run:
    """The wall time of every command, with its parameters where the command alone names several."""
    file = msgspec.convert(document, _File)
    named = Counter(result.command for result in file.results)
    return Run(
        set=SetName(scenario="hyperfine", model="unknown", engine="hyperfine"),
        measured=tuple(
            measured(
                (result.command, *(_parameters(result) if named[result.command] > 1 else ())),
                "time",
                "s",
                result.times or (result.mean if result.median is None else result.median,),
            )
            for result in file.results
        ),
    )


def _parameters(result: _Result) -> tuple[str, ...]:
    return tuple(f"{name}={value}" for name, value in (result.parameters or {}).items())
