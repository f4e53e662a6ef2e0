"""How far a node moves between two recordings of the same code.

Counting alone gives the standard error of a share, and of a difference of two. It is too small: samples of a
run are not independent, and runs differ by layout, addresses, caches and cores. So where there is a pair of
recordings of the same build, or runs to split, the whole graph's floor is stretched by how much further its
nodes stray than counting says.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import Final, Literal

import numpy as np

from echolot_tui.profiles.stacks import Floats

Ruler = Literal["formula", "control", "split-half", "material"]

FLOOR_ERRORS: Final = 2.0
"""Standard errors a move has to pass."""

MATERIAL: Final = 0.005
"""Share of the whole a move of exact times has to pass: they have no counting noise to compare with."""


def share_error(before: Floats, before_n: float, after: Floats, after_n: float) -> Floats:
    """Standard error of the difference of two shares, each of ``n`` independent samples.

    Args:
        before: Per node its share, 0 to 1.
        before_n: Samples of the whole side.
        after: The same after.
        after_n: The same after.
    """
    old = before * (1 - before) / before_n if before_n else np.zeros_like(before)
    new = after * (1 - after) / after_n if after_n else np.zeros_like(after)
    error: Floats = np.sqrt(np.maximum(old, 0) + np.maximum(new, 0))
    return error


def amount_error(before: Floats, before_n: Floats, after: Floats, after_n: Floats) -> Floats:
    """Standard error of the difference of two amounts that were counted in ``n`` samples (Poisson).

    Args:
        before: Per node its amount, in any unit.
        before_n: Per node the samples it was counted in.
        after: The same after.
        after_n: The same after.
    """
    old = np.divide(before**2, before_n, out=np.zeros_like(before), where=before_n > 0)
    new = np.divide(after**2, after_n, out=np.zeros_like(after), where=after_n > 0)
    error: Floats = np.sqrt(old + new)
    return error


def stretch(moves: Floats, errors: Floats) -> float:
    """How much further nodes of the same code stray than counting says; never under 1.

    Args:
        moves: Per node the difference of two recordings of the same build.
        errors: What counting says.
    """
    counted = errors > 0
    if not counted.any():
        return 1.0
    return max(1.0, float(np.sqrt(np.mean((moves[counted] / errors[counted]) ** 2))))


@dataclass(frozen=True, slots=True, eq=False)
class Floors:
    """Per node what a move has to pass, and what it comes from.

    Attributes:
        least: Shares as fractions, amounts in their unit.
        ruler: What ruled.
        stretch: How much further than counting says.
    """

    least: Floats
    ruler: Ruler
    stretch: float


def family_factor(nodes: int) -> float:
    """What a floor of two standard errors is multiplied with so that a whole unchanged graph rarely passes.

    Bonferroni over the nodes, normal tails, one graph in twenty.
    """
    return NormalDist().inv_cdf(1 - 0.025 / max(nodes, 1)) / FLOOR_ERRORS


def formula_floor(errors: Floats) -> Floors:
    """By counting alone."""
    return Floors(FLOOR_ERRORS * errors, "formula", 1.0)


def stretched_floor(errors: Floats, moves: Floats, counted: Floats, ruler: Ruler) -> Floors:
    """By counting, stretched by what recordings of the same code do.

    Args:
        errors: Of the two sides that are compared.
        moves: Per node the difference of two recordings of the same build.
        counted: What counting says about that difference.
        ruler: Where the two come from.
    """
    factor = stretch(moves, counted)
    least = FLOOR_ERRORS * errors * factor
    if ruler == "control":
        least = np.maximum(least, np.abs(moves))
    return Floors(least, ruler if factor > 1 else "formula", factor)
