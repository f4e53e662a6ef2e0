"""Known cases in both modes: the verdict, the gate that makes it, and the same once more in another unit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from echolot_tui.history.family import bar
from echolot_tui.history.finding import Line
from echolot_tui.history.judge import judge_branch, judge_history
from echolot_tui.history.model import HistoryReport
from echolot_tui.history.series import Series, SetName, level_at
from scatter import scattered

SET = SetName(scenario="s", model="m", engine="e")
LINE = Line([(str(at), "") for at in range(400)])
COMPANIONS = [scattered(f"crowd{at}", [100] * 10) for at in range(49)]
SMALL = [100.0 + at / 10 for at in range(5)] + [108.0 + at / 10 for at in range(5)]
LARGE = scattered("big", [100] * 10 + [130] * 10)
MODES = [13.0 if each < 0.4 else 25 + 4 * each for each in np.random.default_rng(8).uniform(size=40)]
SPIKED = [*scattered("spiked", [100] * 17), 151.0, *scattered("after", [100] * 22)]
RAMP = [100 + at / 2 for at in range(40)]


@dataclass(frozen=True)
class Case:
    """One series and what is said about it."""

    values: list[float]
    said: str
    """``found``, a reason, or what declined it: every stage's gate."""
    tip: float | None = None
    unit: str = "ns"
    companions: tuple[list[float], ...] = ()


CASES = {
    "doubling": Case([100.0] * 50 + [200.0] * 50, "found"),
    "doubling, branch": Case([100.0] * 50, "found", tip=200.0),
    "halving": Case([100.0] * 50 + [50.0] * 50, "improvement"),
    "halving, branch": Case([100.0] * 50, "found", tip=50.0),
    "single last point": Case([100.0] * 99 + [200.0], "step: regime, drift: trend"),
    "single last point, branch": Case([100.0] * 99, "found", tip=200.0),
    "regressed, tip fixed": Case([100.0] * 50 + [200.0] * 49 + [100.0], "found"),
    "regressed, tip fixed, branch": Case([100.0] * 50, "branch: outside", tip=100.0),
    "nine base commits": Case([100.0] * 9, "too_few_base_commits", tip=200.0),
    "small and short": Case(SMALL, "found"),
    "small and short in a crowd": Case(SMALL, "family: false discoveries", companions=tuple(COMPANIONS)),
    "large in a crowd": Case(LARGE, "found", companions=tuple(COMPANIONS)),
    "instructions": Case([1_000.0] * 15 + [1_200.0] * 15, "found", unit="instructions"),
    "bytes": Case([4_096.0] * 15 + [5_120.0] * 15, "found", unit="bytes"),
    "four and four": Case([100.0] * 4 + [130.0] * 4, "too_few_points"),
    "two modes": Case(MODES, "step: agreement, drift: trend"),
    "two modes, branch": Case(MODES[:19], "branch: outside", tip=27.0),
    "a spike in the base": Case(SPIKED, "branch: outside", tip=110.0),
    "fell, back": Case([200.0] * 20 + [100.0] * 20, "found", tip=200.0),
    "fell, beyond": Case([200.0] * 20 + [100.0] * 20, "found", tip=230.0),
    "moved too recently": Case([100.0] * 36 + [200.0] * 4, "current_base_regime_unresolved", tip=220.0),
    "ramp": Case(RAMP, "found", tip=140.0),
    "reverted, as long": Case([100.0] * 20 + [130.0] * 20 + [100.0] * 20, "found", tip=130.0),
    "reverted, longer": Case([100.0] * 20 + [130.0] * 20 + [100.0] * 24, "found", tip=130.0),
    "equal to the edge": Case(RAMP[:15], "branch: outside", tip=RAMP[14]),
    "under a twentieth beyond": Case([100.0] * 15, "branch: relative", tip=104.9),
    "under the absolute floor": Case([10.0] * 15, "branch: absolute", tip=14.0, unit="count"),
}


def series(at: int, case: Case, values: list[float], factor: float) -> Series:
    points = tuple(level_at(each, str(each), [value * factor]) for each, value in enumerate(values))
    tip = None if case.tip is None else level_at(len(values), "tip", [case.tip * factor])
    return Series(set=SET, segments=(f"s{at}",), metric="m", unit=case.unit, points=points, context=tip)


def judged(case: Case, factor: float = 1.0) -> HistoryReport:
    given = [series(at, case, one, factor) for at, one in enumerate([case.values, *case.companions])]
    return (judge_history if case.tip is None else judge_branch)(given, LINE, every=True)


def said(report: HistoryReport) -> str:
    first = report.every[0]
    if first.found or first.reason:
        return first.reason or "found"
    return ", ".join(f"{gate.stage}: {gate.gate}" for gate in first.gates if gate.verdict == "declined")


@pytest.mark.parametrize("name", CASES)
def test_a_known_case(name: str) -> None:
    case = CASES[name]
    report = judged(case)
    if case.said == "improvement":  # a candidate of the direction that history does not report
        assert (report.findings, report.census.judged) == ((), 1)
        assert any(gate.gate == "search" and gate.verdict == "passed" for gate in report.every[0].gates)
        assert not any(gate.stage == "family" for gate in report.every[0].gates)
    else:
        assert said(report) == case.said


@pytest.mark.parametrize("name", [name for name in CASES if "absolute" not in name])
def test_a_thousandfold_is_the_same(name: str) -> None:
    plain, scaled = (judged(CASES[name], factor) for factor in (1.0, 1_000.0))
    assert said(plain) == said(scaled)
    assert [each.method for each in plain.findings] == [each.method for each in scaled.findings]
    assert [each.relative for each in plain.findings] == pytest.approx(
        [each.relative for each in scaled.findings]
    )


def test_a_case_on_an_absolute_floor_is_not() -> None:
    assert said(judged(CASES["under the absolute floor"], 1_000.0)) == "found"


def test_bars_of_twelve_series() -> None:
    """The largest chance of each rank, to four places."""
    bars = [bar(rank, 12) for rank in range(1, 6)]
    assert bars == pytest.approx([0.0083, 0.0167, 0.025, 0.0333, 0.0417], abs=5e-5)
    assert bar(2, 2_000) == pytest.approx(0.0001)


@pytest.mark.parametrize(("commits", "percent"), [(10, 18.2), (20, 9.5), (40, 4.9), (128, 1.6)])
def test_unchanged_values_outside_of_k_others(commits: int, percent: float) -> None:
    """Wilks 1941: an exchangeable value is the largest or smallest of k + 1 in 2 of k + 1 cases."""
    report = judged(Case([100.0] * commits, "", tip=100.0))
    assert report.expected_outside is not None
    assert 100 * report.expected_outside == pytest.approx(percent, abs=0.06)
    rng = np.random.default_rng(commits)
    drawn = rng.normal(size=(20_000, commits + 1))
    outside = (drawn[:, -1] > drawn[:, :-1].max(axis=1)) | (drawn[:, -1] < drawn[:, :-1].min(axis=1))
    assert 100 * outside.mean() == pytest.approx(percent, abs=1.0)
