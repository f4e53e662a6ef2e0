from __future__ import annotations

import numpy as np
import pytest

from echolot_tui.measure.coverage import covered_ns, pack, union_ns, unpack


def test_stretches_survive_storage() -> None:
    stored = pack([0, 3], [5, -7], [2**62, 0])
    row, ts, dur = unpack(stored)
    assert row.tolist() == [0, 3]
    assert ts.tolist() == [5, -7]
    assert dur.tolist() == [2**62, 0]
    assert stored.ts_ns == (5).to_bytes(8, "little") + (-7).to_bytes(8, "little", signed=True)


def test_columns_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="differ in length"):
        pack([0], [1, 2], [3, 4])


def test_each_moment_counts_once_over_detectors_and_only_chosen_rows() -> None:
    one = pack([0, 1, 0], [10, 20, 15], [10, 10, 3])  # row 0: 10..20 and 15..18; row 1: 20..30
    other = pack([2], [18], [6])  # 18..24
    assert covered_ns([(one, [0]), (other, [2])], start_ns=0, end_ns=100) == 14
    assert covered_ns([(one, [0, 1]), (other, [2])], start_ns=0, end_ns=100) == 20
    assert covered_ns([(one, []), (other, [0, 1])], start_ns=0, end_ns=100) == 0
    assert covered_ns([], start_ns=0, end_ns=100) == 0


def test_the_window_clips() -> None:
    stretches = pack([0, 0, 0], [0, 90, 200], [20, 30, 10])
    assert covered_ns([(stretches, [0])], start_ns=15, end_ns=100) == 5 + 10


def test_union_equals_marking_every_moment() -> None:
    rng = np.random.default_rng(7)
    for _ in range(300):
        size = int(rng.integers(0, 12))
        starts = rng.integers(0, 40, size)
        ends = starts + rng.integers(-5, 15, size)
        marked = {
            moment for a, b in zip(starts.tolist(), ends.tolist(), strict=True) for moment in range(a, b)
        }
        assert union_ns(starts.astype(np.int64), ends.astype(np.int64)) == len(marked)
