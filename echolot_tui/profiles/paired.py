"""Late against early inside runs: a paired test of all nodes together by turning signs round."""

from __future__ import annotations

from itertools import product
from typing import Final

import numpy as np

from echolot_tui.profiles.judge import SEED
from echolot_tui.profiles.stacks import Floats

FEWEST_PAIRS: Final = 6
"""Pairs from which a finding is possible: five leave 16 ways, of which one is more than 5 %."""

_MOST_EXACT: Final = 12
_DRAWS: Final = 1_999
_REACHES: Final = 1 - 1e-9


def paired_family(differences: Floats) -> Floats:
    """Family-wise figure per row, by single-step maxima over turned signs (Westfall and Young 1993).

    Without a difference between early and late, each run's differences could as well have the other sign,
    all rows together.

    Args:
        differences: Rows x pairs, late minus early.

    Returns:
        Per row the share of sign patterns in which any row's mean stands as far from zero.
    """
    rows, pairs = differences.shape
    signs = _signs(pairs)
    squares = (differences**2).sum(axis=1)
    means = differences @ signs.T / pairs
    variance = np.maximum(squares[:, None] / pairs - means**2, 0.0)
    spreadless = variance <= 1e-12 * np.maximum(means**2, 1e-300)
    t = np.divide(np.abs(means), np.sqrt(variance), out=np.zeros_like(means), where=~spreadless)
    t[spreadless & (means != 0)] = np.inf
    largest = np.sort(t.max(axis=0)) if rows else np.zeros(len(signs))
    below = np.searchsorted(largest, t[:, -1] * _REACHES, side="left")
    share: Floats = (len(largest) - below) / len(largest)
    return share


def _signs(pairs: int) -> Floats:
    """Patterns x pairs; the last is the observed one. A pattern and its opposite are the same."""
    if pairs <= _MOST_EXACT:
        return np.array([(*rest, 1.0) for rest in product((-1.0, 1.0), repeat=pairs - 1)])
    drawn = np.random.default_rng(SEED).integers(0, 2, (_DRAWS, pairs)) * 2.0 - 1.0
    return np.vstack([drawn, np.ones(pairs)])
