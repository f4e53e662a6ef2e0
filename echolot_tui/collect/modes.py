"""Which runner records a mode."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from echolot_tui.collect.device_modes import device_runner_for
from echolot_tui.collect.host import HostRunner
from echolot_tui.collect.runner import BatchRunner, CollectError, Runner
from echolot_tui.project.model import Runner as RunnerSettings

DEVICE_SUFFIX: Final = ".perfetto-trace"


def suffix_of(settings: RunnerSettings) -> str:
    """Ending of the traces a mode makes.

    Raises:
        CollectError: The config's ending is none.
    """
    if settings.mode != "host":
        return DEVICE_SUFFIX
    suffix = settings.suffix
    if not suffix.startswith(".") or suffix in {".", ".."} or "/" in suffix:
        raise CollectError(f'"{suffix}" is no ending of a file', where="runner.suffix", todo='write ".json"')
    return suffix


def runner_for(
    settings: RunnerSettings,
    *,
    command: str | None,
    package: str | None,
    folder: Path,
    state: Path,
    env: Mapping[str, str],
    temp_prefix: str,
) -> Runner | BatchRunner:
    """The runner of one side.

    Args:
        settings: ``runner`` of the scenario.
        command: The arm's command; ``None`` takes the config's.
        package: Application id.
        folder: The config's folder.
        state: Folder of the project's locks and logs.
        env: Environment of what is run.
        temp_prefix: What temporary markers in the sources begin with.

    Raises:
        CollectError: The settings do not allow a run.
    """
    if settings.mode == "host":
        return HostRunner(command or settings.command, folder=folder, env=env, timeout_s=settings.timeout_s)
    return device_runner_for(
        settings,
        command=command,
        package=package,
        folder=folder,
        state=state,
        env=env,
        temp_prefix=temp_prefix,
    )
