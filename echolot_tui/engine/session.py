"""A loaded trace that answers SQL."""

from __future__ import annotations

import re
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from echolot_tui.engine import columns
from echolot_tui.engine.backend import Backend, EngineDiedError
from echolot_tui.engine.model import Columns, EngineInfo, QueryError
from echolot_tui.engine.wire import WireError
from echolot_tui.text import visible

_SQL_SHOWN: Final = 120


class EngineLostError(QueryError):
    """The engine died over a query: nothing more can be asked about this trace."""


_PLACE: Final = re.compile(r'^\s*File "stdin" line (\d+) col (\d+)$', re.MULTILINE)
"""Where in the SQL the engine stopped."""


class EngineFullError(EngineLostError):
    """It died because it could not get more memory."""


class Session:
    """A :class:`~echolot_tui.engine.model.TraceSession` over one engine instance; closes on leaving ``with``.

    Args:
        path: The trace.
        backend: The engine, which has loaded it.
    """

    def __init__(self, path: Path, backend: Backend) -> None:
        self._path = path
        self._backend = backend
        self.lost: EngineLostError | None = None
        """The query the engine died over, when it did: what was measured since then is not to be used."""

    @property
    def engine(self) -> EngineInfo:
        """The engine that answers."""
        return self._backend.info

    @property
    def path(self) -> Path:
        """The trace."""
        return self._path

    def query(self, sql: str) -> Columns:
        """Answer ``sql``: one or more statements, the last one's rows.

        Raises:
            QueryError: The engine refused a statement.
            EngineLostError: It died over it, or had died before.
        """
        try:
            reply = columns.gather(self._backend.query(sql))
            if not reply.error:
                return columns.decode(reply)
        except EngineDiedError as death:
            kind = EngineFullError if death.out_of_memory else EngineLostError
            raise self._lose(kind, death.reason, sql) from death
        except WireError as error:
            raise self._lose(EngineLostError, f"gave a malformed answer ({error})", sql) from error
        raise QueryError(visible(_refusal(reply.error), 400), where=self._where(sql))

    def close(self) -> None:
        """Free the engine."""
        self._backend.close()

    def __enter__(self) -> Self:
        """The session itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Free the engine."""
        self.close()

    def _lose(self, kind: type[EngineLostError], reason: str, sql: str) -> EngineLostError:
        """The failure the engine died of: of a query to a dead engine still the one it died over."""
        if self.lost is None:
            self.lost = kind(visible(f"the engine {reason}", 400), where=self._where(sql))
        return self.lost

    def _where(self, sql: str) -> str:
        shown = visible(" ".join(sql.split()), _SQL_SHOWN)
        return f"{visible(str(self._path))}, query “{shown}”"


def _refusal(message: str) -> str:
    """The engine's own words: the lines above them repeat the SQL, and say where in it.

    The place is told where the words name nothing, as ``syntax error`` does.
    """
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    if not lines:
        return "the engine gave no reason"
    places = _PLACE.findall(message)
    if ":" in lines[-1] or not places:
        return lines[-1]
    line, column = places[-1]
    return f"{lines[-1]} in line {line}, column {column} of the query"
