"""The whole self-check: engine first, then what surrounds it, then known answers from known traces."""

from __future__ import annotations

import platform
import tempfile
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Final

from echolot_tui import __version__
from echolot_tui.engine.model import EngineChoice
from echolot_tui.engine.module_cache import cache_folder
from echolot_tui.errors import EcholotError
from echolot_tui.selfcheck.detectors import detector_checks
from echolot_tui.selfcheck.engine import engine_checks
from echolot_tui.selfcheck.facts import fact_checks
from echolot_tui.selfcheck.machine import devices, writable
from echolot_tui.selfcheck.model import Check, Doctor, Versions, exit_code
from echolot_tui.selfcheck.numbers import number_checks
from echolot_tui.selfcheck.ports import Say
from echolot_tui.selfcheck.scenes import first_trace, measured_scenes
from echolot_tui.selfcheck.verdict import check

_COMPUTING: Final = ("numpy", "perfetto", "viztracer", "wasmtime")


def examine(
    choice: EngineChoice,
    *,
    project: Sequence[Check],
    measurements: Path,
    environ: Mapping[str, str],
    jobs: int,
    say: Say,
) -> Doctor:
    """Ask this machine everything.

    Nothing of the project is read and nothing is kept but the compiled engine.

    Args:
        choice: The engine analyze would use.
        project: Checks of the project and its terminal, by whoever loaded the one and knows the other.
        measurements: Where measurements would be cached.
        environ: The process's environment.
        jobs: Worker processes.
        say: Told what is being done.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="echolot-doctor-") as name:
            folder = Path(name)
            engine, checks = engine_checks(first_trace(folder), choice, say)
            if engine is None or any(one.state == "failed" for one in checks):
                checks += [_not_run("there is no engine that works")]
            else:
                checks += _self_check(folder, choice, jobs, say)
    except OSError as error:
        engine, checks = None, [_no_room(error)]
    around = [
        writable(
            "cache.engine", cache_folder(), "the compiled engine", "name another with ECHOLOT_CACHE_DIR"
        ),
        writable("cache.measurements", measurements, "measurements", "work in a project of your own"),
        devices(environ),
    ]
    by_group = sorted([*checks, *around, *project], key=lambda one: _GROUPS.index(one.group))
    return Doctor(
        exit_code=exit_code(engine, by_group), versions=versions(), engine=engine, checks=tuple(by_group)
    )


_GROUPS: Final = ("engine", "machine", "project", "self-check")


def versions() -> Versions:
    """What shapes a number on this machine."""
    return Versions(
        echolot=__version__,
        python=platform.python_version(),
        platform=platform.platform(terse=True) + f" {platform.machine()}",
        packages={name: metadata.version(name) for name in _COMPUTING},
    )


def _self_check(folder: Path, choice: EngineChoice, jobs: int, say: Say) -> list[Check]:
    try:
        scenes = measured_scenes(folder, choice, jobs=jobs, say=say)
        say("checking merge and statistics")
        return [
            *fact_checks(scenes),
            *detector_checks(scenes),
            *number_checks(scenes, folder, choice, jobs=jobs),
        ]
    except EcholotError as error:
        return [check("self-check", [f"could not run: {error.sentence}"], "")]


def _not_run(why: str) -> Check:
    return Check(id="self-check", group="self-check", state="skip", text=f"not run: {why}")


def _no_room(error: OSError) -> Check:
    return Check(
        id="temporary-folder",
        group="machine",
        state="failed",
        text=f"{error.filename or tempfile.gettempdir()}: cannot be written ({error.strerror or error})",
        todo="free space there, or name another folder with TMPDIR",
    )
