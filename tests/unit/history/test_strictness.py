"""What stands exactly on a gate: floors and agreement let it through, residual and bands do not."""

from __future__ import annotations

import pytest

from echolot_tui.history.branch import read_branch
from echolot_tui.history.detect import Detection, detect
from echolot_tui.history.family import kept
from echolot_tui.history.finding import Line
from echolot_tui.history.judge import judge_history
from echolot_tui.history.levels import Levels
from echolot_tui.history.series import Series, SetName, level_at

Intervals = list[tuple[float, float] | None]


def seen(
    values: list[float], stage: str, gate: str, *, floor: float = 0.0, intervals: Intervals | None = None
) -> str:
    found: Detection = detect(Levels.of(values, intervals or []), floor, 1)
    (verdict,) = (one.verdict for one in found.gates if (one.stage, one.gate) == (stage, gate))
    return verdict


def around(values: list[float], half: float) -> Intervals:
    return [(value - half, value + half) for value in values]


@pytest.mark.parametrize(("after", "verdict"), [(103.0, "passed"), (102.9, "declined")])
def test_the_relative_floor_of_history(after: float, verdict: str) -> None:
    assert seen([100.0] * 10 + [after] * 10, "step", "relative") == verdict


@pytest.mark.parametrize(("after", "verdict"), [(15.0, "passed"), (14.9, "declined")])
def test_the_absolute_floor(after: float, verdict: str) -> None:
    assert seen([10.0] * 10 + [after] * 10, "step", "absolute", floor=5.0) == verdict


@pytest.mark.parametrize(("move", "verdict"), [(4.0, "passed"), (3.0, "declined")])
def test_three_residuals(move: float, verdict: str) -> None:
    values = [99.0, 101.0] * 5 + [99.0 + move, 101.0 + move] * 5
    assert seen(values, "step", "residual") == verdict


@pytest.mark.parametrize(("low", "verdict"), [(2, "passed"), (3, "declined")])
def test_agreement_of_85_pairs_in_a_hundred(low: int, verdict: str) -> None:
    """One of ten before is high; two of ten after that are low make exactly 0.85."""
    before = [130.0] + [100.0] * 9
    after = [130.0] * 2 + [100.0] * low + [130.0] * (8 - low)
    assert seen(before + after, "step", "agreement") == verdict


@pytest.mark.parametrize(("half", "verdict"), [(14.9, "passed"), (15.0, "declined")])
def test_bands_of_a_step_that_touch(half: float, verdict: str) -> None:
    values = [100.0] * 10 + [130.0] * 10
    assert seen(values, "step", "interval", intervals=around(values, half)) == verdict


def test_an_interval_on_one_side_of_a_step_asks_for_nothing() -> None:
    values = [100.0] * 10 + [130.0] * 10
    assert seen(values, "step", "interval", intervals=[(0.0, 500.0)] * 10 + [None] * 10) == "skipped"


@pytest.mark.parametrize(("half", "verdict"), [(4.9, "passed"), (5.0, "declined")])
def test_two_half_widths_of_a_drift(half: float, verdict: str) -> None:
    """Eleven points that climb by one: ten over the whole window. One interval is enough to ask."""
    values = [100.0 + at for at in range(11)]
    intervals: Intervals = [None] * 10 + around([110.0], half)
    assert seen(values, "drift", "interval", intervals=intervals) == verdict


@pytest.mark.parametrize(("value", "declined"), [(105.0, None), (104.9, "relative"), (100.0, "outside")])
def test_the_relative_floor_of_a_branch(value: float, declined: str | None) -> None:
    reading = read_branch(Levels.of([100.0] * 12), Levels.of([value]), 1.0)
    assert next((gate.gate for gate in reading.gates if gate.verdict == "declined"), None) == declined


@pytest.mark.parametrize(("half", "declined"), [(4.9, None), (5.0, "half-width")])
def test_two_half_widths_of_a_branch(half: float, declined: str | None) -> None:
    base = Levels.of([100.0] * 12, around([100.0] * 12, half))
    reading = read_branch(base, Levels.of([110.0]), 1.0)
    assert next((gate.gate for gate in reading.gates if gate.verdict == "declined"), None) == declined


@pytest.mark.parametrize(("half", "declined"), [(4.0, None), (5.0, "interval")])
def test_intervals_of_a_branch_that_touch(half: float, declined: str | None) -> None:
    base = Levels.of([100.0] * 12, around([100.0] * 12, half))
    reading = read_branch(base, Levels.of([110.0], around([110.0], half)), 1.0)
    assert next((gate.gate for gate in reading.gates if gate.verdict == "declined"), None) == declined


def test_false_discoveries_are_at_most_their_bar() -> None:
    assert kept([0.1 / 12], 12) == [True]
    assert kept([0.1 / 12 * (1 + 1e-12)], 12) == [False]


@pytest.mark.parametrize(("after", "findings"), [(1_000, 0), pytest.param(900, 1, marks=pytest.mark.slow)])
def test_only_the_newest_thousand_points_are_looked_at(after: int, findings: int) -> None:
    """A step before them is none any more."""
    values = [100.0] * 500 + [130.0] * after
    series = Series(
        set=SetName(scenario="s", model="m", engine="e"),
        segments=("a",),
        metric="t",
        unit="ns",
        points=tuple(level_at(at, str(at), [value]) for at, value in enumerate(values)),
    )
    report = judge_history([series], Line([(str(at), "") for at in range(len(values))]))
    assert len(report.findings) == findings
