"""Which kept calibration the thresholds in force come from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from echolot_tui.calibrate.kept import Kept
from echolot_tui.calibrate.model import Calibration, Number
from echolot_tui.frozen import Frozen
from echolot_tui.measure.plan import Plan


class Origin(Frozen, frozen=True, kw_only=True):
    """A kept calibration, held against the thresholds in force."""

    name: str
    calibration: Calibration
    same: tuple[str, ...]
    """``detector.param`` of every threshold that stands as it proposed."""
    changed: dict[str, tuple[Number, Number]] = {}
    """``detector.param`` to what it proposed and what is in force, where a person set something else."""


def origin_of(plan: Plan, calibrations: Sequence[Kept]) -> Origin | None:
    """The calibration most of whose numbers the config holds; ``None`` when it holds none of any.

    Only thresholds that config or scenario set count: a shipped value that equals a proposed one came from
    nowhere.

    Args:
        plan: The thresholds in force.
        calibrations: The scenario's, newest first; of equal ones the first wins.
    """
    origins = [_held_against(plan, one) for one in calibrations]
    best = max(origins, key=lambda one: len(one.same), default=None)
    return best if best is not None and best.same else None


def _held_against(plan: Plan, one: Kept) -> Origin:
    in_force = {key: (proposed, value) for key, proposed, value in _pairs(plan, one.calibration)}
    return Origin(
        name=one.name,
        calibration=one.calibration,
        same=tuple(key for key, (proposed, value) in in_force.items() if proposed == value),
        changed={key: pair for key, pair in in_force.items() if pair[0] != pair[1]},
    )


def _pairs(plan: Plan, calibration: Calibration) -> Iterator[tuple[str, Number, Number]]:
    """Each proposed threshold some layer sets: its name, what was proposed, what is in force."""
    for detector in calibration.detectors:
        decision = plan.decision(detector.id)
        if decision is None or not decision.on:
            continue
        for threshold in detector.thresholds:
            key = f"{detector.id}.{threshold.param}"
            value = decision.params.get(threshold.param)
            by_hand = threshold.param in (decision.overridden or {}) and key not in plan.set
            if threshold.proposed is not None and by_hand and isinstance(value, int | float):
                yield key, threshold.proposed, value
