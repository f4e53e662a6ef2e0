"""What was changed on a device, remembered on disk, so that it is put back whatever ends the set."""

from __future__ import annotations

import itertools
import re
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from echolot_tui.collect.device import Device
from echolot_tui.collect.runner import WARNING, CollectError, Control
from echolot_tui.frozen import Frozen
from echolot_tui.project.files import write_atomic

_PROCESS: Final = secrets.token_hex(4)
"""Tells files of this process from those a killed one has left; a pid may come twice."""
_NUMBERS: Final = itertools.count()


class Change(Frozen, frozen=True, kw_only=True):
    """One change and the shell line that undoes it."""

    what: str
    undo: str


class Held:
    """The changes one runner has made to one device, in order.

    They are written down before they are made: a process that is killed leaves its file, and the next set on
    that device puts everything back before it reads the device's own settings.
    """

    def __init__(self, device: Device, folder: Path) -> None:
        """Nothing is changed yet.

        Args:
            device: Whose settings they are.
            folder: Where the files lie.
        """
        self._device = device
        self._folder = folder
        self._stem = f"device-{re.sub(r'[^A-Za-z0-9_-]', '_', device.serial)}"
        self._path = folder / f"{self._stem}.{_PROCESS}.{next(_NUMBERS)}.json"
        self._changes: list[Change] = []

    def changed(self, what: str, undo: str) -> None:
        """Remember a change **before** it is made, so that none is forgotten when making it breaks off."""
        self._changes.append(Change(what=what, undo=undo))
        _write(self._path, self._changes)

    def has(self, what: str) -> bool:
        """Whether a change of this name is remembered."""
        return any(change.what == what for change in self._changes)

    def unchanged(self) -> None:
        """Forget the latest change: the device refused it."""
        self._changes.pop()
        _write(self._path, self._changes)

    def release(self, control: Control) -> None:
        """Undo every change, the latest first; one that cannot be undone is said and stops nothing.

        What a device that is gone still holds stays written down for the next set.
        """
        self._changes = self._undone(self._changes, control)
        _write(self._path, self._changes)

    def release_left(self, control: Control) -> None:
        """Put back what sets before have left: killed ones, or those whose device went away.

        Raises:
            CollectError: Their file is damaged.
        """
        for path in sorted(self._folder.glob(f"{self._stem}.*.json"), reverse=True):
            if path.name.startswith(f"{self._stem}.{_PROCESS}."):
                continue
            changes = _read(path)
            names = ", ".join(change.what for change in changes)
            control.say(f"an earlier set did not put back {names}: doing it now")
            _write(path, self._undone(changes, control))

    def _undone(self, changes: Sequence[Change], control: Control) -> list[Change]:
        """Undo them; returns those the device could not be reached for."""
        unreached: list[Change] = []
        for change in reversed(changes):
            try:
                said = self._device.shell(change.undo)
            except CollectError as error:
                unreached.insert(0, change)
                control.say(
                    f"{WARNING}{change.what} could not be put back ({error.what}); the next set tries again"
                )
                continue
            if said.code:
                control.say(f"{WARNING}{change.what} could not be put back ({said.reason}); do it by hand")
        return unreached


def _write(path: Path, changes: Sequence[Change]) -> None:
    if changes:
        write_atomic(path, msgspec.json.encode(changes))
    else:
        path.unlink(missing_ok=True)


def _read(path: Path) -> list[Change]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[Change])
    except (OSError, msgspec.MsgspecError) as error:
        raise CollectError(
            f"what an earlier set changed on the device cannot be read ({error})",
            where=str(path),
            todo="put brightness, airplane mode and performance mode back by hand, then delete it",
        ) from error
