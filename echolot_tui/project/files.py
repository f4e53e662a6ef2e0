"""Writing files so that a reader never sees half of one."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
from pathlib import Path
from typing import Final

from echolot_tui.errors import EcholotError

LEFT_BEHIND_S: Final = 60.0
"""A temporary file nobody has touched for so long is of a process that was killed: writing takes less."""


def write_atomic(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path``: temporary file beside it, fsync, rename, fsync of the folder.

    Raises:
        EcholotError: The folder or the file cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as handle:
            handle.write(data)
            handle.flush()
            os.fsync(handle.fileno())
        temporary.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        with contextlib.suppress(OSError):  # the folder itself may be what is missing
            temporary.unlink()
        raise EcholotError(
            f"cannot be written ({error.strerror or error})",
            where=str(path),
            todo="check the folder's permissions and free space",
        ) from error


def make_folder(folder: Path, what: str) -> None:
    """Make a folder, and those above it, where they are not there.

    Args:
        folder: The folder.
        what: What it is, as a sentence begins: ``the traces' folder``.

    Raises:
        EcholotError: It cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EcholotError(
            f"{what} cannot be made ({error.strerror or error})",
            where=str(folder),
            todo="check free space and permissions",
        ) from error


def sweep(folder: Path, *, before: float) -> None:
    """Remove the temporary files of :func:`write_atomic` that killed processes have left in a folder.

    Args:
        folder: Need not be there.
        before: Those last touched before this moment, in seconds since the epoch.
    """
    for left in folder.glob(".*.tmp"):
        with contextlib.suppress(OSError):  # another process sweeps as well, or the folder is not ours
            if left.stat().st_mtime < before:
                left.unlink()


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def is_there(path: Path) -> bool:
    """Whether anything has this name: a file, a folder, a link that leads nowhere."""
    return path.exists() or path.is_symlink()


def read_bytes(path: Path) -> bytes:
    """Read a whole file.

    Raises:
        EcholotError: It is missing, a folder, or unreadable.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise EcholotError("there is no such file", where=str(path)) from None
    except IsADirectoryError:
        raise EcholotError("this is a folder, not a file", where=str(path)) from None
    except OSError as error:
        raise EcholotError(f"cannot be read ({error.strerror or error})", where=str(path)) from error


def sha256_of(data: bytes) -> str:
    """SHA-256 of ``data`` in hex."""
    return hashlib.sha256(data).hexdigest()
