"""Which side the next run is of: all orders of a stage are equally likely, with equal counts."""

from __future__ import annotations

import random
from collections.abc import Iterator


def order_of(seed: int, stage: int, sides: int, each: int) -> tuple[int, ...]:
    """The order of one stage's runs, the same for the same arguments everywhere.

    The runs of both sides are shuffled as a whole: every one of the ``(2 each)! / (each!)^2`` orders can
    come, so relabelling whole runs has all of them to compare with. Random pairs would leave ``2^each``.

    Args:
        seed: Stored with the sets.
        stage: From 0; each stage is shuffled by itself, so that the sides are even after each.
        sides: How many sides take turns.
        each: Runs of each side.
    """
    order = [side for side in range(sides) for _ in range(each)]
    random.Random(f"{seed} {stage}").shuffle(order)  # noqa: S311 - an order, not a secret
    return tuple(order)


def turns(seed: int, stages: Iterator[int], sides: int) -> Iterator[tuple[int, int]]:
    """Every run of the stages in the order it is to be recorded: side and number within the side.

    ``stages`` is asked for the next stage's runs a side when the one before is through.
    """
    begun = 0
    for stage, each in enumerate(stages):
        counts = [begun] * sides
        for side in order_of(seed, stage, sides, each):
            yield side, counts[side]
            counts[side] += 1
        begun += each
