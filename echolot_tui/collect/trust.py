"""Commands of a config are run only after a person has seen them once."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from echolot_tui.project.files import write_atomic


class Trust:
    """Which commands of which project a person of this machine has confirmed.

    Args:
        folder: In the user's own state folder, never in the project: a checkout cannot bring its own trust.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def has(self, project: Path, commands: Sequence[str]) -> bool:
        """Whether exactly these commands were confirmed for this project."""
        return self._mark(project, commands).is_file()

    def give(self, project: Path, commands: Sequence[str]) -> None:
        """Remember that a person confirmed these commands.

        Raises:
            EcholotError: The folder cannot be written.
        """
        shown = "\n".join((str(project), *commands))
        write_atomic(self._mark(project, commands), f"{shown}\n".encode())

    def _mark(self, project: Path, commands: Sequence[str]) -> Path:
        asked = msgspec.json.encode([str(project.resolve()), list(commands)])
        return self._folder / hashlib.sha256(asked).hexdigest()
