"""Bins of a run, and late against early inside runs."""

from __future__ import annotations

import numpy as np
import pytest

from echolot_tui.profiles.stacks import Recording
from profiles_by_hand import diff, recording, timed


def run(seed: int, *, growing: float = 0.0, ms: float = 8_000.0, weight: float = 0.5) -> Recording:
    """A sample a millisecond; ``fill``'s part grows by ``growing`` from begin to end."""
    rng = np.random.default_rng(seed)
    moments = np.arange(0.0, ms, 1.0)
    chance = 0.2 + growing * moments / ms
    drawn = rng.random(len(moments))
    names = np.where(
        drawn < chance, "main;cache;fill", np.where(drawn < weight + chance / 2, "main;work", "main;rest")
    )
    return timed(list(zip(moments.tolist(), names.tolist(), strict=True)))


def test_few_runs_are_cut_into_bins_and_judged() -> None:
    same = diff([run(1)], [run(2)])
    assert (same.judged_by, same.columns_before, same.columns_after, same.bin_ms) == ("bins", 7, 7, 1000.0)
    assert same.findings == ()
    moved = diff([run(1)], [run(2, weight=0.25)])
    assert {one.label for one in moved.findings} >= {"rest"}
    assert all(one.confirmed for one in moved.findings)
    assert diff([run(1)], [run(2)], bin_ms=0.0).judged_by == "floor"


def test_enough_runs_are_runs() -> None:
    runs = [run(seed, ms=500.0) for seed in range(8)]
    assert diff(runs[:4], runs[4:]).judged_by == "runs"
    assert diff(runs[:4], runs[4:], bin_ms=100.0).judged_by == "bins"


def test_what_grows_inside_runs_is_found_on_both_sides_alike() -> None:
    runs = [run(seed, growing=0.3, ms=2_000.0) for seed in range(14)]
    profile = diff(runs[:7], runs[7:])
    assert profile.findings == (), "before against after does not see it"
    for one in profile.early_late:
        assert (one.state, one.judged_by, one.pairs) == ("ok", "runs", 7)
        (rise,) = one.rises
        assert (rise.label, rise.path) == ("fill", ("main", "cache"))
        assert rise.share_late - rise.share_early == pytest.approx(rise.delta_share, abs=0.01)
        assert rise.p_family is not None
        assert rise.p_family <= 0.05


def test_steady_runs_show_no_growth() -> None:
    runs = [run(seed, ms=2_000.0) for seed in range(16)]
    profile = diff(runs[:8], runs[8:])
    assert [one.rises + one.falls for one in profile.early_late] == [(), ()]


def test_too_few_samples_and_no_moments_say_so() -> None:
    short = [run(seed, ms=300.0) for seed in range(2)]
    profile = diff(short[:1], [recording({"main;work": 300.0})])
    assert [one.state for one in profile.early_late] == ["too few", "no moments"]


def test_the_boundary_can_be_set() -> None:
    profile = diff([run(1)], [run(2)], boundary_ms=2_000.0)
    assert profile.early_late[0].samples_early == 2_000
    assert profile.early_late[0].samples_late == 6_000
