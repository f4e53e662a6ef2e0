"""The worked examples: every figure to its printed digits, every silence with the gate that declined."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from echolot_tui.history.branch import read_branch
from echolot_tui.history.chance import chance_of, split_p
from echolot_tui.history.detect import Candidate, Detection, detect
from echolot_tui.history.family import kept
from echolot_tui.history.levels import Levels, relative_move
from echolot_tui.stats.kendall import kendall_score, normal_p
from echolot_tui.stats.rank_sum import sums_of
from echolot_tui.stats.ranks import doubled_ranks
from scatter import scattered

NS = 1.0
"""Floor of a time in nanoseconds."""


def judged(values: Sequence[float], *, floor: float = NS, family: int = 1) -> Detection:
    return detect(Levels.of(values), floor, family)


def found(values: Sequence[float], *, floor: float = NS, family: int = 1) -> Candidate:
    candidate = judged(values, floor=floor, family=family).candidate
    assert candidate is not None
    return candidate


def gate(detection: Detection, stage: str, name: str) -> tuple[float | None, float | None, str]:
    (met,) = (each for each in detection.gates if (each.stage, each.gate) == (stage, name))
    return met.demand, met.computed, met.verdict


def declined_by(detection: Detection, stage: str) -> str | None:
    return next(
        (each.gate for each in detection.gates if each.stage == stage and each.verdict == "declined"), None
    )


CLEAN = scattered("clean_step", [100] * 10 + [130] * 10)


def test_clean_step() -> None:
    step = found(CLEAN)
    assert (step.method, step.at) == ("step", 10)
    assert step.baseline == pytest.approx(100.36830218253652, rel=1e-14)
    assert step.latest == pytest.approx(130.05171405014943, rel=1e-14)
    assert relative_move(step.delta, step.baseline) == pytest.approx(0.29574488, abs=5e-9)


def test_clean_steps_ladder() -> None:
    detection = judged(CLEAN)
    demand, computed, verdict = gate(detection, "step", "residual")
    assert (demand, computed, verdict) == (
        pytest.approx(7.73, abs=0.005),
        pytest.approx(29.68, abs=0.005),
        "passed",
    )
    assert gate(detection, "step", "agreement") == (0.85, 1.0, "passed")
    ranks = doubled_ranks(np.array(CLEAN))
    p = split_p(ranks, 10, sums_of(ranks))
    assert p == pytest.approx(1.0825e-5, rel=1e-4)
    # What the plain bound over eleven splits, weighted a tenth, would have said.
    assert 11 * p / 0.1 == pytest.approx(0.00119, abs=5e-6)
    # The exact share over all orderings of 20 points is the balanced test's own p.
    assert gate(detection, "chance", "search")[1] == pytest.approx(2 * p, rel=1e-9)


def test_multi_step() -> None:
    values = scattered("multi_step", [100] * 10 + [140] * 10 + [160] * 10)
    step = found(values)
    assert (step.method, step.at) == ("step", 15)
    assert step.baseline == pytest.approx(102.188, abs=5e-4)
    assert step.latest == pytest.approx(157.445, abs=5e-4)
    assert relative_move(step.delta, step.baseline) == pytest.approx(0.5407, abs=5e-5)
    detection = judged(values)
    assert gate(detection, "chance", "rank test")[1] == pytest.approx(1.547e-7, rel=5e-4)
    assert gate(detection, "step", "agreement")[1] == pytest.approx(0.982, abs=5e-4)
    assert step.further == (10, 21)


def test_slow_ramp() -> None:
    values = scattered("slow_ramp", [100 * (1 + 0.003 * i) for i in range(30)])
    drift = found(values)
    assert drift.method == "drift"
    assert drift.at is None
    assert drift.baseline == pytest.approx(98.50313347697937, rel=1e-13)
    assert drift.latest == pytest.approx(108.7433855201543, rel=1e-13)
    assert relative_move(drift.delta, drift.baseline) == pytest.approx(0.103959, abs=5e-7)
    detection = judged(values)
    # The step proposed at 11 leaves 1.952 behind, the line 1.634.
    assert gate(detection, "step", "regime")[1] == 11
    assert gate(detection, "step", "residual")[0] == pytest.approx(3 * 1.952, abs=0.003)
    assert gate(detection, "drift", "residual")[0] == pytest.approx(3 * 1.634, abs=0.003)


def test_flat_noisy() -> None:
    detection = judged(scattered("flat_noisy", [100] * 30))
    assert detection.candidate is None
    assert gate(detection, "step", "regime")[1] == 14
    assert gate(detection, "step", "relative")[1] == pytest.approx(0.034, abs=5e-4)
    assert gate(detection, "step", "residual") == (
        pytest.approx(5.30, abs=0.005),
        pytest.approx(3.33, abs=0.005),
        "declined",
    )
    assert gate(detection, "step", "agreement")[2] == "not run"
    assert declined_by(detection, "drift") == "trend"


def test_returned_excursion() -> None:
    detection = judged(scattered("returned_excursion", [100] * 10 + [140] * 10 + [100] * 10))
    assert detection.candidate is None
    assert gate(detection, "step", "residual") == (
        pytest.approx(53.7, abs=0.05),
        pytest.approx(23.3, abs=0.05),
        "declined",
    )


def test_one_spike() -> None:
    detection = judged([100.0] * 18 + [130.0, 100.0])
    assert detection.candidate is None
    assert declined_by(detection, "step") == "regime"


def test_overlapping() -> None:
    detection = judged([130.0] * 4 + [100.0] * 16 + [130.0] * 16 + [100.0] * 4)
    assert detection.candidate is None
    assert gate(detection, "step", "agreement") == (0.85, 0.8, "declined")


def test_flat_batch() -> None:
    """One of forty unchanged series would report alone; none does in their family."""
    batch = [scattered(f"flat{at}", [100] * 21) for at in range(40)]
    alone = {at: each.candidate for at, values in enumerate(batch) if (each := judged(values)).candidate}
    assert list(alone) == [3]
    drift = alone[3]
    assert drift is not None
    assert drift.method == "drift"
    assert drift.delta == pytest.approx(5.27, abs=0.005)
    normal = normal_p(abs(kendall_score(np.array(batch[3]))), (1,) * 21)
    assert 2 * normal == pytest.approx(0.0172, abs=5e-5)
    assert drift.chance < 2 * normal  # the exact form reaches further
    chances = [each.chance for values in batch if (each := judged(values, family=40).candidate)]
    assert not any(kept(chances, 40))


def test_branch_base() -> None:
    base = Levels.of(scattered("branch-base", [100] * 20))
    reading = read_branch(base, Levels.of([130.0]), NS)
    assert reading.low == pytest.approx(95.903, abs=5e-4)
    assert reading.high == pytest.approx(103.514, abs=5e-4)
    assert reading.excursion is not None
    assert reading.excursion.excess == pytest.approx(26.4855, abs=5e-5)
    assert reading.excursion.relative == pytest.approx(0.25586, abs=5e-6)
    inside = read_branch(base, Levels.of([100.0]), NS)
    assert inside.excursion is None
    assert [each.gate for each in inside.gates if each.verdict == "declined"] == ["outside"]


def test_branch_base_moved() -> None:
    base = Levels.of(scattered("branch_base_moved", [100] * 10 + [130] * 10))
    reading = read_branch(base, Levels.of([100.0]), NS)
    assert reading.regime.start == 10
    assert reading.low == pytest.approx(124.646, abs=5e-4)
    assert reading.high == pytest.approx(135.202, abs=5e-4)
    assert reading.excursion is not None
    assert reading.excursion.excess == pytest.approx(-24.6456, abs=5e-5)
    assert reading.excursion.relative == pytest.approx(-0.1977, abs=5e-5)
    assert reading.matches_previous


def test_family_staircase() -> None:
    chances = [0.033, 0.002, 0.045, 0.031, 0.011]
    assert kept(chances, 12) == [True, True, False, True, True]


def test_family_counts_everything_judged() -> None:
    assert kept([0.001, 0.006], 12) == [True, True]
    assert kept([0.001, 0.006], 2_000) == [False, False]


def test_direction_is_filtered_first() -> None:
    assert kept([0.001, 0.015], 10) == [True, True]
    assert kept([0.015], 10) == [False]


def test_the_shortest_series_reports_in_a_family_of_six() -> None:
    step = found([100.0 + i / 10 for i in range(5)] + [130.0 + i / 10 for i in range(5)])
    assert step.chance == pytest.approx(0.0159, abs=5e-5)
    assert kept([step.chance], 6) == [True]
    assert kept([step.chance], 7) == [False]


def test_short_of_a_full_window_the_chance_is_the_plain_tests() -> None:
    """At ten points only one split has two full sides."""
    values = np.array([3.0, 1.0, 2.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 4.0])
    ranks = doubled_ranks(values)
    chance = chance_of(ranks, 5, accept=0.0, reject=0.6)
    assert chance.level == chance.p
