"""Protobuf wire format by hand, for messages the installed ``perfetto`` package does not declare.

Newer packages move Android's own packets (the frame timeline among them) into extensions they do not ship.
Written as raw bytes they land in the packet either way: as the known field where there is one, as an unknown
field, kept verbatim, where there is none.
"""

from __future__ import annotations

from collections.abc import Sequence

_VARINT = 0
_BYTES = 2

Field = tuple[int, int | str | bytes]
"""Field number and value; text is UTF-8, bytes are a nested message, integers are non-negative."""


def varint(value: int) -> bytes:
    """Encode a non-negative integer, 7 bits a byte, least significant first."""
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def message(fields: Sequence[Field]) -> bytes:
    """Encode a message from its fields, in the order given."""
    return b"".join(_field(number, value) for number, value in fields)


def _field(number: int, value: int | str | bytes) -> bytes:
    if isinstance(value, int):
        return varint(number << 3 | _VARINT) + varint(value)
    payload = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | _BYTES) + varint(len(payload)) + payload
