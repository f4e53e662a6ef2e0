"""On generated cold starts: a rank of each run stays put while runs are added, one of pooled rows climbs."""

from __future__ import annotations

from pathlib import Path

import pytest

from calibrations_by_hand import threshold_of
from echolot_tui.calibrate.propose import calibrate
from echolot_tui.engine.model import EngineChoice
from echolot_tui.generate.demo import write_demo
from echolot_tui.measure.catalogue import load_catalogue
from echolot_tui.measure.measure_set import measure_set
from echolot_tui.measure.model import Measurement
from echolot_tui.measure.plan import plan
from echolot_tui.measure.spec import MeasureSpec
from echolot_tui.project.load import load_config
from echolot_tui.project.scenario import Scenario, resolve_scenario

PLAN = plan(load_catalogue())


@pytest.fixture(scope="module")
def scenario_and_runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Scenario, tuple[Measurement, ...]]:
    demo = write_demo(tmp_path_factory.mktemp("repeats") / "project")
    scenario = resolve_scenario(load_config(demo.config))
    spec = MeasureSpec(
        process=scenario.process,
        start=scenario.start,
        end=scenario.end,
        detectors=PLAN.detectors,
        claimed_globs=PLAN.claimed_globs,
    )
    return scenario, measure_set(
        list(demo.before_traces), spec, EngineChoice(), jobs=2, cache=None
    ).measurements


def pooled(measurements: tuple[Measurement, ...]) -> float:
    values = [
        float(row.columns["self_ms"] or 0)
        for measurement in measurements
        for detector in measurement.occurrences[0].detectors
        if detector.id == "main_thread_block"
        for row in detector.rows
    ]
    return sorted(values, reverse=True)[9] * 1.5


def test_the_threshold_does_not_grow_with_the_number_of_repeats(
    scenario_and_runs: tuple[Scenario, tuple[Measurement, ...]],
) -> None:
    scenario, measurements = scenario_and_runs
    taken = {}
    for repeats in (1, 3, 5):
        made = calibrate(measurements[:repeats], PLAN, scenario)
        taken[repeats] = threshold_of(made, "min_slice_ms", "main_thread_block").proposed
    first = taken[1]
    assert first is not None
    assert all(value is not None and abs(value - first) <= 0.1 * first for value in taken.values())
    assert pooled(measurements[:1]) == pytest.approx(first, abs=0.06)
    assert pooled(measurements[:3]) > 2 * first
    assert pooled(measurements[:5]) > 3 * first


def test_only_a_detector_with_enough_rows_a_run_gets_a_number(
    scenario_and_runs: tuple[Scenario, tuple[Measurement, ...]], tmp_path: Path
) -> None:
    scenario, measurements = scenario_and_runs
    made = calibrate(measurements, PLAN, scenario)
    assert [one.id for one in made.detectors for each in one.thresholds if each.proposed is not None] == [
        "main_thread_block"
    ]
    assert (made.proposed, made.kept, made.failed, made.warnings) == (1, 15, (), ())
