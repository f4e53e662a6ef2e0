"""Packed varints by the million, as one numpy array, without a Python object each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from echolot_tui.engine.wire import WireError

if TYPE_CHECKING:
    import numpy.typing as npt

_WORD: Final = 8
_PAYLOAD: Final = np.uint64(0x7F7F7F7F7F7F7F7F)


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
