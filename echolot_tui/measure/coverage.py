"""How much of the window the rows stand for: the union of their main-thread stretches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from echolot_tui.measure.model import Coverage

Int64s = npt.NDArray[np.int64]

_LITTLE_ENDIAN = np.dtype("<i8")


def pack(row: npt.ArrayLike, ts_ns: npt.ArrayLike, dur_ns: npt.ArrayLike) -> Coverage:
    """Store stretches: three parallel sequences of whole numbers of equal length."""
    columns = [np.ascontiguousarray(column, dtype=_LITTLE_ENDIAN) for column in (row, ts_ns, dur_ns)]
    if len({column.shape for column in columns}) != 1:
        raise ValueError("row, ts_ns and dur_ns differ in length")
    rows, starts, lengths = (column.tobytes() for column in columns)
    return Coverage(row=rows, ts_ns=starts, dur_ns=lengths)


def unpack(coverage: Coverage) -> tuple[Int64s, Int64s, Int64s]:
    """The stored stretches as ``(row, ts_ns, dur_ns)``, each of shape ``(stretches,)``."""
    row, starts, lengths = (
        np.frombuffer(raw, dtype=_LITTLE_ENDIAN).astype(np.int64, copy=False)
        for raw in (coverage.row, coverage.ts_ns, coverage.dur_ns)
    )
    return row, starts, lengths


def covered_ns(
    chosen: Iterable[tuple[Coverage, Sequence[int]]],
    *,
    start_ns: int,
    end_ns: int,
) -> int:
    """Length of the union of the chosen rows' stretches inside the window, each moment once.

    Args:
        chosen: For each detector its stretches and the indices of the rows that count.
        start_ns: Start of the window.
        end_ns: End of the window.

    Returns:
        Nanoseconds.
    """
    starts, ends = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for coverage, rows in chosen:
        row, ts, dur = unpack(coverage)
        counts = np.isin(row, np.asarray(rows, dtype=np.int64))
        starts.append(ts[counts])
        ends.append(ts[counts] + dur[counts])
    return union_ns(
        np.clip(np.concatenate(starts), start_ns, end_ns), np.clip(np.concatenate(ends), start_ns, end_ns)
    )


def union_ns(starts: Int64s, ends: Int64s) -> int:
    """Length of the union of the intervals ``[start, end)``; empty and reversed ones count nothing."""
    if not len(starts):
        return 0
    order = np.argsort(starts, kind="stable")
    begin, reach = starts[order], np.maximum.accumulate(ends[order])
    # What an interval adds lies beyond everything that began before it.
    fresh = np.maximum(begin[1:], reach[:-1])
    first = max(int(reach[0] - begin[0]), 0)
    return first + int(np.maximum(reach[1:] - fresh, 0).sum())
