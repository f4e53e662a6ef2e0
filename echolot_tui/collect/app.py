"""The app on the device: is it there, what starts it, and what a start told."""

from __future__ import annotations

import re
from shlex import quote
from typing import Final

from echolot_tui.collect.device import Device
from echolot_tui.collect.runner import CollectError
from echolot_tui.frozen import Frozen
from echolot_tui.text import visible

_COMPONENT: Final = re.compile(r"(?P<package>[\w.]+)/(?P<name>[\w.$]+)")
_FIELD: Final = re.compile(r"^\s*(?P<key>TotalTime|LaunchState):\s*(?P<value>\S+)", re.MULTILINE)
_ERROR: Final = re.compile(r"^\s*(?P<line>Error:.*)$", re.MULTILINE)
_LAUNCH_S: Final = 90.0


class Started(Frozen, frozen=True, kw_only=True):
    """What ``am start -W`` told."""

    total_ms: float | None
    """``TotalTime``; 0 when the system had no time for it; ``None`` when it told none."""
    state: str | None
    """``COLD``, ``WARM``, ``HOT``, ``UNKNOWN …``; ``None`` on an Android that does not tell."""
    error: str | None
    """The line that begins with ``Error:``."""


def installed_paths(device: Device, package: str) -> tuple[str, ...]:
    """Paths of the installed APKs of ``package``.

    Raises:
        CollectError: It is not installed.
    """
    said = device.shell(f"pm path {package}")
    paths = tuple(
        line.removeprefix("package:").strip() for line in said.out.splitlines() if line.startswith("package:")
    )
    if said.code or not paths:
        raise CollectError(
            f"{package} is not installed",
            where=f"device {device.serial}",
            todo="install the build to measure",
        )
    return paths


def component(package: str, configured: str) -> str:
    """The component a configured activity names.

    Raises:
        CollectError: It is none.
    """
    name = configured if "/" in configured else f"{package}/{configured}"
    if not _COMPONENT.fullmatch(name):
        raise CollectError(
            f'is "{visible(configured, 120)}", expected PACKAGE/ACTIVITY',
            where="runner.activity",
            todo=f"for example {package}/.MainActivity",
        )
    return name


def launcher_component(device: Device, package: str) -> str:
    """The launcher activity the device resolves.

    Raises:
        CollectError: None is there, or another package would answer.
    """
    said = device.shell(
        "cmd package resolve-activity --brief -a android.intent.action.MAIN "
        f"-c android.intent.category.LAUNCHER {package}"
    )
    lines = [line.strip() for line in said.out.splitlines() if line.strip()]
    found = _COMPONENT.fullmatch(lines[-1]) if lines else None
    if said.code or found is None:
        raise CollectError(
            f"{package} has no launcher activity ({said.reason})",
            where=f"device {device.serial}",
            todo="name one with runner.activity",
        )
    if found["package"] != package:
        raise CollectError(
            f"starting {package} would be answered by {found[0]}",
            where=f"device {device.serial}",
            todo="name the activity with runner.activity",
        )
    return found[0]


def start(device: Device, component: str) -> Started:
    """Start an activity and wait until it has drawn."""
    said = device.shell(f"am start -W -n {quote(component)}", timeout_s=_LAUNCH_S)
    text = f"{said.out}\n{said.err}"
    fields = {found["key"]: found["value"] for found in _FIELD.finditer(text)}
    error = _ERROR.search(text)
    line = visible(error["line"].strip(), 200) if error else None
    if line is None and said.code:
        line = said.reason
    total = fields.get("TotalTime", "")
    return Started(
        total_ms=float(total) if total.isdecimal() else None, state=fields.get("LaunchState"), error=line
    )
