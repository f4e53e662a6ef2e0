"""Rows that may be the same work under two names: gone on one side, new by as much on the other."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence

from echolot_tui.compare.inputs import CompareOptions
from echolot_tui.compare.model import RenameSuspect
from echolot_tui.compare.moves import Move


def rename_suspects(moves: Sequence[Move], options: CompareOptions) -> tuple[RenameSuspect, ...]:
    """List likely renames, and work that moved to another thread; the rows themselves stay apart.

    Values must agree within the relative floor. Work that moved has one name in two detectors, and is
    listed once however many detectors list it. A rename stays in its detector, with the same
    surroundings (every identity column but the name, such as thread or callers) and as many
    occurrences; a row that fits several others is not listed, for there is no honest way to say which
    it became.
    """
    gone = [move for move in moves if move.change == "vanished" and move.pair.before is not None]
    new = [move for move in moves if move.change == "appeared" and move.pair.after is not None]
    suspects = [*_moved(gone, new, options), *_renamed(gone, new, options)]
    return tuple(sorted(suspects, key=lambda suspect: -suspect.gone_ms))


def _moved(gone: Sequence[Move], new: Sequence[Move], options: CompareOptions) -> Iterator[RenameSuspect]:
    """One name, gone from one detector and new in another."""
    young_by_name = {move.pair.location: move for move in sorted(new, key=lambda move: move.after_ms)}
    old_by_name = {move.pair.location: move for move in sorted(gone, key=lambda move: move.before_ms)}
    for name, old in old_by_name.items():
        young = young_by_name.get(name)
        if young is not None and young.detector != old.detector and _sizes_agree(old, young, options):
            reason = f"same name and size in {young.detector}, so the work probably moved to another thread"
            yield _suspect(old, young, reason)


def _renamed(gone: Sequence[Move], new: Sequence[Move], options: CompareOptions) -> Iterator[RenameSuspect]:
    """Another name in the same detector, where only one row fits on either side."""
    found = list(_fitting(gone, new, options))
    crowd_gone, crowd_new = Counter(at for at, _ in found), Counter(at for _, at in found)
    for at_gone, at_new in found:
        if crowd_gone[at_gone] == crowd_new[at_new] == 1:
            old, young = gone[at_gone], new[at_new]
            where = " and the same surroundings" if old.pair.thread or old.pair.detail else ""
            yield _suspect(old, young, f"gone and new by as much in the same detector{where}")


def _fitting(gone: Sequence[Move], new: Sequence[Move], options: CompareOptions) -> Iterator[tuple[int, int]]:
    """Positions of rows that could be one."""
    order = sorted(range(len(new)), key=lambda at: new[at].after_ms)
    sizes = [new[at].after_ms for at in order]
    least = max(1 - options.ratio, 0.0)
    for at_gone, old in enumerate(gone):
        largest = old.before_ms / least if least else float("inf")
        for at_new in order[bisect_left(sizes, old.before_ms * least) : bisect_right(sizes, largest)]:
            if _same_surroundings(old, new[at_new]) and _counts_agree(old, new[at_new], options):
                yield at_gone, at_new


def _sizes_agree(old: Move, young: Move, options: CompareOptions) -> bool:
    return abs(young.after_ms - old.before_ms) <= options.ratio * max(young.after_ms, old.before_ms)


def _same_surroundings(old: Move, young: Move) -> bool:
    one, other = ((move.detector, move.pair.thread, move.pair.detail) for move in (old, young))
    return one == other


def _counts_agree(old: Move, young: Move, options: CompareOptions) -> bool:
    before, after = old.pair.before, young.pair.after
    if before is None or after is None or not before.count or not after.count:
        return True
    return abs(after.count - before.count) <= options.ratio * max(before.count, after.count)


def _suspect(old: Move, young: Move, reason: str) -> RenameSuspect:
    return RenameSuspect(
        gone=old.pair.location,
        new=young.pair.location,
        detector=old.detector,
        gone_ms=old.before_ms,
        new_ms=young.after_ms,
        reason=reason,
        new_detector=young.detector if young.detector != old.detector else None,
    )
