"""Tables made from the window's tables, each only when some detector's query names it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from echolot_tui.engine.model import TraceSession
from echolot_tui.frozen import Cell
from echolot_tui.measure.own_code import OwnCode
from echolot_tui.measure.sleeps import main_sleeps
from echolot_tui.measure.slice_arrays import SliceArrays, load_slice_arrays
from echolot_tui.measure.sql import sql_file

_BUSY_STATES: Final = """
SELECT ts, dur, CASE WHEN state = 'Running' THEN 1 WHEN state IN ('R', 'R+') THEN 2 ELSE 0 END AS kind
FROM window_state
WHERE is_main AND dur > 0 AND state IN ('Running', 'R', 'R+', 'D', 'DK')
"""


class DerivedTables:
    """Makes derived tables on demand; holds the window's slices as arrays while it is measured.

    Args:
        session: A trace with the window's tables.
        own: Tells the app's own code; without it nothing but its package does.
    """

    def __init__(self, session: TraceSession, own: OwnCode | None = None) -> None:
        self.session = session
        self.own = own or OwnCode()
        self._made: set[str] = set()

    @cached_property
    def slices(self) -> SliceArrays:
        """The window's slices, pulled out of the engine at first use."""
        return load_slice_arrays(self.session)

    def make_for(self, statements: Iterable[str]) -> None:
        """Make every derived table the statements name and that is not there yet.

        Raises:
            QueryError: The engine refused.
        """
        text = "\n".join(statements)
        for name, make in _MAKERS.items():
            if name not in self._made and re.search(rf"\b{name}\b", text):
                self.make_for(_NAMED.intersection({name}) and ["folded_name"])
                make(self)
                self._made.add(name)

    def _folded_name(self) -> None:
        self._push("folded_name", [[name, short] for name, short in sorted(self.slices.folded.items())])

    def _slice_total(self) -> None:
        self._push("slice_total", _rows(*self.slices.totals().values()))

    def _slice_call(self) -> None:
        self._push("slice_call", _rows(*self.slices.calls().values()))

    def _window_cpu(self) -> None:
        self.session.query(sql_file("window_cpu", {}))

    def _main_path(self) -> None:
        self._push("main_path", _rows(*self.slices.main_paths().values()))

    def _main_busy(self) -> None:
        states = self.session.query(_BUSY_STATES)
        busy = self.slices.busy(states["ts"], states["dur"], states["kind"])
        self._push("main_busy", _rows(*busy.values()))

    def _main_sleep(self) -> None:
        self._push("main_sleep", main_sleeps(self.session, self.slices))

    def _own_composable(self) -> None:
        package = str(self.session.query("SELECT package FROM process_info").scalar() or "")
        names = {name for name in self.slices.names if name and self.own.has_composable(name, package)}
        self._push("own_composable", [[name] for name in sorted(names)])

    def _push(self, table: str, rows: Sequence[Sequence[Cell]]) -> None:
        """Make ``table`` in the engine; its SQL adds the names that numbers stand for."""
        self.session.query(sql_file(table, {"rows": json.dumps(rows, separators=(",", ":"))}))


def _rows(*columns: npt.NDArray[np.int64]) -> list[list[Cell]]:
    rows: list[list[Cell]] = np.column_stack(columns).tolist()
    return rows


_NAMED: Final = frozenset({"slice_total", "slice_call", "main_path", "main_busy"})
"""Tables whose SQL looks names up that were folded."""

_MAKERS: Final[Mapping[str, Callable[[DerivedTables], None]]] = {
    "folded_name": DerivedTables._folded_name,
    "slice_total": DerivedTables._slice_total,
    "slice_call": DerivedTables._slice_call,
    "window_cpu": DerivedTables._window_cpu,
    "main_path": DerivedTables._main_path,
    "main_busy": DerivedTables._main_busy,
    "main_sleep": DerivedTables._main_sleep,
    "own_composable": DerivedTables._own_composable,
}

DERIVED: Final = tuple(_MAKERS)
"""Names of all derived tables."""
