"""Two sets of recordings become one differential profile."""

from __future__ import annotations

import math
from typing import Final, Literal

import numpy as np
from msgspec.structs import replace

from echolot_tui.profiles.bucket_rows import bucket_rows
from echolot_tui.profiles.descent import Descent
from echolot_tui.profiles.early_late import early_late
from echolot_tui.profiles.judging import Verdicts, judge
from echolot_tui.profiles.model import (
    Amount,
    Finding,
    JudgedBy,
    Node,
    ProfileDiff,
    Side,
    TotalMove,
)
from echolot_tui.profiles.preconditions import is_refused, preconditions
from echolot_tui.profiles.sides import BothSides, ProfileOptions, SideRecordings, lay_together, run_columns
from echolot_tui.profiles.stacks import Floats
from echolot_tui.profiles.suspects import Suspects, find_suspects
from echolot_tui.stats.shift import shift

_WITH_VALUES: Final = 2_000
"""Heaviest nodes that carry their value of every run."""

_MOST_FINDINGS: Final = 100
_STEADY: Final = 0.02
"""Part of the whole before that must be resolved to say that the whole did not change."""

_LARGE: Final = 0.25
"""Part of the samples elsewhere from which differences may hide each other."""

_WHOLE: Final = 0.05
"""Move of the whole with flat shares that is worth a word."""


def compare_profiles(
    before: SideRecordings,
    after: SideRecordings,
    options: ProfileOptions,
    *,
    control: SideRecordings | None = None,
) -> ProfileDiff:
    """Lay two sets of recordings over each other.

    Args:
        before: One recording a run.
        after: The same.
        options: How.
        control: More recordings of the build before: what unchanged code strays.

    Raises:
        ProfileError: A side holds nothing.
    """
    both = lay_together(before, after, control, options)
    verdicts = judge(both)
    checked = preconditions(before.recordings, after.recordings, both.seen)
    refused = is_refused(checked)
    suspects = find_suspects(both.listed, verdicts.judged.share, verdicts.judged.own, verdicts.share_floor)
    basis: Literal["share", "absolute"] = (
        "absolute" if options.absolute and both.scale.comparable else "share"
    )
    descent = Descent(both.listed, verdicts.judged, suspects.nodes, basis)
    findings: list[Finding] = [] if refused else descent.findings()
    moved = sum(row.state in ("grew", "shrank") for row in verdicts.judged.share.rows[1:])
    return ProfileDiff(
        unit=both.scale.unit,
        totals=_totals(both, shares_flat=not moved),
        before=_side(before, both, 0),
        after=_side(after, both, 1),
        control=_side(control, both, 2) if control else None,
        judged_by=_judged_by(both),
        basis=basis,
        columns_before=both.cut.after.count(False) if both.cut else 0,
        columns_after=both.cut.after.count(True) if both.cut else 0,
        bin_ms=both.cut.bin_ms if both.cut else None,
        relabellings=verdicts.relabellings,
        tested=verdicts.tested,
        ruler=verdicts.floors.ruler,
        stretch=round(verdicts.floors.stretch, 2),
        count_floor=0.0 if both.exact else float(math.ceil(both.floor)),
        nodes_total=both.tree.nodes,
        nodes_folded=both.tree.nodes - len(both.listed.node),
        withheld_below=both.seen.cut_at,
        preconditions=checked,
        refused=refused,
        findings=tuple(findings[:_MOST_FINDINGS]),
        follow=() if refused else tuple(descent.follow()),
        share_only=descent.share_only(),
        suspects=suspects.pairs,
        early_late=(
            early_late(both, "before", options.boundary_ms),
            early_late(both, "after", options.boundary_ms),
        ),
        buckets=bucket_rows(both) if options.buckets else None,
        notes=_notes(both, options, len(findings)),
        nodes=_nodes(both, verdicts, suspects),
    )


def _judged_by(both: BothSides) -> JudgedBy:
    if both.cut is None:
        return "floor"
    return "runs" if both.whole_runs else "bins"


def _side(given: SideRecordings, both: BothSides, side: int) -> Side:
    recordings = given.recordings
    return Side(
        name=given.name,
        paths=tuple(recording.path for recording in recordings),
        source=" and ".join(sorted({recording.facts.source for recording in recordings})),
        runs=len(recordings),
        samples=sum(recording.samples for recording in recordings),
        left_out=sum(recording.left_out for recording in recordings),
        depth_median=both.seen.median[side] if side < 2 else 0.0,
        depth_most=both.seen.most[side] if side < 2 else 0,
    )


