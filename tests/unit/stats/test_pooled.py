from __future__ import annotations

import numpy as np
import pytest

from echolot_tui.stats.pooled import Values, pool, run_factor, usual_variance


def rows(seed: int, *, rows: int = 60, runs: int = 10, spread: float = 0.1, shared: float = 0.0) -> Values:
    rng = np.random.default_rng(seed)
    logs = rng.normal(3, 1, (rows, 1)) + spread * rng.normal(size=(rows, runs))
    return logs + shared * rng.normal(size=runs)


def untied(values: Values) -> np.ndarray:
    return np.zeros(len(values), dtype=bool)


def test_a_positive_row_is_read_as_logarithms() -> None:
    values = np.array([[10.0, 20.0, 40.0, 80.0]])
    pooled = pool(values, untied(values))
    assert pooled.logs.tolist() == [True]
    assert pooled.raw[0] == pytest.approx(np.log(2) * np.array([-1.5, -0.5, 0.5, 1.5]))


@pytest.mark.parametrize(
    "row",
    [
        [0.0, 20.0, 40.0, 80.0],  # a run lacks it
        [0.5, 20.0, 40.0, 80.0],  # as good as lacks it
        [20.0, 20.0, 40.0, 40.0],  # two values only
        [-1.0, 20.0, 40.0, 80.0],
    ],
)
def test_other_rows_are_read_as_shares_of_their_mean(row: list[float]) -> None:
    values = np.array([row])
    pooled = pool(values, untied(values))
    level = np.abs(values).mean()
    assert pooled.logs.tolist() == [False]
    assert pooled.level[0] == pytest.approx(level)
    assert pooled.raw[0] == pytest.approx((values[0] - values.mean()) / level)
    assert (pooled.net == pooled.raw).all()


def test_a_tied_row_is_read_by_its_mean_whatever_it_holds() -> None:
    values = np.array([[10.0, 20.0, 30.0, 10.0]])
    assert pool(values, np.array([True])).logs.tolist() == [False]


@pytest.mark.parametrize("row", [[0.0] * 6, [7.0] * 6, [0.1 + 0.2, 0.3, 0.3, 0.3, 0.3, 0.3]])
def test_a_row_of_one_value_is_exactly_still(row: list[float]) -> None:
    values = np.array([row])
    pooled = pool(values, untied(values))
    assert not pooled.raw.any()
    assert np.isfinite(pooled.level).all()


def test_the_factor_is_found_again() -> None:
    rng = np.random.default_rng(4)
    planted = 0.08 * rng.normal(size=12)
    logs = rows(5, runs=12) + planted
    factor, share = run_factor(logs)
    planted -= planted.mean()
    assert factor == pytest.approx(planted, abs=0.04)
    assert np.corrcoef(factor, planted)[0, 1] > 0.95
    assert share.mean(axis=1) == pytest.approx(np.zeros(60), abs=1e-12)
    quieter = (logs - share).std(axis=1) / logs.std(axis=1)
    assert np.median(quieter) < 0.9


def test_rows_that_share_nothing_keep_what_they_have() -> None:
    stills = [np.abs(run_factor(rows(seed))[0]).max() for seed in range(20)]
    assert np.median(stills) < 0.01


def test_two_rows_share_no_factor() -> None:
    factor, share = run_factor(rows(1, rows=2, shared=0.1))
    assert not factor.any()
    assert not share.any()


def test_a_row_does_not_explain_itself() -> None:
    """One row that strays alone is told nothing by the others, however far it strays."""
    logs = rows(3, shared=0.05)
    _, calm = run_factor(logs)
    logs[0] += np.linspace(-2, 2, logs.shape[1])
    _, stirred = run_factor(logs)
    reach = np.abs(calm[0]).max()
    assert np.abs(stirred[0]).max() < 1.5 * reach


def test_a_quiet_row_that_does_not_go_along_is_left_alone() -> None:
    logs = rows(6, shared=0.08)
    logs[0] = 4.6 + 0.001 * np.random.default_rng(1).normal(size=logs.shape[1])
    _, share = run_factor(logs)
    assert np.abs(share[0]).max() < 0.004
    assert np.abs(share[1:]).max() > 0.05


def test_the_factor_does_not_see_levels_or_the_order_of_runs() -> None:
    logs = rows(7, shared=0.05)
    order = np.random.default_rng(2).permutation(logs.shape[1])
    factor, share = run_factor(logs)
    moved, moved_share = run_factor(logs[:, order] + np.arange(60)[:, None])
    assert moved == pytest.approx(factor[order])
    assert moved_share == pytest.approx(share[:, order])


def test_rows_that_spread_alike_borrow_much_and_unlike_rows_nothing() -> None:
    rng = np.random.default_rng(9)
    freedom = 9
    alike = 0.01 * rng.chisquare(freedom, 400) / freedom
    unlike = np.exp(rng.normal(0, 2, 400)) * alike
    assert usual_variance(alike, freedom)[0] > 20
    assert usual_variance(unlike, freedom)[0] == 0.0


@pytest.mark.parametrize("truth", [4.0, 8.0, 20.0])
def test_the_weight_is_the_priors_freedom_less_two(truth: float) -> None:
    rng = np.random.default_rng(10)
    freedom = 9
    own = 0.01 * truth / rng.chisquare(truth, 40_000)
    weight, variance = usual_variance(own * rng.chisquare(freedom, 40_000) / freedom, freedom)
    assert weight == pytest.approx(truth - 2, rel=0.12)
    assert 0.005 < variance < 0.01


def test_the_closed_forms_follow_the_trigamma_function() -> None:
    from scipy.special import polygamma

    from echolot_tui.stats.pooled import _inverse_trigamma, _trigamma

    for x in (1.0, 2.0, 4.5, 30.0):
        assert _trigamma(x) == pytest.approx(polygamma(1, x), rel=0.02)
        assert _inverse_trigamma(float(polygamma(1, x))) == pytest.approx(x, rel=0.07)


def test_few_rows_borrow_nothing() -> None:
    assert usual_variance(np.full(9, 0.01), 8) == (0.0, 0.0)
    assert usual_variance(np.zeros(50), 8) == (0.0, 0.0)
