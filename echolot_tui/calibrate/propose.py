"""Measurements of healthy runs in, proposed thresholds out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from echolot_tui.calibrate.by_size import by_size
from echolot_tui.calibrate.derived import Derived, by_rule
from echolot_tui.calibrate.effect import effect
from echolot_tui.calibrate.model import (
    Asked,
    CalibratedRun,
    Calibration,
    DetectorCalibration,
    DetectorState,
    EffectOn,
    Setting,
    Source,
    Threshold,
)
from echolot_tui.calibrate.open_rows import OpenRows, listed, open_rows, opened
from echolot_tui.measure.detector_file import CalibrateRule
from echolot_tui.measure.gate import GateError
from echolot_tui.measure.model import Measurement
from echolot_tui.measure.plan import Decision, Plan
from echolot_tui.project.model import DetectorSetting
from echolot_tui.project.scenario import Scenario
from echolot_tui.report.build import NothingMeasuredError
from echolot_tui.report.runs import Run, runs_of

Sections = Mapping[str, DetectorSetting]


def calibrate(
    measurements: Sequence[Measurement],
    plan: Plan,
    scenario: Scenario,
    *,
    asked: Asked | None = None,
    made_at: str | None = None,
    config_sha: str | None = None,
) -> Calibration:
    """Derive every calibrated threshold of the detectors that are on.

    Args:
        measurements: Repeats of one scenario on a healthy build.
        plan: Detectors with the parameters in force today.
        scenario: Its sections: what the config sets, and where the printed section belongs.
        asked: By which rule, and the smallest sample.
        made_at: UTC, ISO; written as it is.
        config_sha: Of the config in force.

    Raises:
        NothingMeasuredError: There is no run.
    """
    asked = asked or Asked()
    runs = runs_of(measurements)
    if not runs:
        raise NothingMeasuredError("there is no run to calibrate on")
    rows = {
        decision.detector.id: open_rows(runs, decision) for decision in plan.decisions if _asked(decision)
    }
    calibration = Calibration(
        made_at=made_at,
        scenario=scenario.name,
        several=scenario.several,
        asked=asked,
        process=scenario.process,
        start=scenario.start,
        end=scenario.end,
        device=measurements[0].device.model,
        config_sha=config_sha,
        runs=tuple(map(_run, runs)),
        warnings=_warnings(measurements, runs),
        detectors=tuple(
            found
            for decision in plan.decisions
            if (found := _detector(decision, rows.get(decision.detector.id), scenario, asked))
        ),
    )
    on = EffectOn(what="these runs", labels=tuple(run.label for run in runs))
    return with_effect(calibration, rows, plan, on)


def with_effect(
    calibration: Calibration, rows: Mapping[str, OpenRows | None], plan: Plan, on: EffectOn
) -> Calibration:
    """The calibration with the rows each run of some set lists before and after it.

    Args:
        calibration: The proposal.
        rows: Open rows of that set by detector; ``None`` where they are not known.
        plan: The parameters in force today.
        on: Which set that is.
    """
    detectors = tuple(_counted(one, rows.get(one.id), plan) for one in calibration.detectors)
    return msgspec.structs.replace(calibration, detectors=detectors, effect_on=on)


def _counted(one: DetectorCalibration, rows: OpenRows | None, plan: Plan) -> DetectorCalibration:
    decision = plan.decision(one.id)
    if rows is None or decision is None or one.state == "off" or not one.thresholds:
        return msgspec.structs.replace(one, before=None, after=None)
    proposed = {threshold.param: threshold.after for threshold in one.thresholds}
    try:
        before = effect(rows, decision.params).per_run
        after = effect(rows, {**decision.params, **proposed}).per_run
    except GateError:  # the detector is failed, and its section says so
        return msgspec.structs.replace(one, before=None, after=None)
    return msgspec.structs.replace(one, before=before, after=after)


def _detector(
    decision: Decision, rows: OpenRows | None, scenario: Scenario, asked: Asked
) -> DetectorCalibration | None:
    """The detector's part; ``None`` when it has nothing to say."""
    detector = decision.detector
    section = scenario.own_detectors if scenario.several else scenario.detectors
    setting = section.get(detector.id)
    if not decision.on:
        return DetectorCalibration(id=detector.id, state="off") if setting is False else None
    calibrated = {rule.param for rule in detector.calibrate}
    set_here = setting if isinstance(setting, Mapping) else {}
    carried = {name: value for name, value in set_here.items() if name not in calibrated}
    if rows is None:
        return DetectorCalibration(id=detector.id, state="measured", carried=carried) if carried else None
    derived, error = _derive(decision, rows, asked)
    failed = [run.state == "failed" or bool(error) for run in rows.runs]
    broken = error or next((run.reason for run in rows.runs if run.state == "failed"), None)
    return DetectorCalibration(
        id=detector.id,
        state="failed" if all(failed) else "measured" if rows.looked else _blind(rows),
        error=broken,
        failed_runs=f"{sum(failed)}/{len(failed)}" if any(failed) else None,
        thresholds=tuple(
            _threshold(rule, decision, derived[rule.param], scenario) for rule in detector.calibrate
        ),
        carried=carried,
    )


