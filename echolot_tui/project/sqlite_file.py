"""A SQLite file that several processes write: transactions, migrations, and failures in one sentence."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Final, Self

from filelock import FileLock, Timeout

from echolot_tui.errors import EcholotError

BUSY_S: Final = 20.0
"""How long a transaction waits for another process's; ours take milliseconds."""


class SqliteFile:
    """An open file. Not to be shared between threads."""

    migrations: ClassVar[Sequence[str]]
    """Scripts, each bringing the file from the version of its number to the next."""
    failure: ClassVar[type[EcholotError]]
    """What is raised."""
    noun: ClassVar[str]
    """What such a file is called."""
    fresh: ClassVar[str]
    """What to do where the file is not one, or damaged."""

    def __init__(self, path: Path, *, busy_s: float = BUSY_S) -> None:
        """Open the file, making or migrating it when it is new or older.

        Raises:
            EcholotError: ``failure``: it is no such file, damaged, read-only, locked for too long, or of a
                newer version.
        """
        self.path = path
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
            self.close()
            raise

    def __enter__(self) -> Self:
        """The open file itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let go of the file."""
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def rows(self, sql: str, *parameters: object) -> Sequence[sqlite3.Row]:
        """Everything a query answers."""
        with self._told():
            return self._connection.execute(sql, parameters).fetchall()

    @contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        """A transaction that no other process's can come between; rolled back when anything fails inside."""
        with self._told():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _set_up(self) -> None:
        self._connection.row_factory = sqlite3.Row
        self._connection.execute("PRAGMA foreign_keys = ON")
        # A transition has to be on the disk before the work it announces, also when the power fails.
        self._connection.execute("PRAGMA synchronous = FULL")
        if self._version() != len(self.migrations):
            self._migrate()

    def _version(self) -> int:
        version: int = self._connection.execute("PRAGMA user_version").fetchone()[0]
        if version > len(self.migrations):
            raise self.failure(
                f"was written by a newer echolot (version {version}, this one knows {len(self.migrations)})",
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
                for version in range(self._version(), len(self.migrations)):
                    self._connection.executescript(
                        f"BEGIN IMMEDIATE;{self.migrations[version]}"
                        f"PRAGMA user_version = {version + 1};COMMIT;"
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

    def _sentence(self, error: sqlite3.DatabaseError) -> EcholotError:
        name: str = getattr(error, "sqlite_errorname", "")
        where = str(self.path)
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return self._busy()
        if name.startswith(("SQLITE_READONLY", "SQLITE_PERM", "SQLITE_CANTOPEN")):
            return self._unwritable()
        if name.startswith(("SQLITE_FULL", "SQLITE_IOERR")):
            return self.failure(f"the disk is full or failing ({error})", where=where, todo="make room")
        if name.startswith("SQLITE_NOTADB"):
            return self.failure(f"is no {self.noun}", where=where, todo=self.fresh)
        return self.failure(f"is damaged ({error})", where=where, todo=self.fresh)

    def _unwritable(self) -> EcholotError:
        return self.failure(
            "cannot be opened for writing",
            where=str(self.path),
            todo="check the permissions of the file and its folder",
        )

    def _busy(self) -> EcholotError:
        return self.failure(
            f"another process has held it for {self._busy_s:g} s", where=str(self.path), todo="try again"
        )
