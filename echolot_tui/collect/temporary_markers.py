"""Temporary markers of the sources: is the build on the device the one that has them?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from shlex import quote
from typing import Final

from echolot_tui.checkout.markers import TemporaryMarkers
from echolot_tui.collect.device import Device
from echolot_tui.collect.runner import CollectError, Control
from echolot_tui.text import visible

_WORD: Final = re.compile(r"\w*", re.ASCII)
_READ_S: Final = 120.0
_NAMED: Final = 3


def check_build(device: Device, apks: Sequence[str], markers: TemporaryMarkers, control: Control) -> None:
    """Whether the installed build has every marker of the checkout; a device that cannot tell is said.

    Raises:
        CollectError: Some are missing: another build is installed.
    """
    names = sorted({_searched(marker.name, markers.prefix) for marker in markers.named})
    if not names:
        return
    built = _built(device, apks, markers.prefix)
    if built is None:
        control.say("the device cannot show whether the installed build has the checkout's temporary markers")
        return
    missing = [name for name in names if not any(each.startswith(name) for each in built)]
    if missing:
        named = ", ".join(visible(name, 60) for name in missing[:_NAMED])
        more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
        raise CollectError(
            f"the installed build lacks temporary markers the sources have ({named}{more})",
            where=f"device {device.serial}",
            todo="build and install this checkout, or take the markers out of the sources",
        )


def _searched(name: str, prefix: str) -> str:
    """The part of a name that ``_built`` looks for: the prefix and the word it begins."""
    word = _WORD.match(name, len(prefix))
    return prefix + (word[0] if word else "")


def _built(device: Device, apks: Sequence[str], prefix: str) -> frozenset[str] | None:
    """Strings of the build's code that begin with the prefix; ``None`` when it cannot be read.

    ``unzip`` and ``grep`` run on the device, so that megabytes of code need not cross the cable.
    """
    pattern = quote(f"{re.escape(prefix)}[A-Za-z0-9_]*")
    found: set[str] = set()
    for apk in apks:
        said = device.shell(f"unzip -p {quote(apk)} | grep -a -o -E {pattern}", timeout_s=_READ_S)
        if said.code > 1 or said.err.strip():  # grep's 1 is: nothing found
            return None
        found.update(said.out.split())
    return frozenset(found)
