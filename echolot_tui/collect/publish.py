"""A finished trace goes to the disk for good and gets its name; both may be done twice."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

from echolot_tui.collect.runner import CollectError
from echolot_tui.errors import EcholotError
from echolot_tui.measure.cache import identify
from echolot_tui.measure.model import TraceIdentity


def sealed(path: Path) -> TraceIdentity:
    """Push a complete file to the disk and tell its content.

    Raises:
        EcholotError: It cannot be read, or the disk refuses it.
    """
    try:
        _sync(path)
    except OSError as error:
        raise _failed(path, error) from error
    return identify(path)


def give_name(temporary: Path, path: Path) -> None:
    """Rename a sealed file; nothing to do when that has happened already.

    Raises:
        CollectError: It cannot be renamed.
    """
    try:
        if temporary.exists():
            temporary.replace(path)
        _sync(path.parent)
    except OSError as error:
        raise _failed(path, error) from error


def show_as(path: Path, link: Path) -> None:
    """Let the same file be found under a second name; nothing to do when it is.

    Raises:
        CollectError: The folder refuses links of both kinds.
    """
    try:
        link.parent.mkdir(parents=True, exist_ok=True)
        if link.exists() and link.samefile(path):
            return
        try:
            os.link(path, link)
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links, or another one
            link.symlink_to(path)
    except OSError as error:
        raise _failed(link, error) from error


def copy(source: Path, to: Path) -> None:
    """Copy a trace that stays where it is.

    Raises:
        CollectError: It cannot be read or written.
    """
    try:
        shutil.copyfile(source, to)
    except OSError as error:
        raise _failed(source, error) from error


def discard(temporary: str | None) -> None:
    """Remove half a recording: a folder as well, since the command decides what it writes there.

    One that cannot be removed stays under its hidden name, which no other run takes.
    """
    if temporary is None:
        return
    path = Path(temporary)
    with contextlib.suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def holds(path: str | None, sha256: str | None) -> bool:
    """Whether the file is there with this content."""
    if path is None or sha256 is None:
        return False
    try:
        return identify(Path(path)).sha256 == sha256
    except EcholotError:  # not there, or nothing that can be read: either way not this content
        return False


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _failed(path: Path, error: OSError) -> CollectError:
    return CollectError(
        f"the trace cannot be kept ({error.strerror or error})",
        where=str(path),
        todo="check free space and permissions of the traces' folder",
    )
