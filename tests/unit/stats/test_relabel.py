from __future__ import annotations

import math
import time
from itertools import combinations, pairwise
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from echolot_tui.stats.labels import relabellings
from echolot_tui.stats.pooled import Values, pool
from echolot_tui.stats.relabel import TableTest, heavily_tied, relabel
from echolot_tui.stats.statistic import Table


def sides(before: int, after: int) -> list[bool]:
    return [False] * before + [True] * after


def judge(values: Values | list[list[float]], before: int, seed: int = 0) -> TableTest:
    values = np.asarray(values, dtype=float)
    found = relabel(values, after=sides(before, values.shape[1] - before), seed=seed)
    assert found is not None
    return found


def draw(
    seed: int,
    *,
    rows: int = 60,
    before: int = 5,
    after: int = 5,
    movers: int = 0,
    move: float = 0.2,
    spread: tuple[float, float] = (0.05, 0.25),
    shared: float = 0.04,
    noisier: float = 1.0,
) -> Values:
    rng = np.random.default_rng(seed)
    strays = rng.normal(size=(rows, before + after)) * rng.uniform(*spread, (rows, 1))
    strays[:, before:] *= noisier
    logs = rng.normal(3.2, 1, (rows, 1)) + strays + rng.normal(0, shared, before + after)
    logs[:movers, before:] += np.log1p(move)
    return np.round(np.exp(logs), 2)


def mixed(seed: int, before: int, after: int) -> Values:
    """Rows of every kind: plain, sparse, tied, without spread, still, new."""
    values = draw(seed, rows=12, before=before, after=after, movers=1, move=0.8)
    rng = np.random.default_rng(seed + 1)
    runs = before + after
    values[2] *= rng.random(runs) < 0.6
    values[3] = 10 * rng.integers(1, 4, runs)
    values[4] = [15.0] * before + [10.0] * after
    values[5] = 7.5
    values[6, :before] = 0
    values[7] = 0
    values[8] = 0
    values[8, rng.integers(runs)] = 12
    return values


# --- against a slow transcription of the definitions


def sum_of_squares(values: list[float]) -> float:
    return sum((value - fmean(values)) ** 2 for value in values)


def error(before: list[float], after: list[float], prior: tuple[float, float]) -> float:
    weight, variance = prior
    n, m = len(before), len(after)
    one, two = sum_of_squares(before), sum_of_squares(after)
    both = (one + two + weight * variance) / (n + m - 2 + weight)
    if n == m:
        return math.sqrt(2 * both / n)
    return math.sqrt((one + 2 * both) / (n + 1) / n + (two + 2 * both) / (m + 1) / m)


def slow_statistic(table: Table, row: int, label: Values) -> float:
    """One row under one labelling, run by run."""
    pooled = table.pooled

    def split(values: Values) -> tuple[list[float], list[float]]:
        return (
            [float(value) for value, one in zip(values, label, strict=True) if not one],
            [float(value) for value, one in zip(values, label, strict=True) if one],
        )

    def moved(values: Values) -> float:
        before, after = split(values)
        return fmean(after) - fmean(before)

    raw, net = moved(pooled.raw[row]), moved(pooled.net[row])
    reach = 2 * error(*split(pooled.factor), (0.0, 0.0))
    reduced = raw - min(max(raw - net, -reach), reach)
    effect = math.copysign(min(abs(raw), abs(reduced)), raw) if raw * reduced > 0 else 0.0
    before, after = split(pooled.net[row])
    within = sum_of_squares(before) + sum_of_squares(after)
    if within <= 1e-6 * sum_of_squares(before + after):
        return math.copysign(math.inf, effect) if effect else 0.0
    return effect / error(before, after, (pooled.prior_weight, pooled.prior_variance))


