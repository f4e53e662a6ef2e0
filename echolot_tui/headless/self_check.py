"""The self-check of this machine, and of the project it is called in: its config, detectors, engine."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_cache_path

from echolot_tui.engine.model import EngineChoice
from echolot_tui.errors import EcholotError
from echolot_tui.headless.diagnostics import talk
from echolot_tui.headless.handover import Screens
from echolot_tui.headless.setup import Flags, Project, engine_choice, make_plan, open_project
from echolot_tui.project.scenario import Scenario
from echolot_tui.selfcheck.model import Check, Doctor
from echolot_tui.selfcheck.run import examine


def examine_machine(flags: Flags, screens: Screens | None = None) -> Doctor:
    """Check this machine, with the engine the flags and the config name.

    Args:
        flags: As given.
        screens: The full-screen app; ``None`` where it was not asked for, and its terminal does not matter.
    """
    checks, choice, cache = _project_checks(flags)
    if screens is not None:
        checks.append(_terminal(screens))
    try:
        return examine(
            choice,
            project=checks,
            measurements=cache,
            environ=os.environ,
            jobs=flags.jobs or os.cpu_count() or 1,
            say=talk.progress,
        )
    finally:
        talk.done()


def _project_checks(flags: Flags) -> tuple[list[Check], EngineChoice, Path]:
    """The project's checks, the engine its analyze would use, and where its measurements are cached."""
    elsewhere = user_cache_path("echolot") / "measurements"
    without = Project(loaded=None, scenario=Scenario(name="run"))
    try:
        project = open_project(flags)
    except EcholotError as error:
        return [_failed("config", error, "correct it")], engine_choice(flags, without), elsewhere
    if project.loaded is None:
        text = "no echolot.yml here or above"
        return (
            [Check(id="config", group="project", state="skip", text=text)],
            engine_choice(flags, project),
            elsewhere,
        )
    several = project.loaded.config.scenarios
    names = ", ".join(several) if several else project.scenario.name
    loaded = Check(id="config", group="project", state="ok", text=f"{project.loaded.path} loads: {names}")
    cache = project.layout.cache if project.layout else elsewhere
    return [loaded, _detectors(flags, project)], engine_choice(flags, project), cache


def _terminal(screens: Screens) -> Check:
    try:
        return Check(id="terminal", group="machine", state="ok", text=screens.terminal())
    except EcholotError as error:
        return Check(id="terminal", group="machine", state="failed", text=error.what, todo=error.todo)


def _detectors(flags: Flags, project: Project) -> Check:
    try:
        plan = make_plan(flags, project)
    except EcholotError as error:
        return _failed("detectors", error, "correct the config's detectors")
    on = sum(decision.on for decision in plan.decisions)
    return Check(id="detectors", group="project", state="ok", text=f"{on} of {len(plan.decisions)} on")


def _failed(name: str, error: EcholotError, todo: str) -> Check:
    text = f"{error.where}: {error.what}" if error.where else error.what
    return Check(id=name, group="project", state="failed", text=text, todo=error.todo or todo)
