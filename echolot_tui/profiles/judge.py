"""Which nodes moved: all of them together against relabelled runs, or each against the floor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from echolot_tui.profiles.model import Judged, State
from echolot_tui.profiles.stacks import Floats
from echolot_tui.stats.relabel import relabel

SEED: Final = 20_260_801

MOST_TESTED: Final = 3_000
"""Different rows that are relabelled together; the heaviest."""

QUIET: Final = 0.1
"""Part of itself a node must be able to move by without being seen, to count as unresolved."""


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """Rows of one kind (shares or amounts, with or without callees) on both sides.

    Attributes:
        before: Rows.
        after: Rows.
        columns: Rows x columns, the same per run or bin; None where nothing is judged by runs.
    """

    before: Floats
    after: Floats
    columns: Floats | None = None

    @property
    def delta(self) -> Floats:
        """After minus before."""
        return self.after - self.before


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """What became of every row, and how many different rows were relabelled how often."""

    rows: tuple[Judged, ...]
    relabellings: int = 0
    tested: int = 0


def judge_by_floor(moves: Moves, floor: Floats, *, scale: float) -> Judgement:
    """Shade what passes the floor.

    Args:
        moves: The rows.
        floor: Per row the least move that passes.
        scale: What floors are multiplied with where they are written down.
    """
    size = np.maximum(moves.before, moves.after)
    rows = [
        Judged(
            state=_state(delta, passes=abs(delta) > least, resolves=least, size=largest), floor=least * scale
        )
        for delta, least, largest in zip(moves.delta.tolist(), floor.tolist(), size.tolist(), strict=True)
    ]
    return Judgement(tuple(rows))


def judge_by_columns(moves: Moves, after: Sequence[bool], *, scale: float) -> Judgement:
    """Relabel whole columns, all rows together; a chain of callers with the same values is one row.

    Only the heaviest rows are tested, by their weight on both sides together, which no labelling changes.
    The others cannot be told: they are unresolved.

    Args:
        moves: The rows, with their columns.
        after: Per column whether it is of the side after.
        scale: What floors are multiplied with where they are written down.
    """
    assert moves.columns is not None
    different, which = np.unique(moves.columns, axis=0, return_inverse=True)
    chosen = np.sort(np.argsort(-different.sum(axis=1), kind="stable")[:MOST_TESTED])
    test = relabel(different[chosen], after=after, seed=SEED)
    if test is None:
        return judge_by_floor(moves, np.full(len(moves.before), np.inf), scale=scale)
    tested = dict(zip(chosen.tolist(), test.rows, strict=True))
    rows = []
    size = np.maximum(moves.before, moves.after).tolist()
    for delta, number, largest in zip(moves.delta.tolist(), which.ravel().tolist(), size, strict=True):
        row = tested.get(number)
        if row is None:
            rows.append(Judged(state="unresolved", floor=largest * scale))
            continue
        resolves = row.resolves_ms
        moved = row.found and delta * row.statistic > 0
        state = _state(delta, passes=moved, resolves=np.inf if resolves is None else resolves, size=largest)
        rows.append(
            Judged(
                state=state,
                floor=(largest if resolves is None else resolves) * scale,
                p_family=row.p_family,
                q=row.q,
            )
        )
    return Judgement(tuple(rows), relabellings=test.relabellings, tested=len(chosen))


def _state(delta: float, *, passes: bool, resolves: float, size: float) -> State:
    if passes:
        return "grew" if delta > 0 else "shrank"
    return "quiet" if resolves <= QUIET * size else "unresolved"
