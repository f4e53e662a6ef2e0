"""The engine's query replies, decoded into one numpy array a column."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from echolot_tui.engine import wire
from echolot_tui.engine.model import Columns
from echolot_tui.engine.varints import unpack_varints

if TYPE_CHECKING:
    import numpy.typing as npt

_NULL, _VARINT, _FLOAT64, _STRING, _BLOB = 1, 2, 3, 4, 5
_EXACT_IN_FLOAT = 2**53


@dataclass(slots=True)
class Reply:
    """The parts of a ``QueryResult`` that came in, possibly over several messages."""

    names: list[str] = field(default_factory=list)
    error: str = ""
    cells: list[bytes] = field(default_factory=list)
    varints: list[bytes] = field(default_factory=list)
    floats: list[bytes] = field(default_factory=list)
    strings: list[bytes] = field(default_factory=list)
    blobs: list[bytes] = field(default_factory=list)


def gather(results: Iterable[bytes | memoryview]) -> Reply:
    """Collect serialized ``QueryResult`` messages of one query.

    Raises:
        WireError: One of them is malformed.
    """
    reply = Reply()
    for result in results:
        for number, value in wire.fields(result):
            if number == 1:
                reply.names.append(wire.text(value))
            elif number == 2:
                reply.error = wire.text(value)
            elif number == 3:
                _gather_batch(reply, wire.blob(value))
    return reply


def _gather_batch(reply: Reply, batch: bytes) -> None:
    parts = {1: reply.cells, 2: reply.varints, 3: reply.floats, 4: reply.blobs, 5: reply.strings}
    for number, value in wire.fields(batch):
        if number in parts:
            parts[number].append(wire.blob(value))


def decode(reply: Reply) -> Columns:
    """Columns of a reply without an error.

    A column is ``int64`` when every value is an integer, ``float64`` when every value is a number,
    else ``object``. A column without rows is ``int64``, which every numpy function takes. Text
    has undecodable bytes replaced. Columns that share a name get ``_2``, ``_3``, … appended.

    Raises:
        WireError: Cells and values do not match in number.
    """
    names = _distinct(reply.names)
    width = len(names)
    cells = np.frombuffer(b"".join(reply.cells), dtype=np.uint8)
    if cells.size == 0 or width == 0:
        empty = {name: np.empty(0, dtype=np.int64) for name in names}
        return Columns(names=names, arrays=empty, rows=0)
    if cells.size % width:
        raise wire.WireError("the last row of a reply is cut off")
    values: dict[int, npt.NDArray[Any]] = {
        _VARINT: _numbers(reply.varints),
        _FLOAT64: np.frombuffer(b"".join(reply.floats), dtype="<f8"),
        _STRING: _texts(b"".join(reply.strings)),
        _BLOB: _objects(reply.blobs),
    }
    table = cells.reshape(-1, width)
    uniform = bool((table == table[0]).all())
    columns = _uniform(table, values) if uniform else _mixed(cells, width, values)
    return Columns(names=names, arrays=dict(zip(names, columns, strict=True)), rows=len(table))


def _distinct(names: list[str]) -> tuple[str, ...]:
    taken: dict[str, None] = {}
    for name in names:
        free, again = name, 1
        while free in taken:
            again += 1
            free = f"{name}_{again}"
        taken[free] = None
    return tuple(taken)


def _numbers(packed: list[bytes]) -> npt.NDArray[np.int64]:
    """Batch by batch: the intermediate arrays then fit the processor's cache, several times as fast."""
    parts = [unpack_varints(batch) for batch in packed]
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)


def _texts(joined: bytes) -> npt.NDArray[np.object_]:
    """NUL-terminated texts as an array of ``str``."""
    return _objects(joined.decode("utf-8", errors="replace").split("\0")[:-1])


def _objects(items: list[Any]) -> npt.NDArray[np.object_]:
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


def _uniform(table: npt.NDArray[np.uint8], values: dict[int, npt.NDArray[Any]]) -> list[npt.NDArray[Any]]:
    """Columns when every row has the same types: each is a stride through its type's values."""
    rows = len(table)
    first = table[0].tolist()
    grids = {}
    for kind, items in values.items():
        per_row = first.count(kind)
        if items.size != per_row * rows:
            raise wire.WireError("a reply's cells and values differ in number")
        grids[kind] = items.reshape(rows, per_row)
    columns: list[npt.NDArray[Any]] = []
    for place, kind in enumerate(first):
        if kind in grids:
            columns.append(np.ascontiguousarray(grids[kind][:, first[:place].count(kind)]))
        else:
            columns.append(_objects([None] * rows))
    return columns


def _mixed(
    cells: npt.NDArray[np.uint8], width: int, values: dict[int, npt.NDArray[Any]]
) -> list[npt.NDArray[Any]]:
    """Columns when rows differ in types: each cell's place among the values of its type is counted."""
    table = cells.reshape(-1, width)
    places: dict[int, npt.NDArray[np.intp]] = {}
    for kind, items in values.items():
        is_kind = cells == kind
        if int(np.count_nonzero(is_kind)) != items.size:
            raise wire.WireError("a reply's cells and values differ in number")
        if items.size:
            places[kind] = (np.cumsum(is_kind) - 1).reshape(table.shape)
    return [
        _column(
            table[:, place],
            {kind: (ranks[:, place], values[kind]) for kind, ranks in places.items()},
        )
        for place in range(width)
    ]


def _column(
    kinds: npt.NDArray[np.uint8],
    sources: dict[int, tuple[npt.NDArray[np.intp], npt.NDArray[Any]]],
) -> npt.NDArray[Any]:
    picked: dict[int, tuple[npt.NDArray[np.bool_], npt.NDArray[Any]]] = {}
    for kind, (ranks, items) in sources.items():
        mask = kinds == kind
        if mask.any():
            picked[kind] = (mask, items[ranks[mask]])
    complete = sum(len(items) for _, items in picked.values()) == len(kinds)
    if complete and len(picked) == 1:
        return next(items for _, items in picked.values())
    dtype = np.float64 if complete and _fits_float(picked) else object
    column: npt.NDArray[Any] = np.empty(len(kinds), dtype=dtype)
    for mask, items in picked.values():
        column[mask] = items
    return column


def _fits_float(picked: dict[int, tuple[npt.NDArray[np.bool_], npt.NDArray[Any]]]) -> bool:
    """Whether the column holds only integers and floats, and the integers survive as floats."""
    if set(picked) != {_VARINT, _FLOAT64}:
        return False
    integers = picked[_VARINT][1]
    return bool((integers <= _EXACT_IN_FLOAT).all() and (integers >= -_EXACT_IN_FLOAT).all())