def _asked(decision: Decision) -> bool:
    return decision.on and bool(decision.detector.calibrate)


def _blind(rows: OpenRows) -> DetectorState:
    return "failed" if any(run.state == "failed" for run in rows.runs) else "no data"


def _derive(decision: Decision, rows: OpenRows, asked: Asked) -> tuple[dict[str, Derived], str | None]:
    """What the runs say about each calibrated parameter; and the error of a gate that does not fit them."""
    rules = decision.detector.calibrate
    if not rows.looked:
        return {rule.param: _not_looked(rule, rows) for rule in rules}, None
    try:
        passing = list(listed(rows, opened(decision)))
        if asked.report_size is not None:
            return by_size(rows, decision.params, passing, asked.report_size), None
    except GateError as error:
        broken = Derived(outcome="failed", statistic="", factor=1.0, reason="its gate failed on every run")
        return {rule.param: broken for rule in rules}, error.sentence
    return {rule.param: by_rule(rows, rule, passing, asked.min_sample) for rule in rules}, None


def _not_looked(rule: CalibrateRule, rows: OpenRows) -> Derived:
    failed = sum(run.state == "failed" for run in rows.runs)
    if failed == len(rows.runs):
        reason = "it failed on every run"
    elif failed:
        reason = f"it failed on {failed} of {len(rows.runs)} runs, and the others lack its source"
    else:
        reason = next(run.reason for run in rows.runs if run.state == "no data")
    return Derived(
        outcome="failed" if failed else "no data",
        statistic=rule.statistic,
        factor=rule.factor,
        reason=reason,
        per_run=(None,) * len(rows.runs),
        sample=(None,) * len(rows.runs),
    )


def _threshold(rule: CalibrateRule, decision: Decision, found: Derived, scenario: Scenario) -> Threshold:
    detector_id, param = decision.detector.id, rule.param
    top = _set_in(scenario.detectors, detector_id, param)
    of_scenario = _set_in(scenario.own_detectors, detector_id, param)
    today, shipped = decision.params[param], decision.detector.defaults[param]
    assert not isinstance(today, str)
    assert not isinstance(shipped, str)
    own = of_scenario if scenario.several else top
    above = top if scenario.several else None
    source: Source = "scenario" if of_scenario is not None else "config" if top is not None else "shipped"
    kept = shipped if own is None and above is not None else today
    return Threshold(
        param=param,
        statistic=found.statistic or rule.statistic,
        factor=found.factor,
        shipped=shipped,
        today=today,
        today_source=source,
        own=own,
        above=above,
        proposed=found.proposed,
        after=kept if found.proposed is None else found.proposed,
        outcome=found.outcome,
        reason=found.reason,
        value=found.value,
        per_run=found.per_run,
        sample=found.sample,
        runs_used=found.runs_used,
        held=found.held,
    )


def _set_in(section: Sections, detector_id: str, param: str) -> int | float | None:
    setting = section.get(detector_id)
    value: Setting | None = setting.get(param) if isinstance(setting, Mapping) else None
    return None if isinstance(value, str) else value


def _run(run: Run) -> CalibratedRun:
    trace = run.measurement.trace
    return CalibratedRun(
        label=run.label, trace=trace.path, sha256=trace.sha256, window_ms=run.occurrence.duration_ms
    )


def _warnings(measurements: Sequence[Measurement], runs: Sequence[Run]) -> tuple[str, ...]:
    windows = [run.occurrence.duration_ms for run in runs]
    found = []
    if max(windows) > 2 * min(windows):
        lengths = f"{max(windows):.2f} and {min(windows):.2f} ms"
        found.append(
            f"the longest window is over twice the shortest ({lengths}): these are no repeats of one thing"
        )
    lossy = sum(measurement.health.state == "lossy" for measurement in measurements)
    if lossy:
        found.append(f"{lossy} of {len(measurements)} traces lost data, so rows may be missing from them")
    names = {measurement.process.name for measurement in measurements}
    if len(names) > 1:
        found.append("the runs measure different processes")
    return tuple(found)
