"""What becomes of every listed node: shares with and without callees, and amounts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from echolot_tui.profiles.descent import Judgements
from echolot_tui.profiles.judge import Judgement, Moves, judge_by_columns, judge_by_floor
from echolot_tui.profiles.model import Judged
from echolot_tui.profiles.noise import (
    FLOOR_ERRORS,
    MATERIAL,
    Floors,
    amount_error,
    family_factor,
    formula_floor,
    share_error,
    stretched_floor,
)
from echolot_tui.profiles.sides import BothSides, run_columns, shares
from echolot_tui.profiles.stacks import Floats

Flags = npt.NDArray[np.bool_]

_FEWEST_TO_SPLIT: Final = 4


@dataclass(frozen=True, slots=True, eq=False)
class Verdicts:
    """Everything that was judged, and against what."""

    judged: Judgements
    floors: Floors
    relabellings: int
    tested: int
    whole_samples: tuple[float, float]

    def share_floor(self, fall: float, rise: float) -> float:
        """The least difference of two shares, one before and one after, that is more than noise."""
        error = share_error(np.array([fall]), self.whole_samples[0], np.array([rise]), self.whole_samples[1])
        return FLOOR_ERRORS * self.floors.stretch * float(error[0])


def judge(both: BothSides) -> Verdicts:
    """Judge all listed nodes: by runs or bins together, else by the floor."""
    listed = both.listed
    share = np.vstack([listed.share, listed.own_share])
    amount = np.vstack([listed.total, listed.own])
    floors = _share_floors(both, share)
    by_share = _judged(both, share, floors.least, in_shares=True)
    by_amount = None
    if both.scale.comparable:
        by_amount = _judged(both, amount, _amount_floor(both, amount, floors), in_shares=False)
    nodes = len(listed.node)
    cut_at = both.seen.cut_at
    hidden = np.zeros(nodes, dtype=bool) if cut_at is None else listed.depth > cut_at
    clear = None
    if both.cut is None and not both.exact:
        least = floors.least[:nodes] * family_factor(nodes)
        clear = np.abs(listed.share[:, 1] - listed.share[:, 0]) > least
    return Verdicts(
        judged=Judgements(
            clear=clear,
            share=_withheld(by_share.rows[:nodes], hidden),
            own=_withheld(by_share.rows[nodes:], hidden),
            absolute=None if by_amount is None else _withheld(by_amount.rows[:nodes], hidden),
            confirmed=both.cut is not None,
        ),
        floors=floors,
        relabellings=by_share.relabellings,
        tested=by_share.tested,
        whole_samples=(float(listed.total_count[0, 0]), float(listed.total_count[0, 1])),
    )


def _judged(both: BothSides, rows: Floats, floor: Floats, *, in_shares: bool) -> Judgement:
    scale = 100.0 if in_shares else 1.0
    if both.cut is None or both.columns is None or both.own_columns is None:
        return judge_by_floor(Moves(rows[:, 0], rows[:, 1]), floor, scale=scale)
    columns = np.vstack([both.columns, both.own_columns])
    if in_shares:
        columns = shares(columns, both.columns[0])
    return judge_by_columns(Moves(rows[:, 0], rows[:, 1], columns), both.cut.after, scale=scale)


def _withheld(rows: tuple[Judged, ...], hidden: Flags) -> Judgement:
    return Judgement(
        tuple(
            replace(row, state="withheld") if gone else row
            for row, gone in zip(rows, hidden.tolist(), strict=True)
        )
    )


def _share_floors(both: BothSides, share: Floats) -> Floors:
    """Per row (with callees, then own): by counting, stretched by the control or by splitting runs."""
    if both.exact:
        least = np.full(len(share), MATERIAL)
        return Floors(least, "material", 1.0)
    old_n, new_n = both.listed.total_count[0].tolist()
    errors = share_error(share[:, 0], old_n, share[:, 1], new_n)
    if both.control is not None:
        control = np.concatenate([both.control[:, 1], both.control[:, 0]])
        counted = share_error(share[:, 0], old_n, control, both.control_samples)
        return stretched_floor(errors, share[:, 0] - control, counted, "control")
    if both.whole_runs and max(both.runs[:2]) >= _FEWEST_TO_SPLIT:
        moves, counted = _split_half(both)
        return stretched_floor(errors, moves, counted, "split-half")
    return formula_floor(errors)


def _split_half(both: BothSides) -> tuple[Floats, Floats]:
    """Every other run against the rest, of each side with runs to split: moves, and what counting says."""
    own, total = run_columns(both, counts=True)
    rows = np.vstack([total, own])
    moves, errors = [], []
    for first, runs in ((0, both.runs[0]), (both.runs[0], both.runs[1])):
        if runs < _FEWEST_TO_SPLIT:
            continue
        halves = [rows[:, first + start : first + runs : 2].sum(axis=1) for start in (0, 1)]
        samples = [float(half[0]) for half in halves]
        if min(samples) <= 0:
            continue
        one, other = (half / n for half, n in zip(halves, samples, strict=True))
        moves.append(one - other)
        errors.append(share_error(one, samples[0], other, samples[1]))
    if not moves:
        return np.zeros(0), np.zeros(0)
    return np.concatenate(moves), np.concatenate(errors)


def _amount_floor(both: BothSides, amount: Floats, floors: Floors) -> Floats:
    if both.exact:
        return np.full(len(amount), MATERIAL * float(both.listed.total[0].max()))
    count = np.vstack([both.listed.total_count, both.listed.own_count])
    error = amount_error(amount[:, 0], count[:, 0], amount[:, 1], count[:, 1])
    return FLOOR_ERRORS * floors.stretch * error
