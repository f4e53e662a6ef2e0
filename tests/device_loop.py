"""The loop over runs as the recorder does it, for one runner and without its bookkeeping."""

from __future__ import annotations

from pathlib import Path

from adb_server import PACKAGE, AdbServerScript
from device_control import Control
from echolot_tui.collect.modes import runner_for
from echolot_tui.collect.runner import BatchRunner, Recorded
from echolot_tui.project.model import Runner as RunnerSettings


def runner(script: AdbServerScript, folder: Path, *, command=None, package=PACKAGE, env=None, **keys):
    """The runner of these keys, in front of the scripted phone."""
    return runner_for(
        RunnerSettings(**{"duration_ms": 1000} | keys),
        command=command,
        package=package,
        folder=folder,
        state=folder / "state",
        env=script.environ | {"PATH": "/usr/bin:/bin"} | (env or {}),
        temp_prefix="AGENTTMP_",
    )


def record(one, folder: Path, control: Control, runs: int = 1) -> list[Recorded]:
    """``prepare``, the runs, and ``finish`` whatever happened."""
    try:
        one.prepare(control)
        assert not isinstance(one, BatchRunner)
        return [one.record_one(k, folder / f"run{k}", control) for k in range(runs)]
    finally:
        one.finish(control)