@pytest.mark.parametrize("size", [(4, 4), (5, 5), (3, 6), (6, 4)])
@pytest.mark.parametrize("seed", [1, 2])
def test_the_family_pass_equals_the_definitions(size: tuple[int, int], seed: int) -> None:
    before, after = size
    values = mixed(seed, before, after)
    labels = relabellings(before, after, seed=0)
    tied = np.array([heavily_tied(row[:before], row[before:]) for row in values])
    table = Table(pooled=pool(values, tied), before=before, after=after).levelled(labels.after)
    every = [[slow_statistic(table, row, label) for label in labels.after] for row in range(len(values))]
    found = judge(values, before)
    observed = [statistics[-1] for statistics in every]
    assert [row.statistic for row in found.rows] == pytest.approx(observed, rel=1e-9, abs=1e-12)

    total = len(labels.after)
    largest = [max(abs(statistics[at]) for statistics in every) for at in range(total)]
    for row, statistics, one in zip(found.rows, every, observed, strict=True):
        bar = abs(one) * (1 - 1e-9)
        assert row.p == pytest.approx(sum(abs(t) >= bar for t in statistics) / total)
        assert row.p_family == pytest.approx(sum(t >= bar for t in largest) / total)

    def false_share(bar: float) -> float:
        bar *= 1 - 1e-9
        false = sum(abs(t) >= bar for statistics in every for t in statistics) / total
        return false / sum(abs(t) >= bar for t in observed)

    for row, one in zip(found.rows, observed, strict=True):
        bars = [abs(t) for t in observed if abs(t) <= abs(one) * (1 + 1e-9)]
        assert row.q == pytest.approx(min(1.0, *map(false_share, bars)) if bars else 1.0)


def shuffled_p(row: Values, before: int) -> float:
    """Share of all ways to split the runs whose means lie as far apart as the observed ones."""
    gaps = [
        abs(row[list(chosen)].mean() - np.delete(row, list(chosen)).mean())
        for chosen in combinations(range(len(row)), before)
    ]
    return float(np.mean(np.array(gaps) >= gaps[0] * (1 - 1e-9)))


def test_a_rows_own_p_is_that_of_shuffling_its_runs() -> None:
    """Counts are read by their means and lend each other nothing; nobody lends a row alone anything."""
    counts = 10.0 * np.random.default_rng(3).integers(1, 4, (8, 10))
    together = judge(counts, 5)
    for row, found in zip(counts, together.rows, strict=True):
        assert found.tied
        assert found.p == judge([row.tolist()], 5).rows[0].p == pytest.approx(shuffled_p(row, 5))
    for row in draw(5, rows=4, movers=2, move=0.5):
        assert judge([row.tolist()], 5).rows[0].p == pytest.approx(shuffled_p(np.log(row), 5))


def test_a_labelling_that_ties_counts_as_reaching() -> None:
    """Three of four against one of four: 34 of the 70 labellings split the eight runs as unevenly."""
    (row,) = judge([[0, 0, 0, 1, 1, 1, 1, 0]], 4).rows
    assert row.p == row.p_family == pytest.approx(34 / 70)


def test_q_by_hand() -> None:
    """Two rows without spread that move together: both reach, in the observed labelling and its mirror."""
    found = judge([[1] * 5 + [2] * 5, [3] * 5 + [9] * 5, [4] * 10], 5)
    assert [row.q for row in found.rows] == pytest.approx([2 / 252, 2 / 252, 1.0])


def test_equal_means_are_no_move_whatever_the_order_of_adding() -> None:
    """Sums of the same values in another order differ in the last digit, which is no direction."""
    rows = [
        [20.0, 40.0, 60.0, 20.0, 20.0, 40.0, 20.0, 60.0],
        [40.0, 20.0, 60.0, 20.0, 40.0, 40.0, 20.0, 40.0],
    ]
    noise = draw(4, rows=14, before=4, after=4)
    for found in judge(np.vstack([noise, rows]), 4).rows[-2:]:
        assert (found.statistic, found.move_ms, found.p, found.q, found.p_family) == (0, 0, 1, 1, 1)
        assert found.runs_needed is None


# --- zero spread, absent and sparse rows


def test_sides_without_spread_that_differ_are_as_clear_as_can_be() -> None:
    values = draw(1)
    values[0] = [15.0] * 5 + [10.0] * 5
    row = judge(values, 5).rows[0]
    assert row.statistic == -math.inf
    assert row.p == row.p_family == row.q == pytest.approx(2 / 252)
    assert row.resolves_ms == 0
    assert row.runs_needed is None
    assert row.move_ms == pytest.approx(-5)


