"""Detectors with calibration rules and sets of runs, written by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from echolot_tui.calibrate.model import Asked, Calibration, DetectorCalibration, Threshold
from echolot_tui.calibrate.propose import calibrate
from echolot_tui.measure.catalogue import Catalogue
from echolot_tui.measure.detector_file import CalibrateRule, parse_detector
from echolot_tui.measure.model import DetectorMeasurement, Measurement
from echolot_tui.measure.plan import Plan, plan
from echolot_tui.project.scenario import Scenario
from hand_built import answer, traces

BLOCK = """
-- @id: block
-- @title: Block
-- @param: min_ms = 16
-- @param: skip_glob = 'nothing*'
-- @gate: self_ms >= min_ms
-- @calibrate: min_ms = top10(self_ms) * 1.5
-- @rank: self_ms
SELECT name AS location, SUM(self_dur) AS self_ms FROM window_slice
WHERE NOT name GLOB $skip_glob GROUP BY name
"""
FRAMES = """
-- @id: frames
-- @title: Frames
-- @param: min_frames = 3
-- @gate: count >= min_frames
-- @calibrate: min_frames = p95(count) * 1.5
-- @rank: count
SELECT name AS location, COUNT(*) AS count FROM window_slice GROUP BY name
"""
EITHER = """
-- @id: either
-- @title: Either
-- @param: min_txn_ms = 10
-- @param: max_total_ms = 50
-- @param: max_callers = 3
-- @gate: callers <= max_callers and (max_ms >= min_txn_ms or total_ms >= max_total_ms)
-- @calibrate: min_txn_ms = top2(max_ms) * 2
-- @calibrate: max_total_ms = top2(total_ms) * 2
-- @rank: total_ms
SELECT name AS location, 1 AS callers, MAX(dur) AS max_ms, SUM(dur) AS total_ms
FROM window_slice GROUP BY name
"""


def catalogue(*texts: str) -> Catalogue:
    """Detectors from their files' texts."""
    return Catalogue(detectors=tuple(parse_detector(text, "by hand", shipped=True) for text in texts))


def plan_for(scenario: Scenario, *texts: str) -> Plan:
    """The plan a scenario's sections make of these detectors."""
    return plan(catalogue(*texts), config=_layer(scenario.detectors), scenario=_layer(scenario.own_detectors))


def _layer(section: Mapping[str, Any]) -> dict[str, Any]:
    return {name: setting for name, setting in section.items() if setting is not True}


def block(*values: float, **fields: Any) -> DetectorMeasurement:
    """Rows of ``block`` with these self times."""
    rows = [{"location": f"s{at}", "self_ms": value} for at, value in enumerate(values)]
    return answer("block", *rows, **fields)


def calibrated(
    measurements: Sequence[Measurement], *texts: str, scenario: Scenario | None = None, **asked: Any
) -> Calibration:
    """A calibration of these detectors on these runs."""
    scenario = scenario or Scenario(name="run")
    return calibrate(measurements, plan_for(scenario, *texts), scenario, asked=Asked(**asked))


def detector_of(calibration: Calibration, detector_id: str = "block") -> DetectorCalibration:
    """One detector's part."""
    (found,) = (one for one in calibration.detectors if one.id == detector_id)
    return found


def threshold_of(calibration: Calibration, param: str = "min_ms", detector_id: str = "block") -> Threshold:
    """One threshold."""
    (found,) = (one for one in detector_of(calibration, detector_id).thresholds if one.param == param)
    return found


def rule(param: str, column: str, *, top: int = 10, factor: float = 1.5) -> CalibrateRule:
    """A rank's rule."""
    return CalibrateRule(param=param, top=top, column=column, factor=factor)


def runs(*sets: Sequence[float]) -> list[Measurement]:
    """One trace a set of ``block``'s self times."""
    return traces(*(block(*values) for values in sets))
