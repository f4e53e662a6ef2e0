"""The seam of the engine: a trace opened once, SQL in, columns out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from echolot_tui.errors import EcholotError
from echolot_tui.frozen import Cell, Frozen

if TYPE_CHECKING:
    import numpy.typing as npt


class EngineInfo(Frozen, frozen=True, kw_only=True):
    """The Trace Processor that answered."""

    kind: Literal["embedded", "embedded64", "native"]
    version: str
    sha256: str
    """Of the WebAssembly module or the native binary."""


class EngineChoice(Frozen, frozen=True, kw_only=True):
    """Which engine to use, within which bounds, and what it is told; picklable, handed to workers."""

    tp_binary: Path | None = None
    """A native ``trace_processor_shell``; ``None`` is the embedded engine."""
    tp_binary_source: Literal["--tp-binary", "toolchain.tp_binary"] | None = None
    timeout_s: float = 600.0
    """For one trace: load and all queries together."""
    memory_mb: int = 16_384
    """Address space a worker may use beyond what it starts with."""
    names: Path | None = None
    """A gzip file made of ``deobfuscation.deobfuscation_trace``, told with every Perfetto recording."""


class TraceUnreadableError(EcholotError):
    """The engine gave nothing for this trace: it does not load, has no tables or no events."""


class QueryError(EcholotError):
    """A query failed; ``what`` is the engine's message, ``where`` names trace and SQL."""


@dataclass(frozen=True, slots=True)
class Columns:
    """A query's answer, column by column.

    ``arrays`` maps each column name, in query order, to an array of ``rows`` values: ``int64``,
    ``float64``, or ``object`` where values are text or some are NULL (``None``).
    """

    names: tuple[str, ...]
    arrays: Mapping[str, npt.NDArray[Any]]
    rows: int

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        """The array of one column."""
        return self.arrays[name]

    def tuples(self) -> Iterator[tuple[Cell, ...]]:
        """Rows as tuples of plain Python values."""
        return zip(*(self.arrays[name].tolist() for name in self.names), strict=True)

    def records(self) -> list[dict[str, Cell]]:
        """Rows as dictionaries of plain Python values."""
        return [dict(zip(self.names, row, strict=True)) for row in self.tuples()]

    def scalar(self) -> Cell:
        """The first value of the first row; ``None`` when there is no row."""
        return next(self.tuples())[0] if self.rows and self.names else None


class TraceSession(Protocol):
    """One loaded trace answering SQL. Not thread-safe; close it when done."""

    @property
    def engine(self) -> EngineInfo:
        """The engine that answers."""
        ...

    @property
    def path(self) -> Path:
        """The trace."""
        ...

    def query(self, sql: str) -> Columns:
        """Answer ``sql``: one or more statements, the last one's rows.

        Raises:
            QueryError: The engine refused a statement.
        """
        ...

    def close(self) -> None:
        """Free the engine."""
        ...
