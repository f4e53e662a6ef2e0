"""Warnings about the machine and the recording: the same code on another clock reads as a change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import UNSET

from echolot_tui.compare.inputs import CompareOptions
from echolot_tui.compare.model import CompareWarning
from echolot_tui.compare.sides import LoadedSide
from echolot_tui.compare.values import parse_share
from echolot_tui.report.model import ComposeNamesReport, SamplingReport
from echolot_tui.units import round1

_SAME_CLOCK: Final = 0.001
"""Two mean clocks this close are one clock, whatever the floor: the text would say 0 %."""


def environment_warnings(
    before: LoadedSide, after: LoadedSide, options: CompareOptions
) -> Iterator[CompareWarning]:
    """Clock, throttling, sampler and composable names of both sides, in this order."""
    yield from _clock(before, after, options)
    yield from _throttling(before, after)
    yield from _sampling(before, after)
    yield from _compose_names(before, after)


def _clock(before: LoadedSide, after: LoadedSide, options: CompareOptions) -> Iterator[CompareWarning]:
    environments = [side.report.environment for side in (before, after)]
    if not any(one.cpu or one.thermal or one.memory for one in environments):
        return
    reasons = [*_missing_clocks(before, after), *_clock_gap(before, after, options)]
    for side in (before, after):
        reasons += _partial(side)
    if reasons:
        yield CompareWarning(id="environment", text="; ".join(reasons))


def _missing_clocks(before: LoadedSide, after: LoadedSide) -> list[str]:
    missing = [side.name for side in (before, after) if side.report.environment.cpu is None]
    if not missing:
        return []
    return [
        (
            f"the clock of {' and '.join(missing)} was not recorded, so whether both sides ran equally fast "
            "cannot be checked, and a slower clock alone lengthens every row: record the cpu frequency"
        )
    ]


def _clock_gap(before: LoadedSide, after: LoadedSide, options: CompareOptions) -> list[str]:
    old, new = before.report.environment.cpu, after.report.environment.cpu
    if old is None or new is None or min(old.mean_mhz, new.mean_mhz) <= 0:
        return []
    gap = max(old.mean_mhz, new.mean_mhz) / min(old.mean_mhz, new.mean_mhz) - 1
    if round(gap, 9) < max(options.ratio, _SAME_CLOCK):
        return []
    slower = before.name if old.mean_mhz < new.mean_mhz else after.name
    return [
        (
            f"{slower} ran on a slower clock ({old.mean_mhz:g} → {new.mean_mhz:g} MHz, {round1(100 * gap):g} "
            f"%): that alone moves every row bound to the CPU by as much, in either direction; bring the "
            "device to one state and record again, or read the shares of the window"
        )
    ]


def _partial(side: LoadedSide) -> list[str]:
    environment = side.report.environment
    partial = [
        f"{name} of {block.runs} runs"
        for name, block in (("clock", environment.cpu), ("temperature", environment.thermal))
        if block is not None and _is_part(block.runs)
    ]
    if not partial:
        return []
    return [
        f"{side.name} knows the {' and the '.join(partial)} only, so its figures stand for those runs alone"
    ]


def _is_part(runs: str | None) -> bool:
    had, of = parse_share(runs)
    return had < of


def _throttling(before: LoadedSide, after: LoadedSide) -> Iterator[CompareWarning]:
    old, new = before.report.environment.thermal, after.report.environment.thermal
    if old is None or new is None or None in {old.throttled, new.throttled} or old.throttled == new.throttled:
        return
    side, block = (before, old) if old.throttled else (after, new)
    runs = f" in {block.throttled_runs} runs" if block.throttled_runs else ""
    yield CompareWarning(
        id="environment-thermal",
        text=f"only {side.name} was throttled{runs}: it was slowed down by heat, not by its code; let the "
        "device cool and record that side again",
    )


def _sampling(before: LoadedSide, after: LoadedSide) -> Iterator[CompareWarning]:
    old, new = (side.report.environment.sampling for side in (before, after))
    if old is UNSET or new is UNSET:
        return
    states = _sampler(old), _sampler(new)
    if states[0] != states[1]:
        yield CompareWarning(
            id="sampling",
            text=f"the callstack sampler was {states[0]} in {before.name} and {states[1]} in {after.name}: "
            "it stops the program at every sample, which lengthens the rows of the side that has it; record "
            "both alike",
        )


def _sampler(block: SamplingReport | None) -> str:
    """How a side was sampled; a sampler that was asked for and never started cost nothing."""
    if block is None or not block.started:
        return "off"
    if _is_part(block.runs):
        return f"on in {block.runs} runs"
    return f"on at {block.hz:g} Hz" if block.hz else "on"


def _compose_names(before: LoadedSide, after: LoadedSide) -> Iterator[CompareWarning]:
    old, new = (side.report.environment.compose_names for side in (before, after))
    if old is UNSET or new is UNSET:
        return
    states = _composing(old), _composing(new)
    if states[0] != states[1]:
        yield CompareWarning(
            id="compose_names",
            text=f"composable names were {states[0]} in {before.name} and {states[1]} in {after.name}: "
            "loading the tracing library takes time at start, on one side only; record both alike",
        )


def _composing(block: ComposeNamesReport | None) -> str:
    if block is None or not (block.asked or block.calls):
        return "off"
    return f"on in {block.runs} runs" if _is_part(block.runs) else "on"
