"""Every detector's query over one window: open rows, what they cover, or why there is nothing."""

from __future__ import annotations

import heapq
import math
import re
from collections.abc import Sequence
from itertools import repeat
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from echolot_tui.engine.model import Columns, QueryError
from echolot_tui.errors import EcholotError
from echolot_tui.frozen import Cell
from echolot_tui.measure.coverage import pack
from echolot_tui.measure.derived import DerivedTables
from echolot_tui.measure.detector_file import COVERS_SELF, COVERS_WHOLE
from echolot_tui.measure.model import Coverage, DetectorMeasurement, OpenRow
from echolot_tui.measure.sources import SOURCES
from echolot_tui.measure.spec import PlannedDetector
from echolot_tui.measure.stacks import with_stacks
from echolot_tui.measure.stretches import nesting, own_time
from echolot_tui.measure.tables import SHARED_TABLES
from echolot_tui.units import round2

ROWS_KEPT: Final = 2_000
"""Rows of one detector that are stored, by rank; the rest are counted."""

UNNAMED_SLICE: Final = "(no name)"
"""What a slice without a name is called; the shipped queries use the same words."""

_TEXTS: Final = ("location", "thread", "detail")
_METRICS: Final = ("count", "self_ms", "total_ms", "max_ms", "covered_ms", "full_ms")

_CHANGED: Final = re.compile(
    r"\b(?:DROP\s+(?:TABLE|VIEW)(?:\s+IF\s+EXISTS)?|CREATE\s+OR\s+REPLACE\s+PERFETTO\s+(?:TABLE|VIEW))\s+(\w+)",
    re.IGNORECASE,
)
"""The tables a statement drops or replaces."""

Ints = npt.NDArray[np.int64]


class _RowsError(EcholotError):
    """A query's answer is not rows of a detector."""


def run_detectors(
    derived: DerivedTables, detectors: Sequence[PlannedDetector]
) -> tuple[DetectorMeasurement, ...]:
    """Ask every detector.

    A missing source makes a detector ``no data``; a query the engine refuses, or that does not answer with
    the columns it should, makes it ``failed``. Neither touches the others.

    Args:
        derived: The tables of one window, and what is made from them on demand.
        detectors: What to ask, in the order of the answers.

    Raises:
        QueryError: The engine is gone, or refused a statement that belongs to no detector.
    """
    run = _Run(derived)
    return tuple(run.measure(detector) for detector in detectors)


class _Run:
    """The detectors of one window: checks each source once."""

    def __init__(self, derived: DerivedTables) -> None:
        self._session = derived.session
        self._derived = derived
        self._has: dict[str, bool] = {}

    def measure(self, detector: PlannedDetector) -> DetectorMeasurement:
        missing = [need for need in detector.needs if not self._has_source(need)]
        if missing:
            source = SOURCES[missing[0]]
            reason = f"the trace has no {source.name}; {detector.record or source.record}"
            return DetectorMeasurement(id=detector.id, state="no data", reason=reason)
        try:
            _leave_alone(detector)
            self._include(detector.modules)
            self._derived.make_for((detector.sql, detector.covers_sql or ""))
            answer = self._session.query(detector.sql)
            kept = _kept(answer, detector)
        except (QueryError, _RowsError) as error:
            self._check_alive()
            return DetectorMeasurement(id=detector.id, state="failed", reason=error.what)
        coverage, coverage_error = self._coverage(detector, kept)
        if detector.id == "uninstrumented_cpu":
            kept = with_stacks(self._session, kept, self._derived.own)
        return DetectorMeasurement(
            id=detector.id,
            rows=tuple(OpenRow(columns=row) for row in kept),
            rows_total=answer.rows,
            coverage=coverage,
            coverage_error=coverage_error,
        )

    def _include(self, modules: Sequence[str]) -> None:
        """Include stdlib modules.

        Raises:
            _RowsError: The engine has no such module, or it does not load.
        """
        for module in modules:
            try:
                self._session.query(f"INCLUDE PERFETTO MODULE {module}")
            except QueryError as error:
                self._check_alive()
                raise _RowsError(f"the stdlib module {module} cannot be included") from error

    def _has_source(self, need: str) -> bool:
        if need not in self._has:
            self._has[need] = self._session.query(SOURCES[need].check).rows > 0
        return self._has[need]

    def _check_alive(self) -> None:
        """An engine that died over a query fails here too, and the trace with it."""
        self._session.query("SELECT 1")

    def _coverage(
        self, detector: PlannedDetector, rows: Sequence[dict[str, Cell]]
    ) -> tuple[Coverage | None, str]:
        if detector.covers_sql is None or not rows:
            return None, ""
        try:
            if detector.covers_sql in (COVERS_SELF, COVERS_WHOLE):
                row, ts, dur = self._named_slices(detector.covers_sql, rows)
            else:
                row, ts, dur = _stretches(self._session.query(detector.covers_sql), rows, detector.identity)
        except (QueryError, _RowsError) as error:
            self._check_alive()
            return None, error.what
        known = (row >= 0) & (dur > 0)
        return pack(row[known], ts[known], dur[known]), ""

    def _named_slices(self, covers: str, rows: Sequence[dict[str, Cell]]) -> tuple[Ints, Ints, Ints]:
        """The main thread's slices named like each row's location, whole or less their children."""
        slices = self._derived.slices
        name, ts, dur = slices.main_own_time if covers == COVERS_SELF else slices.main_whole
        row_of = {row["location"]: at for at, row in enumerate(rows) if row.get("thread") in (None, "main")}
        of_name = np.array([row_of.get(name or UNNAMED_SLICE, -1) for name in slices.names], dtype=np.int64)
        return of_name[name] if len(of_name) else name, ts, dur


