"""Rows that may be the same work under two names: gone on one side, new by as much on the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from echolot_tui.compare.inputs import CompareOptions
from echolot_tui.compare.model import RenameSuspect
from echolot_tui.compare.moves import Move


def rename_suspects(moves: Sequence[Move], options: CompareOptions) -> tuple[RenameSuspect, ...]:
    """List likely renames and work that moved to another thread; the rows themselves stay apart.

    A pair is a gone row and a new row whose values agree within the relative floor, and that have
    either the same name in two detectors, or the same detector, the same surroundings (every identity
    column but the name, such as thread or callers) and counts that agree as well. The closest pairs
    are taken first, each row once.
    """
    gone = [move for move in moves if move.change == "vanished" and move.pair.before is not None]
    new = [move for move in moves if move.change == "appeared" and move.pair.after is not None]
    found = sorted(_candidates(gone, new, options), key=lambda entry: entry[0])
    used: set[tuple[str, int]] = set()
    suspects: list[RenameSuspect] = []
    for _, at_gone, at_new, reason in found:
        if {("gone", at_gone), ("new", at_new)} & used:
            continue
        used |= {("gone", at_gone), ("new", at_new)}
        suspects.append(_suspect(gone[at_gone], new[at_new], reason))
    return tuple(sorted(suspects, key=lambda suspect: -suspect.gone_ms))


def _candidates(
    gone: Sequence[Move], new: Sequence[Move], options: CompareOptions
) -> Iterator[tuple[tuple[float, int, int], int, int, str]]:
    """Pairs with their order of preference, and the reason in words."""
    for at_gone, old in enumerate(gone):
        for at_new, young in enumerate(new):
            apart = abs(young.after_ms - old.before_ms)
            larger = max(young.after_ms, old.before_ms)
            reason = _reason(old, young, options)
            if reason and larger > 0 and apart <= options.ratio * larger:
                yield (apart / larger, at_gone, at_new), at_gone, at_new, reason


def _reason(old: Move, young: Move, options: CompareOptions) -> str | None:
    if old.detector != young.detector:
        same_name = old.pair.location == young.pair.location
        return (
            f"same name and size in {young.detector}: the work moved to another thread" if same_name else None
        )
    surroundings = (old.pair.thread, old.pair.detail) == (young.pair.thread, young.pair.detail)
    if not surroundings or not _counts_agree(old, young, options):
        return None
    where = old.pair.thread or old.pair.detail
    return "gone and new by as much in the same detector" + (" and the same surroundings" if where else "")


def _counts_agree(old: Move, young: Move, options: CompareOptions) -> bool:
    counts = [row.count for row in (old.pair.before, young.pair.after) if row is not None and row.count]
    return len(counts) < 2 or max(counts) - min(counts) <= options.ratio * max(counts)


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