def test_a_row_that_never_moves_is_no_finding_and_resolves_anything() -> None:
    values = draw(1)
    values[0] = 42.0
    row = judge(values, 5).rows[0]
    assert (row.statistic, row.move_ms, row.resolves_ms, row.runs_needed) == (0, 0, 0, None)
    assert row.p == row.p_family == row.q == 1
    assert not row.found


@pytest.mark.parametrize(("before", "after"), [(5, 5), (12, 12)])
def test_a_new_row_gets_the_smallest_p_there_is(before: int, after: int) -> None:
    values = draw(2, before=before, after=after, shared=0)
    values[0, :before] = 0
    values[0, before:] = np.linspace(28, 35, after)
    found = judge(values, before)
    assert found.rows[0].p == found.rows[0].p_family == found.rows[0].q == found.smallest_p
    assert found.rows[0].statistic > 0


def test_sparse_rows_are_not_called_too_often() -> None:
    rng = np.random.default_rng(3)
    hits = sum(judge([(rng.random(16) < 0.3).astype(float) * 20], 8).rows[0].p <= 0.05 for _ in range(400))
    assert hits / 400 < 0.06


cells = st.one_of(
    st.just(0.0), st.integers(0, 3).map(float), st.floats(0, 1e6, allow_subnormal=False), st.just(1e-9)
)


@settings(deadline=None, max_examples=150)
@given(arrays(float, st.tuples(st.integers(1, 14), st.integers(3, 11)), elements=cells), st.integers(1, 10))
def test_no_figure_is_ever_not_a_number(values: Values, before: int) -> None:
    before = min(before, values.shape[1] - 1)
    found = judge(values, before)
    for row in found.rows:
        assert not math.isnan(row.statistic)
        assert 0 < found.smallest_p <= row.p <= 1
        assert 0 < found.smallest_p <= row.p_family <= 1
        assert 0 < row.q <= 1
        assert row.p <= row.p_family
        assert math.isfinite(row.move_ms)
        assert row.resolves_ms is None or 0 <= row.resolves_ms < math.inf
        assert row.runs_needed is None or row.runs_needed >= found.fewest_runs


# --- one condition, said in three ways


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10_000), st.sampled_from([(4, 4), (5, 5), (3, 7), (7, 3), (11, 9)]))
def test_bar_rate_and_resolution_are_one_condition(seed: int, size: tuple[int, int]) -> None:
    found = judge(mixed(seed, *size), size[0], seed=seed)
    for row in found.rows:
        reaches = found.critical is not None and abs(row.statistic) >= found.critical
        assert reaches == (row.p_family <= 0.05) == row.found
        if row.resolves_ms is not None and abs(abs(row.move_ms) - row.resolves_ms) > 1e-9 * row.resolves_ms:
            assert (abs(row.move_ms) > row.resolves_ms) == row.found
        assert row.runs_needed is None or (not row.found and row.statistic)


def test_one_row_of_many_runs_has_the_normal_bar() -> None:
    critical = judge(draw(81, rows=1, before=200, after=200), 200).critical
    assert critical == pytest.approx(1.96, abs=0.12)


def test_a_row_moved_by_what_it_resolves_stands_at_the_bar() -> None:
    """Set a row's sides to no move at all, then move it by its resolution: its statistic is the bar."""
    for seed in range(10):
        values = draw(seed, before=10, after=10, shared=0)
        logs = np.log(values[0])
        logs[10:] -= logs[10:].mean() - logs[:10].mean()
        values[0] = np.exp(logs)
        still = judge(values, 10)
        assert abs(still.rows[0].statistic) < 0.3
        resolution = still.rows[0].resolves_ms
        assert resolution is not None
        base = float(np.median(values[0, :10]))
        up = still.rows[0].statistic >= 0
        values[0, 10:] *= 1 + resolution / base if up else 1 - resolution / base
        moved = judge(values, 10)
        assert moved.critical is not None
        assert abs(moved.rows[0].statistic) == pytest.approx(moved.critical, rel=0.1)


