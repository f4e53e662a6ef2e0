"""Bundles of files kept side by side, each in a folder of its own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from echolot_tui.project.files import read_bytes, write_atomic


class FolderShelf:
    """A folder of bundles.

    Args:
        folder: Where they lie; made when the first one is put.
        complete: The file a bundle has once it is complete.
    """

    def __init__(self, folder: Path, *, complete: str) -> None:
        self._folder = folder
        self._complete = complete

    def names(self) -> tuple[str, ...]:
        """Names of the complete bundles, sorted."""
        return tuple(sorted(path.parent.name for path in self._folder.glob(f"*/{self._complete}")))

    def read(self, name: str, file: str) -> bytes:
        """One file of a bundle.

        Raises:
            EcholotError: It is missing or unreadable.
        """
        return read_bytes(self._folder / name / file)

    def put(self, name: str, files: Mapping[str, bytes]) -> None:
        """Write a bundle, each file atomically, in the order given; the completing one comes last.

        Raises:
            EcholotError: The folder cannot be written.
        """
        for file in sorted(files, key=lambda one: one == self._complete):
            write_atomic(self._folder / name / file, files[file])