def _totals(both: BothSides, *, shares_flat: bool) -> TotalMove:
    before, after = both.listed.total[0].tolist()
    plain = TotalMove(
        before=round(before, 2),
        after=round(after, 2),
        ratio=round(after / before, 4) if before and both.scale.comparable else None,
    )
    if not both.scale.comparable:
        return plain
    ratio = after / before
    plain = replace(plain, whole_program=shares_flat and abs(ratio - 1) >= _WHOLE)
    if both.runs[0] < 2 or both.runs[1] < 2:
        return plain
    columns = run_columns(both)[1][0]
    move = shift(columns[: both.runs[0]], columns[both.runs[0] :])
    if move is None:
        return replace(plain, verdict="can't tell")
    if move.holds:
        verdict = "slower" if move.ms > 0 else "faster"
    else:
        verdict = "no change" if move.resolves_ms <= _STEADY * before else "can't tell"
    return replace(plain, low=move.low_ms, high=move.high_ms, verdict=verdict)


def _notes(both: BothSides, options: ProfileOptions, findings: int) -> tuple[str, ...]:
    notes = [note for recording in both.tree.recordings for note in recording.facts.notes]
    if findings > _MOST_FINDINGS:
        notes.append(f"{findings} findings, the {_MOST_FINDINGS} largest are listed")
    if options.absolute and not both.scale.comparable:
        notes.append("amounts of the two sides do not compare, so findings are read from shares")
    if options.buckets and (both.cut is None or not both.scale.comparable):
        notes.append("buckets need four runs or bins a side, and amounts that compare")
    if set(_paths(both, 0)) & set(_paths(both, 1)):
        notes.append("a file is on both sides")
    if both.tree.folded:
        notes.append(f"{both.tree.folded} names lost a part that changes from run to run")
    if _elsewhere(both) > _LARGE:
        notes.append(
            "more than a quarter of all samples lie elsewhere than before: changes of that size hide each "
            "other; one build with one flag toggled is the comparison to trust"
        )
    return tuple(dict.fromkeys(notes))


def _paths(both: BothSides, side: int) -> list[str]:
    first = both.runs[0] * side
    return [one.path for one in both.tree.recordings[first : first + both.runs[side]]]


def _elsewhere(both: BothSides) -> float:
    """Part of the samples that would have to move for one side's shares to become the other's."""
    listed = both.listed
    whole = np.maximum(listed.total[0], 1e-300)
    apart = (listed.own + listed.folded) / whole
    return float(np.abs(apart[:, 1] - apart[:, 0]).sum() / 2)


def _nodes(both: BothSides, verdicts: Verdicts, suspects: Suspects) -> tuple[Node, ...]:
    listed, judged = both.listed, verdicts.judged
    kinds = {node: pair.kind for pair in suspects.pairs for node in (pair.before, pair.after)}
    values = _values(both)
    resolved = both.tree.resolved
    found = []
    sides = [_amounts(both, side) for side in (0, 1)]
    delta = listed.total[:, 1] - listed.total[:, 0]
    share, own = (100 * (one[:, 1] - one[:, 0]) for one in (listed.share, listed.own_share))
    for at, label in enumerate(listed.label):
        per_run = values.get(at)
        found.append(
            Node(
                id=at,
                parent=int(listed.parent[at]) if at else None,
                label=label,
                depth=int(listed.depth[at]),
                before=sides[0][at],
                after=sides[1][at],
                delta=round(float(delta[at]), 2) + 0.0,
                delta_share=round(float(share[at]), 3) + 0.0,
                self_delta_share=round(float(own[at]), 3) + 0.0,
                share=judged.share.rows[at],
                absolute=None if judged.absolute is None else judged.absolute.rows[at],
                self_share=judged.own.rows[at],
                folded_nodes=int(listed.hidden[at]),
                resolved=resolved[both.tree.label[listed.node[at]]],
                suspect=kinds.get(at),
                values_before=per_run[0] if per_run else None,
                values_after=per_run[1] if per_run else None,
            )
        )
    return tuple(found)


def _amounts(both: BothSides, side: int) -> list[Amount]:
    listed = both.listed
    columns = (
        listed.own,
        listed.total,
        listed.folded,
        100 * listed.share,
        100 * listed.own_share,
        listed.total_count,
    )
    return [
        Amount(
            own=round(own, 2),
            total=round(total, 2),
            folded=round(folded, 2) + 0.0,
            share=round(share, 3),
            self_share=round(self_share, 3),
            count=round(count, 2),
        )
        for own, total, folded, share, self_share, count in zip(
            *(column[:, side].tolist() for column in columns), strict=True
        )
    ]


def _values(both: BothSides) -> dict[int, tuple[tuple[float, ...], tuple[float, ...]]]:
    """Per heavy node its value of every run, before and after; nothing where a side is a single run."""
    if max(both.runs[:2]) < 2:
        return {}
    columns: Floats = np.round(run_columns(both)[1], 2)
    heavy = np.argsort(-both.listed.share.max(axis=1), kind="stable")[:_WITH_VALUES]
    first = both.runs[0]
    return {
        int(node): (tuple(columns[node, :first].tolist()), tuple(columns[node, first:].tolist()))
        for node in heavy
    }
