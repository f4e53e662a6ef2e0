"""Random tables, every figure of every row, against the definitions written out a second time."""

from __future__ import annotations

import numpy as np
import pytest

from comparison_by_definition import Expected, Row, expected
from echolot_tui.compare.compare import compare_reports
from echolot_tui.compare.model import Row as Found
from reports_by_hand import detector, report, row, sides

SIZES = [(4, 4), (5, 5), (4, 6), (6, 3), (1, 39)]
NAMES = "abcdefghijklmnopqrstuvwxyz"
"""Digits would fold: two rows of one side each would be one renamed row."""


def table(seed: int, before: int, after: int, rows: int) -> tuple[list[Row], list[Row]]:
    """Rows of every kind that runs can give: quiet, noisy, small, tied, sparse, new, gone, still, moved."""
    rng = np.random.default_rng(seed)
    runs = before + after
    own = rng.uniform(0.02, 0.3, (rows, 1)) * rng.normal(size=(rows, runs))
    values = np.exp(rng.normal(3.2, 1.2, (rows, 1)) + own + rng.normal(0, 0.05, runs))
    values[: rows // 4, before:] *= rng.uniform(0.4, 2.5, (rows // 4, 1))
    if seed % 3 == 0:
        values[:, before:] *= np.exp(rng.normal(0, 0.3, (rows, after)))  # a restless side
    if seed % 4 == 1:
        values[:, before:] *= 1.25  # slower as a whole
    kinds = rng.permutation(rows)
    values[kinds[0]] *= rng.random(runs) < 0.6
    values[kinds[1]] = 20 * rng.integers(1, 4, runs)
    values[kinds[2]] = [30.0] * before + [12.0] * after
    values[kinds[3], :before] = 0
    values[kinds[4], before:] = 0
    values[kinds[5]] = 41.0
    values[kinds[6]] = np.where(rng.random(runs) < 0.2, 60.0, 0.0)
    values[kinds[7], rng.integers(runs)] *= 30
    values = np.round(values, 2)
    listed = [one for one in values.tolist() if any(one)]
    return [one[:before] for one in listed], [one[before:] for one in listed]


def compared(before: list[Row], after: list[Row]) -> dict[str, Found]:
    """By name; a run whose value is 0 lacks the row, and a side without any does not list it."""
    reports = [
        report(
            detector(
                "block",
                *(
                    row(NAMES[at], [v or None for v in values])
                    for at, values in enumerate(one)
                    if any(values)
                ),
                rows_measured=len(one),
            ),
            runs=len(one[0]),
            side=name,
        )
        for one, name in ((before, "a"), (after, "b"))
    ]
    return {each.location: each for each in compare_reports(*sides(*reports)).rows if each.location}


def check(found: Found, wanted: Expected) -> None:
    move = found.shift
    assert (move is None) == (wanted.shift is None)
    if move is not None and wanted.shift is not None:
        given = (move.ms, move.low_ms, move.high_ms, move.resolves_ms)
        assert given == pytest.approx(wanted.shift[:4], abs=0.0101)  # a half cent may round either way
        assert found.holds == wanted.holds
        assert move.runs_needed == wanted.shift[4] or given != wanted.shift[:4]
    for name in ("q", "p_family"):
        given, right = getattr(found, name), getattr(wanted, name)
        assert given == (None if right is None else pytest.approx(right, abs=1e-6)), name
    assert (found.resolves_ms is None) == (wanted.resolves_ms is None)
    if found.resolves_ms is not None and wanted.resolves_ms is not None:
        assert found.resolves_ms == pytest.approx(wanted.resolves_ms, abs=0.0051, rel=1e-7)
    assert found.runs_needed == wanted.runs_needed
    assert found.verdict == wanted.verdict


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_every_figure_of_random_tables(size: tuple[int, int], seed: int) -> None:
    before, after = table(10 * seed + size[0], *size, rows=14)
    found = compared(before, after)
    for at, wanted in enumerate(expected(before, after)):
        check(found[NAMES[at]], wanted)


@pytest.mark.slow
@pytest.mark.parametrize("size", [(9, 9), (10, 12)], ids=str)
def test_every_figure_where_relabellings_are_drawn(size: tuple[int, int]) -> None:
    before, after = table(size[1], *size, rows=12)
    found = compared(before, after)
    for at, wanted in enumerate(expected(before, after)):
        check(found[NAMES[at]], wanted)
