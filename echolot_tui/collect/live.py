"""What a set tells while it fills, as long as it can still help. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Final

from echolot_tui.collect.launch_spread import launch_range, unsettled
from echolot_tui.collect.model import RunFacts, RunRecord
from echolot_tui.report.model import Report

_SPREAD: Final = 0.30
"""Largest run over smallest; beyond it the machine has not settled."""

_FAR_OFF: Final = 0.20
"""The first run against the middle of the others, when it also lies outside all of them."""

_TREND_P: Final = 0.05
_ENOUGH: Final = 3


def facts_of(report: Report) -> dict[str, RunFacts]:
    """What the report says of each trace, by SHA-256."""
    found: dict[str, RunFacts] = {}
    thermal = report.environment.thermal
    hottest = thermal.by_run if thermal is not None and thermal.by_run is not None else ()
    for at, repeat in enumerate(report.repeats):
        if repeat.sha256 is not None:
            found.setdefault(
                repeat.sha256,
                RunFacts(
                    window_ms=repeat.window_ms,
                    cpu_mhz=repeat.cpu_mhz,
                    throttled=repeat.throttled,
                    celsius=hottest[at] if len(hottest) == len(report.repeats) else None,
                    lossy=repeat.health is not None and repeat.health.state == "lossy",
                ),
            )
    return found


def notes_on(runs: Sequence[RunRecord]) -> tuple[str, ...]:
    """Sentences on the runs measured so far, in run order: each something to act on now."""
    known = [run.facts for run in runs if run.facts is not None]
    windows = [facts.window_ms for facts in known if facts.window_ms is not None]
    restless = unsettled(_launches(runs))
    notes = [*_windows(windows), *([restless] if restless else [])]
    if any(facts.throttled for facts in known):
        notes.append(f"the device throttled in {_part(known, [bool(facts.throttled) for facts in known])}")
    if any(facts.lossy for facts in known):
        notes.append(f"data was lost in {_part(known, [facts.lossy for facts in known])}")
    return (*notes, *_unmeasured(runs))


def _unmeasured(runs: Sequence[RunRecord]) -> list[str]:
    """What said so of all runs at once is said once."""
    unreadable = [run for run in runs if run.unreadable]
    reasons = sorted({run.unreadable for run in unreadable if run.unreadable})
    if len(unreadable) > 1 and len(reasons) == 1 and not any(run.facts for run in runs):
        return reasons
    return [f"run {run.k + 1} gave no measurement: {run.unreadable}" for run in unreadable]


def facts_on(runs: Sequence[RunRecord]) -> tuple[str, ...]:
    """Sentences on the set that ask for nothing: how far its launches lie apart."""
    told = launch_range(_launches(runs))
    return (told,) if told else ()


def _launches(runs: Sequence[RunRecord]) -> list[float]:
    return [run.launch_ms for run in runs if run.state == "done" and run.launch_ms is not None]


def _windows(windows: Sequence[float]) -> list[str]:
    if len(windows) < _ENOUGH or min(windows) <= 0:
        return []
    notes = []
    # Deferred: it imports numpy, 0.2 s that whoever only reads how far a collect is must not wait for.
    from echolot_tui.stats.drift import trend  # noqa: PLC0415

    first, others = windows[0], windows[1:]
    middle = median(others)
    if abs(first - middle) > _FAR_OFF * middle and not min(others) <= first <= max(others):
        notes.append(
            f"the first run is far off: {first:g} ms, the others {min(others):g} to {max(others):g} ms"
        )
    spread = max(windows) / min(windows) - 1
    if spread > _SPREAD:
        notes.append(
            f"the runs spread by {100 * spread:.0f} %: the machine has not settled; "
            "end what else it does and record again, or record more runs"
        )
    drift = trend(windows)
    if drift is not None and drift.p <= _TREND_P:
        way = "slower" if drift.total > 0 else "faster"
        notes.append(f"the runs get {way} one after the other, by {abs(drift.total):g} ms so far")
    return notes


def _part(known: Sequence[RunFacts], those: Sequence[bool]) -> str:
    return f"{sum(those)} of {len(known)} runs"
