"""Temporary markers of the sources: is the build on the device the one that has them?"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from shlex import quote
from typing import Final

from echolot_tui.collect.device import Device
from echolot_tui.collect.runner import CollectError, Control
from echolot_tui.frozen import Frozen
from echolot_tui.text import visible

_SOURCES: Final = (".kt", ".java")
_NOT_SOURCES: Final = frozenset({"build", "node_modules", "out"})
_READ_S: Final = 120.0
_NAMED: Final = 3


class TemporaryMarkers(Frozen, frozen=True, kw_only=True):
    """The temporary markers a checkout has."""

    prefix: str
    names: tuple[str, ...]
    """As far as each is fixed text, sorted."""


def checkout_markers(root: Path, prefix: str) -> TemporaryMarkers:
    """Read the markers out of the Kotlin and Java sources under ``root``.

    Args:
        root: The checkout; build outputs and hidden folders are left out.
        prefix: What every temporary marker's name begins with.
    """
    literal = re.compile(b'"(' + re.escape(prefix.encode()) + b"[A-Za-z0-9_]*)")
    names = {found[1].decode() for path in _source_files(root) for found in literal.finditer(_content(path))}
    return TemporaryMarkers(prefix=prefix, names=tuple(sorted(names)))


def check_build(device: Device, apks: Sequence[str], markers: TemporaryMarkers, control: Control) -> None:
    """Whether the installed build has every marker of the checkout; a device that cannot tell is said.

    Raises:
        CollectError: Some are missing: another build is installed.
    """
    if not markers.names:
        return
    built = _built(device, apks, markers.prefix)
    if built is None:
        control.say("the device cannot show whether the installed build has the checkout's temporary markers")
        return
    missing = [name for name in markers.names if not any(each.startswith(name) for each in built)]
    if missing:
        named = ", ".join(visible(name, 60) for name in missing[:_NAMED])
        more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
        raise CollectError(
            f"the installed build lacks temporary markers the sources have ({named}{more})",
            where=f"device {device.serial}",
            todo="build and install this checkout, or take the markers out of the sources",
        )


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


def _source_files(root: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _NOT_SOURCES and not name.startswith("."))
        yield from (Path(folder, name) for name in sorted(files) if name.endswith(_SOURCES))


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # a source that went away or may not be read asks for nothing
        return b""
