"""Parts of the tree chosen by search: the worked examples, and what the search costs on unchanged pairs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from echolot_tui.profiles.buckets import BucketSearch, Part, Partition, deltas_of
from echolot_tui.profiles.split_statistic import beside, welch
from echolot_tui.stats.labels import Relabellings, relabellings

RUNS = 200


def drawn(runs: int, count: int, seed: int) -> Relabellings:
    """A smaller draw than the program's own, the observed labelling last."""
    rng = np.random.default_rng(seed)
    observed = np.repeat([0.0, 1.0], runs)
    after = np.vstack([*(rng.permutation(observed) for _ in range(count)), observed])
    return Relabellings(after=after, method="drawn", count=count)


def search(rows: np.ndarray, parent: list[int] | None = None, *, adjusted: bool = False) -> BucketSearch:
    """A root over ``rows``, which are with callees."""
    parents = np.array([-1, *(parent or [0] * len(rows))])
    whole = sum(row for row, above in zip(rows, parents[1:], strict=True) if above == 0)
    return BucketSearch(parent=parents, total=np.vstack([whole, rows]), adjusted=adjusted)


def found(partition: Partition) -> set[int]:
    return {part.root for part in partition.parts if abs(part.t) > partition.bar}


def adds_up(searched: BucketSearch, partition: Partition, label: np.ndarray) -> bool:
    whole = searched.total[0]
    after = label[0] > 0
    moves = sum(new - old for old, new in deltas_of(partition.parts, label))
    return bool(abs(moves - (whole[after].mean() - whole[~after].mean())) < 1e-6)


def test_welch_is_scipys() -> None:
    rng = np.random.default_rng(1)
    rows = rng.normal(5, [[1], [3]], (2, 14))
    labels = np.array([np.r_[np.zeros(6), np.ones(8)], rng.permutation(np.r_[np.zeros(6), np.ones(8)])])
    reading = welch(rows, labels)
    for at, row in enumerate(rows):
        for which, label in enumerate(labels):
            expected = stats.ttest_ind(row[label > 0], row[label == 0], equal_var=False).statistic
            assert reading.t[at, which] == pytest.approx(expected, rel=1e-9)


def test_beside_the_rest_is_least_squares() -> None:
    rng = np.random.default_rng(2)
    whole = rng.normal(100, 10, 20)
    row = 0.2 * whole + rng.normal(0, 1, 20)
    label = np.r_[np.zeros(10), np.ones(10)]
    design = np.stack([np.ones(20), whole - row, label], axis=1)
    coefficients, residuals, *_ = np.linalg.lstsq(design, row, rcond=None)
    error = np.sqrt(residuals[0] / 17 * np.linalg.inv(design.T @ design)[2, 2])
    reading = beside(row[None], (whole - row)[None], label[None])
    assert reading.t[0, 0] == pytest.approx(coefficients[2] / error)
    assert reading.error[0, 0] == pytest.approx(error)


def test_sides_without_spread_that_differ_are_infinitely_clear() -> None:
    label = np.array([[0.0, 0, 1, 1]])
    assert welch(np.array([[3.0, 3, 5, 5]]), label).t[0, 0] == np.inf
    assert welch(np.array([[5.0, 5, 3, 3]]), label).t[0, 0] == -np.inf
    assert welch(np.array([[5.0, 5, 5, 5]]), label).t[0, 0] == 0


def test_an_improved_part_hidden_in_noise() -> None:
    rng = np.random.default_rng(11)
    part = np.r_[rng.normal(8.0, 1.0, RUNS), rng.normal(6.8, 1.0, RUNS)]
    noise = rng.normal(90.0, 8.0, 2 * RUNS)
    searched = search(np.stack([part, noise]))
    labels = drawn(RUNS, 999, 1)
    partition = searched.calibrated(labels)
    whole = abs(welch(searched.total[:1], labels.after[-1:]).t[0, 0])
    assert whole < partition.bar
    (moved,) = (one for one in partition.parts if abs(one.t) > partition.bar)
    old, new = deltas_of([moved], labels.after[-1:])[0]
    assert new - old == pytest.approx(-1.2, abs=0.3)
    assert moved.t < 0
    assert 0.1 < partition.bar * moved.error < 0.5
    assert adds_up(searched, partition, labels.after[-1:])


def test_work_beside_a_clean_up_that_fires_one_time_in_eight() -> None:
    rng = np.random.default_rng(12)
    work = np.r_[rng.normal(20.0, 0.9, RUNS), rng.normal(18.84, 0.9, RUNS)]
    fires = rng.random(2 * RUNS) < 0.125
    clean_up = np.where(fires, rng.normal(60.0, 5.0, 2 * RUNS), 0.0)
    searched = search(np.stack([work, clean_up]))
    labels = drawn(RUNS, 999, 2)
    partition = searched.calibrated(labels)
    assert abs(welch(searched.total[:1], labels.after[-1:]).t[0, 0]) < partition.bar
    by_name = {part.root: part for part in partition.parts}
    moved = found(partition)
    assert len(moved) == 1
    part = by_name[moved.pop()]
    old, new = deltas_of([part], labels.after[-1:])[0]
    assert new - old == pytest.approx(-1.16, abs=0.3)
    assert adds_up(searched, partition, labels.after[-1:])


