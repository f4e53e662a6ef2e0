"""What a bar lists: rows passing per run, for any parameters, at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import compress

from echolot_tui.calibrate.open_rows import OpenRows, listed, open_plan_rows
from echolot_tui.errors import EcholotError
from echolot_tui.frozen import Frozen
from echolot_tui.measure.detector_file import Setting
from echolot_tui.measure.model import Measurement
from echolot_tui.measure.plan import Plan
from echolot_tui.report.runs import runs_of


class Effect(Frozen, frozen=True, kw_only=True):
    """What one detector lists under given parameters."""

    per_run: tuple[int | None, ...]
    """Rows over the bar in each run by itself; null where the detector could not look."""
    rows: int
    """Rows of the merged report: over the bar in at least one run."""

    @property
    def range(self) -> tuple[int, int] | None:
        """Fewest and most rows of a run; ``None`` when no run was looked at."""
        found = [count for count in self.per_run if count is not None]
        return (min(found), max(found)) if found else None


def effect(rows: OpenRows, params: Mapping[str, Setting]) -> Effect:
    """Count what a detector lists.

    Args:
        rows: Its open rows.
        params: All its parameters.

    Raises:
        GateError: The gate compares text with a number.
    """
    over: set[int] = set()
    found: list[int] = []
    for run, flags in zip(rows.looked, listed(rows, params), strict=True):
        over.update(compress(run.names, flags))
        found.append(sum(flags))
    counts = iter(found)
    return Effect(
        per_run=tuple(next(counts) if run.state == "ok" else None for run in rows.runs), rows=len(over)
    )


class LiveBars:
    """A set whose bars can be moved: prepared once, then every question is a pass over rows in memory.

    Args:
        measurements: The set.
        plan: Detectors and the parameters in force.
    """

    def __init__(self, measurements: Sequence[Measurement], plan: Plan) -> None:
        self._plan = plan
        self.runs = runs_of(measurements)
        """Labels and traces of the runs, in the order of ``Effect.per_run``."""
        self._rows = open_plan_rows(self.runs, plan)

    def effect(self, detector_id: str, changed: Mapping[str, Setting] | None = None) -> Effect:
        """What a detector lists with some of its parameters changed.

        Args:
            detector_id: The detector.
            changed: Gate parameters with another value than the plan's.

        Raises:
            EcholotError: There is no such detector or parameter; the parameter is part of the query, so the
                traces have to be measured again; or the gate does not fit the rows.
        """
        decision = self._plan.decision(detector_id)
        if decision is None:
            raise EcholotError(f"there is no detector {detector_id}")
        for name in changed or {}:
            if name not in decision.detector.gate_params:
                known = name in decision.detector.defaults
                what = "is part of the query" if known else "is no parameter"
                raise EcholotError(what, where=f"{detector_id}.{name}", todo="measure again" if known else "")
        return effect(self._rows[detector_id], {**decision.params, **(changed or {})})

    def effects(self) -> dict[str, Effect]:
        """What every detector that is on lists with the plan's parameters."""
        return {
            decision.detector.id: self.effect(decision.detector.id)
            for decision in self._plan.decisions
            if decision.on
        }
