"""The wire format, against the protobuf library's own encoder."""

from __future__ import annotations

import numpy as np
import pytest
from google.protobuf.internal import encoder
from hypothesis import given
from hypothesis import strategies as st

from echolot_tui.engine import wire
from echolot_tui.engine.varints import unpack_varints

INT64 = st.integers(-(2**63), 2**63 - 1)
EDGES = [0, 1, 127, 128, 2**14 - 1, 2**14, 2**49 - 1, 2**56 - 1, 2**56, 2**62, 2**63 - 1, -1, -(2**63)]


def _packed(values: list[int]) -> bytes:
    return b"".join(wire.varint(value & (2**64 - 1)) for value in values)


@given(st.integers(0, 2**64 - 1))
def test_a_varint_is_what_the_library_writes(value: int) -> None:
    written: list[bytes] = []
    encoder._EncodeVarint(written.append, value)
    assert wire.varint(value) == b"".join(written)


@given(st.lists(INT64))
def test_packed_numbers_come_back(values: list[int]) -> None:
    assert unpack_varints(_packed(values)).tolist() == values


@pytest.mark.parametrize("value", EDGES)
@pytest.mark.parametrize("around", [[], [5], [2**63 - 1, -1]])
def test_every_length_of_number(value: int, around: list[int]) -> None:
    values = [*around, value, *around]
    unpacked = unpack_varints(_packed(values))
    assert unpacked.dtype == np.int64
    assert unpacked.tolist() == values


@pytest.mark.parametrize(
    ("packed", "why"),
    [(b"\x80", "cut off"), (b"\x01\xff", "cut off"), (b"\xff" * 10 + b"\x01", "longer than ten")],
)
def test_damaged_numbers_are_refused(packed: bytes, why: str) -> None:
    with pytest.raises(wire.WireError, match=why):
        unpack_varints(packed)


def test_fields_come_in_order_with_their_values() -> None:
    message = (
        wire.number_field(1, 300)
        + wire.bytes_field(2, b"ab")
        + b"\x19"
        + b"\x01"
        + bytes(7)
        + b"\x25\x02\0\0\0"
    )
    assert [(n, v if isinstance(v, int) else bytes(v)) for n, v in wire.fields(message)] == [
        (1, 300),
        (2, b"ab"),
        (3, 1),
        (4, 2),
    ]


@pytest.mark.parametrize("message", [b"\x0a\x05abc", b"\x08", b"\x08\x80", b"\x19\x01"])
def test_a_message_that_ends_early_is_cut_off(message: bytes) -> None:
    with pytest.raises(wire.CutOffError):
        list(wire.fields(message))


def test_unknown_wire_types_are_refused() -> None:
    with pytest.raises(wire.WireError, match="wire type 3"):
        list(wire.fields(b"\x0b"))


def test_text_survives_undecodable_bytes() -> None:
    assert wire.text(memoryview(b"a\xffb")) == "a�b"
    with pytest.raises(wire.WireError, match="number"):
        wire.blob(5)
