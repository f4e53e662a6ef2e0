"""The paired test against brute force, and its error on unchanged runs."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from echolot_tui.profiles.paired import paired_family


def brute_force(differences: np.ndarray) -> list[float]:
    pairs = differences.shape[1]
    largest = []
    for signs in product((-1, 1), repeat=pairs):
        turned = differences * np.array(signs)
        t = np.abs(turned.mean(axis=1)) / (turned.std(axis=1, ddof=1) / np.sqrt(pairs))
        largest.append(t.max())
    observed = np.abs(differences.mean(axis=1)) / (differences.std(axis=1, ddof=1) / np.sqrt(pairs))
    return [float(np.mean(np.array(largest) >= one * (1 - 1e-9))) for one in observed]


@pytest.mark.parametrize("pairs", [5, 6, 8])
def test_it_is_the_share_of_sign_patterns(pairs: int) -> None:
    differences = np.random.default_rng(pairs).normal(0.3, 1.0, (4, pairs))
    assert paired_family(differences).tolist() == pytest.approx(brute_force(differences))


def test_the_same_rise_in_every_run_is_the_clearest() -> None:
    differences = np.vstack([np.full(6, 0.02), np.random.default_rng(1).normal(0, 1, (3, 6))])
    p = paired_family(differences)
    assert p[0] == 1 / 32
    assert (p[1:] > 0.05).all()


def test_no_difference_at_all_is_no_finding() -> None:
    assert paired_family(np.zeros((2, 6))).tolist() == [1.0, 1.0]


def test_unchanged_runs_are_rarely_reported() -> None:
    rng = np.random.default_rng(3)
    reported = sum((paired_family(rng.normal(0, 1, (30, 8))) <= 0.05).any() for _ in range(300))
    assert reported <= 27
