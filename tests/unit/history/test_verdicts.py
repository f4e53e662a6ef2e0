"""Cases whose verdict is known beforehand, in both modes, and the gates that make it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from echolot_tui.history.finding import Line
from echolot_tui.history.judge import judge_branch, judge_history
from echolot_tui.history.model import HistoryReport
from echolot_tui.history.series import Point, Series, SetName, level_at
from scatter import scattered

SET = SetName(scenario="s", model="m", engine="e")
LINE = Line([(str(at), "") for at in range(2_000)])


def points(values: Sequence[float]) -> tuple[Point, ...]:
    return tuple(level_at(at, str(at), [value]) for at, value in enumerate(values))


def series(name: str, values: Sequence[float], *, unit: str = "ns", context: float | None = None) -> Series:
    return Series(
        set=SET,
        segments=(name,),
        metric="time",
        unit=unit,
        points=points(values),
        context=None if context is None else level_at(len(values), "tip", [context]),
    )


def history(*values: Sequence[float], unit: str = "ns") -> HistoryReport:
    given = [series(f"s{at}", each, unit=unit) for at, each in enumerate(values)]
    return judge_history(given, LINE, every=True)


def branch(base: Sequence[float], tip: float, *, unit: str = "ns") -> HistoryReport:
    return judge_branch([series("s", base, unit=unit, context=tip)], LINE, every=True)


def declined(report: HistoryReport) -> str | None:
    return report.every[0].declined_by


FLAT = [100.0] * 50
MODES = [13.0 if each < 0.4 else 25 + 4 * each for each in np.random.default_rng(8).uniform(size=40)]


def test_a_doubling_is_reported_by_both() -> None:
    assert history(FLAT + [200.0] * 50).findings[0].relative == 1.0
    assert branch(FLAT, 200.0).findings[0].direction == "regression"


def test_a_halving_is_the_branchs_only() -> None:
    report = history(FLAT + [50.0] * 50)
    assert (report.findings, report.every[0].declined_by) == ((), None)
    found = branch(FLAT, 50.0)
    assert found.findings[0].direction == "improvement"
    assert (found.regressions, found.improvements) == (0, 1)


def test_a_single_last_point_is_the_branchs_only() -> None:
    report = history([100.0] * 99 + [200.0])
    assert declined(report) is not None
    assert not report.findings
    assert branch([100.0] * 99, 200.0).findings


def test_a_branch_that_fixed_its_tip_is_silent() -> None:
    assert history([100.0] * 50 + [200.0] * 49).findings
    assert not branch(FLAT, 100.0).findings


def test_nine_base_commits_are_too_few() -> None:
    report = branch([100.0] * 9, 200.0)
    assert report.every[0].reason == "too_few_base_commits"
    assert report.census.state == "nothing_judged"


def test_a_small_short_step_is_crowded_out() -> None:
    step = [100.0 + at / 10 for at in range(5)] + [108.0 + at / 10 for at in range(5)]
    assert history(step).findings
    crowd = [scattered(f"crowd{at}", [100] * 10) for at in range(49)]
    report = history(step, *crowd)
    assert not report.findings
    assert report.every[0].declined_by == "family: false discoveries"


def test_a_large_step_survives_the_crowd() -> None:
    step = scattered("big", [100] * 10 + [130] * 10)
    crowd = [scattered(f"crowd{at}", [100] * 10) for at in range(49)]
    assert [each.name for each in history(step, *crowd).findings] == ["s0"]


@pytest.mark.parametrize(
    ("unit", "before", "after"), [("instructions", 1_000.0, 1_200.0), ("bytes", 4_096.0, 5_120.0)]
)
def test_exact_counters_are_reported(unit: str, before: float, after: float) -> None:
    assert history([before] * 15 + [after] * 15, unit=unit).findings


def test_counts_have_a_floor_of_five_and_unknown_units_none() -> None:
    step = [10.0] * 15 + [14.0] * 15
    gates = [
        (gate.stage, gate.gate)
        for gate in history(step, unit="count").every[0].gates
        if gate.verdict == "declined"
    ]
    assert ("step", "absolute") in gates
    assert history(step, unit="furlongs").findings
    assert history([0.00010] * 15 + [0.00014] * 15, unit="furlongs").findings


def test_eight_points_are_too_few() -> None:
    report = history([100.0] * 4 + [130.0] * 4)
    assert report.every[0].reason == "too_few_points"
    assert report.census.reasons == {"too_few_points": 1}


def test_two_modes_are_silent() -> None:
    assert not history(MODES).findings
    assert not branch(MODES[:19], 27.0).findings


def test_a_base_with_a_spike_hides_a_small_excursion() -> None:
    base = scattered("spiked", [100] * 40)
    base[17] = 151.0
    assert not branch(base, 110.0).findings


@pytest.mark.parametrize("shape", [(30, 40, 8), (20, 20, 3), (20, 14, 5), (20, 14, 6), (30, 40, 5)], ids=str)
@pytest.mark.parametrize("name", ["back", "returned", "excursion"])
def test_a_returned_excursion_is_silent(shape: tuple[int, int, int], name: str) -> None:
    before, during, back = shape
    values = scattered(name, [100] * before + [140] * during + [100] * back)
    report = history(values)
    assert not report.findings
    gates = {gate.gate: gate for gate in report.every[0].gates if gate.stage == "step"}
    if shape in {(30, 40, 8), (20, 20, 3), (30, 40, 5)}:
        assert gates["current level"].verdict == "declined"
        assert gates["current level"].note == "returned"


def test_a_drift_that_turned_back_is_silent() -> None:
    values = [100.0 + at for at in range(40)] + [95.0] * 5
    report = history(values)
    assert not report.findings


@pytest.mark.parametrize("factor", [1e-3, 1024.0, 1e6])
@pytest.mark.parametrize(
    "make",
    [
        lambda: scattered("clean_step", [100] * 10 + [130] * 10),
        lambda: scattered("slow_ramp", [100 * (1 + 0.003 * at) for at in range(30)]),
        lambda: scattered("flat_noisy", [100] * 30),
        lambda: MODES,
    ],
)
def test_the_scale_does_not_matter(make: Callable[[], list[float]], factor: float) -> None:
    plain, scaled = (history(values, unit="x") for values in (make(), [each * factor for each in make()]))
    assert [each.method for each in plain.findings] == [each.method for each in scaled.findings]
    assert declined(plain) == declined(scaled)


class TestBranchShapes:
    def test_a_base_that_fell(self) -> None:
        base = [200.0] * 20 + [100.0] * 20
        (back,) = branch(base, 200.0).findings
        assert back.branch is not None
        assert (back.branch.regime_start.index, back.branch.low, back.branch.high) == (20, 100.0, 100.0)
        assert back.branch.matches_previous
        (beyond,) = branch(base, 230.0).findings
        assert beyond.branch is not None
        assert not beyond.branch.matches_previous

    def test_a_base_that_moved_too_recently(self) -> None:
        report = branch([100.0] * 36 + [200.0] * 4, 220.0)
        assert report.every[0].reason == "current_base_regime_unresolved"
        assert report.census.judged == 0

    def test_a_ramp_is_judged(self) -> None:
        report = branch([100 + at / 2 for at in range(40)], 140.0)
        assert report.findings
        assert report.sets[0].comparison is None  # a drifting base compares with nothing

    @pytest.mark.parametrize("last", [20, 24])
    def test_a_reverted_stretch(self, last: int) -> None:
        (finding,) = branch([100.0] * 20 + [130.0] * 20 + [100.0] * last, 130.0).findings
        assert finding.branch is not None
        assert finding.branch.regime_start.index == 40
        assert finding.branch.high == 100.0

    @pytest.mark.parametrize("commits", [10, 20, 40, 64, 128])
    def test_a_flat_base(self, commits: int) -> None:
        report = branch([100.0] * commits, 130.0)
        comparison = report.sets[0].comparison
        assert comparison is not None
        assert (comparison.commits, comparison.as_extreme) == (commits // 2, 0)
        assert report.findings[0].branch is not None
        assert report.findings[0].branch.in_comparison
        assert report.expected_outside == pytest.approx(2 / (commits + 1))

    def test_the_edge_is_inside(self) -> None:
        base = scattered("edge", [100] * 20)
        assert declined(branch(base, max(base))) == "branch: outside"

    def test_a_short_suffix_is_certified_in_a_full_window(self) -> None:
        """Eight selectors of the new level against a level of sixty-four searches' budget."""
        base = scattered("window", [100] * 112 + [130] * 16)
        (finding,) = branch(base, 100.0).findings
        assert finding.direction == "improvement"

    def test_only_the_newest_128_count(self) -> None:
        (finding,) = branch([200.0] * 100 + [100.0] * 128, 150.0).findings
        assert finding.branch is not None
        assert finding.branch.references == 128
