"""Protocol-buffer wire format: as much of it as the engine's messages need, and no message classes.

Format: https://protobuf.dev/programming-guides/encoding.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5

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
