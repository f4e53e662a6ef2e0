"""Window, main-thread budget, startup, environment and health against what is planted."""

from __future__ import annotations

from typing import Any, Final

from echolot_tui.generate.planted import Planted
from echolot_tui.measure.model import Occurrence
from echolot_tui.selfcheck.model import Check
from echolot_tui.selfcheck.scenes import Scenes, Seen
from echolot_tui.selfcheck.verdict import check, differences

_NAMES: Final = ("methods", "minified")
"""Fields of the planted sampling that stand one level deeper in what is read."""


def fact_checks(scenes: Scenes) -> list[Check]:
    """One check a kind of fact."""
    whole, sampled = scenes.seen["whole"], scenes.seen["sampled"]
    one = whole.measurement.occurrences[0]
    return [
        _windows(scenes),
        check("facts.process", _process(whole), f"{whole.planted.process}, main thread by its number"),
        check("facts.main-thread", _budget(whole.planted, one), "time by state adds up to the window"),
        check(
            "facts.startup",
            _block(whole.planted.startup, one.startup),
            "type, length and place in the window",
        ),
        check("facts.environment", _environment(whole.planted, one), "clock, temperature and memory"),
        check("facts.sampling", _sampling(sampled), "samples, stacks and method names"),
        _nothing_recorded(scenes),
        _health(scenes),
    ]


def _windows(scenes: Scenes) -> Check:
    wrong: list[str] = []
    seen = 0
    for name, one in scenes.seen.items():
        occurrences, planted = one.measurement.occurrences, one.scene.occurrences
        if len(occurrences) != len(planted):
            wrong.append(f"{name}: {len(occurrences)} occurrences instead of {len(planted)}")
            continue
        for read, expected in zip(occurrences, planted, strict=True):
            seen += 1
            wrong += [f"{name}: {text}" for text in _window(expected, read)]
    return check("facts.window", wrong, f"{seen} windows cut at their anchors, to the nanosecond")


def _window(planted: Planted, read: Occurrence) -> list[str]:
    return differences(
        {"start": planted.start_ns, "end": planted.end_ns, "length": planted.window_ms},
        {"start": read.start_ns, "end": read.end_ns, "length": read.duration_ms},
    )


def _process(whole: Seen) -> list[str]:
    process, main = whole.measurement.process, whole.measurement.main
    return differences(
        {"process": whole.planted.process, "pid": whole.planted.pid, "main thread": whole.planted.pid},
        {"process": process.name, "pid": process.pid, "main thread": main.tid if main else None},
    )


def _budget(planted: Planted, read: Occurrence) -> list[str]:
    wrong = [*_block(planted.budget, read.main_thread), *_block(planted.opened_inside, read.opened_inside)]
    if read.main_thread is not None and read.main_thread.accounted_pct != 100.0:
        wrong.append(f"{read.main_thread.accounted_pct} % of the window accounted for")
    return wrong


def _environment(planted: Planted, read: Occurrence) -> list[str]:
    seen, facts = planted.environment, read.environment
    thermal, memory, calls = facts.thermal, facts.memory, facts.compose_names
    flat = (
        "max_celsius",
        "hottest_zone",
        "throttle_device",
        "available_mb_min",
        "major_faults",
        "compose_calls",
    )
    return _block(seen.clock, facts.cpu) + differences(
        {name: getattr(seen, name) for name in flat},
        {
            "max_celsius": thermal.max_celsius if thermal else None,
            "hottest_zone": thermal.hottest_zone if thermal else None,
            "throttle_device": thermal.throttle_device if thermal else None,
            "available_mb_min": memory.available_mb_min if memory else None,
            "major_faults": memory.major_faults if memory else None,
            "compose_calls": calls.calls if calls and calls.asked else None,
        },
    )


def _sampling(sampled: Seen) -> list[str]:
    planted = sampled.planted.environment.sampling
    read = sampled.measurement.occurrences[0].environment.sampling
    if planted is None or read is None or read.names is None:
        return ["the samples' names are not read"]
    return _block(planted, read) + differences(
        {name: getattr(planted, name) for name in _NAMES},
        {name: getattr(read.names, name) for name in _NAMES},
    )


def _nothing_recorded(scenes: Scenes) -> Check:
    """What a recording does not say stays unsaid: it is not zero."""
    bare = scenes.seen["bare"].measurement.occurrences[0]
    blocks = {
        "main-thread budget": bare.main_thread,
        "clock": bare.environment.cpu,
        "temperature": bare.environment.thermal,
    }
    wrong = [
        f"{name} is told by a recording without it" for name, block in blocks.items() if block is not None
    ]
    return check("facts.absent", wrong, "what is not recorded stays absent")


def _health(scenes: Scenes) -> Check:
    states = {name: scenes.seen[name].measurement.health.state for name in ("whole", "lossy")}
    wrong = differences({"whole": "healthy", "lossy": "lossy"}, dict(states))
    return check("facts.health", wrong, "a recording with losses is told from a whole one")


def _block(planted: Any, read: Any) -> list[str]:
    """Field by field; a block only one side has is wrong as a whole."""
    if planted is None or read is None:
        return [] if planted is read else [f"{type(planted or read).__name__} is on one side only"]
    names = [name for name in planted.__struct_fields__ if name not in _NAMES]
    return differences(
        {name: getattr(planted, name) for name in names}, {name: getattr(read, name) for name in names}
    )
