"""Counting orderings by their inversions: coefficients of Gaussian binomials, in whole numbers."""

from __future__ import annotations


def place_among(counts: list[int], placed: int, size: int) -> None:
    """Place ``size`` equal things among ``placed`` others, in place.

    ``counts[u]`` is the number of orderings with ``u`` inversions; afterwards the new things are in.
    Multiplies by the Gaussian binomial, the product over i = 1..size of (1 - q^(placed+i)) / (1 - q^i),
    and keeps as many coefficients as ``counts`` is long.
    """
    length = len(counts)
    for i in range(1, size + 1):
        for u in range(length - 1, placed + i - 1, -1):
            counts[u] -= counts[u - placed - i]
        for u in range(i, length):
            counts[u] += counts[u - i]
