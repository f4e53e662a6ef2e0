"""Where a recording is cut: whole runs, bins of a run, or an early and a late part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from echolot_tui.profiles.stacks import Ints, Recording

FEWEST: Final = 4
"""Columns a side from which they are judged together."""

BIN_MS: Final = 1000.0


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Cut:
    """Which column each sample is counted in.

    Attributes:
        columns_of: Per recording one column for all its samples, or one each; -1 is nowhere.
        after: Per column whether it is of the side after.
        bin_ms: Length of a column; None when a column is a whole run.
    """

    columns_of: tuple[Ints | int, ...]
    after: tuple[bool, ...]
    bin_ms: float | None = None

    @property
    def columns(self) -> int:
        """How many."""
        return len(self.after)

    @property
    def fewest(self) -> int:
        """Columns of the smaller side."""
        return min(self.after.count(False), self.after.count(True))


def by_run(sides: Sequence[bool]) -> Cut:
    """Every recording is a column."""
    return Cut(columns_of=tuple(range(len(sides))), after=tuple(sides))


def by_bins(recordings: Sequence[Recording], sides: Sequence[bool], bin_ms: float) -> Cut | None:
    """Every whole bin of every recording is a column; what is left at its end is in none.

    Returns:
        None when a recording has no moments.
    """
    columns: list[Ints | int] = []
    after: list[bool] = []
    for recording, side in zip(recordings, sides, strict=True):
        if recording.ts is None or recording.facts.exact:
            return None
        at = ((recording.ts - recording.ts.min()) / (bin_ms * 1e6)).astype(np.int64)
        whole = int((recording.ts.max() - recording.ts.min()) // (bin_ms * 1e6))
        columns.append(np.where(at < whole, at + len(after), -1))
        after += [side] * whole
    return Cut(columns_of=tuple(columns), after=tuple(after), bin_ms=bin_ms)


def judged_cut(
    recordings: Sequence[Recording], sides: Sequence[bool], bin_ms: float | None
) -> tuple[Cut | None, bool]:
    """What the two sides are judged by: runs where there are enough, else bins, else nothing.

    Args:
        recordings: Of both sides.
        sides: Per recording whether it is of the side after.
        bin_ms: Length of a bin; 0 forbids bins, None is a second.

    Returns:
        The cut, and whether it is of whole runs.
    """
    runs = by_run(sides)
    if runs.fewest >= FEWEST and not bin_ms:
        return runs, True
    if bin_ms == 0:
        return None, False
    bins = by_bins(recordings, sides, bin_ms or BIN_MS)
    return (bins, False) if bins is not None and bins.fewest >= FEWEST else (None, False)


def halves(recording: Recording, at_ms: float | None) -> Ints | None:
    """Per sample 0 for early and 1 for late; None when the samples have no moments.

    Args:
        recording: One run.
        at_ms: Where early ends, after the first sample; None is the middle.
    """
    if recording.ts is None or recording.facts.exact:
        return None
    since = recording.ts - recording.ts.min()
    edge = since.max() / 2 if at_ms is None else at_ms * 1e6
    late: Ints = (since >= edge).astype(np.int64)
    return late
