"""The project's folder of newest traces holds the sets of all scenarios; a verb means one of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from echolot_tui.collect.earlier import scenario_of
from echolot_tui.errors import EcholotError
from echolot_tui.headless.diagnostics import talk
from echolot_tui.headless.setup import Project
from echolot_tui.measure.inputs import TracesInput
from echolot_tui.present.numbers import plural


def of_one_scenario(found: TracesInput, given: Sequence[str], project: Project) -> TracesInput:
    """The traces without those of other scenarios, where that folder was named whole; the others are told.

    Args:
        found: What the arguments name.
        given: The arguments.
        project: Its scenario is meant.

    Raises:
        EcholotError: The folder has traces of other scenarios only.
    """
    if project.loaded is None or project.layout is None or not project.scenario.several:
        return found
    folder = project.layout.traces.resolve()
    if folder not in (Path(each).resolve() for each in given):
        return found
    names, wanted = tuple(project.loaded.config.scenarios or ()), project.scenario.name
    kept = tuple(
        path
        for path in found.paths
        if path.parent.resolve() != folder or scenario_of(path.name, names) in {wanted, None}
    )
    if not kept:
        raise EcholotError(
            f"holds no trace of scenario {wanted}",
            where=str(project.layout.traces),
            todo=f"echolot collect --scenario {wanted} records them; --scenario names another",
        )
    if len(kept) < len(found.paths):
        left_out = plural(len(found.paths) - len(kept), "trace")
        talk.note(f"{left_out} of other scenarios in {project.layout.traces} are left out")
    return replace(found, paths=kept)
