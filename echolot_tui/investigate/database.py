"""One SQLite file that several processes write: transactions, migrations, and failures in one sentence."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from echolot_tui.errors import EcholotError
from echolot_tui.investigate.schema import MIGRATIONS
from echolot_tui.project.sqlite_file import BUSY_S, SqliteFile
from echolot_tui.text import storable

Clock = Callable[[], str]
"""UTC in whole seconds, as ``2026-01-31T12:00:00Z``."""


class DatabaseError(EcholotError):
    """The record of hunts cannot be read or written."""


class Change:
    """An open transaction; what it does, and the journal lines that say so, happen together or not at all."""

    def __init__(self, connection: sqlite3.Connection, at: str) -> None:
        self._connection = connection
        self.at = at
        """The moment of everything in it."""

    def run(self, sql: str, *parameters: object) -> sqlite3.Cursor:
        """Execute one statement; what UTF-8 cannot carry is stored as an escape."""
        return self._connection.execute(sql, [_storable(each) for each in parameters])

    def one(self, sql: str, *parameters: object) -> Any:
        """The first column of the first row, or ``None``."""
        row = self.run(sql, *parameters).fetchone()
        return None if row is None else row[0]

    def say(
        self,
        subject: str,
        event: str,
        *,
        hunt: int | None = None,
        k: int | None = None,
        run: int | None = None,
        source: str | None = None,
        target: str | None = None,
        detail: Mapping[str, object] | None = None,
    ) -> None:
        """Write a journal line."""
        self.run(
            "INSERT INTO journal (at, subject, event, hunt, k, run, source, target, detail)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            self.at,
            subject,
            event,
            hunt,
            k,
            run,
            source,
            target,
            json.dumps(detail or {}, sort_keys=True),
        )


class Database(SqliteFile):
    """The project's record. Not to be shared between threads."""

    migrations = MIGRATIONS
    failure = DatabaseError
    noun = "record of hunts"
    fresh = "move it away to start a new one; traces and reports stay where they are"

    def __init__(self, path: Path, clock: Clock, *, busy_s: float = BUSY_S) -> None:
        """Open the file, making or migrating it when it is new or older.

        Raises:
            DatabaseError: It is no database, damaged, read-only, locked for too long, or of a newer version.
        """
        self.clock = clock
        super().__init__(path, busy_s=busy_s)

    @contextmanager
    def change(self) -> Iterator[Change]:
        """A transaction that no other process's can come between; rolled back when anything fails inside."""
        with self._changing() as connection:
            yield Change(connection, self.clock())

    @contextmanager
    def view(self) -> Iterator[None]:
        """Several :meth:`rows` of one moment."""
        with self._told():
            self._connection.execute("BEGIN")
            try:
                yield
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")


def _storable(value: object) -> object:
    return storable(value) if isinstance(value, str) else value
