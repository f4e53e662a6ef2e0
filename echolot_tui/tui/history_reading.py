"""A history report as it was printed becomes a model, looking after the keyboard between pieces."""

from __future__ import annotations

import asyncio
import gc
from typing import Final

import msgspec
from msgspec.structs import asdict

from echolot_tui.errors import EcholotError
from echolot_tui.history.model import HistoryReport, SeriesState

_PIECE: Final = 100
"""Series decoded between two looks at the keyboard."""


class _Undecoded(HistoryReport, frozen=True, kw_only=True):
    """A report whose series are still bytes."""

    every: tuple[msgspec.Raw, ...] = ()  # type: ignore[assignment]


async def decode_history(raw: bytes) -> HistoryReport:
    """Decode what ``history analyze --json --verbose`` prints.

    Raises:
        EcholotError: It is not what this program writes.
    """
    gc.disable()
    try:
        outer = msgspec.json.decode(raw, type=_Undecoded)
        every: list[SeriesState] = []
        for start in range(0, len(outer.every), _PIECE):
            every += [
                msgspec.json.decode(one, type=SeriesState) for one in outer.every[start : start + _PIECE]
            ]
            await asyncio.sleep(0)
    except msgspec.DecodeError as error:
        raise EcholotError(f"the history cannot be read: {error}") from error
    finally:
        gc.enable()
    gc.freeze()  # as for comparisons: models hold no cycles, and looking through them costs a pause
    return HistoryReport(**{**asdict(outer), "every": tuple(every)})
