"""Series for the history benchmark: noises, steps, excursions, all from fixed seeds."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Noise = Callable[[np.random.Generator, int], Floats]


def normal(cv: float) -> Noise:
    return lambda rng, n: 100 * (1 + cv * rng.standard_normal(n))


def lognormal(cv: float) -> Noise:
    sigma = math.sqrt(math.log(1 + cv**2))
    return lambda rng, n: 100 * np.exp(sigma * rng.standard_normal(n))


def tied(rng: np.random.Generator, n: int) -> Floats:
    return 100 + 3.0 * rng.integers(0, 4, n)


def two_modes(rng: np.random.Generator, n: int) -> Floats:
    return np.where(rng.uniform(size=n) < 0.2, 130.0, 100.0) * (1 + 0.01 * rng.standard_normal(n))


def spiked(rng: np.random.Generator, n: int) -> Floats:
    base = 100 * (1 + 0.02 * rng.standard_normal(n))
    return np.where(rng.uniform(size=n) < 0.03, base * rng.uniform(1.2, 2.0, n), base)


def dependent(phi: float, cv: float = 0.025) -> Noise:
    """AR(1) with a stationary start."""

    def draw(rng: np.random.Generator, n: int) -> Floats:
        noise = rng.standard_normal(n)
        values = np.empty(n)
        values[0] = noise[0]
        for at in range(1, n):
            values[at] = phi * values[at - 1] + noise[at] * math.sqrt(1 - phi**2)
        return 100 * (1 + cv * values)

    return draw


NOISES: dict[str, Noise] = {
    "normal, cv 2.5 %": normal(0.025),
    "lognormal, cv 8 %": lognormal(0.08),
    "four tied levels": tied,
    "two modes, 20 % high": two_modes,
    "normal, cv 2 %, with 3 % spikes": spiked,
    "AR(1) 0.3": dependent(0.3),
    "AR(1) 0.6": dependent(0.6),
    "AR(1) 0.9, cv 5 %": dependent(0.9, 0.05),
}


def draws(title: str, noise: Noise, n: int, many: int, shape: Floats | None = None) -> list[Floats]:
    """``many`` series of one cell; the cell's title is the seed."""
    rng = np.random.default_rng(zlib.crc32(f"{title} {n}".encode()))
    factor = np.ones(n) if shape is None else shape
    return [noise(rng, n) * factor for _ in range(many)]


def step(n: int, move: float, at: int | None = None) -> Floats:
    start = n // 2 if at is None else at
    return np.where(np.arange(n) < start, 1.0, 1 + move)


def excursion(before: int, during: int, back: int) -> Floats:
    return np.array([1.0] * before + [1.4] * during + [1.0] * back)


def ramp(n: int, total: float) -> Floats:
    return 1 + total * np.arange(n) / (n - 1)