def recursive(rng: np.random.Generator, mean: float) -> np.ndarray:
    """Twelve depths of one recursive function; which depth the time falls on is chance."""
    total = rng.normal(mean, 0.07 * mean, RUNS)
    split = rng.dirichlet(np.full(12, 2.0), RUNS)
    return (split * total[:, None]).T


def test_recursion_is_found_as_one_part_and_not_depth_by_depth() -> None:
    rng = np.random.default_rng(13)
    depths = np.hstack([recursive(rng, 100.0), recursive(rng, 96.0)])
    labels = drawn(RUNS, 999, 3)
    apart = np.abs(welch(depths, labels.after[-1:]).t[:, 0])
    together = BucketSearch(parent=np.array([-1]), total=depths.sum(axis=0)[None], adjusted=False)
    partition = together.calibrated(labels)
    (whole,) = partition.parts
    largest = np.abs(welch(depths, labels.after).t).max(axis=0)
    bar_of_twelve = np.sort(largest)[-1 - labels.allowed]
    assert abs(whole.t) > 5 > apart.max()
    assert found(partition) == {0}
    assert whole.t < 0
    assert partition.bar < bar_of_twelve


def test_a_wobble_all_parts_share_is_taken_out() -> None:
    runs, siblings = 100, 0
    for seed in range(8):
        rng = np.random.default_rng(40 + seed)
        level = rng.uniform(8, 20, (8, 1))
        rows = level * rng.normal(1.0, 0.15, 2 * runs) * rng.normal(1.0, 0.03, (8, 2 * runs))
        rows[3, runs:] *= 0.97
        labels = drawn(runs, 499, seed)
        raw = search(rows).calibrated(labels)
        adjusted = search(rows, adjusted=True)
        partition = adjusted.calibrated(labels)
        assert 4 not in found(raw)
        assert abs(welch(rows[3:4], labels.after[-1:]).t[0, 0]) < raw.bar
        assert 4 in found(partition)
        every = tuple(Part(at + 1, (), row, 0.0, 0.0) for at, row in enumerate(rows))
        settled = adjusted.settled(Partition(every, partition.gain_bar, partition.bar), labels.after[-1:])
        assert 4 in found(settled)
        siblings += len(found(settled) - {4}) + len(found(partition) - {4})
        assert adds_up(adjusted, partition, labels.after[-1:])
    assert siblings <= 4, "of 56 that were read and those that were chosen"


def unchanged(trials: int, relabelled: int) -> tuple[float, float]:
    """Shares of unchanged pairs in which the naive and the calibrated search report something."""
    naive = calibrated = 0
    runs = 20
    for trial in range(trials):
        rng = np.random.default_rng(1_000 + trial)
        searched = search(rng.normal(10.0, 1.0, (12, 2 * runs)))
        labels = drawn(runs, relabelled, trial)
        naive += bool(found(searched.searched(labels.after[-1:], gain_bar=0.0, bar=1.96)))
        calibrated += bool(found(searched.calibrated(labels)))
    return naive / trials, calibrated / trials


def test_unchanged_pairs_are_rarely_reported() -> None:
    naive, calibrated = unchanged(60, 400)
    assert naive >= 0.45
    assert calibrated <= 0.15


@pytest.mark.slow
def test_unchanged_pairs_over_two_hundred_trials() -> None:
    naive, calibrated = unchanged(200, 400)
    assert naive >= 0.45
    assert calibrated <= 0.10


def test_a_part_of_a_part_is_split_off_without_losing_a_sample() -> None:
    rng = np.random.default_rng(15)
    inner = np.r_[rng.normal(5, 0.3, 12), rng.normal(9, 0.3, 12)]
    sibling = np.r_[rng.normal(9, 0.3, 12), rng.normal(5, 0.3, 12)]
    outer = inner + sibling + rng.normal(3, 0.1, 24)
    other = rng.normal(50, 4, 24)
    searched = search(np.stack([outer, other, inner, sibling]), [0, 0, 1, 1])
    labels = relabellings(12, 12, 1)
    partition = searched.calibrated(labels)
    assert {3, 4} <= found(partition)
    assert sum(part.row for part in partition.parts) == pytest.approx(searched.total[0])
    assert adds_up(searched, partition, labels.after[-1:])


def test_too_few_runs_find_nothing() -> None:
    rows = np.array([[1.0, 1, 1, 9, 9, 9]])
    partition = search(rows).calibrated(relabellings(3, 3, 1))
    assert (len(partition.parts), partition.bar) == (1, np.inf)
