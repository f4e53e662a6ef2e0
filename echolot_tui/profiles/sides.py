"""Both sides' amounts on one tree: per run, in samples, and per judged column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from echolot_tui.frozen import Frozen
from echolot_tui.profiles.cuts import Cut, by_run, judged_cut
from echolot_tui.profiles.listed import Listed, list_nodes
from echolot_tui.profiles.preconditions import Scale, scale_of
from echolot_tui.profiles.stacks import Floats, ProfileError, Recording
from echolot_tui.profiles.truncation import Depths, depths
from echolot_tui.profiles.union import UnionTree, unite

COUNT_FLOOR: Final = 10.0
"""Samples a node must have on either side, over all runs, to be listed."""

MOST_LISTED: Final = 20_000
"""Nodes; where more pass the floor, it is raised to what the heaviest so many have."""

EXACT_FLOOR: Final = 0.0005
"""Share of a side the same takes where times are exact and there are no samples to count."""


class ProfileOptions(Frozen, frozen=True, kw_only=True):
    """How two profiles are compared."""

    absolute: bool = False
    """Read findings from amounts instead of shares."""
    bin_ms: float | None = None
    """Length of the bins few runs are cut into; 0 forbids it, None is a second."""
    count_floor: float | None = None
    """Samples a node must have on either side to be listed; None is ten, and no less than one a run."""
    modules: bool = True
    """Whether a frame's file is part of what it is known by."""
    boundary_ms: float | None = None
    """Where early ends inside a run; None is the middle."""
    buckets: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class SideRecordings:
    """One side, as it was read."""

    name: str
    recordings: tuple[Recording, ...]


@dataclass(frozen=True, slots=True, eq=False)
class BothSides:
    """The union of both sides, and of a control of the side before.

    Attributes:
        tree: Recordings before stand first, then after, then the control's.
        scale: What amounts are told in.
        runs: Recordings before, after and in the control.
        floor: What a node had to weigh to be listed: samples, or part of a side where times are exact.
        listed: The nodes heavy enough.
        seen: How deep the stacks go.
        cut: What is judged; None when nothing is.
        whole_runs: Whether the columns are runs.
        columns: Listed nodes x columns, with callees.
        own_columns: The same without.
        control: Nodes x 2 (own, with callees), shares of the control; None without.
        control_samples: Of the control.
    """

    tree: UnionTree
    scale: Scale
    runs: tuple[int, int, int]
    floor: float
    listed: Listed
    seen: Depths
    cut: Cut | None
    whole_runs: bool
    columns: Floats | None
    own_columns: Floats | None
    control: Floats | None
    control_samples: float

    @property
    def exact(self) -> bool:
        """Whether times were measured instead of sampled."""
        return all(recording.facts.exact for recording in self.tree.recordings)


def lay_together(
    before: SideRecordings, after: SideRecordings, control: SideRecordings | None, options: ProfileOptions
) -> BothSides:
    """Unite the stacks and add everything up.

    Raises:
        ProfileError: A side weighs nothing.
    """
    scale = scale_of(before.recordings, after.recordings)
    third = control.recordings if control else ()
    recordings = (*before.recordings, *after.recordings, *third)
    tree = unite(_scaled(recordings, scale), modules=options.modules)
    runs = len(before.recordings), len(after.recordings), len(third)
    side_of: list[int] = [0] * runs[0] + [1] * runs[1] + [2] * runs[2]
    own, own_count = tree.own(side_of, 3), tree.own(side_of, 3, counts=True)
    total, total_count = tree.with_callees(own), tree.with_callees(own_count)
    for side, given in ((0, before), (1, after)):
        if total[0, side] <= 0:
            raise ProfileError("all its samples weigh nothing", where=given.name)
    per_run = np.array(runs[:2], dtype=np.float64)
    exact = all(recording.facts.exact for recording in recordings)
    weighed = total[:, :2] / total[0, :2] if exact else total_count[:, :2]
    floor = _raised(weighed, EXACT_FLOOR if exact else _count_floor(options, runs))
    listed = list_nodes(
        tree,
        (own[:, :2] / per_run, total[:, :2] / per_run),
        (own_count[:, :2], total_count[:, :2]),
        weighed,
        floor,
    )
    sides = [False] * runs[0] + [True] * runs[1]
    cut, whole = judged_cut(tree.recordings[: len(sides)], sides, options.bin_ms)
    columns = None if cut is None else _columns(tree, cut, runs[2], listed)
    return BothSides(
        tree=tree,
        scale=scale,
        runs=runs,
        floor=floor,
        listed=listed,
        seen=depths(tree, own_count[:, :2], total_count[:, :2]),
        cut=cut,
        whole_runs=whole,
        columns=columns[1] if columns else None,
        own_columns=columns[0] if columns else None,
        control=_control(own[:, 2], total[:, 2], listed) if third else None,
        control_samples=float(total_count[0, 2]),
    )


def _count_floor(options: ProfileOptions, runs: tuple[int, int, int]) -> float:
    if options.count_floor is not None:
        return options.count_floor
    return max(COUNT_FLOOR, float(max(runs[:2])))


def _raised(weighed: Floats, floor: float) -> float:
    heaviest = weighed.max(axis=1)
    if np.count_nonzero(heaviest >= floor) <= MOST_LISTED:
        return floor
    return float(np.nextafter(np.sort(heaviest)[-MOST_LISTED - 1], np.inf))


def _scaled(recordings: Sequence[Recording], scale: Scale) -> list[Recording]:
    factors = (*scale.factors, *([1.0] * (len(recordings) - len(scale.factors))))
    return [
        one if factor == 1.0 else replace(one, weight=one.weight * factor)
        for one, factor in zip(recordings, factors, strict=True)
    ]


def _columns(
    tree: UnionTree, cut: Cut, others: int, listed: Listed, *, counts: bool = False
) -> tuple[Floats, Floats]:
    """Listed nodes x columns, without and with callees."""
    own = tree.own((*cut.columns_of, *([-1] * others)), cut.columns, counts=counts)
    return own[listed.node], tree.with_callees(own)[listed.node]


def run_columns(both: BothSides, *, counts: bool = False) -> tuple[Floats, Floats]:
    """Listed nodes x runs of both sides, without and with callees."""
    sides = [False] * both.runs[0] + [True] * both.runs[1]
    return _columns(both.tree, by_run(sides), both.runs[2], both.listed, counts=counts)


def _control(own: Floats, total: Floats, listed: Listed) -> Floats | None:
    if total[0] <= 0:
        return None
    control: Floats = np.stack([own, total], axis=1)[listed.node] / total[0]
    return control


def shares(columns: Floats, whole: Floats) -> Floats:
    """Columns as parts of their own whole; an empty column is all zero."""
    return np.divide(
        columns, whole, out=np.zeros_like(columns), where=np.broadcast_to(whole > 0, columns.shape)
    )