def test_a_wider_spread_resolves_less() -> None:
    values = draw(83, spread=(0.1, 0.1), shared=0)
    middle = np.exp(np.log(values[0]).mean())
    values[1] = middle * (values[0] / middle) ** 2
    narrow, wide = judge(values, 5).rows[:2]
    assert narrow.resolves_ms is not None
    assert wide.resolves_ms is not None
    assert wide.resolves_ms > 1.3 * narrow.resolves_ms


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10_000))
def test_q_is_monotone_and_has_a_floor(seed: int) -> None:
    found = judge(draw(seed, movers=4, move=0.5), 5)
    ordered = sorted(found.rows, key=lambda row: abs(row.statistic))
    assert all(less.q >= more.q for less, more in pairwise(ordered))
    assert all(less.p_family >= more.p_family for less, more in pairwise(ordered))
    assert min(row.q for row in found.rows) >= found.smallest_p


# --- what must not change a figure


def figures(found: TableTest) -> list[tuple[float, ...]]:
    return [(abs(row.statistic), row.p, row.q, row.p_family) for row in found.rows]


@pytest.mark.parametrize("scale", [2.0, 0.25, 1000.0])
def test_a_common_rescale_changes_no_figure(scale: float) -> None:
    values = mixed(5, 5, 5)
    plain, scaled = judge(values, 5), judge(values * scale, 5)
    for one, other in zip(plain.rows, scaled.rows, strict=True):
        assert (one.p, one.q, one.p_family) == pytest.approx((other.p, other.q, other.p_family))
        assert other.move_ms == pytest.approx(one.move_ms * scale, abs=1e-9)
        assert other.resolves_ms == pytest.approx(one.resolves_ms * scale)


def test_neither_the_order_of_rows_nor_of_runs_matters() -> None:
    values = mixed(6, 5, 5)
    plain = figures(judge(values, 5))
    assert figures(judge(values[::-1], 5))[::-1] == [pytest.approx(one) for one in plain]
    shuffled = values[:, [3, 1, 4, 0, 2, 9, 7, 5, 8, 6]]
    assert figures(judge(shuffled, 5)) == [pytest.approx(one) for one in plain]


def test_runs_may_come_in_any_order_of_sides() -> None:
    values = mixed(6, 5, 5)
    order = [0, 5, 1, 6, 2, 7, 3, 8, 4, 9]
    mingled = relabel(values[:, order], after=[run >= 5 for run in order], seed=0)
    assert mingled == judge(values, 5)


def test_swapping_the_sides_turns_the_signs() -> None:
    values = mixed(7, 5, 5)
    there, back = judge(values, 5), judge(np.roll(values, 5, axis=1), 5)
    assert figures(there) == [pytest.approx(one) for one in figures(back)]
    assert [row.statistic for row in there.rows] == pytest.approx([-row.statistic for row in back.rows])


def test_the_same_seed_gives_the_same_bytes_and_another_one_does_not() -> None:
    values = draw(8, before=11, after=11, movers=2)
    assert judge(values, 11, seed=1) == judge(values, 11, seed=1)
    assert judge(values, 11, seed=1) != judge(values, 11, seed=2)


def test_a_drawn_p_is_never_zero() -> None:
    values = draw(9, before=12, after=12, movers=1, move=5.0)
    found = judge(values, 12)
    assert (found.method, found.relabellings, found.seed) == ("drawn", 1999, 0)
    assert found.rows[0].p_family == found.rows[0].p == 1 / 2000


def test_drawn_and_exact_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    values = draw(10, before=7, after=7, movers=3, move=0.5)
    exact = judge(values, 7)
    monkeypatch.setattr("echolot_tui.stats.labels.MOST_EXACT", 100)
    drawn = judge(values, 7)
    assert (exact.method, exact.relabellings, exact.seed) == ("exact", 3432, None)
    assert drawn.method == "drawn"
    for one, other in zip(exact.rows, drawn.rows, strict=True):
        assert one.statistic == pytest.approx(other.statistic)
        assert one.p_family == pytest.approx(other.p_family, abs=0.05)


