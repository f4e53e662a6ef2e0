"""What surrounds the computation: folders that have to be writable, and devices to record on."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from echolot_tui.collect.adb import AdbServer
from echolot_tui.collect.adb_wire import NoServerError
from echolot_tui.collect.device import Attached
from echolot_tui.collect.runner import CollectError
from echolot_tui.selfcheck.model import Check


def writable(check: str, folder: Path, what: str, todo: str) -> Check:
    """Whether a file can be written into a folder, which is made when it is missing.

    Args:
        check: The check's id.
        folder: Where.
        what: What is kept there, for the text.
        todo: What else the person can do than make it writable.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".doctor-") as file:
            file.write(b"echolot")
            file.flush()
    except OSError as error:
        return Check(
            id=check,
            group="machine",
            state="failed",
            text=f"{folder}: {what} cannot be written ({error.strerror or error})",
            todo=f"make the folder writable, or {todo}",
        )
    return Check(id=check, group="machine", state="ok", text=f"{folder}: {what}")


def devices(environ: Mapping[str, str]) -> Check:
    """Devices collect could record on. None is no failure: traces also come from elsewhere."""
    try:
        attached = AdbServer.of(environ).attached()
    except NoServerError as error:
        return _skipped(f"no device to record on: {error.where} {error.what}", error.todo)
    except CollectError as error:
        return Check(
            id="devices",
            group="machine",
            state="failed",
            text=f"{error.where}: {error.what}" if error.where else error.what,
            todo=error.todo or "correct it, or unset it when nothing is recorded here",
        )
    ready = [one.serial for one in attached if one.state == "device"]
    if ready:
        return Check(id="devices", group="machine", state="ok", text=", ".join(sorted(ready)))
    if attached:
        return _skipped(_not_ready(attached), "unlock it and allow debugging, then adb devices")
    return _skipped("no device is attached", "connect one and allow debugging, to record on it")


def _not_ready(attached: tuple[Attached, ...]) -> str:
    with_state = ", ".join(f"{one.serial} {one.state}" for one in attached)
    return f"no device is ready: {with_state}"


def _skipped(text: str, todo: str) -> Check:
    return Check(id="devices", group="machine", state="skip", text=text, todo=todo)
