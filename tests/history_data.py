"""History reports as screens show them."""

from __future__ import annotations

from typing import Any

from echolot_tui.history.ladder import Gate
from echolot_tui.history.model import (
    BranchBlock,
    Census,
    CommitRef,
    Finding,
    HistoryReport,
    Method,
    Mode,
    SeriesState,
)
from echolot_tui.history.series import Blessing, SetName
from echolot_tui.tui.store import Ready
from screens_data import HOSTILE

COLD = SetName(scenario="cold", model="Pixel 8", engine="v52")
FLAGS = ("--scenario=cold", "--machine=Pixel 8", "--engine=v52")

Levels = tuple[tuple[int, float], ...]


def _levels(*values: float) -> Levels:
    """Levels over commits of which the fifth was not measured."""
    return tuple((at, value) for at, value in enumerate(values) if at != 4)


STEP = _levels(*[100.0, 101.0] * 5, *[130.0, 131.0] * 5)
DRIFT = _levels(*(100.0 + 2 * at for at in range(20)))
BLESSED = Blessing(commit="c10", prefix="", reason=HOSTILE[0], set=COLD)
GATES = (
    Gate(stage="step", gate="relative", demand=0.02, computed=0.297, verdict="passed"),
    Gate(stage="step", gate="interval", demand=0.0, computed=-1.5, verdict="declined"),
)


def commit(index: int) -> CommitRef:
    """A commit with a place."""
    return CommitRef(id=f"c{index}", index=index)


def a_finding(name: str, method: Method, levels: Levels, **more: Any) -> Finding:
    """A rise from the first level to the last."""
    first, last = levels[0][1], levels[-1][1]
    given = {
        "commit": commit(10 if method == "step" else 19),
        "window_start": commit(0) if method == "drift" else None,
    } | more
    return Finding(
        name=name,
        set=COLD,
        segments=(name,),
        metric="duration",
        unit="ms",
        method=method,
        direction="regression",
        baseline=first,
        latest=last,
        delta=last - first,
        relative=last / first - 1,
        points=levels,
        **given,
    )


def a_state(name: str, levels: Levels, **more: Any) -> SeriesState:
    """A judged series."""
    given = {"judged": True, "points": len(levels), "counted_from": 0} | more
    return SeriesState(name=name, set=COLD, metric="duration", unit="ms", levels=levels, **given)


def a_step() -> Finding:
    """From 100 to 131, at the tenth commit."""
    return a_finding("launch", "step", STEP, suspects=("c10",))


def a_drift() -> Finding:
    """From 100 to 138."""
    return a_finding("slope", "drift", DRIFT)


def an_excursion() -> Finding:
    """131 beyond 100 … 101."""
    block = BranchBlock(
        low=100.0,
        high=101.0,
        references=19,
        value=131.0,
        excess=30.0,
        regime_start=commit(0),
        matches_previous=False,
        in_comparison=True,
    )
    return a_finding("launch", "branch", STEP, branch=block)


def history_of_all(mode: Mode = "history", more: int = 0) -> Ready[HistoryReport]:
    """Findings, a blessed series, an unjudged one, a hostile ghost, and more quiet ones."""
    found = (a_step(), a_drift()) if mode == "history" else (an_excursion(),)
    states = (
        a_state("quiet", STEP, blessing=BLESSED, counted_from=10, declined_by="step: interval", gates=GATES),
        a_state("launch", STEP, found=True, gates=GATES[:1]),
        a_state("slope", DRIFT, found=mode == "history", gates=GATES[:1]),
        a_state("young", STEP[:3], judged=False, reason="too_few_points"),
        a_state(HOSTILE[7], (), judged=False, reason="ghost", counted_from=None),
        *(a_state(f"row {at}", STEP, gates=GATES) for at in range(more)),
    )
    census = Census(
        total=len(states),
        in_scope=len(states) - 1,
        judged=len(states) - 2,
        unjudged=1,
        reasons={"ghost": 1, "too_few_points": 1},
        state="partial",
    )
    return Ready(
        value=HistoryReport(
            mode=mode,
            source="history.db",
            notable=True,
            series=len(states),
            regressions=len(found),
            ghosts=1,
            census=census,
            findings=found,
            every=states,
        )
    )
