"""From a rise at the top down to the deepest frame that still explains it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from echolot_tui.profiles.judge import Judgement
from echolot_tui.profiles.listed import Listed
from echolot_tui.profiles.model import Cause, Finding, State

_REST: Final = 0.5
"""Part of a move its moved callees must leave unexplained for the caller to be a finding as well."""

_OWN: Final = 0.25
"""Part of a move that must be the caller's own body for the same, when that body passes by itself."""

_AGREES: Final = 0.5
"""Part of what a share's move would be in amounts that an unresolved amount must have moved."""

_EVEN: Final = 0.15
"""How far the parts of a move may stray from the parts of the whole (total variation) and still be even."""

_MAIN: Final = 0.9
"""Part of a move that one callee must have for the caller only to hand it on."""

Direction = Literal["rise", "fall"]


@dataclass(frozen=True, slots=True, eq=False)
class Judgements:
    """What became of the listed nodes.

    Attributes:
        share: With callees.
        own: The same without.
        absolute: With callees; None where amounts do not compare.
        confirmed: Judged by runs or bins.
        clear: Where nothing is judged, the nodes whose share passes the floor even among so many nodes.
    """

    share: Judgement
    own: Judgement
    absolute: Judgement | None
    confirmed: bool
    clear: npt.NDArray[np.bool_] | None = None


