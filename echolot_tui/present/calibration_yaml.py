"""A calibration as YAML: the section to paste, every line with its reason, and what of it changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

from echolot_tui.calibrate.model import Calibration, DetectorCalibration, Setting, Threshold
from echolot_tui.present.calibration_facts import derivation, kept_reason, number, runs_line, summary_lines
from echolot_tui.text import visible

_REASON = "    # "


def section_yaml(calibration: Calibration) -> str:
    """The ready ``detectors:`` section, or the scenario's, that can replace the present one whole."""
    head = [runs_line(calibration), *(f"WARNING: {text}" for text in calibration.warnings)]
    lines = [f"# {visible(text)}" for text in head]
    opening, depth = _opening(calibration)
    place = "scenario" if calibration.several else "config"
    lines += opening
    for detector in calibration.detectors:
        lines += [f"{'  ' * depth}{text}" for text in _detector(detector, place)]
    lines += [f"# {visible(text)}" for text in summary_lines(calibration)]
    return "\n".join(lines) + "\n"


def patch_yaml(calibration: Calibration) -> str:
    """Only the thresholds that change, in their place: laid over the config it gives the whole section."""
    opening, depth = _opening(calibration)
    lines = []
    for detector in calibration.detectors:
        changed = [one for one in detector.thresholds if one.after != one.today]
        lines += [f"{detector.id}:"] if changed else []
        lines += [f"  {one.param}: {number(one.after)}{_REASON}{_change(one)}" for one in changed]
    if not lines:
        return "# nothing changes\n"
    return "\n".join([*opening, *(f"{'  ' * depth}{text}" for text in lines)]) + "\n"


def _opening(calibration: Calibration) -> tuple[list[str], int]:
    """The lines the section stands under, and how deep it stands."""
    if not calibration.several:
        return ["detectors:"], 1
    return ["scenarios:", f"  {_scalar(calibration.scenario)}:", "    detectors:"], 3


def _detector(detector: DetectorCalibration, place: str) -> Iterator[str]:
    if detector.state == "off":
        yield f"{detector.id}: false"
        return
    live = [line for one in detector.thresholds if (line := _live(detector, one))]
    live += [f"{name}: {_scalar(value)}{_REASON}from the {place}" for name, value in detector.carried.items()]
    shipped = [
        f"{one.param}: {number(one.shipped)}{_REASON}as shipped: {_kept(detector, one)}"
        for one in detector.thresholds
        if not _live(detector, one)
    ]
    # With nothing to set, the whole detector is a comment: an empty entry would read like a setting.
    yield f"{detector.id}:" if live else f"# {detector.id}:"
    yield from (f"  {line}" for line in live)
    yield from (f"  # {line}" if live else f"#   {line}" for line in shipped)


def _live(detector: DetectorCalibration, one: Threshold) -> str | None:
    """The line that sets a threshold; ``None`` when nothing has to be set."""
    failed = f"; it failed on {detector.failed_runs} runs" if detector.failed_runs else ""
    if one.proposed is not None:
        return f"{one.param}: {number(one.proposed)}{_REASON}{derivation(one)}{failed}"
    if one.own is not None:
        return f"{one.param}: {number(one.own)}{_REASON}kept: {_kept(detector, one)}"
    if one.above is not None:
        over = f"the default, over the {number(one.above)} of the top-level detectors"
        return f"{one.param}: {number(one.shipped)}{_REASON}{over}: {_kept(detector, one)}"
    return None


def _kept(detector: DetectorCalibration, one: Threshold) -> str:
    return visible(kept_reason(detector, one), 200)


def _change(one: Threshold) -> str:
    why = derivation(one) if one.proposed is not None else "the default, over the top-level detectors"
    return f"{number(one.today)} today; {why}"


def _scalar(value: Setting | Any) -> str:
    """A value as YAML that reads back as itself: texts quoted, numbers bare."""
    if not isinstance(value, str):
        return number(value)
    if value.isidentifier() and yaml.safe_load(value) == value:
        return value
    # What is not printable is escaped: some of it would be read back as a line break, or not at all.
    plain = value.isprintable()
    quoted: str = yaml.safe_dump(value, default_style='"', allow_unicode=plain, width=float("inf"))
    return quoted.rstrip("\n")
