"""What a verb printed becomes a model, looking after the keyboard between pieces."""

from __future__ import annotations

import asyncio
import gc
from functools import lru_cache
from typing import Any, Final, TypeVar

import msgspec
from msgspec.structs import asdict

from echolot_tui.errors import EcholotError

M = TypeVar("M", bound=msgspec.Struct)

_PIECE: Final = 100
"""Items decoded between two looks at the keyboard."""


async def decode_in_pieces(raw: bytes, model: type[M], *, field: str, item: type, what: str) -> M:
    """Decode a model nearly all of which is one long list.

    Args:
        raw: JSON.
        model: What it is.
        field: The list's name.
        item: What is in the list.
        what: What it is called in a refusal.

    Raises:
        EcholotError: It is not what this program writes.
    """
    gc.disable()
    try:
        outer = msgspec.json.decode(raw, type=_undecoded(model, field))
        undecoded: tuple[msgspec.Raw, ...] = getattr(outer, field)
        items: list[Any] = []
        for start in range(0, len(undecoded), _PIECE):
            items += [msgspec.json.decode(one, type=item) for one in undecoded[start : start + _PIECE]]
            await asyncio.sleep(0)
    except msgspec.DecodeError as error:
        raise EcholotError(f"the {what} cannot be read: {error}") from error
    finally:
        gc.enable()
    # Models hold no cycles: left out of collections, thousands of items cost no pause of 50 ms and more.
    gc.freeze()
    return model(**{**asdict(outer), field: tuple(items)})


@lru_cache
def _undecoded(model: type[msgspec.Struct], field: str) -> type[Any]:
    """The model with the items of its list still bytes."""
    found = next(one for one in msgspec.structs.fields(model) if one.name == field)
    raw: Any = tuple[msgspec.Raw, ...]
    declared = (field, raw) if found.required else (field, raw, ())
    return msgspec.defstruct(
        f"Undecoded{model.__name__}", [declared], bases=(model,), frozen=True, kw_only=True
    )