@dataclass(frozen=True, eq=False)
class Descent:
    """Looks for findings.

    Attributes:
        listed: The nodes.
        judged: What became of them.
        explained: Nodes whose moves are suspects'; they and what they call are no findings.
        basis: ``share``, or ``absolute`` where findings are read from amounts.
    """

    listed: Listed
    judged: Judgements
    explained: frozenset[int]
    basis: Literal["share", "absolute"]

    def findings(self) -> list[Finding]:
        """Both directions, the largest move first."""
        hidden = self._below_explained()
        found = [
            self._finding(node, direction)
            for direction in ("rise", "fall")
            for node in self._deepest(direction, hidden)
        ]
        return sorted(found, key=lambda one: (-abs(self._size(one)), one.node))

    def follow(self) -> list[int]:
        """Along the largest rise, from the uppermost frame that moved as far as its callees still move."""
        moved = self._moved("rise")
        rising = [node for node in moved if int(self.listed.parent[node]) not in moved]
        path: list[int] = []
        while rising:
            at = max(rising, key=lambda node: (self._delta(node), -node))
            path.append(at)
            if self._is_new(at, "rise") or self._is_even(at):
                break
            rising = [child for child in self.listed.children[at] if child in moved]
        return path

    def share_only(self) -> int:
        """Nodes whose share moved while their amount did not move the same way."""
        if self.judged.absolute is None or self.basis == "absolute":
            return 0
        states = [row.state for row in self.judged.share.rows]
        return sum(
            state in ("grew", "shrank") and not self._agrees(node, state)
            for node, state in enumerate(states[1:], start=1)
        )

    def _size(self, finding: Finding) -> float:
        return finding.delta_share if self.basis == "share" else finding.delta

    def _delta(self, node: int) -> float:
        table = self.listed.share if self.basis == "share" else self.listed.total
        return float(table[node, 1] - table[node, 0])

    def _own_delta(self, node: int) -> float:
        table = self.listed.own_share if self.basis == "share" else self.listed.own
        return float(table[node, 1] - table[node, 0])

    def _moved(self, direction: Direction) -> frozenset[int]:
        return self.rises if direction == "rise" else self.falls

    @cached_property
    def rises(self) -> frozenset[int]:
        """Nodes that grew."""
        return self._in_state("grew")

    @cached_property
    def falls(self) -> frozenset[int]:
        """Nodes that shrank."""
        return self._in_state("shrank")

    def _in_state(self, wanted: State) -> frozenset[int]:
        rows = self.judged.share.rows
        if self.basis == "absolute" and self.judged.absolute is not None:
            rows = self.judged.absolute.rows
        clear = self.judged.clear
        return frozenset(
            node
            for node, row in enumerate(rows)
            if node and row.state == wanted and (clear is None or clear[node]) and self._agrees(node, wanted)
        )

    def _agrees(self, node: int, wanted: State) -> bool:
        """Whether a node's amount moved as its share did, or could have without being seen.

        A share also moves when something else does: what fell to half leaves the others a larger part of a
        smaller whole.
        """
        if self.judged.absolute is None or self.basis == "absolute":
            return True
        state = self.judged.absolute.rows[node].state
        if state != "unresolved":
            return state == wanted
        total = self.listed.total
        expected = abs(float(self.listed.share[node, 1] - self.listed.share[node, 0])) * float(
            total[0].mean()
        )
        sign = 1 if wanted == "grew" else -1
        return sign * float(total[node, 1] - total[node, 0]) >= _AGREES * expected

    def _below_explained(self) -> set[int]:
        hidden = set(self.explained)
        for node, parent in enumerate(self.listed.parent.tolist()):
            if parent in hidden and parent > 0:
                hidden.add(node)
        return hidden

    def _deepest(self, direction: Direction, hidden: set[int]) -> Iterator[int]:
        moved = self._moved(direction)
        settled: set[int] = set()
        for node in sorted(moved - hidden):
            if int(self.listed.parent[node]) in settled:
                settled.add(node)
                continue
            below = [child for child in self.listed.children[node] if child in moved]
            if not below or self._is_new(node, direction) or self._is_even(node):
                settled.add(node)
                yield node
                continue
            size = abs(self._delta(node))
            sign = 1 if direction == "rise" else -1
            rest = sign * (self._delta(node) - sum(self._delta(child) for child in below))
            wanted = "grew" if direction == "rise" else "shrank"
            own = self.judged.own.rows[node].state == wanted and abs(self._own_delta(node)) >= _OWN * size
            if rest >= _REST * size or own:
                yield node

    def _is_even(self, node: int) -> bool:
        """Whether all parts of a node moved in proportion: it is called more often, or slower as a whole.

        Going further down would name every part of it as a change of its own.
        """
        table = self.listed.share if self.basis == "share" else self.listed.total
        before, delta = float(table[node, 0]), self._delta(node)
        if before <= 0 or delta == 0:
            return False
        children = self.listed.children[node]
        parts = [(float(table[child, 0]) / before, self._delta(child) / delta) for child in children]
        parts.append((1 - sum(old for old, _ in parts), 1 - sum(move for _, move in parts)))
        apart = sum(abs(old - move) for old, move in parts) / 2
        return apart <= _EVEN and max(move for _, move in parts) < _MAIN

    def _is_new(self, node: int, direction: Direction) -> bool:
        """Whether the node is on the side only where the move makes it appear, or gone."""
        return bool(self.listed.total_count[node, 0 if direction == "rise" else 1] <= 0)

    def _finding(self, node: int, direction: Direction) -> Finding:
        listed, row = self.listed, self.judged.share.rows[node]
        if self.basis == "absolute" and self.judged.absolute is not None:
            row = self.judged.absolute.rows[node]
        moved = self._moved(direction)
        below = sum(
            float(listed.share[child, 1] - listed.share[child, 0])
            for child in listed.children[node]
            if child in moved
        )
        share = float(listed.share[node, 1] - listed.share[node, 0])
        cause = self._cause(node, direction)
        whole = cause in ("new", "gone", "even")
        return Finding(
            node=node,
            label=listed.label[node],
            direction=direction,
            cause=cause,
            confirmed=self.judged.confirmed,
            path=listed.path(node),
            before=round(float(listed.total[node, 0]), 2),
            after=round(float(listed.total[node, 1]), 2),
            share_before=round(100 * float(listed.share[node, 0]), 3),
            share_after=round(100 * float(listed.share[node, 1]), 3),
            delta=round(float(listed.total[node, 1] - listed.total[node, 0]), 2) + 0.0,
            delta_share=round(100 * share, 3) + 0.0,
            explains=round(100 * (share - (0.0 if whole else below)), 3) + 0.0,
            p_family=row.p_family,
            q=row.q,
        )

    def _cause(self, node: int, direction: Direction) -> Cause:
        if self._is_new(node, direction):
            return "new" if direction == "rise" else "gone"
        if self._is_even(node) and self.listed.children[node]:
            return "even"
        own = self.judged.own.rows[node].state
        return "own" if own == ("grew" if direction == "rise" else "shrank") else "spread"
