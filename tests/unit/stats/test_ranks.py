"""Ranks, the split scan and the share of agreeing pairs, against definitions and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu, rankdata

from echolot_tui.stats.ranks import doubled_ranks, locate, split_statistic, superiority

SERIES = st.lists(st.integers(0, 9).map(float), min_size=2, max_size=30)


@given(SERIES)
def test_doubled_ranks_are_twice_the_mid_ranks(values: list[float]) -> None:
    assert doubled_ranks(np.array(values)).tolist() == (2 * rankdata(values)).tolist()


@given(SERIES)
def test_the_split_is_the_first_largest_pettitt_statistic(values: list[float]) -> None:
    signs = np.sign(np.subtract.outer(values, values))
    by_definition = [signs[:t, t:].sum() for t in range(1, len(values))]
    assert split_statistic(doubled_ranks(np.array(values))).tolist() == by_definition
    best = max(abs(each) for each in by_definition)
    first = next(t for t, each in enumerate(by_definition, start=1) if abs(each) == best)
    assert locate(doubled_ranks(np.array(values))) == first


@given(SERIES, SERIES)
def test_superiority_is_the_share_of_pairs(before: list[float], after: list[float]) -> None:
    expected = mannwhitneyu(after, before, method="asymptotic").statistic / (len(before) * len(after))
    assert superiority(np.array(before), np.array(after)) == pytest.approx(expected)
