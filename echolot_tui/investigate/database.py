"""One SQLite file that several processes write: transactions, migrations, and failures in one sentence."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from filelock import FileLock, Timeout

from echolot_tui.errors import EcholotError
from echolot_tui.investigate.schema import MIGRATIONS

BUSY_S: Final = 20.0
"""How long a transaction waits for another process's; ours take milliseconds."""

Clock = Callable[[], str]
"""UTC in whole seconds, as ``2026-01-31T12:00:00Z``."""

_FRESH: Final = "move it away to start a new one; traces and reports stay where they are"


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


class Database:
    """A connection. Not to be shared between threads."""

    def __init__(self, path: Path, clock: Clock, *, busy_s: float = BUSY_S) -> None:
        """Open the file, making or migrating it when it is new or older.

        Raises:
            DatabaseError: It is no database, damaged, read-only, locked for too long, or of a newer version.
        """
        self.path = path
        self.clock = clock
        self._busy_s = busy_s
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._unwritable() from error
        with self._told():
            self._connection = sqlite3.connect(path, timeout=busy_s, isolation_level=None)
        try:
            with self._told():
                self._set_up()
        except BaseException:
            self._connection.close()
            raise

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    @contextmanager
    def change(self) -> Iterator[Change]:
        """A transaction that no other process's can come between; rolled back when anything fails inside."""
        with self._told():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield Change(self._connection, self.clock())
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

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

    def rows(self, sql: str, *parameters: object) -> Sequence[sqlite3.Row]:
        """Everything a query answers."""
        with self._told():
            return self._connection.execute(sql, parameters).fetchall()

    def _set_up(self) -> None:
        self._connection.row_factory = sqlite3.Row
        self._connection.execute("PRAGMA foreign_keys = ON")
        # A transition has to be on the disk before the work it announces, also when the power fails.
        self._connection.execute("PRAGMA synchronous = FULL")
        if self._version() != len(MIGRATIONS):
            self._migrate()

    def _version(self) -> int:
        version: int = self._connection.execute("PRAGMA user_version").fetchone()[0]
        if version > len(MIGRATIONS):
            raise DatabaseError(
                f"was written by a newer echolot (version {version}, this one knows {len(MIGRATIONS)})",
                where=str(self.path),
                todo="update echolot",
            )
        return version

    def _migrate(self) -> None:
        """Bring the file up to date; a process that dies on the way leaves the version it had."""
        lock = FileLock(self.path.with_name(f"{self.path.name}.lock"), timeout=self._busy_s)
        try:
            with lock:
                self._connection.execute("PRAGMA journal_mode = WAL")
                for version in range(self._version(), len(MIGRATIONS)):
                    self._connection.executescript(
                        f"BEGIN IMMEDIATE;{MIGRATIONS[version]}PRAGMA user_version = {version + 1};COMMIT;"
                    )
        except Timeout:
            raise self._busy() from None
        except OSError as error:
            raise self._unwritable() from error

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What the file or another process did, as one sentence; mistakes of ours stay what they are."""
        try:
            yield
        except (sqlite3.IntegrityError, sqlite3.ProgrammingError, sqlite3.InterfaceError):
            raise
        except sqlite3.DatabaseError as error:
            raise self._sentence(error) from error

    def _sentence(self, error: sqlite3.DatabaseError) -> DatabaseError:
        name: str = getattr(error, "sqlite_errorname", "")
        where = str(self.path)
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return self._busy()
        if name.startswith(("SQLITE_READONLY", "SQLITE_PERM", "SQLITE_CANTOPEN")):
            return self._unwritable()
        if name.startswith(("SQLITE_FULL", "SQLITE_IOERR")):
            return DatabaseError(f"the disk is full or failing ({error})", where=where, todo="make room")
        if name.startswith("SQLITE_NOTADB"):
            return DatabaseError("is no record of hunts", where=where, todo=_FRESH)
        return DatabaseError(f"is damaged ({error})", where=where, todo=_FRESH)

    def _unwritable(self) -> DatabaseError:
        return DatabaseError(
            "cannot be opened for writing",
            where=str(self.path),
            todo="check the permissions of the file and its folder",
        )

    def _busy(self) -> DatabaseError:
        return DatabaseError(
            f"another process has held it for {self._busy_s:g} s", where=str(self.path), todo="try again"
        )


def _storable(value: object) -> object:
    # A file name or an argument that is no UTF-8 reaches us as lone surrogates.
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value
