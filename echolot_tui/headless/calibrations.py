"""Kept calibrations of a project: what came before, which one the config follows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING

import msgspec

from echolot_tui.calibrate.kept import comparable_healthy, keep, kept
from echolot_tui.calibrate.origin import origin_of
from echolot_tui.calibrate.suspicion import Baseline, suspect
from echolot_tui.errors import EcholotError
from echolot_tui.headless.clock import now
from echolot_tui.headless.comparing import options_of
from echolot_tui.headless.diagnostics import talk
from echolot_tui.investigate.calibrations import Calibrations
from echolot_tui.investigate.database import Database
from echolot_tui.present.calibration_facts import origin_text

if TYPE_CHECKING:
    from echolot_tui.calibrate.model import Calibration
    from echolot_tui.headless.setup import Project
    from echolot_tui.measure.plan import Plan


def origin_notes(project: Project, plan: Plan) -> tuple[str, ...]:
    """Which calibration the thresholds in force come from, for the report; nothing when from none."""
    with _existing(project) as shelf:
        if shelf is None:
            return ()
        calibrations, notes = kept(shelf, project.scenario.name)
    origin = origin_of(plan, calibrations)
    return (*notes, *([origin_text(origin)] if origin else []))


def hold_against_earlier(calibration: Calibration, runs: Baseline, project: Project) -> Calibration:
    """The calibration with what the scenario's last healthy one says about its runs."""
    with _existing(project) as shelf:
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
    """Keep it in the project's record; without a project there is none."""
    if project.layout is None:
        talk.note("no config, so the calibration is not kept and later runs are not held against it")
        return
    try:
        with closing(Database(project.layout.database, now)) as database:
            name = keep(Calibrations(database), calibration, runs)
    except EcholotError as error:
        talk.warn(f"the calibration is not kept, and later runs are not held against it: {error.sentence}")
        return
    talk.note(f"kept as {name} in {project.layout.relative(project.layout.database)}")


@contextmanager
def _existing(project: Project) -> Iterator[Calibrations | None]:
    """The project's calibrations; ``None`` where there is no record, or none that can be used."""
    with ExitStack() as stack:
        shelf = None
        if project.layout is not None and project.layout.database.exists():
            try:
                database = stack.enter_context(closing(Database(project.layout.database, now)))
                shelf = Calibrations(database)
            except EcholotError as error:
                talk.warn(f"{error.sentence}; its calibrations are not known")
        yield shelf
