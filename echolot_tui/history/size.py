"""The gates on a move's size, the same for a step and for a drift."""

from __future__ import annotations

from echolot_tui.history import policy
from echolot_tui.history.ladder import Ladder, Stage
from echolot_tui.history.levels import relative_move


def large_enough(
    ladder: Ladder, stage: Stage, *, delta: float, baseline: float, residual: float, floor: float
) -> bool:
    """Whether a move is one, beyond the relative floor, the absolute one and what scatters around it.

    Args:
        ladder: Gets every gate met.
        stage: What found the move.
        delta: The move.
        baseline: What it starts from.
        residual: Median distance of a point from what was fitted.
        floor: Least absolute move of the metric.
    """
    if not ladder.check(stage, "move", passed=delta != 0, computed=delta):
        return False
    size, relative = abs(delta), abs(relative_move(delta, baseline))
    gates = (
        ("relative", relative >= policy.HISTORY_FLOOR, policy.HISTORY_FLOOR, relative),
        ("absolute", size >= floor, floor, size),
        ("residual", size > policy.RESIDUALS * residual, policy.RESIDUALS * residual, size),
    )
    return all(
        ladder.check(stage, gate, passed=passed, demand=demand, computed=computed)
        for gate, passed, demand, computed in gates
    )
