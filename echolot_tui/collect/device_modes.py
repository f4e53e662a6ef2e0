"""Which device and which runner a mode that records Android takes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from echolot_tui.collect.adb import AdbDevice, AdbServer
from echolot_tui.collect.command_mode import OnCommand
from echolot_tui.collect.device import READY
from echolot_tui.collect.device_runner import DeviceRunner, Drive
from echolot_tui.collect.gradle import GradleRunner, holds_device
from echolot_tui.collect.launch import Launch
from echolot_tui.collect.recording_config import check_package, recording_config
from echolot_tui.collect.runner import BatchRunner, CollectError, Runner
from echolot_tui.project.model import Runner as RunnerSettings


def device_runner_for(
    settings: RunnerSettings,
    *,
    package: str | None,
    command: str | None,
    folder: Path,
    env: Mapping[str, str],
    state: Path,
    temp_prefix: str,
) -> Runner | BatchRunner:
    """The runner of modes ``launch``, ``command`` and ``gradle``; settings are checked before adb is asked.

    Args:
        settings: The scenario's runner.
        package: Application id.
        command: An arm's shell line: what is run while it records (``command``), or before each run,
            to install the arm's build (``launch``).
        folder: The config's folder.
        env: Environment of what is run; names the adb server where it is not the usual one.
        state: Folder in which changes to the device are written down.
        temp_prefix: What temporary markers in the sources under ``folder`` begin with.

    Raises:
        CollectError: The settings do not allow a run, or there is no device to use.
    """
    server = AdbServer.of(env)
    if settings.mode == "gradle":
        device = _gradle_device(server, settings)
        return GradleRunner(device, settings, folder=folder, env=env, state=state)
    name = check_package(package)
    recording_config(settings, name)  # refused before anybody plugs anything in
    drive: Drive
    install: str | None = None
    if settings.mode == "command":
        drive = OnCommand(replace(settings, command=command or settings.command), folder, env)
    else:
        drive, install = Launch(settings, name), command
    return DeviceRunner(
        server.choose(settings.device),
        settings,
        name,
        drive,
        state=state,
        install=install,
        temp_prefix=temp_prefix,
        folder=folder,
        env=env,
    )


def _gradle_device(server: AdbServer, settings: RunnerSettings) -> AdbDevice | None:
    """The device named, or the only one ready; Gradle finds one itself where nothing else needs it."""
    if settings.device is not None or holds_device(settings):
        return server.choose(settings.device)
    try:
        ready = [one for one in server.attached() if one.state == READY]
    except CollectError:
        return None  # a managed device of Gradle's own needs no adb server of ours
    return server.choose(ready[0].serial) if len(ready) == 1 else None
