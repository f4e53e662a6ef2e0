"""Query replies, written by the perfetto package's own messages and read by ours."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from perfetto.trace_processor.platform import PlatformDelegate
from perfetto.trace_processor.protos import ProtoFactory

from echolot_tui.engine import columns
from echolot_tui.engine.model import Columns
from echolot_tui.engine.wire import WireError

PROTOS = ProtoFactory(PlatformDelegate())
NULL, VARINT, FLOAT, STRING, BLOB = 1, 2, 3, 4, 5


def _batch(cells: list[Any]) -> Any:
    batch = PROTOS.CellsBatch()
    texts = []
    for cell in cells:
        if cell is None:
            batch.cells.append(NULL)
        elif isinstance(cell, int):
            batch.cells.append(VARINT)
            batch.varint_cells.append(cell)
        elif isinstance(cell, float):
            batch.cells.append(FLOAT)
            batch.float64_cells.append(cell)
        elif isinstance(cell, bytes):
            batch.cells.append(BLOB)
            batch.blob_cells.append(cell)
        else:
            batch.cells.append(STRING)
            texts.append(cell + "\0")
    batch.string_cells = "".join(texts)
    return batch


def _reply(names: list[str], rows: list[tuple[Any, ...]], cut: int = 10**9) -> list[bytes]:
    """The rows as serialized messages of at most ``cut`` cells; only the first has the names."""
    cells = [cell for row in rows for cell in row]
    messages = []
    for start in range(0, max(len(cells), 1), cut):
        message = PROTOS.QueryResult()
        if start == 0:
            message.column_names.extend(names)
        message.batch.append(_batch(cells[start : start + cut]))
        messages.append(message.SerializeToString())
    return messages


def _decode(names: list[str], rows: list[tuple[Any, ...]], cut: int = 10**9) -> Columns:
    return columns.decode(columns.gather(_reply(names, rows, cut)))


CELL = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5),
    st.binary(max_size=4),
)
TABLE = st.integers(1, 4).flatmap(
    lambda width: st.tuples(
        st.just([f"c{i}" for i in range(width)]),
        st.lists(st.tuples(*[CELL] * width), max_size=8),
        st.integers(1, 9),
    )
)


@given(TABLE)
def test_every_table_comes_back(table: tuple[list[str], list[tuple[Any, ...]], int]) -> None:
    names, rows, cut = table
    got = _decode(names, rows, cut)
    assert got.names == tuple(names)
    assert got.rows == len(rows)
    back = list(got.tuples())
    for expected, actual in zip(rows, back, strict=True):
        assert all(a == b for a, b in zip(expected, actual, strict=True)), (rows, back)


def test_types_of_columns() -> None:
    got = _decode(
        ["i", "f", "t", "n", "mixed", "holes"],
        [(1, 1.5, "a", None, 1, 5), (-(2**63), -0.5, "b", None, 0.5, None)],
    )
    assert [got[name].dtype for name in got.names] == [
        np.int64,
        np.float64,
        object,
        object,
        np.float64,
        object,
    ]
    assert got["i"].tolist() == [1, -(2**63)]
    assert got["holes"].tolist() == [5, None]
    assert got["mixed"].tolist() == [1.0, 0.5]


def test_integers_a_float_cannot_hold_stay_integers() -> None:
    got = _decode(["mixed"], [(2**53 + 1,), (0.5,)])
    assert got["mixed"].dtype == object
    assert got["mixed"].tolist() == [2**53 + 1, 0.5]


def test_no_rows_keep_their_names() -> None:
    got = _decode(["a", "b"], [])
    assert got.names == ("a", "b")
    assert got.rows == 0
    assert all(got[name].dtype == np.int64 and got[name].size == 0 for name in got.names)


def test_columns_of_the_same_name_are_kept_apart() -> None:
    got = _decode(["x", "x", "x_2"], [(1, 2, 3)])
    assert {name: got[name].tolist() for name in got.names} == {"x": [1], "x_2": [2], "x_2_2": [3]}


def test_undecodable_text_is_replaced() -> None:
    message = _reply(["t", "u"], [("ab", "c")])[0].replace(b"ab\0", b"a\xff\0")
    assert columns.decode(columns.gather([message])).records() == [{"t": "a�", "u": "c"}]


def test_the_error_of_a_reply() -> None:
    message = PROTOS.QueryResult(error="no such table: nope")
    assert columns.gather([message.SerializeToString()]).error == "no such table: nope"


@pytest.mark.parametrize("rows", [[(1, 2), (3, 4)], [(1, "a"), (None, "b")]])
def test_a_reply_whose_cells_and_values_differ_is_refused(rows: list[tuple[Any, ...]]) -> None:
    reply = columns.gather(_reply(["a", "b"], rows))
    reply.varints = [b"\x01\x01\x01\x01\x01"]
    with pytest.raises(WireError, match="differ in number"):
        columns.decode(reply)


def test_a_reply_with_half_a_row_is_refused() -> None:
    reply = columns.gather(_reply(["a", "b"], [(1, 2)]))
    reply.cells.append(b"\x02")
    with pytest.raises(WireError, match="cut off"):
        columns.decode(reply)
