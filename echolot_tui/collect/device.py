"""What the rest of the package needs of a device, and which of the attached ones it is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol

from echolot_tui.collect.runner import CollectError
from echolot_tui.frozen import Frozen
from echolot_tui.text import visible

READY: Final = "device"

_WHAT_HELPS: Final = {
    "unauthorized": "unlock it and accept this computer's debugging key",
    "authorizing": "unlock it and accept this computer's debugging key",
    "offline": "plug it in again, or run adb reconnect",
    "connecting": "wait until adb devices says device",
    "recovery": "boot it into Android",
    "sideload": "boot it into Android",
    "rescue": "boot it into Android",
    "bootloader": "boot it into Android",
}


class Said(Frozen, frozen=True, kw_only=True):
    """What a command on the device answered."""

    out: str
    err: str
    code: int
    """Exit code; 0 is success."""

    @property
    def reason(self) -> str:
        """The first line that says something, stderr first; else the exit code."""
        for line in (*self.err.splitlines(), *self.out.splitlines()):
            if line.strip():
                return visible(line.strip(), 200)
        return f"exit code {self.code}, no message"


class Device(Protocol):
    """A device that runs shell lines and gives files away."""

    @property
    def serial(self) -> str:
        """Its name for adb."""
        ...

    def shell(self, line: str, *, stdin: bytes = b"", timeout_s: float = 30.0) -> Said:
        """Run a shell line on the device and wait for its end.

        Raises:
            CollectError: The device or the connection is gone, or no answer came in time.
        """
        ...

    def pull(self, remote: str, local: Path) -> int:
        """Copy a file from the device; returns the number of bytes.

        Raises:
            CollectError: It is missing, the connection broke off, or ``local`` cannot be written.
        """
        ...


class Attached(Frozen, frozen=True, kw_only=True):
    """One line of ``adb devices``."""

    serial: str
    state: str
    """``device`` when ready; else ``offline``, ``unauthorized``, ``no permissions …``, …"""


def choose_device(attached: Sequence[Attached], wanted: str | None) -> Attached:
    """The device named, or the single one that is ready.

    Raises:
        CollectError: None attached, several ready, the named one missing, or not ready (with what helps).
    """
    if wanted is not None:
        return _named(attached, wanted)
    ready = [one for one in attached if one.state == READY]
    if len(ready) == 1:
        return ready[0]
    if len(ready) > 1:
        raise CollectError(
            f"{len(ready)} devices are ready ({_serials(ready)})",
            todo="name one with --device SERIAL or runner.device",
        )
    if not attached:
        raise CollectError(
            "no device is attached", todo="plug one in with USB debugging on, or start an emulator"
        )
    if len(attached) == 1:
        raise not_ready(attached[0])
    states = ", ".join(f"{visible(one.serial)} is {visible(one.state, 80)}" for one in attached)
    raise CollectError(f"none of {len(attached)} devices is ready: {states}", todo="adb devices shows them")


def _named(attached: Sequence[Attached], wanted: str) -> Attached:
    for one in attached:
        if one.serial == wanted:
            if one.state != READY:
                raise not_ready(one)
            return one
    there = f"attached: {_serials(attached)}" if attached else "no device is attached"
    raise CollectError("is not attached", where=f"device {visible(wanted)}", todo=there)


def not_ready(one: Attached) -> CollectError:
    """Why a device cannot be used, with what helps."""
    where = f"device {visible(one.serial)}"
    if one.state.startswith("no permissions"):
        return CollectError(
            "this user may not open its USB port (no permissions)",
            where=where,
            todo="add a udev rule for it or the user to the group plugdev, then plug it in again",
        )
    return CollectError(
        f"is {visible(one.state, 80)}", where=where, todo=_WHAT_HELPS.get(one.state, "adb devices shows it")
    )


def _serials(devices: Sequence[Attached]) -> str:
    return ", ".join(sorted(visible(one.serial) for one in devices))
