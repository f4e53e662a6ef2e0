"""Protocol-buffer wire format: as much of it as the engine's messages need, and no message classes.

Numbers arrive as packed varints by the million; they become one numpy array without a Python
object each. Format: https://protobuf.dev/programming-guides/encoding.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_WORD = 8
_PAYLOAD = np.uint64(0x7F7F7F7F7F7F7F7F)

Value = int | memoryview
"""A varint's or fixed field's number (unsigned), or the bytes of a length-delimited field."""


class WireError(ValueError):
    """The bytes are not the message they should be."""


class CutOffError(WireError):
    """The bytes end inside a field."""


def varint(value: int) -> bytes:
    """Encode an unsigned number."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number_field(number: int, value: int) -> bytes:
    """Encode a varint field."""
    return varint(number << 3 | _VARINT) + varint(value)


def bytes_field(number: int, value: bytes) -> bytes:
    """Encode a length-delimited field: text, bytes or a message."""
    return field_head(number, len(value)) + value


def field_head(number: int, length: int) -> bytes:
    """The tag and length in front of a length-delimited field."""
    return varint(number << 3 | _BYTES) + varint(length)


def fields(data: bytes | memoryview) -> Iterator[tuple[int, Value]]:
    """Yield ``(field number, value)`` of one message in order; nothing is copied.

    Raises:
        CutOffError: The message ends inside a field.
        WireError: It holds an unknown wire type.
    """
    view = memoryview(data)
    at = 0
    while at < len(view):
        tag, at = read_varint(view, at)
        kind = tag & 7
        value: Value
        if kind == _VARINT:
            value, at = read_varint(view, at)
        elif kind == _BYTES:
            length, at = read_varint(view, at)
            value, at = _take(view, at, length)
        elif kind == _FIXED64:
            raw, at = _take(view, at, 8)
            value = struct.unpack("<Q", raw)[0]
        elif kind == _FIXED32:
            raw, at = _take(view, at, 4)
            value = struct.unpack("<I", raw)[0]
        else:
            raise WireError(f"unknown wire type {kind}")
        yield tag >> 3, value


def text(value: Value) -> str:
    """The text of a length-delimited field, undecodable bytes replaced."""
    return blob(value).decode("utf-8", errors="replace")


def blob(value: Value) -> bytes:
    """The bytes of a length-delimited field.

    Raises:
        WireError: The field is a number.
    """
    if isinstance(value, int):
        raise WireError("a number where bytes belong")
    return bytes(value)


def read_varint(view: memoryview, at: int) -> tuple[int, int]:
    """The number at ``at``, and where the next byte after it is.

    Raises:
        CutOffError: The bytes end inside the number.
        WireError: The number is longer than ten bytes.
    """
    result = shift = 0
    while shift < 70:
        if at >= len(view):
            raise CutOffError("a number is cut off")
        byte = view[at]
        at += 1
        result |= (byte & 0x7F) << shift
        if byte < 0x80:
            return result, at
        shift += 7
    raise WireError("a number is longer than ten bytes")


def _take(view: memoryview, at: int, length: int) -> tuple[memoryview, int]:
    if at + length > len(view):
        raise CutOffError("a field is cut off")
    return view[at : at + length], at + length


def unpack_varints(packed: bytes) -> npt.NDArray[np.int64]:
    """Decode back-to-back varints as signed 64-bit numbers.

    Each number's first eight bytes are fetched as one unaligned word and its seven-bit groups are
    moved together in three steps; numbers of nine and ten bytes get the rest added.

    Raises:
        WireError: The last number is cut off, or one is longer than ten bytes.
    """
    if not packed:
        return np.empty(0, dtype=np.int64)
    raw = np.frombuffer(packed, dtype=np.uint8)
    ends = np.flatnonzero(raw < 0x80)
    if not ends.size or ends[-1] != raw.size - 1:
        raise WireError("a number is cut off")
    starts = np.empty_like(ends)
    starts[0] = 0
    np.add(ends[:-1], 1, out=starts[1:])
    lengths = ends - starts + 1
    longest = int(lengths.max())
    if longest == 1:
        return raw.astype(np.int64)
    if longest > 10:
        raise WireError("a number is longer than ten bytes")
    padded = np.frombuffer(packed + bytes(_WORD), dtype=np.uint8)
    words = np.ndarray((raw.size,), dtype="<u8", buffer=padded, strides=(1,))[starts]
    values = _join_groups(words, lengths)
    for place in range(_WORD, longest):
        long = np.flatnonzero(lengths > place)
        group = raw[starts[long] + place].astype(np.uint64) & np.uint64(0x7F)
        values[long] |= group << np.uint64(7 * place)
    return values.view(np.int64)


def _join_groups(words: npt.NDArray[np.uint64], lengths: npt.NDArray[np.intp]) -> npt.NDArray[np.uint64]:
    """Keep each word's first ``lengths`` bytes and join their low seven bits into one number."""
    excess = (np.uint64(_WORD) - np.minimum(lengths, _WORD).astype(np.uint64)) << np.uint64(3)
    values: npt.NDArray[np.uint64] = ((words << excess) >> excess) & _PAYLOAD
    for low, high, shift in (
        (0x007F007F007F007F, 0x7F007F007F007F00, 1),
        (0x00003FFF00003FFF, 0x3FFF00003FFF0000, 2),
        (0x000000000FFFFFFF, 0x0FFFFFFF00000000, 4),
    ):
        values = (values & np.uint64(low)) | ((values & np.uint64(high)) >> np.uint64(shift))
    return values
