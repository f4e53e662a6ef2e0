"""Which series are judged, why the others are not, and what that leaves uncovered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from echolot_tui.history import policy
from echolot_tui.history.model import Census, CensusState, Mode, Reason
from echolot_tui.history.series import Point, Series


def evidence(series: Series, mode: Mode) -> tuple[Point, ...]:
    """The points that count: since the newest blessing, the newest of those."""
    most = policy.LONGEST if mode == "history" else policy.BASE_WINDOW
    return series.active[-most:]


def reason_of(series: Series, mode: Mode) -> Reason | None:
    """Why a series is not judged: the first that applies; a branch's unresolved base shows only later."""
    if series.ghost:
        return "ghost"
    if mode == "branch" and series.context is None:
        return "not_measured_on_branch"
    if len(series.active) >= policy.LEAST_EVIDENCE:
        return None
    cut = len(series.points) >= policy.LEAST_EVIDENCE
    if mode == "history":
        return "too_few_points_since_blessing" if cut else "too_few_points"
    return "too_few_base_commits_since_blessing" if cut else "too_few_base_commits"


def census_of(reasons: Sequence[Reason | None]) -> Census:
    """Count the series by what became of them."""
    counts = Counter(reason for reason in reasons if reason is not None)
    in_scope = len(reasons) - counts["ghost"]
    judged = len(reasons) - counts.total()
    return Census(
        total=len(reasons),
        in_scope=in_scope,
        judged=judged,
        unjudged=counts.total(),
        reasons=dict(sorted(counts.items())),
        state=_state(len(reasons), in_scope, judged),
    )


def _state(total: int, in_scope: int, judged: int) -> CensusState:
    if total == 0:
        return "no_series"
    if in_scope == 0:
        return "nothing_in_scope"
    if judged == 0:
        return "nothing_judged"
    return "full" if judged == in_scope else "partial"
