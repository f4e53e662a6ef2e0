"""How far one row moved, as its own two sides say it: change, difference, range."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from echolot_tui.compare.inputs import CompareOptions
from echolot_tui.compare.match import Pair, identity_columns, pair_rows
from echolot_tui.compare.model import Change, Shares, Shift
from echolot_tui.compare.sides import LoadedSide
from echolot_tui.compare.values import (
    Metric,
    RunValues,
    absent_values,
    compared,
    metric_of,
    shares_differ,
    shares_of,
    values_of,
)
from echolot_tui.report.model import DetectorReport, Row
from echolot_tui.stats.shift import clear_of_zero, shift
from echolot_tui.units import ratio, round2


@dataclass(frozen=True, slots=True)
class Move:
    """One row of the table before anything is known about the table as a whole."""

    detector: str
    pair: Pair
    metric: Metric
    before: RunValues
    after: RunValues
    shares: Shares | None
    change: Change
    before_ms: float
    """The compared value: zero-filled where the shares of runs differ."""
    after_ms: float
    delta_ms: float
    ratio: float | None
    shift: Shift | None
    holds: bool | None
    blind: str | None
    """Why the missing side of a one-sided row says nothing; None when it was looked for and not there."""

    @property
    def one_sided(self) -> bool:
        """On one side only, or 0 in every run of the other."""
        return self.change in {"appeared", "vanished"}


def moves_of(before: LoadedSide, after: LoadedSide, options: CompareOptions) -> list[Move]:
    """Every row known on a side, in the order of the detectors; also those under the bars.

    Detectors that could not look on a side (failed, or without their source) are left out whole.
    """
    moves: list[Move] = []
    for detector_id in detector_order(before, after):
        old, new = before.detectors.get(detector_id), after.detectors.get(detector_id)
        if any(side is not None and looked_nowhere(side) for side in (old, new)):
            continue
        columns = identity_columns(old, new)
        pairs = pair_rows(old.rows if old else (), new.rows if new else (), columns, options.temp_prefix)
        moves += [_move(pair, detector_id, before, after, options) for pair in pairs]
    return moves


def detector_order(before: LoadedSide, after: LoadedSide) -> list[str]:
    """Detectors in the order of before, then those only after."""
    return [*before.detectors, *(name for name in after.detectors if name not in before.detectors)]


def state_of(detector: DetectorReport) -> str:
    """``fired``, ``silent``, ``no data`` or ``failed``; derived where the report does not say it."""
    if any(row.passed for row in detector.rows):
        return "fired"
    if detector.state in {"no data", "failed"}:
        return detector.state
    return "failed" if detector.error else "silent"


def looked_nowhere(detector: DetectorReport) -> bool:
    """Whether the detector failed or lacked its source, so that its silence says nothing."""
    return not detector.rows and state_of(detector) in {"no data", "failed"}


def own_shift(before: Sequence[float], after: Sequence[float]) -> Shift | None:
    """The row's own move and range; None with too few runs."""
    found = shift(before, after)
    if found is None:
        return None
    return Shift(
        ms=found.ms,
        low_ms=found.low_ms,
        high_ms=found.high_ms,
        resolves_ms=found.resolves_ms,
        runs_needed=found.runs_needed,
    )


def holds(move: Shift | None) -> bool | None:
    """Whether the range lies on one side of zero; None without a range."""
    return None if move is None else clear_of_zero(move.low_ms, move.high_ms)


def _move(
    pair: Pair, detector_id: str, before: LoadedSide, after: LoadedSide, options: CompareOptions
) -> Move:
    metric = metric_of(pair.before, pair.after)
    old = _values(pair.before, metric, before, detector_id)
    new = _values(pair.after, metric, after, detector_id)
    paired = pair.before is not None and pair.after is not None
    differ = paired and shares_differ(old, new)
    old_list, old_ms = compared(old, with_zeros=differ)
    new_list, new_ms = compared(new, with_zeros=differ)
    range_ = own_shift(old_list, new_list) if paired else None
    return Move(
        detector=detector_id,
        pair=pair,
        metric=metric,
        before=old,
        after=new,
        shares=shares_of(old, new) if paired else None,
        change=_change(pair, (old, new), (old_ms, new_ms), options),
        before_ms=old_ms,
        after_ms=new_ms,
        delta_ms=round2(new_ms - old_ms),
        ratio=ratio(new_ms, old_ms),
        shift=range_,
        holds=holds(range_),
        blind=None if paired else _blind(detector_id, after if pair.after is None else before),
    )


def _values(row: Row | None, metric: Metric, side: LoadedSide, detector_id: str) -> RunValues:
    detector = side.detectors.get(detector_id) or DetectorReport(id=detector_id)
    return absent_values(side, detector) if row is None else values_of(row, metric, side, detector)


def _change(
    pair: Pair,
    values: tuple[RunValues, RunValues],
    compared_ms: tuple[float, float],
    options: CompareOptions,
) -> Change:
    (old, new), (old_ms, new_ms) = values, compared_ms
    if pair.before is None or (not old.took_time and new_ms > 0):
        return "appeared"
    if pair.after is None or (not new.took_time and old_ms > 0):
        return "vanished"
    delta = round2(new_ms - old_ms)
    if abs(delta) <= options.floor(old_ms):
        return "steady"
    return "grew" if delta > 0 else "shrank"


def _blind(detector_id: str, missing: LoadedSide) -> str | None:
    if detector_id not in missing.detectors:
        return f"{detector_id} did not run in {missing.name}"
    if missing.cut_off(detector_id):
        return f"the list of {detector_id} in {missing.name} is cut off"
    return None