def test_looking_in_smaller_pieces_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    values = mixed(11, 10, 10)
    whole = judge(values, 10)
    monkeypatch.setattr("echolot_tui.stats.relabel._CHUNK", 500)
    pieces = judge(values, 10)
    assert figures(pieces) == [pytest.approx(one) for one in figures(whole)]


def test_a_hair_on_a_tied_row_changes_no_verdict() -> None:
    rng = np.random.default_rng(12)
    for _ in range(20):
        values = draw(int(rng.integers(1 << 30)), rows=20)
        values[0] = 10 * rng.integers(1, 4, 10)
        plain = judge(values, 5)
        values[0, 5:] *= 1.001
        touched = judge(values, 5)
        assert plain.rows[0].found == touched.rows[0].found
        assert abs(plain.rows[0].q - touched.rows[0].q) < 0.1


# --- what it is for


def test_unchanged_tables_show_something_in_one_of_twenty() -> None:
    alarms = sum(any(row.found for row in judge(draw(seed), 5).rows) for seed in range(500))
    assert alarms / 500 <= 0.07


@pytest.mark.parametrize("size", [(4, 12), (12, 4), (5, 5)])
def test_a_noisier_side_is_no_reason_for_a_finding(size: tuple[int, int]) -> None:
    """Without the common spread these tables alarm in 15 to 50 %, that is 9 to 30 times."""
    tables = (draw(seed, before=size[0], after=size[1], noisier=2.0) for seed in range(60))
    alarms = sum(any(row.found for row in judge(values, size[0]).rows) for values in tables)
    assert alarms <= 8


def test_large_families_without_a_change_discover_nothing() -> None:
    """One family in twenty may; in five of these twenty it would be a fault."""
    families = (judge(draw(seed, rows=300, before=15, after=15), 15) for seed in range(20))
    assert sum(any(row.found or row.q <= 0.05 for row in found.rows) for found in families) < 5


def test_true_movers_are_found_and_drag_no_other_row_along() -> None:
    found = judge(draw(21, rows=305, before=15, after=15, movers=5, move=2.0), 15)
    assert all(row.found and row.q <= 0.05 for row in found.rows[:5])
    assert not any(row.found for row in found.rows[5:])


def test_a_crowd_makes_a_row_less_certain() -> None:
    values = draw(23, rows=401, before=10, after=10, movers=1, move=0.25, spread=(0.1, 0.1), shared=0)
    alone, crowded = judge(values[:1], 10).rows[0], judge(values, 10).rows[0]
    assert alone.p_family == alone.p == alone.q
    assert crowded.q > 2 * alone.q
    assert crowded.p_family > 2 * alone.p_family


def test_power_at_five_a_side_with_quiet_rows() -> None:
    """A Welch test of the same tables finds 24 % of these movers."""
    found = [
        row.found
        for seed in range(100)
        for row in judge(draw(seed, movers=3, spread=(0.03, 0.1)), 5).rows[:3]
    ]
    assert np.mean(found) > 0.4


def test_a_row_never_moves_more_for_the_test_than_it_did() -> None:
    for seed in range(30):
        values = draw(seed, shared=0.1, movers=20)
        logs = np.log(values)
        raw = logs[:, 5:].mean(axis=1) - logs[:, :5].mean(axis=1)
        for row, own, base in zip(judge(values, 5).rows, raw, np.median(values[:, :5], axis=1), strict=True):
            assert abs(row.move_ms) <= abs(base * math.expm1(own)) * (1 + 1e-9)
            assert row.move_ms * own >= 0


def test_a_build_slower_everywhere_is_slower_in_its_rows() -> None:
    found = judge(draw(31, before=8, after=8, movers=60, move=0.5, spread=(0.03, 0.1)), 8)
    assert np.mean([row.found for row in found.rows]) > 0.9


# --- traces, sizes and refusals


