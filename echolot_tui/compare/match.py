"""Which row of one side is which row of the other."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from echolot_tui.compare.model import MatchedBy
from echolot_tui.frozen import Cell
from echolot_tui.report.model import DetectorReport, Row
from echolot_tui.text import family

Key = tuple[Cell, ...]

UNNAMED = "(no name)"
"""Where a row has no name at all."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One phenomenon of one detector: its row on each side, either of which may be missing."""

    before: Row | None
    after: Row | None
    matched_by: MatchedBy
    location: str
    """Folded when the rows were matched by family."""
    thread: str | None
    """Only where the identity holds it."""
    detail: str | None
    """The rest of the identity; several columns joined."""

    @property
    def listed(self) -> bool:
        """Over its detector's bar on at least one side."""
        return any(row is not None and row.passed for row in (self.before, self.after))


def identity_columns(before: DetectorReport | None, after: DetectorReport | None) -> tuple[str, ...]:
    """The columns both sides declare, in the order of before; ``location`` when they share none."""
    if before is None or after is None:
        only = before or after
        return only.identity if only is not None and only.identity else ("location",)
    shared = tuple(column for column in before.identity if column in after.identity)
    return shared or ("location",)


def pair_rows(
    before: Sequence[Row], after: Sequence[Row], columns: Sequence[str], temp_prefix: str
) -> list[Pair]:
    """Pair the rows of one detector: by exact name, then by name family where that is unambiguous.

    Args:
        before: Rows of the first side; pairs come in their order.
        after: Rows of the other side.
        columns: Identity columns.
        temp_prefix: Names that begin with it keep their digits.

    Returns:
        Pairs, then rows only before, then rows only after.
    """

    def exact(row: Row) -> Key:
        return tuple(_cell(row, column) for column in columns)

    def folded(row: Row) -> Key:
        return tuple(_fold(value, temp_prefix) for value in exact(row))

    same, gone, new = _match(before, after, exact, unique=False)
    alike, gone, new = _match(gone, new, folded, unique=True)
    pairs = [_pair(old, young, columns, exact(old), "exact") for old, young in same]
    pairs += [_pair(old, young, columns, folded(old), "family") for old, young in alike]
    pairs += [_pair(row, None, columns, exact(row), "exact") for row in gone]
    pairs += [_pair(None, row, columns, exact(row), "exact") for row in new]
    return pairs


def is_pinned(location: str, pins: Iterable[str]) -> bool:
    """Whether a row's name is one of ``pins``: literally, or as a case-sensitive GLOB."""
    return any(location == pin or fnmatchcase(location, pin) for pin in pins)


def _match(
    before: Sequence[Row], after: Sequence[Row], key: Callable[[Row], Key], *, unique: bool
) -> tuple[list[tuple[Row, Row]], list[Row], list[Row]]:
    """Pairs with equal keys, and what is left of each side; ``unique`` leaves doubled keys alone."""
    waiting: defaultdict[Key, list[int]] = defaultdict(list)
    for at, row in enumerate(after):
        waiting[key(row)].append(at)
    crowd = Counter(map(key, before))
    pairs: list[tuple[Row, Row]] = []
    left: list[Row] = []
    used: set[int] = set()
    for row in before:
        same = waiting[key(row)]
        ambiguous = unique and (crowd[key(row)] > 1 or len(same) > 1)
        if not same or ambiguous:
            left.append(row)
            continue
        used.add(same[0])
        pairs.append((row, after[same.pop(0)]))
    return pairs, left, [row for at, row in enumerate(after) if at not in used]


def _pair(
    before: Row | None, after: Row | None, columns: Sequence[str], key: Key, matched_by: MatchedBy
) -> Pair:
    named = dict(zip(columns, key, strict=True))
    row = before if before is not None else after
    location = named.pop("location", row.location if row is not None else None)
    thread = named.pop("thread", None)
    rest = [str(value) for value in named.values() if value is not None]
    return Pair(
        before=before,
        after=after,
        matched_by=matched_by,
        location=UNNAMED if location is None else str(location),
        thread=None if thread is None else str(thread),
        detail=" · ".join(rest) or None,
    )


def _cell(row: Row, column: str) -> Cell:
    if column in row.__struct_fields__ and column != "extra":
        value: Cell = getattr(row, column)
        return value
    return (row.extra or {}).get(column)


def _fold(value: Cell, temp_prefix: str) -> Cell:
    if not isinstance(value, str) or (temp_prefix and value.startswith(temp_prefix)):
        return value
    return family(value)
