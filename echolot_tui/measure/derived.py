"""Tables made from the window's tables, each only when some detector's query names it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from echolot_tui.engine.model import TraceSession
from echolot_tui.measure.slice_arrays import SliceArrays, load_slice_arrays
from echolot_tui.measure.sql import sql_file


class DerivedTables:
    """Makes derived tables on demand; holds the window's slices as arrays while detectors run.

    Args:
        session: A trace with the window's tables.
    """

    def __init__(self, session: TraceSession) -> None:
        self._session = session
        self._made: set[str] = set()

    @cached_property
    def slices(self) -> SliceArrays:
        """The window's slices, pulled out of the engine at first use."""
        return load_slice_arrays(self._session)

    def make_for(self, statements: Iterable[str]) -> None:
        """Make every derived table the statements name and that is not there yet.

        Raises:
            QueryError: The engine refused.
        """
        text = "\n".join(statements)
        for name, make in _MAKERS.items():
            if name not in self._made and re.search(rf"\b{name}\b", text):
                make(self)
                self._made.add(name)

    def _slice_total(self) -> None:
        self._push("slice_total", self.slices.totals())

    def _slice_call(self) -> None:
        self._push("slice_call", self.slices.calls())

    def _window_cpu(self) -> None:
        self._session.query(sql_file("cpu", {}))

    def _push(self, table: str, columns: Mapping[str, npt.NDArray[np.int64]]) -> None:
        """Make ``table`` in the engine out of numbers; its SQL adds the names they stand for."""
        rows = np.column_stack(list(columns.values())).tolist()
        self._session.query(sql_file(table, {"rows": json.dumps(rows, separators=(",", ":"))}))


_MAKERS: Final[Mapping[str, Callable[[DerivedTables], None]]] = {
    "slice_total": DerivedTables._slice_total,
    "slice_call": DerivedTables._slice_call,
    "window_cpu": DerivedTables._window_cpu,
}

DERIVED: Final = tuple(_MAKERS)
"""Names of all derived tables."""
