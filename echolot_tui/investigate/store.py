"""The record of a project's investigations: the one door the rest of the program goes through.

Written before the work it announces: that a round is planned, that it is recorded, what happens to a run.
Written when its files are complete: a trace, a report, a comparison. So whatever moment a process dies at,
the record never claims something that is not there, and nothing finished goes unknown for long.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Self

from echolot_tui.investigate.database import Clock, Database
from echolot_tui.investigate.hunts import Hunts
from echolot_tui.investigate.legacy import has_legacy, import_legacy
from echolot_tui.investigate.model import JournalLine
from echolot_tui.investigate.reading import read_journal
from echolot_tui.investigate.recording import Recording, record, settle
from echolot_tui.investigate.rounds import Rounds
from echolot_tui.project.layout import Layout
from echolot_tui.project.sqlite_file import BUSY_S


class Store:
    """Hunts, rounds and the journal of one project. A context manager; one thread each."""

    def __init__(self, layout: Layout, clock: Clock, *, busy_s: float = BUSY_S) -> None:
        """Open the record, making it when there is none.

        An older file is migrated, a project of the original imported once, and rounds whose recording
        process died are marked interrupted.

        Args:
            layout: The project's folders.
            clock: UTC in whole seconds, as ``2026-01-31T12:00:00Z``.
            busy_s: How long to wait for another process's transaction.

        Raises:
            DatabaseError: No database, damaged, read-only, locked for too long, or of a newer version.
        """
        self.layout = layout
        self._database = Database(layout.database, clock, busy_s=busy_s)
        self.hunts = Hunts(self._database)
        self.rounds = Rounds(self._database, layout.root)
        self.imported = import_legacy(self._database, layout)
        """One sentence for each file of the original that could not be read, on the one time it is tried."""
        self.lost = settle(self._database, layout)
        """Rounds found interrupted just now."""

    @classmethod
    def existing(cls, layout: Layout, clock: Clock) -> Self | None:
        """The record when the project has one, or something to import; makes nothing otherwise."""
        return cls(layout, clock) if layout.database.exists() or has_legacy(layout) else None

    def record(self, round_id: int) -> AbstractContextManager[Recording]:
        """Record a planned round, or what a resumed one lacks; see :func:`recording.record`."""
        return record(self._database, self.layout, round_id)

    def journal(self, hunt: int | None = None) -> tuple[JournalLine, ...]:
        """Every transition, or those of one hunt, oldest first."""
        return read_journal(self._database, hunt)

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
