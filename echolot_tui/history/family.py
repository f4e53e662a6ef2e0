"""The family of judged series: how small a chance level has to be when many were looked at."""

from __future__ import annotations

from collections.abc import Sequence

from echolot_tui.history import policy


def kept(chances: Sequence[float], judged: int) -> list[bool]:
    """Which chance levels survive Benjamini and Hochberg (1995) at a false discovery rate of 10 %.

    Args:
        chances: Of the candidates in the reported direction; the others are dropped before.
        judged: Every series that was judged, candidates or not.
    """
    order = sorted(range(len(chances)), key=lambda at: chances[at])
    last = 0
    for rank, at in enumerate(order, start=1):
        if chances[at] <= bar(rank, judged):
            last = rank
    survivors = set(order[:last])
    return [at in survivors for at in range(len(chances))]


def bar(rank: int, judged: int) -> float:
    """The largest chance level the ``rank``-th smallest may have."""
    return policy.FALSE_DISCOVERIES * rank / judged
