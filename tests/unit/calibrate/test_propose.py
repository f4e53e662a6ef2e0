"""The rules of the statistic, case by case, with numbers worked out by hand."""

from __future__ import annotations

import re
import statistics

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibrations_by_hand import (
    BLOCK,
    EITHER,
    FRAMES,
    block,
    calibrated,
    detector_of,
    plan_for,
    runs,
    threshold_of,
)
from echolot_tui.calibrate.kept import encode_calibration
from echolot_tui.calibrate.model import Calibration
from echolot_tui.calibrate.propose import calibrate
from echolot_tui.measure.detector_file import DetectorFileError, parse_detector
from echolot_tui.measure.model import Health
from echolot_tui.project.scenario import Scenario
from echolot_tui.report.build import NothingMeasuredError
from hand_built import answer, measurement, occurrence, traces

TEN = [float(value) for value in range(30, 20, -1)]  # the tenth largest is 21
TWELVE = [float(value) for value in range(40, 28, -1)]  # the tenth largest is 31


def test_the_statistic_is_taken_of_each_run_and_the_median_stands_for_the_set() -> None:
    one = threshold_of(calibrated(runs(TEN, TWELVE, TEN), BLOCK))
    assert (one.per_run, one.value) == ((21.0, 31.0, 21.0), 21.0)
    assert (one.proposed, one.outcome, one.reason) == (31.5, "proposed", "")
    assert (one.sample, one.runs_used) == ((10, 12, 10), 3)
    assert (one.statistic, one.factor, one.today, one.shipped, one.after) == (
        "top10(self_ms)",
        1.5,
        16,
        16,
        31.5,
    )


def test_repeats_of_one_run_do_not_move_the_threshold_though_pooled_they_would() -> None:
    proposed = [
        threshold_of(calibrated(runs(*[TWELVE] * repeats), BLOCK)).proposed for repeats in (1, 2, 5, 9)
    ]
    assert proposed == [46.5] * 4
    pooled = [sorted(TWELVE * repeats, reverse=True)[9] for repeats in (1, 2, 5, 9)]
    assert pooled == [31.0, 36.0, 39.0, 39.0]


def test_a_run_short_of_rows_is_left_out_of_the_median() -> None:
    one = threshold_of(calibrated(runs(TEN, TWELVE, TWELVE[:9]), BLOCK))
    assert (one.per_run, one.value, one.runs_used) == ((21.0, 31.0, None), 26.0, 2)
    assert one.sample == (10, 12, 9)


def test_no_run_with_enough_rows_proposes_nothing() -> None:
    one = threshold_of(calibrated(runs(TEN[:4], TEN[:9]), BLOCK))
    assert (one.proposed, one.outcome, one.after) == (None, "sample", 16)
    assert one.reason == "sample 9 per run at most, needs at least 10"


def test_the_smallest_sample_can_be_raised_and_lowered_down_to_the_rank() -> None:
    assert threshold_of(calibrated(runs(TEN), BLOCK, min_sample=11)).outcome == "sample"
    low = threshold_of(calibrated(runs(TEN[:9]), BLOCK, min_sample=3))
    assert low.reason == "sample 9 per run at most, needs at least 10"


@pytest.mark.parametrize(("tenth", "outcome"), [(0.66, "degenerate"), (0.67, "proposed")])
def test_a_product_below_one_is_a_degenerate_tail(tenth: float, outcome: str) -> None:
    one = threshold_of(calibrated(runs([*TEN[:9], tenth]), BLOCK))
    assert (one.outcome, one.value) == (outcome, tenth)
    if outcome == "degenerate":
        assert (one.proposed, one.after) == (None, 16)
        assert one.reason == "top10(self_ms)=0.66, the tail of the distribution is degenerate"


def test_a_percentile_interpolates_and_a_count_is_whole() -> None:
    rows = [{"location": str(n), "count": n} for n in range(1, 22)]
    one = threshold_of(calibrated(traces(answer("frames", *rows)), FRAMES), "min_frames", "frames")
    assert (one.value, one.proposed) == (20.0, 30)
    assert isinstance(one.proposed, int)


def test_a_percentile_needs_every_row() -> None:
    rows = [{"location": str(n), "count": n} for n in range(1, 22)]
    whole, cut = answer("frames", *rows), answer("frames", *rows, total=5000)
    one = threshold_of(calibrated(traces(cut), FRAMES), "min_frames", "frames")
    assert (one.outcome, one.proposed) == ("truncated", None)
    mixed = threshold_of(calibrated(traces(cut, whole), FRAMES), "min_frames", "frames")
    assert (mixed.per_run, mixed.runs_used) == ((None, 20.0), 1)