def _leave_alone(detector: PlannedDetector) -> None:
    """Refuse a query that would take away what the detectors after it read.

    Raises:
        _RowsError: It drops or replaces a table of the window.
    """
    statements = f"{detector.sql};{detector.covers_sql or ''}"
    for name in _CHANGED.findall(statements):
        if name.lower() in SHARED_TABLES:
            raise _RowsError(f"the query drops or replaces {name.lower()}, which other detectors read")


def _kept(answer: Columns, detector: PlannedDetector) -> list[dict[str, Cell]]:
    """The answer's rows that are stored: the largest by rank, ties by identity.

    Raises:
        _RowsError: A column the detector's header names is missing, or a number is something else.
    """
    for column in dict.fromkeys(("location", *detector.identity, detector.rank)):
        if column not in answer.names:
            raise _RowsError(f"the query returns no column {column}", todo="see its @identity and @rank")
    for column in {*_METRICS, detector.rank}.intersection(answer.names):
        if any(isinstance(value, str | bytes) for value in _objects(answer[column])):
            raise _RowsError(f"column {column} holds text where a number belongs")
    chosen = _largest(_ranks(answer[detector.rank]), [answer[column] for column in detector.identity])
    return [
        {name: _tidy(name, value) for name, value in zip(answer.names, row, strict=True)}
        for row in zip(*(answer[name][chosen].tolist() for name in answer.names), strict=True)
    ]


def _largest(rank: npt.NDArray[np.float64], identity: Sequence[npt.NDArray[Any]]) -> list[int]:
    """Indices of the rows that are kept, in order: by rank from large to small, then by identity."""
    cut = -math.inf
    if len(rank) > ROWS_KEPT:
        cut = -np.partition(-rank, ROWS_KEPT - 1)[ROWS_KEPT - 1]
    # Of the rows that tie with the last one kept there may be very many, so only those left over are sorted.
    over, tied = np.flatnonzero(rank > cut).tolist(), np.flatnonzero(rank == cut)
    names = dict(
        zip(tied.tolist(), zip(*(map(str, one[tied].tolist()) for one in identity), strict=True), strict=True)
    )
    last = heapq.nsmallest(ROWS_KEPT - len(over), names, key=names.__getitem__)
    return sorted(over, key=lambda at: (-rank[at], [str(one[at]) for one in identity])) + last


def _objects(column: npt.NDArray[Any]) -> list[object]:
    """The values of a column that may hold anything; nothing for one of numbers."""
    return column.tolist() if column.dtype == object else []


def _ranks(column: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """The ranking column as numbers; NULL ranks last."""
    if column.dtype != object:
        return column.astype(np.float64)
    return np.array([-math.inf if value is None else value for value in column.tolist()], dtype=np.float64)


def _tidy(name: str, value: Cell) -> Cell:
    if isinstance(value, bytes):
        raise _RowsError(f"column {name} holds bytes")
    if name in _TEXTS:
        return None if value is None else str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if name.endswith("_ms") and isinstance(value, int | float):
        return round2(value)
    return value


def _stretches(
    answer: Columns, rows: Sequence[dict[str, Cell]], identity: Sequence[str]
) -> tuple[Ints, Ints, Ints]:
    """The coverage query's answer as row index, start and length; -1 for rows that are not stored.

    It may leave out identity columns in which no two rows differ. A column ``depth`` says that stretches
    nest: each then stands for the time in which it is the innermost one.

    Raises:
        _RowsError: Columns are missing, or it does not tell the rows apart.
    """
    named = [column for column in identity if column in answer.names]
    for column in ("ts", "dur"):
        if column not in answer.names or (answer.rows and answer[column].dtype != np.int64):
            raise _RowsError(f"the coverage query returns no whole numbers {column}")
    keys = list(zip(*([row[column] for row in rows] for column in named), strict=True))
    row_of = {key: at for at, key in enumerate(keys)}
    if not named or len(row_of) < len(keys):
        raise _RowsError("the coverage query does not tell the rows apart")
    found = zip(*(answer[column].tolist() for column in named), strict=True)
    row = np.fromiter(map(row_of.get, found, repeat(-1)), np.int64, answer.rows)
    ts, dur = answer["ts"], answer["dur"]
    if "depth" not in answer.names or not answer.rows:
        return row, ts, dur
    # By start, for the stretches right inside one need not be of one depth.
    order = np.lexsort((answer["depth"], ts))
    order = order[dur[order] > 0]
    owner, begins, lengths = own_time(ts[order], dur[order], nesting(ts[order], dur[order]))
    return row[order][owner], begins, lengths
