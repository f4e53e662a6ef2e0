"""Ranks, percentiles and rounding, against sorting, numpy and the gates they are made for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from echolot_tui.calibrate.open_rows import RunRows, values_of
from echolot_tui.calibrate.statistic import just_over, needed, percentile, rounded, sorted_numbers, top
from echolot_tui.measure.detector_file import CalibrateRule
from echolot_tui.measure.gate_columns import columns_of

VALUES = st.lists(st.floats(0, 1e6, allow_nan=False), min_size=1, max_size=60)


@given(VALUES, st.floats(0, 100))
def test_percentile_is_numpys_linear_one(values: list[float], share: float) -> None:
    found = percentile(sorted(values, reverse=True), share)
    assert found == pytest.approx(float(np.percentile(values, share)), rel=1e-9, abs=1e-9)


@given(VALUES, st.data())
def test_the_nth_largest_has_n_values_at_or_over_it(values: list[float], data: st.DataObject) -> None:
    rank = data.draw(st.integers(1, len(values)))
    found = top(sorted(values, reverse=True), rank)
    assert sum(value > found for value in values) < rank <= sum(value >= found for value in values)


def test_values_leave_out_what_is_no_number() -> None:
    rows = [{"ms": 3}, {"ms": None}, {"ms": "7"}, {}, {"ms": 4.5}]
    assert sorted_numbers([row.get("ms") for row in rows]) == [4.5, 3.0]
    by_row = RunRows(names=(0, 1, 2, 3, 4), columns=rows)
    assert values_of(by_row, [True, True, True, True, False], "ms") == [3.0]
    numbers = [{"ms": 3}, {"ms": None}, {"ms": 4.5}, {"ms": 9}]
    by_column = RunRows(names=(0, 1, 2, 3), columns=numbers, numbers=columns_of(numbers, ["ms"]))
    assert values_of(by_column, [True, True, True, False], "ms") == [4.5, 3.0]


def test_a_threshold_has_one_decimal_and_a_count_none() -> None:
    assert rounded(17.66 * 1.5, "self_ms") == 26.5
    assert rounded(7 * 1.5, "count") == 11
    assert isinstance(rounded(4 * 1.5, "count"), int)
    assert rounded(10 * 1.1, "count") == 11  # 11.000000000000002


@given(st.integers(1, 10_000), st.floats(1, 3))
def test_rounding_a_count_lists_the_same_rows(count: int, factor: float) -> None:
    exact = round(count * factor, 6)
    bar = rounded(count * factor, "count")
    assert all((n >= bar) == (n >= exact) for n in range(int(exact) - 2, int(exact) + 3))


@given(st.floats(0, 1e5, allow_nan=False))
def test_just_over_is_the_smallest_that_is(value: float) -> None:
    value = round(value, 2)
    bar = just_over(value, "self_ms")
    assert value < bar <= value + 0.1 + 1e-9
    assert round(bar, 1) == bar
    assert just_over(value, "count") == int(value) + 1


def test_a_rank_needs_as_many_rows() -> None:
    assert needed(CalibrateRule(param="p", top=10, column="c", factor=1.5), 3) == 10
    assert needed(CalibrateRule(param="p", top=5, column="c", factor=1.5), 10) == 10
    assert needed(CalibrateRule(param="p", percentile=95.0, column="c", factor=1.5), 4) == 4