def test_the_gates_other_conditions_stay_closed() -> None:
    """Only calibrated thresholds are opened: a row with too many callers is no part of the sample."""
    rows = [
        {"location": "a", "callers": 1, "max_ms": 5.0, "total_ms": 9.0},
        {"location": "b", "callers": 9, "max_ms": 500.0, "total_ms": 900.0},
        {"location": "c", "callers": 3, "max_ms": 4.0, "total_ms": 7.0},
    ]
    made = calibrated(traces(answer("either", *rows)), EITHER, min_sample=1)
    assert threshold_of(made, "min_txn_ms", "either").proposed == 8.0
    assert threshold_of(made, "max_total_ms", "either").proposed == 14.0
    assert threshold_of(made, "min_txn_ms", "either").sample == (2,)


def test_rows_of_one_name_in_a_run_count_once_as_in_the_report() -> None:
    twice = answer("block", *({"location": f"s{at % 10}", "self_ms": 5.0} for at in range(20)))
    one = threshold_of(calibrated(traces(twice), BLOCK))
    assert (one.sample, one.value) == ((10,), 10.0)


def test_occurrences_of_a_trace_are_runs() -> None:
    both = measurement(occurrence(block(*TEN)), occurrence(block(*TWELVE), number=2))
    made = calibrated([both], BLOCK)
    assert [run.label for run in made.runs] == ["1.1", "1.2"]
    assert threshold_of(made).per_run == (21.0, 31.0)


def test_a_detector_that_failed_everywhere_is_named_with_its_error() -> None:
    broken = answer("block", state="failed", reason="no such column: x")
    made = calibrated(traces(broken, broken), BLOCK)
    part = detector_of(made)
    assert (part.state, part.error, part.failed_runs, made.failed) == (
        "failed",
        "no such column: x",
        "2/2",
        ("block",),
    )
    assert (threshold_of(made).outcome, threshold_of(made).reason) == ("failed", "it failed on every run")


def test_a_detector_that_failed_on_some_runs_is_calibrated_on_the_others() -> None:
    broken = answer("block", state="failed", reason="no such column: x")
    made = calibrated(traces(block(*TEN), broken), BLOCK)
    assert (detector_of(made).state, detector_of(made).failed_runs, made.failed) == ("measured", "1/2", ())
    assert (threshold_of(made).per_run, threshold_of(made).sample) == ((21.0, None), (10, None))
    assert detector_of(made).before == (10, None)


def test_a_missing_source_is_no_failure() -> None:
    made = calibrated(traces(answer("block", state="no data", reason="the trace has no slices")), BLOCK)
    assert (detector_of(made).state, detector_of(made).failed_runs, made.failed) == ("no data", None, ())
    assert (threshold_of(made).outcome, threshold_of(made).reason) == ("no data", "the trace has no slices")


def test_a_gate_that_does_not_fit_the_rows_is_a_failure() -> None:
    made = calibrated(traces(answer("block", {"location": "a", "other_ms": 1.0})), BLOCK)
    assert made.failed == ("block",)
    assert "self_ms" in (detector_of(made).error or "")
    text = calibrated(traces(answer("block", {"location": "a", "self_ms": "long"})), BLOCK)
    assert text.failed == ("block",)
    assert "text" in (detector_of(text).error or "")


def test_windows_more_than_twice_apart_are_warned_about() -> None:
    def set_of(*lengths: float) -> Calibration:
        made = [
            measurement(occurrence(block(*TEN), duration_ms=length), path=f"t{length}") for length in lengths
        ]
        return calibrated(made, BLOCK)

    assert set_of(100.0, 200.0).warnings == ()
    (warning,) = set_of(100.0, 150.0, 201.0).warnings
    assert "201.00 and 100.00 ms" in warning


def test_lossy_traces_and_other_processes_are_warned_about() -> None:
    healthy, lossy = runs(TEN, TEN)
    lossy = msgspec.structs.replace(lossy, health=Health(state="lossy"))
    other = msgspec.structs.replace(healthy, process=msgspec.structs.replace(healthy.process, name="other"))
    assert calibrated([healthy, lossy], BLOCK).warnings == (
        "1 of 2 traces lost data, so rows may be missing from them",
    )
    assert calibrated([healthy, other], BLOCK).warnings == ("the runs measure different processes",)


def test_nothing_to_calibrate_on_is_refused() -> None:
    scenario = Scenario(name="run")
    with pytest.raises(NothingMeasuredError):
        calibrate([], plan_for(scenario, BLOCK), scenario)


