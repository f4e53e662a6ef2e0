"""Warnings about what was fed in: engine, machine, build, lost data, run order, the same trace twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final

from echolot_tui.compare.inputs import CompareOptions
from echolot_tui.compare.model import CompareWarning
from echolot_tui.compare.sides import LoadedSide
from echolot_tui.compare.window import window_ms, window_values
from echolot_tui.measure.model import DeviceFacts
from echolot_tui.stats.drift import trend
from echolot_tui.text import visible

_LEVEL: Final = 0.05
"""A trend over run order less likely than this is told."""

_LIMIT = 120


def input_warnings(
    before: LoadedSide, after: LoadedSide, options: CompareOptions
) -> Iterator[CompareWarning]:
    """Warnings about the traces, in a fixed order."""
    yield from _engine(before, after)
    yield from _device(before, after)
    yield from _build(before, after)
    for side in (before, after):
        yield from _health(side)
    yield from _clipping(before, after)
    for side in (before, after):
        yield from _drift(side, options)
    yield from _same_input(before, after)
    for side in (before, after):
        yield from _unreadable(side)


def _engine(before: LoadedSide, after: LoadedSide) -> Iterator[CompareWarning]:
    old, new = before.report.toolchain, after.report.toolchain
    facts = [
        f"{name} {one} → {other}"
        for name, one, other in (
            ("version", old.trace_processor, new.trace_processor),
            ("kind", old.engine, new.engine),
            ("build", _short(old.engine_sha256), _short(new.engine_sha256)),
        )
        if one and other and one != other
    ]
    if facts:
        yield CompareWarning(
            id="engine",
            text=f"the sides were read by different trace engines ({', '.join(facts)}): another version may "
            "count or name things differently, so rows may move for that alone; analyze both with one engine",
        )


def _short(sha: str | None) -> str | None:
    return sha[:12] if sha else None


def _device(before: LoadedSide, after: LoadedSide) -> Iterator[CompareWarning]:
    old, new = _facts(before, _machine), _facts(after, _machine)
    for side, found in ((before, old), (after, new)):
        if len(found) > 1:
            yield CompareWarning(
                id="device",
                text=f"{side.name} mixes runs of different machines ({_some(found)}): their spread is the "
                "machines', not the code's; compare sets of one machine",
            )
    if old and new and old != new:
        yield CompareWarning(
            id="device",
            text=f"the machine or its system differs: {before.name} ran on {_some(old)}, {after.name} on "
            f"{_some(new)}; rows may move for that alone, so record both sides on one machine and system",
        )


def _machine(device: DeviceFacts) -> str:
    parts = (
        " ".join(part for part in (device.manufacturer, device.model) if part),
        device.fingerprint or "",
        "" if device.fingerprint or not device.android else f"Android {device.android}",
        "" if device.fingerprint or device.kernel is None else f"kernel {device.kernel}",
        device.machine or "",
        "" if device.cpus is None else f"{device.cpus} CPUs",
    )
    return ", ".join(part for part in parts if part)


def _build(before: LoadedSide, after: LoadedSide) -> Iterator[CompareWarning]:
    old, new = _facts(before, _app), _facts(after, _app)
    if old and new and old != new:
        yield CompareWarning(
            id="build",
            text=f"the program's build differs: {_some(old)} in {before.name}, {_some(new)} in {after.name}; "
            "expected when builds are compared, a mistake when they are not",
            level="information",
        )


def _app(device: DeviceFacts) -> str:
    code = "" if device.app_version_code is None else f"({device.app_version_code})"
    return " ".join(part for part in (device.app_version or "", code) if part)


def _facts(side: LoadedSide, tell: Callable[[DeviceFacts], str]) -> list[str]:
    return sorted({fact for run in side.report.repeats if (fact := tell(run.device))})


def _some(facts: list[str]) -> str:
    shown = " and ".join(visible(fact, _LIMIT) for fact in facts[:3])
    return f"{shown} and {len(facts) - 3} more" if len(facts) > 3 else shown


def _health(side: LoadedSide) -> Iterator[CompareWarning]:
    lossy = {run.trace_index: run.health for run in side.report.repeats if run.health.state == "lossy"}
    if not lossy:
        return
    issues = Counter(issue.name for health in lossy.values() for issue in health.issues)
    told = ", ".join(f"{visible(name, 60)} in {runs}" for name, runs in sorted(issues.items())[:4])
    of_issues = f" ({told})" if told else ""
    lost = not issues or any(
        issue.severity == "data loss" for health in lossy.values() for issue in health.issues
    )
    todo = (
        "record again with a larger buffer" if lost else "the report of that side says what each error means"
    )
    yield CompareWarning(
        id="health",
        text=f"{len(lossy)} of {side.runs} traces of {side.name} lost data or hold errors{of_issues}: rows "
        f"may be too small or missing there, which reads as faster or gone; {todo}",
    )


def _clipping(before: LoadedSide, after: LoadedSide) -> Iterator[CompareWarning]:
    if bool(before.report.clipped) == bool(after.report.clipped):
        return
    cut, whole = (before, after) if before.report.clipped else (after, before)
    yield CompareWarning(
        id="clipping",
        text=f"{cut.name} counts only the part of a slice inside the window, {whole.name} counts it whole: "
        "rows at the window's edges differ for that alone; analyze both sides with this program",
    )


def _drift(side: LoadedSide, options: CompareOptions) -> Iterator[CompareWarning]:
    found = trend(window_values(side) or ())
    if found is None or found.p > _LEVEL:
        return
    if abs(found.total) <= options.floor(window_ms(side) or 0.0) / 2:
        return
    yield CompareWarning(
        id="drift",
        text=f"the window of {side.name} drifted from run to run, {found.total:+g} ms from the first to the "
        f"last (p {found.p:.2g}): the machine or the program's state changed while recording, and a set "
        "recorded later carries that as a move; record both sides in turns",
    )


def _same_input(before: LoadedSide, after: LoadedSide) -> Iterator[CompareWarning]:
    old, new = _hashes(before), _hashes(after)
    both = set(old) & set(new)
    if both or before.report == after.report:
        what = f"{len(both)} of the traces" if both else "the report"
        yield CompareWarning(
            id="same-input",
            text=f"{what} of {before.name} and {after.name} {'are' if len(both) > 1 else 'is'} the same "
            "recording: it counts on both sides and hides a move; check the paths",
        )
    for side, hashes in ((before, old), (after, new)):
        double = sum(times - 1 for times in hashes.values() if times > 1)
        if double:
            yield CompareWarning(
                id="same-input",
                text=f"{side.name} holds the same recording more than once ({double} too many): copies are "
                "not further runs and make ranges look too narrow; take them out",
            )


def _hashes(side: LoadedSide) -> Counter[str]:
    """Content hashes, one per trace."""
    per_trace = {run.trace_index: run.sha256 for run in side.report.repeats}
    return Counter(sha for sha in per_trace.values() if sha)


def _unreadable(side: LoadedSide) -> Iterator[CompareWarning]:
    lost = side.report.unreadable
    if lost:
        yield CompareWarning(
            id="unreadable",
            text=f"{len(lost)} of {side.side.runs_given} traces of {side.name} gave no measurement "
            f"({visible(lost[0].path, _LIMIT)}: {visible(lost[0].reason, _LIMIT)}): the others are compared; "
            "record them again or take them out",
        )
