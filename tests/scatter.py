"""The worked examples' scatter: a name, by FNV-1a, seeds SplitMix64; uniform noise at each level."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

MASK = 2**64 - 1


def fnv1a(text: str) -> int:
    state = 0xCBF29CE484222325
    for byte in text.encode():
        state = ((state ^ byte) * 0x100000001B3) & MASK
    return state


def splitmix(state: int) -> Iterator[int]:
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & MASK
        yield mixed ^ (mixed >> 31)


def scattered(name: str, levels: Sequence[float], cv: float = 0.025) -> list[float]:
    noise = splitmix(fnv1a(name))
    return [level * (1 + cv * math.sqrt(3) * ((next(noise) >> 32) / (2**32 - 1) * 2 - 1)) for level in levels]
