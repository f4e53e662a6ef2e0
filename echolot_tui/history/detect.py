"""Steps and drifts of one series: both are tried, the model that fits better is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from echolot_tui.history import policy
from echolot_tui.history.chance import chance_of, split_p
from echolot_tui.history.drift import Drift, find_drift
from echolot_tui.history.ladder import Gate, Ladder
from echolot_tui.history.levels import Levels
from echolot_tui.history.serial import Serial, serial_dependence
from echolot_tui.history.step import Step, find_step
from echolot_tui.stats.rank_sum import sums_of
from echolot_tui.stats.ranks import Floats

_ALONE: Final = policy.CHANCE_GATE / policy.DETECTORS
"""Chance level, before doubling, that a step stays below."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """What one series would report if its family lets it."""

    method: Literal["step", "drift"]
    baseline: float
    latest: float
    chance: float
    """After every correction within the series."""
    serial: Serial
    at: int | None = None
    """Of a step: points before it."""
    further: tuple[int, ...] = ()
    """Of a step: other boundaries, untested."""

    @property
    def delta(self) -> float:
        """The move."""
        return self.latest - self.baseline


@dataclass(frozen=True, slots=True)
class Detection:
    """One series, judged by itself."""

    candidate: Candidate | None
    gates: tuple[Gate, ...]


def detect(levels: Levels, floor: float, family: int) -> Detection:
    """Judge one series of at least ten points.

    Args:
        levels: Oldest first.
        floor: Least absolute move of the metric.
        family: Series judged in the same analysis; only saves work, never changes what is reported.
    """
    ladder = Ladder()
    step = find_step(levels, floor, ladder)
    drift = find_drift(levels, floor, ladder)
    if step is not None and drift is not None:
        line_wins = drift.residual < step.residual
        ladder.check(
            "model",
            "fit",
            passed=True,
            demand=step.residual,
            computed=drift.residual,
            note="the line fits better" if line_wins else "the step fits at least as well",
        )
        if line_wins:
            step = None
    candidate = None
    if step is not None:
        candidate = _calibrated(step, levels, family, ladder)
    if candidate is None and drift is not None:
        candidate = _drifting(drift, levels)
    return Detection(candidate, tuple(ladder.gates))


def _calibrated(step: Step, levels: Levels, family: int, ladder: Ladder) -> Candidate | None:
    accept = min(policy.FALSE_DISCOVERIES / (policy.DETECTORS * family), _ALONE)
    chance = chance_of(step.ranks, step.at, accept=accept, reject=_ALONE)
    if not ladder.check("chance", "rank test", passed=chance.p < _ALONE, demand=_ALONE, computed=chance.p):
        return None
    doubled = min(1.0, policy.DETECTORS * chance.level)
    if not ladder.check(
        "chance",
        "search",
        passed=doubled < policy.CHANCE_GATE,
        demand=policy.CHANCE_GATE,
        computed=doubled,
        note=f"settled by: {chance.route}; doubled for two detectors",
    ):
        return None
    return Candidate(
        method="step",
        baseline=step.before,
        latest=step.after,
        chance=doubled,
        serial=serial_dependence(step.residuals(levels.values), chance.p, doubled),
        at=step.at,
        further=further_boundaries(levels.values, step.at),
    )


def _drifting(drift: Drift, levels: Levels) -> Candidate:
    doubled = min(1.0, policy.DETECTORS * drift.p)
    return Candidate(
        method="drift",
        baseline=drift.intercept,
        latest=drift.end,
        chance=doubled,
        serial=serial_dependence(drift.residuals(levels.values), drift.p, doubled),
    )


def further_boundaries(values: Floats, at: int) -> tuple[int, ...]:
    """Other places where the level seems to change, by binary segmentation: an aid, not corrected.

    Vostrikova 1981; Fryzlewicz 2014. ``at`` is the split already reported.
    """
    found: list[int] = []

    def search(start: int, stop: int) -> None:
        if stop - start < policy.LEAST_EVIDENCE:
            return
        step = find_step(Levels.of(values[start:stop]), 0.0, Ladder())
        if step is None or split_p(step.ranks, step.at, sums_of(step.ranks)) >= _ALONE:
            return
        found.append(start + step.at)
        search(start, start + step.at)
        search(start + step.at, stop)

    search(0, at)
    search(at, len(values))
    return tuple(sorted(found))
