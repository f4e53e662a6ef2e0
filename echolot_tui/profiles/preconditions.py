"""What two profiles have to have in common before their difference says anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

import numpy as np

from echolot_tui.profiles.model import Precondition, Status
from echolot_tui.profiles.stacks import Recording, Unit
from echolot_tui.profiles.truncation import Depths

_RATE_APART: Final = 0.1
_SEEN_RATE_APART: Final = 0.25
"""The rate seen in the samples is rougher than the one that was asked for."""

_NAMELESS_APART: Final = 0.03
_DEPTH_APART: Final = 0.1
_SAME_EVENT: Final = {"cycles": "cpu-cycles", "hw_cpu_cycles": "cpu-cycles", "sw_cpu_clock": "cpu-clock"}


@dataclass(frozen=True, slots=True)
class Scale:
    """What amounts are told in.

    Attributes:
        unit: Of all amounts.
        factors: Per recording, what its weights are multiplied with.
        comparable: Whether amounts of the two sides may be subtracted.
    """

    unit: Unit
    factors: tuple[float, ...]
    comparable: bool


def rate_of(recordings: Sequence[Recording]) -> tuple[float | None, bool]:
    """Samples a second of one side, and whether that was recorded or only seen."""
    asked = [recording.facts.hz for recording in recordings]
    if asked and all(asked):
        return median(rate for rate in asked if rate), True
    seen = [rate for rate in (recording.seen_hz() for recording in recordings) if rate]
    return (median(seen), False) if len(seen) == len(recordings) and seen else (None, False)


def rates_differ(before: Sequence[Recording], after: Sequence[Recording]) -> bool:
    """Whether one side was sampled noticeably more often."""
    (old, old_asked), (new, new_asked) = rate_of(before), rate_of(after)
    if old is None or new is None:
        return False
    apart = _RATE_APART if old_asked and new_asked else _SEEN_RATE_APART
    return max(old, new) > (1 + apart) * min(old, new)


def scale_of(before: Sequence[Recording], after: Sequence[Recording]) -> Scale:
    """The unit both sides are told in: milliseconds where counts would compare rates."""
    both = (*before, *after)
    units = {recording.facts.unit for recording in both}
    plain = Scale("ms" if units == {"ms"} else "samples", (1.0,) * len(both), comparable=True)
    if len(units) == 1 and (units == {"ms"} or not rates_differ(before, after)):
        return plain
    factors = []
    for recording in both:
        rate = recording.facts.hz or recording.seen_hz()
        if recording.facts.unit == "ms":
            factors.append(1.0)
        elif rate:
            factors.append(1000.0 / rate)
        else:
            return Scale(plain.unit, plain.factors, comparable=False)
    return Scale("ms", tuple(factors), comparable=True)


def preconditions(
    before: Sequence[Recording], after: Sequence[Recording], seen: Depths
) -> tuple[Precondition, ...]:
    """Everything that was checked, passed or not."""
    return (
        _event(before, after),
        _rate(before, after),
        _told("unwinding", before, after, "unwinding", "both sides must walk stacks the same way"),
        _depth(seen),
        _cut(seen),
        _symbols(seen),
        _workload(before, after),
        _told("machine", before, after, "machine", "another machine moves every figure"),
    )


def is_refused(checked: Sequence[Precondition]) -> bool:
    """Whether the two sides cannot be laid over each other at all."""
    return any(one.status == "refused" for one in checked)


def _check(name: str, status: Status, before: str, after: str, text: str) -> Precondition:
    return Precondition(name=name, status=status, before=before, after=after, text=text)


def _event(before: Sequence[Recording], after: Sequence[Recording]) -> Precondition:
    old, new = _events(before), _events(after)
    name = "event source"
    if _exact(before) != _exact(after):
        return _check(
            name, "refused", old, new, "one side measures times from begin to end, the other takes samples"
        )
    if "" in (old, new):
        return _check(name, "unknown", old, new, "at least one side does not say what made it take a sample")
    if old != new:
        return _check(
            name, "refused", old, new, "profiles of different events cannot be laid over each other"
        )
    return _check(name, "ok", old, new, "the same event on both sides")


def _exact(recordings: Sequence[Recording]) -> bool:
    return any(recording.facts.exact for recording in recordings)


def _events(recordings: Sequence[Recording]) -> str:
    names = sorted({_plain_event(recording.facts.event) for recording in recordings})
    return "" if "" in names else " and ".join(names)


def _plain_event(event: str) -> str:
    name = event.partition(":")[0].lower().replace("_", "-")
    return _SAME_EVENT.get(name.replace("-", "_"), name)


def _rate(before: Sequence[Recording], after: Sequence[Recording]) -> Precondition:
    (old, old_asked), (new, new_asked) = rate_of(before), rate_of(after)
    if _exact(before) and _exact(after):
        return _check("rate", "ok", "not sampled", "not sampled", "times are exact on both sides")
    shown = _shown_rate(old, old_asked), _shown_rate(new, new_asked)
    if old is None or new is None:
        return _check("rate", "unknown", *shown, "counts of two rates must not be subtracted; shares may")
    if rates_differ(before, after):
        return _check("rate", "differs", *shown, "counts are told as time; raw counts are not subtracted")
    return _check("rate", "ok", *shown, "the same rate on both sides")


def _shown_rate(rate: float | None, asked: bool) -> str:
    return "" if rate is None else f"{rate:.0f} Hz" + ("" if asked else " seen")


def _told(
    name: str, before: Sequence[Recording], after: Sequence[Recording], fact: str, why: str
) -> Precondition:
    old, new = (
        " and ".join(sorted({getattr(recording.facts, fact) for recording in side} - {""}))
        for side in (before, after)
    )
    if not old or not new:
        return _check(name, "unknown", old, new, f"not recorded; {why}")
    if old != new:
        return _check(name, "differs", old, new, why)
    return _check(name, "ok", old, new, "the same on both sides")


def _depth(seen: Depths) -> Precondition:
    old, new = (
        f"median {middle:.0f}, deepest {most}" for middle, most in zip(seen.median, seen.most, strict=True)
    )
    if seen.distance > _DEPTH_APART:
        text = f"the depths are spread differently (by up to {100 * seen.distance:.0f} % of the samples)"
        return _check("stack depth", "differs", old, new, text)
    return _check("stack depth", "ok", old, new, "stacks are as deep on both sides")


def _cut(seen: Depths) -> Precondition:
    old, new = (f"{100 * share:.1f} % without callers" for share in seen.orphans)
    if seen.cut_at is None:
        return _check("whole stacks", "ok", old, new, "stacks are cut no more on one side than on the other")
    where = "at every level" if seen.cut_at == 0 else f"below level {seen.cut_at}"
    text = f"stacks are cut on one side: nothing is said about single frames {where}"
    return _check("whole stacks", "differs", old, new, text)


def _symbols(seen: Depths) -> Precondition:
    old, new = (f"{100 * share:.1f} % unresolved" for share in seen.unresolved)
    if abs(seen.unresolved[0] - seen.unresolved[1]) > _NAMELESS_APART:
        return _check("symbols", "differs", old, new, "one side names more of its frames than the other")
    return _check("symbols", "ok", old, new, "as many frames are named on both sides")


def _workload(before: Sequence[Recording], after: Sequence[Recording]) -> Precondition:
    old, new = (_busiest(side) for side in (before, after))
    if not old or not new:
        return _check(
            "workload", "unknown", old, new, "no process is named; both sides must do the same work"
        )
    if old != new:
        return _check("workload", "differs", old, new, "another process is the busiest")
    return _check("workload", "ok", old, new, "the same process is the busiest; the input is not recorded")


def _busiest(recordings: Sequence[Recording]) -> str:
    """The process with most samples."""
    seen: Counter[str] = Counter()
    for recording in recordings:
        weight = np.bincount(recording.thread, weights=recording.count, minlength=len(recording.threads))
        for thread, samples in zip(recording.threads, weight.tolist(), strict=True):
            if samples:
                seen[thread.process] += int(samples) or 1
    return seen.most_common(1)[0][0] if seen else ""
