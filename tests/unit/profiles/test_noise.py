"""The floor: published figures, a simulation of unchanged code, and what a control does to it."""

from __future__ import annotations

import numpy as np
import pytest

from echolot_tui.profiles.noise import (
    FLOOR_ERRORS,
    amount_error,
    formula_floor,
    share_error,
    stretch,
    stretched_floor,
)


@pytest.mark.parametrize(("samples", "error", "points"), [(20_000, 0.0022, 0.4), (2_000, 0.0069, 1.4)])
def test_a_share_of_five_percent(samples: int, error: float, points: float) -> None:
    share = np.array([0.05])
    found = share_error(share, samples, share, samples)
    assert found[0] == pytest.approx(error, abs=0.00005)
    assert 100 * formula_floor(found).least[0] == pytest.approx(points, abs=0.05)


def test_the_error_is_that_of_drawn_shares() -> None:
    rng = np.random.default_rng(5)
    before, after = rng.binomial(4_000, 0.2, 20_000) / 4_000, rng.binomial(9_000, 0.3, 20_000) / 9_000
    expected = share_error(np.array([0.2]), 4_000, np.array([0.3]), 9_000)[0]
    assert np.std(after - before) == pytest.approx(expected, rel=0.02)


def test_the_error_of_amounts_is_that_of_drawn_counts() -> None:
    rng = np.random.default_rng(6)
    before, after = rng.poisson(400, 20_000) * 2.5, rng.poisson(900, 20_000) * 2.5
    found = amount_error(np.array([1000.0]), np.array([400.0]), np.array([2250.0]), np.array([900.0]))[0]
    assert np.std(after - before) == pytest.approx(found, rel=0.02)


def test_nothing_on_both_sides_has_no_error() -> None:
    nothing = np.zeros(2)
    assert share_error(nothing, 100, nothing, 100).tolist() == [0, 0]
    assert share_error(nothing, 0, nothing, 0).tolist() == [0, 0]
    assert amount_error(nothing, nothing, nothing, nothing).tolist() == [0, 0]


def test_recordings_that_stray_as_counting_says_stretch_nothing() -> None:
    rng = np.random.default_rng(7)
    errors = np.full(4_000, 0.01)
    assert stretch(rng.normal(0, 0.01, 4_000), errors) == pytest.approx(1.0, abs=0.04)
    assert stretch(rng.normal(0, 0.03, 4_000), errors) == pytest.approx(3.0, abs=0.1)
    assert stretch(rng.normal(0, 0.001, 4_000), errors) == 1.0
    assert stretch(np.zeros(3), np.zeros(3)) == 1.0


def test_the_larger_of_formula_and_control_rules() -> None:
    errors = np.array([0.01, 0.01])
    quiet = stretched_floor(errors, np.array([0.001, 0.001]), errors, "control")
    assert (quiet.ruler, quiet.stretch) == ("formula", 1.0)
    assert quiet.least.tolist() == [FLOOR_ERRORS * 0.01] * 2
    loud = stretched_floor(errors, np.array([0.2, 0.001]), errors, "control")
    assert loud.ruler == "control"
    assert loud.least[0] >= 0.2
    assert loud.least[1] == pytest.approx(FLOOR_ERRORS * 0.01 * loud.stretch)
