"""What a calibration says, sentence by sentence: where numbers come from, and why some are missing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from echolot_tui.calibrate.by_size import VOUCHING
from echolot_tui.calibrate.model import Calibration, DetectorCalibration, Number, Suspicion, Threshold
from echolot_tui.calibrate.origin import Origin
from echolot_tui.present.numbers import listed, ms, plural
from echolot_tui.text import visible

_SUSPECTS_SHOWN = 3


def number(value: Number) -> str:
    """A threshold as a config holds it."""
    return f"{value:g}" if float(value) == int(value) and abs(value) < 1e15 else repr(value)


def derivation(one: Threshold) -> str:
    """Where a proposed number comes from: statistic, factor, runs, sample."""
    assert one.value is not None
    formula = f"{one.statistic}={one.value:g} × {one.factor:.3g}"
    runs = plural(one.runs_used, "run")
    if one.held is None:
        return f"{formula}, median of {runs}, sample {between(_used(one))} per run"
    held = f"{one.held} traces hold under the bar of the others"
    return f"{formula}, over {runs}, sample {between(_used(one))} per run; {held}"


def kept_reason(detector: DetectorCalibration, one: Threshold) -> str:
    """Why nothing is proposed, and on how many runs the detector failed."""
    if detector.failed_runs and detector.state != "failed":
        return f"{one.reason}; it failed on {detector.failed_runs} runs"
    return one.reason


def between(values: Sequence[Number]) -> str:
    """``46–50``, ``23``, or ``none``."""
    if not values:
        return "none"
    low, high = min(values), max(values)
    return number(low) if low == high else f"{number(low)}–{number(high)}"


def rows_per_run(values: Sequence[int | None] | None) -> str | None:
    """Rows each run lists, as a range; ``None`` when that is not known."""
    found = [value for value in values or () if value is not None]
    return between(found) if found else None


def runs_line(calibration: Calibration) -> str:
    """Runs, windows and device."""
    windows = [run.window_ms for run in calibration.runs]
    lengths = ms(windows[0]) if min(windows) == max(windows) else f"{ms(min(windows))}–{ms(max(windows))}"
    device = f", on {visible(calibration.device, 60)}" if calibration.device else ""
    size = calibration.asked.report_size
    how = f", at most {plural(size, 'row')} a run" if size is not None else ""
    runs = plural(len(calibration.runs), "run")
    return f"calibrated on {runs} of {calibration.scenario}, window {lengths} ms{device}{how}"


def summary_lines(calibration: Calibration) -> list[str]:
    """How many thresholds got no number, which detectors failed, and how far few runs carry."""
    lines = []
    if calibration.kept:
        total = calibration.proposed + calibration.kept
        lines.append(f"{calibration.kept} of {plural(total, 'threshold')} got no number and stay as they are")
    if calibration.failed:
        lines.append(f"failed on every run: {', '.join(calibration.failed)}")
    partly = [
        f"{detector.id} ({detector.failed_runs})"
        for detector in calibration.detectors
        if detector.failed_runs and detector.state != "failed"
    ]
    if partly:
        lines.append(f"failed on some runs: {', '.join(partly)}")
    traces = len({run.trace for run in calibration.runs})
    if calibration.asked.report_size is not None and calibration.proposed and traces < VOUCHING:
        share = 100 * traces // (traces + 1)
        lines.append(
            f"{plural(traces, 'trace')} alone vouch for {share} % of runs to come, {VOUCHING} for 95 %; "
            "for the rest stands the factor"
        )
    return lines


def suspicion_text(suspicion: Suspicion) -> str | None:
    """The warning, or that nothing could be tested; ``None`` when the runs look like the earlier ones."""
    when = f" of {suspicion.made_at}" if suspicion.made_at else ""
    earlier = f"the calibration{when} ({plural(suspicion.runs, 'run')})"
    if not suspicion.suspected:
        return None if suspicion.tested else f"too few runs to hold them against {earlier}"
    rows = [
        f"{row.detector} {visible(row.location, 60)} {ms(row.before_ms)} → {ms(row.after_ms)} ms"
        for row in suspicion.rows
    ]
    if suspicion.window is not None:
        before, after = suspicion.window
        rows.insert(0, f"window {ms(before)} → {ms(after)} ms")
    return (
        f"these runs are slower than {earlier}: {listed(rows, _SUSPECTS_SHOWN)}; "
        "a bar set on a regression hides it"
    )


def origin_text(origin: Origin) -> str:
    """Which calibration the thresholds in force come from."""
    calibration = origin.calibration
    when = f" of {calibration.made_at}" if calibration.made_at else f" {origin.name}"
    names = listed([visible(PurePath(run.trace).name, 60) for run in calibration.runs], 1)
    made = f"the calibration{when} on {plural(len(calibration.runs), 'run')} ({names})"
    doubt = "" if calibration.healthy else ", which held a suspected regression"
    changed = [f"{key} {number(was)} → {number(now)}" for key, (was, now) in origin.changed.items()]
    since = f"; changed since: {listed(changed, 5)}" if changed else ""
    return f"{plural(len(origin.same), 'threshold')} from {made}{doubt}{since}"


def _used(one: Threshold) -> list[int]:
    """Sample of the runs the statistic was taken of; by report size, of every run looked at."""
    pairs = zip(one.per_run, one.sample, strict=True)
    return [size for value, size in pairs if size is not None and (value is not None or one.held is not None)]