class TestSections:
    """What the config sets, carried over or given back."""

    def test_a_detector_turned_off_comes_back_off_and_is_not_measured(self) -> None:
        made = calibrated(runs(TEN), BLOCK, FRAMES, scenario=Scenario(name="run", detectors={"block": False}))
        assert detector_of(made).state == "off"
        assert detector_of(made).thresholds == ()
        assert detector_of(made).before is None

    def test_what_is_not_calibrated_is_carried_over(self) -> None:
        scenario = Scenario(name="run", detectors={"block": {"skip_glob": "*Binder*", "min_ms": 20}})
        made = calibrated(runs(TEN), BLOCK, scenario=scenario)
        assert detector_of(made).carried == {"skip_glob": "*Binder*"}
        one = threshold_of(made)
        assert (one.today, one.today_source, one.own, one.after) == (20, "config", 20, 31.5)

    def test_an_uncalibrated_threshold_keeps_the_configs_value(self) -> None:
        scenario = Scenario(name="run", detectors={"block": {"min_ms": 20}})
        one = threshold_of(calibrated(runs(TEN[:3]), BLOCK, scenario=scenario))
        assert (one.proposed, one.own, one.after) == (None, 20, 20)

    def test_a_scenario_keeps_its_own_and_leaves_the_top_where_it_is(self) -> None:
        scenario = Scenario(
            name="cold",
            several=True,
            detectors={"block": {"skip_glob": "top*"}, "frames": False},
            own_detectors={"block": {"min_ms": 5}},
        )
        made = calibrated(runs(TEN[:3]), BLOCK, FRAMES, scenario=scenario)
        assert [one.id for one in made.detectors] == ["block"]  # frames is off at the top, not here
        assert detector_of(made).carried == {}
        one = threshold_of(made)
        assert (one.today, one.today_source, one.own, one.above, one.after) == (5, "scenario", 5, None, 5)

    def test_a_number_the_top_sets_and_the_scenarios_runs_do_not_support_becomes_the_default(self) -> None:
        scenario = Scenario(name="cold", several=True, detectors={"block": {"min_ms": 2.8}})
        one = threshold_of(calibrated(runs(TEN[:3]), BLOCK, scenario=scenario))
        assert (one.today, one.today_source, one.own, one.above) == (2.8, "config", None, 2.8)
        assert (one.proposed, one.after) == (None, 16)

    def test_a_scenario_can_turn_off_and_turn_on(self) -> None:
        off = Scenario(name="cold", several=True, own_detectors={"block": False})
        assert detector_of(calibrated(runs(TEN), BLOCK, FRAMES, scenario=off)).state == "off"
        on = Scenario(
            name="cold", several=True, detectors={"block": False}, own_detectors={"block": {"min_ms": 3}}
        )
        assert threshold_of(calibrated(runs(TEN), BLOCK, scenario=on)).proposed == 31.5


@given(st.lists(st.lists(st.integers(0, 10_000).map(lambda n: n / 100), max_size=30), min_size=1, max_size=6))
@settings(max_examples=60, deadline=None)
def test_any_set_agrees_with_the_rule_written_out(sets: list[list[float]]) -> None:
    one = threshold_of(calibrated(runs(*sets), BLOCK))
    enough = [sorted(values)[-10] for values in sets if len(values) >= 10]
    product = statistics.median(enough) * 1.5 if enough else 0.0
    assert one.proposed == (round(product, 1) if product >= 1 else None)


@given(
    st.lists(st.lists(st.integers(1, 10_000).map(lambda n: n / 100), min_size=10, max_size=30), min_size=1)
)
@settings(max_examples=40, deadline=None)
def test_the_order_of_runs_and_rows_does_not_matter(sets: list[list[float]]) -> None:
    there = threshold_of(calibrated(runs(*sets), BLOCK))
    back = threshold_of(calibrated(runs(*(values[::-1] for values in sets[::-1])), BLOCK))
    assert there.proposed == back.proposed
    assert there.per_run == back.per_run[::-1]


def test_the_same_runs_give_the_same_bytes() -> None:
    first, second = (encode_calibration(calibrated(runs(TEN, TWELVE), BLOCK)) for _ in range(2))
    assert first == second
    again = msgspec.json.decode(first, type=Calibration)
    assert encode_calibration(again) == first


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("top10(self_ms)", "mean(self_ms)", "is not param = topN(column) * factor"),
        ("top10(self_ms)", "p100(self_ms)", "is not param = topN(column) * factor"),
        ("min_ms = top10", "skip_glob = top10", "which is text"),
        ("min_ms = top10", "min_mss = top10", "which is no @param; did you mean min_ms?"),
        ("self_ms >= min_ms", "self_ms >= 3 and 'a' = 'b'", "which the gate does not use"),
    ],
)
def test_a_rule_that_cannot_be_followed_is_refused(old: str, new: str, problem: str) -> None:
    with pytest.raises(DetectorFileError, match=re.escape(problem)):
        parse_detector(BLOCK.replace(old, new), "block.sql")


def test_a_parameter_has_one_rule() -> None:
    twice = BLOCK.replace("-- @rank", "-- @calibrate: min_ms = p95(self_ms) * 2\n-- @rank")
    with pytest.raises(DetectorFileError, match="@calibrate names min_ms twice"):
        parse_detector(twice, "block.sql")