def test_occurrences_of_one_trace_are_one_run() -> None:
    rng = np.random.default_rng(41)
    means = draw(41, rows=10, before=4, after=5)
    offsets = rng.normal(size=(10, 9, 3))
    offsets -= offsets.mean(axis=2, keepdims=True)
    runs = (means[:, :, None] + offsets).reshape(10, 27)
    trace = [index for index in (*range(4), *range(5)) for _ in range(3)]
    found = relabel(runs, after=[False] * 12 + [True] * 15, seed=0, trace=trace)
    assert found is not None
    assert found.relabellings == math.comb(9, 4)
    assert [row.statistic for row in found.rows] == pytest.approx(
        [row.statistic for row in judge(means, 4).rows]
    )


def test_occurrences_do_not_make_findings() -> None:
    """Twenty occurrences that share their trace's luck: shuffled singly, most of these would alarm."""
    alarms = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        luck = np.repeat(rng.normal(0, 0.2, (10, 8)), 20, axis=1)
        runs = np.exp(3 + luck + rng.normal(0, 0.05, luck.shape))
        trace = [index for index in (*range(4), *range(4)) for _ in range(20)]
        found = relabel(runs, after=[False] * 80 + [True] * 80, seed=seed, trace=trace)
        assert found is not None
        alarms += any(row.found for row in found.rows)
    assert alarms <= 7


def test_four_a_side_rests_on_one_split_and_asks_for_five() -> None:
    found = judge(draw(51, before=4, after=4), 4)
    assert found.headroom == "one split"
    assert found.smallest_p == pytest.approx(2 / 70)
    assert found.critical is not None
    assert all(row.runs_needed is None or row.runs_needed >= 5 for row in found.rows)


def test_three_a_side_can_find_nothing() -> None:
    found = judge([[1.0] * 3 + [50.0] * 3, [3, 4, 5, 4, 5, 6]], 3)
    assert found.headroom == "none"
    assert found.critical is None
    assert not any(row.found for row in found.rows)
    assert [row.resolves_ms for row in found.rows] == [None, None]
    clear, unclear = (row.runs_needed for row in found.rows)
    assert clear == found.fewest_runs
    assert unclear is not None
    assert unclear > found.fewest_runs


@pytest.mark.parametrize("size", [(0, 5), (5, 0), (1, 1), (0, 0)])
def test_nothing_to_test(size: tuple[int, int]) -> None:
    assert relabel(np.ones((3, sum(size))), after=sides(*size), seed=0) is None


def test_no_rows_are_no_family() -> None:
    assert relabel(np.empty((0, 10)), after=sides(5, 5), seed=0) is None


@pytest.mark.parametrize(
    ("before", "after", "tied"),
    [
        ([10, 20, 30, 40], [11, 21, 31, 41], False),
        ([10, 20, 30, 40], [10, 20, 30, 41], True),
        ([10, 20, 30, 40], [10, 21, 31, 41], False),
        ([15] * 5, [10] * 5, False),
        ([0] * 5, [0, 0, 3, 4, 5], True),
    ],
)
def test_heavy_ties(before: list[float], after: list[float], tied: bool) -> None:
    assert heavily_tied(before, after) is tied


def test_a_tied_row_says_so_and_goes_by_its_mean() -> None:
    values = draw(61)
    values[0] = [10, 10, 20, 10, 20, 20, 30, 20, 30, 30]
    row = judge(values, 5).rows[0]
    assert row.tied
    assert row.move_ms == pytest.approx(26 - 14)


# --- cost


def test_three_hundred_rows_of_thirty_runs_take_less_than_a_second() -> None:
    values = draw(71, rows=300, before=15, after=15)
    started = time.perf_counter()
    judge(values, 15)
    assert time.perf_counter() - started < 1


@pytest.mark.slow
def test_two_thousand_rows_of_four_hundred_runs_take_less_than_thirty_seconds() -> None:
    import tracemalloc

    values = draw(72, rows=2000, before=200, after=200)
    started = time.perf_counter()
    judge(values, 200)
    assert time.perf_counter() - started < 30
    tracemalloc.start()
    judge(values, 200)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 250e6
