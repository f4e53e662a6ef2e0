"""Kept calibrations of a project: where they lie, what came before, which one the config follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from echolot_tui.calibrate.kept import comparable_healthy, keep, kept
from echolot_tui.calibrate.origin import origin_of
from echolot_tui.calibrate.suspicion import Baseline, suspect
from echolot_tui.errors import EcholotError
from echolot_tui.headless.comparing import options_of
from echolot_tui.headless.diagnostics import talk
from echolot_tui.present.calibration_facts import origin_text
from echolot_tui.project.shelf import FolderShelf

if TYPE_CHECKING:
    from echolot_tui.calibrate.model import Calibration
    from echolot_tui.headless.setup import Project
    from echolot_tui.measure.plan import Plan


def origin_notes(project: Project, plan: Plan) -> tuple[str, ...]:
    """Which calibration the thresholds in force come from, for the report; nothing when from none."""
    shelf = _shelf(project)
    if shelf is None:
        return ()
    calibrations, notes = kept(shelf, project.scenario.name)
    origin = origin_of(plan, calibrations)
    return (*notes, *([origin_text(origin)] if origin else []))


def hold_against_earlier(calibration: Calibration, runs: Baseline, project: Project) -> Calibration:
    """The calibration with what the scenario's last healthy one says about its runs."""
    shelf = _shelf(project)
    if shelf is None:
        return calibration
    calibrations, notes = kept(shelf, project.scenario.name)
    for note in notes:
        talk.warn(note)
    try:
        earlier = comparable_healthy(shelf, calibrations, calibration)
    except EcholotError as error:
        talk.warn(f"these runs are not held against the earlier calibration: {error.sentence}")
        return calibration
    if earlier is None:
        return calibration
    before, baseline = earlier
    options = options_of(project, generated_at=calibration.made_at or "")
    suspicion = suspect(before.calibration, before.name, baseline, runs, options)
    return msgspec.structs.replace(calibration, suspicion=suspicion)


def keep_calibration(calibration: Calibration, runs: Baseline, project: Project) -> None:
    """Keep it in the project; without one there is nowhere."""
    shelf, layout = _shelf(project), project.layout
    if shelf is None or layout is None:
        talk.note("no config, so the calibration is not kept and later runs are not held against it")
        return
    talk.wrote(layout.calibrations / keep(shelf, calibration, runs))


def _shelf(project: Project) -> FolderShelf | None:
    layout = project.layout
    return FolderShelf(layout.calibrations, complete="calibration.json") if layout else None
