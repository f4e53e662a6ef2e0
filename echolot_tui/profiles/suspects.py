"""Pairs of moves that are perhaps no change: one function under two names, or an inlining that changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, NamedTuple

from echolot_tui.profiles.identity import bare, same_words
from echolot_tui.profiles.judge import Judgement
from echolot_tui.profiles.listed import Listed
from echolot_tui.profiles.model import Suspect

_ALIKE: Final = 0.5
"""Part of the callees two nodes under different callers must share to be one function that moved."""

_EQUAL: Final = 0.1
"""A fall and a rise this close, relative to the larger, are equal even where the floor is lower."""

_MOST_PAIRS: Final = 40_000
"""Pairs looked at under different callers."""

Floor = Callable[[float, float], float]
"""The least difference of two shares (before, after) that is more than noise."""


@dataclass(frozen=True, slots=True)
class Suspects:
    """What was found, and the nodes whose moves it explains."""

    pairs: tuple[Suspect, ...]
    nodes: frozenset[int]


class _Pair(NamedTuple):
    score: float
    gone: int
    new: int
    why: str


def find_suspects(listed: Listed, share: Judgement, own: Judgement, floor: Floor) -> Suspects:
    """Renames first, then inlining among what they leave.

    Args:
        listed: The nodes.
        share: Per node, what became of its share with callees.
        own: The same without.
        floor: Of two shares that should be equal.
    """
    renames = _renames(listed, share, floor)
    taken = {node for pair in renames for node in (pair.gone, pair.new)}
    found = [
        _suspect(listed, "rename", pair.gone, pair.new, pair.why)
        for pair in sorted(renames, key=lambda pair: -listed.share[pair.gone, 0])
    ]
    explained = set(taken)
    for fall, rise, why, with_it in _inlinings(listed, share, own, floor):
        if fall in taken or rise in taken:
            continue
        found.append(_suspect(listed, "inlining", fall, rise, why))
        explained |= {fall, rise, *with_it} - {int(listed.parent[fall]), int(listed.parent[rise])}
    return Suspects(tuple(found), frozenset(explained))


def _suspect(listed: Listed, kind: str, before: int, after: int, why: str) -> Suspect:
    share = listed.share
    caller = int(listed.parent[before])
    if kind == "rename":
        fall, rise = share[before, 0], share[after, 1]
    else:
        fall, rise = _inlining_moves(listed, before, after)
    return Suspect(
        kind="rename" if kind == "rename" else "inlining",
        before=before,
        after=after,
        before_label=listed.label[before],
        after_label=listed.label[after],
        parent=listed.label[max(caller, 0)],
        fall=round(100 * float(fall), 3),
        rise=round(100 * float(rise), 3),
        why=why,
    )


def _inlining_moves(listed: Listed, before: int, after: int) -> tuple[float, float]:
    """What fell and what rose: the callee's share, the caller's own."""
    share, own = listed.share, listed.own_share
    if int(listed.parent[before]) == after:
        return float(share[before, 0] - share[before, 1]), float(own[after, 1] - own[after, 0])
    if int(listed.parent[after]) == before:
        return float(own[before, 0] - own[before, 1]), float(share[after, 1] - share[after, 0])
    return float(share[before, 0] - share[before, 1]), float(share[after, 1] - share[after, 0])


def _renames(listed: Listed, share: Judgement, floor: Floor) -> list[_Pair]:
    gone, new = _one_sided(listed, share, 0), _one_sided(listed, share, 1)
    pairs = []
    few = len(gone) * len(new) <= _MOST_PAIRS
    by_parent: dict[int, list[int]] = {}
    for node in new:
        by_parent.setdefault(int(listed.parent[node]), []).append(node)
    for old in gone:
        for node in new if few else by_parent.get(int(listed.parent[old]), []):
            pair = _pair(listed, old, node, floor)
            if pair:
                pairs.append(pair)
    kept: list[_Pair] = []
    used: set[int] = set()
    for pair in sorted(pairs, key=lambda pair: (-pair.score, pair.gone, pair.new)):
        if pair.gone not in used and pair.new not in used:
            kept.append(pair)
            used |= {pair.gone, pair.new}
    return kept


def _one_sided(listed: Listed, share: Judgement, side: int) -> list[int]:
    """Nodes with samples on one side only whose callers are on both, and whose move passes."""
    counts = listed.total_count
    found = []
    for node in range(1, len(listed.node)):
        if counts[node, side] <= 0 or counts[node, 1 - side] > 0:
            continue
        caller = int(listed.parent[node])
        if counts[caller, 1 - side] > 0 and share.rows[node].state in ("grew", "shrank"):
            found.append(node)
    return found


def _pair(listed: Listed, gone: int, new: int, floor: Floor) -> _Pair | None:
    before, after = float(listed.share[gone, 0]), float(listed.share[new, 1])
    if not _equal(before, after, floor):
        return None
    callees = same_words(
        [listed.label[child] for child in listed.children[gone]],
        [listed.label[child] for child in listed.children[new]],
    )
    same_caller = listed.parent[gone] == listed.parent[new]
    if not same_caller and callees < _ALIKE:
        return None
    spelling = SequenceMatcher(None, bare(listed.label[gone]), bare(listed.label[new])).ratio()
    why = "same caller, equal share" if same_caller else "same callees, equal share, another caller"
    if callees >= _ALIKE and same_caller:
        why = "same caller, same callees, equal share"
    return _Pair(2.0 * same_caller + callees + spelling, gone, new, why)


def _equal(fall: float, rise: float, floor: Floor) -> bool:
    return abs(fall - rise) <= max(floor(fall, rise), _EQUAL * max(fall, rise))


def _inlinings(
    listed: Listed, share: Judgement, own: Judgement, floor: Floor
) -> Iterator[tuple[int, int, str, list[int]]]:
    """Node that fell, node that rose, why, and the nodes that moved with them."""
    for caller, children in enumerate(listed.children):
        for child in children:
            state = share.rows[child].state
            if state not in ("grew", "shrank"):
                continue
            into = state == "shrank"
            moved = abs(float(listed.share[child, 1] - listed.share[child, 0]))
            if moved < 0.5 * float(listed.share[child].max()):
                continue
            found = _with_caller(listed, own, child, floor, into=into) or (
                _with_sibling(listed, share, caller, child, floor) if into else None
            )
            if found:
                yield found


def _with_caller(
    listed: Listed, own: Judgement, child: int, floor: Floor, *, into: bool
) -> tuple[int, int, str, list[int]] | None:
    """The callee fell by what its caller's own body, and its callees under the caller, rose; or back."""
    caller = int(listed.parent[child])
    sign = 1 if into else -1
    if caller == 0 or own.rows[caller].state != ("grew" if into else "shrank"):
        return None
    inner = {listed.label[node] for node in listed.children[child]}
    lifted = [node for node in listed.children[caller] if node != child and listed.label[node] in inner]
    move = float(listed.share[child, 1] - listed.share[child, 0])
    others = float(listed.own_share[caller, 1] - listed.own_share[caller, 0])
    others += sum(float(listed.share[node, 1] - listed.share[node, 0]) for node in lifted)
    if sign * others <= 0 or not _equal(abs(move), abs(others), floor):
        return None
    if into:
        return child, caller, "the caller's own time rose by what the callee lost", lifted
    return caller, child, "the callee rose by what the caller's own time lost", lifted


def _with_sibling(
    listed: Listed, share: Judgement, caller: int, child: int, floor: Floor
) -> tuple[int, int, str, list[int]] | None:
    """A callee that is gone, beside one that rose by as much and was there before."""
    if listed.total_count[child, 1] > 0:
        return None
    fall = float(listed.share[child, 0])
    for other in listed.children[caller]:
        if other == child or share.rows[other].state != "grew" or listed.total_count[other, 0] <= 0:
            continue
        if _equal(fall, float(listed.share[other, 1] - listed.share[other, 0]), floor):
            return child, other, "a neighbour rose by what this one lost", []
    return None
