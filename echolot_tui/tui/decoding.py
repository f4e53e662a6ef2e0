"""What a verb printed becomes a model, looking after the keyboard between pieces."""

from __future__ import annotations

import asyncio
import gc
from typing import Any, Final, TypeVar

import msgspec
from msgspec.structs import replace

from echolot_tui.errors import EcholotError

M = TypeVar("M", bound=msgspec.Struct)

_PIECE: Final = 50
"""Items decoded between two looks at the keyboard."""

_ITEM_ENDS: Final = b"\n    }"
"""Verbs indent by two, and text in JSON holds no line end: nothing but an item of a list of the model's own
ends like this."""


async def decode_in_pieces(raw: bytes, model: type[M], *, field: str, item: type, what: str) -> M:
    """Decode a model nearly all of which is one long list.

    Args:
        raw: JSON as verbs print it.
        model: What it is.
        field: The list's name.
        item: What is in the list.
        what: What it is called in a refusal.

    Raises:
        EcholotError: It is not what this program writes.
    """
    opening = f'\n  "{field}": [\n'.encode()
    begins = raw.find(opening)
    items: list[Any] = []
    gc.disable()
    try:
        if begins < 0:  # the list is empty, or this is something else
            return msgspec.json.decode(raw, type=model)
        first = at = begins + len(opening)
        while True:
            end = raw.find(_ITEM_ENDS, at) + len(_ITEM_ENDS)
            if end < at:
                raise msgspec.DecodeError(f"the list {field} has no end")
            items.append(msgspec.json.decode(raw[at:end], type=item))
            if raw[end : end + 1] != b",":
                break
            at = end + 1
            if len(items) % _PIECE == 0:
                await asyncio.sleep(0)
        outer = msgspec.json.decode(raw[:first] + raw[end:], type=model)
    except msgspec.DecodeError as error:
        raise EcholotError(f"the {what} cannot be read: {error}") from error
    finally:
        gc.enable()
    # Models hold no cycles: left out of collections, thousands of items cost no pause of 50 ms and more.
    gc.freeze()
    return replace(outer, **{field: tuple(items)})
