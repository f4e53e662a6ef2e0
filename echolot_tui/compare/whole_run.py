"""Whether the whole run moved, and which rows only follow it.

A slower clock, a busier machine or a longer window stretches every row alike. Rows that moved by the
common factor need no explanation of their own; the others do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from echolot_tui.compare.inputs import CompareOptions
from echolot_tui.compare.model import ShareShift, WindowMove
from echolot_tui.compare.moves import Move

_WITH_WINDOW: Final = (3, 2 / 3)
"""Fewest places, and part of them, that must have moved alike when the window did too."""

_WITHOUT_WINDOW: Final = (8, 0.8)
"""The same when there is no window, or one of fixed length."""


@dataclass(frozen=True, slots=True)
class WholeRun:
    """A common move of the whole run."""

    factor: float
    """After over before, of the window where it is known, else of the middle row."""
    alike: int
    """Places that moved by it."""
    places: int
    """Places large enough to tell."""
    by_window: bool

    def explains(self, move: Move, share: ShareShift | None, options: CompareOptions) -> bool:
        """Whether the row moved by the common factor and no further.

        What is left after taking the factor out must be under the floor. A small row can hide a change
        of its own under it, so its share of the window must not have moved: by no more than the relative
        floor, or with a range that holds zero.
        """
        if not _moved_along(move, self.factor, options):
            return False
        if not self.by_window or share is None or share.low_pct is None or share.high_pct is None:
            return True
        kept = abs(share.delta_pct) <= options.ratio * share.before_pct
        return kept or share.low_pct <= 0 <= share.high_pct


def find_whole_run(moves: Sequence[Move], window: WindowMove, options: CompareOptions) -> WholeRun | None:
    """Recognise a move of the whole run.

    With a window that moved over the floor (and whose range, where there is one, excludes zero): two
    thirds of the places moved by the window's factor, and so did the window without the largest of
    them, so that no single row carries it. Without a window, or with one that kept its length: eight
    places or more, four fifths of which moved by the middle row's factor.

    A place is a location; a location that several detectors list counts once.
    """
    places = _places(moves, options)
    factor = _window_factor(window, options)
    if factor is not None:
        alike = [move for move in places if _moved_along(move, factor, options)]
        found = _enough(alike, places, factor, _WITH_WINDOW, by_window=True)
        return found if found and _rest_moved(alike, window, factor) else None
    factor = median(move.after_ms / move.before_ms for move in places) if places else 1.0
    if abs(factor - 1) <= options.ratio:
        return None
    alike = [move for move in places if _moved_along(move, factor, options)]
    return _enough(alike, places, factor, _WITHOUT_WINDOW, by_window=False)


def whole_run_text(found: WholeRun, window: WindowMove, before: str, after: str) -> str:
    """The finding in words, with the sides' names."""
    direction = "slower" if found.factor > 1 else "faster"
    if not found.by_window:
        kept = "" if window.delta_ms is None else " though the window kept its length"
        return (
            f"The whole run is {direction} in {after}: {found.alike} of {found.places} places moved by "
            f"about ×{found.factor:.2f} against {before}{kept}. Look at the machine first; rows marked as "
            "following it need no explanation of their own."
        )
    return (
        f"The whole run is {direction} in {after}: {found.alike} of {found.places} places moved with the "
        f"window (×{found.factor:.2f} against {before}) and kept their share of it. Look at the machine and "
        "the window's ends first; rows marked as following it need no explanation of their own."
    )


def _places(moves: Sequence[Move], options: CompareOptions) -> list[Move]:
    """Rows of both sides large enough to tell a common factor from the floor, one a location."""
    largest: dict[str, Move] = {}
    for move in moves:
        tells = move.before_ms > options.floor_ms and move.after_ms > options.floor_ms and not move.one_sided
        other = largest.get(move.pair.location)
        if tells and (other is None or move.before_ms > other.before_ms):
            largest[move.pair.location] = move
    return list(largest.values())


def _window_factor(window: WindowMove, options: CompareOptions) -> float | None:
    """After over before of a window that moved over the floor, and whose range does not deny it."""
    if not window.before_ms or not window.after_ms or window.delta_ms is None or window.holds is False:
        return None
    if abs(window.delta_ms) <= options.floor(window.before_ms):
        return None
    return window.after_ms / window.before_ms


def _moved_along(move: Move, factor: float, options: CompareOptions) -> bool:
    """Whether the row moved in the factor's direction, and by it within the floor."""
    if move.one_sided or move.before_ms <= 0 or (move.after_ms - move.before_ms) * (factor - 1) <= 0:
        return False
    expected = move.before_ms * factor
    return abs(move.after_ms - expected) <= min(options.floor(expected), abs(expected - move.before_ms))


def _enough(
    alike: Sequence[Move],
    places: Sequence[Move],
    factor: float,
    bar: tuple[int, float],
    *,
    by_window: bool,
) -> WholeRun | None:
    fewest, part = bar
    if len(alike) < fewest or len(alike) < part * len(places):
        return None
    return WholeRun(factor=factor, alike=len(alike), places=len(places), by_window=by_window)


def _rest_moved(alike: Sequence[Move], window: WindowMove, factor: float) -> bool:
    """Whether the window moved along also without the largest of the rows inside it."""
    assert window.before_ms is not None
    assert window.after_ms is not None
    inside = [move for move in alike if move.before_ms < window.before_ms and move.after_ms < window.after_ms]
    if not inside:
        return True
    widest = max(inside, key=lambda move: abs(move.delta_ms))
    rest_before = window.before_ms - widest.before_ms
    rest_move = (window.after_ms - widest.after_ms) - rest_before
    return rest_move * (factor - 1) > 0 and abs(rest_move) >= abs(factor - 1) * rest_before / 2
