"""When to stop recording: the rows that matter are settled, and looking several times costs no error.

Looking at growing sets and stopping at the first finding would call something real far more often than one
comparison in twenty. So the 5 % are spent over the looks (alpha spending, Lan and DeMets 1983): each look may
call a row only up to its own family-wise p, and those add up to 5 %. By Bonferroni over the looks that
holds whatever connects one look with the next. Two fifths go to the early looks in equal parts, three
fifths to the last; what an early look cannot spend, because so few runs allow no such p, goes on to the next.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from echolot_tui.collect.runner import CollectError
from echolot_tui.compare.model import Comparison, Row
from echolot_tui.frozen import Frozen
from echolot_tui.stats.labels import ALPHA
from echolot_tui.text import visible

EARLY_SHARE: Final = 0.4
"""Of the error that is spent before the last look."""

MATTERS: Final = 0.05
"""Share of the window from which a row matters on its own; a pinned row always does."""

_SETTLED: Final = frozenset({"slower", "faster", "new", "gone", "no change"})
_NAMED: Final = 3


class Look(Frozen, frozen=True, kw_only=True):
    """One look at the sets."""

    number: int
    """From 1."""
    of: int
    each: int
    """Runs of each side that are looked at."""
    level: float
    """Family-wise p up to which a row counts as a finding in this look."""


class Seen(Frozen, frozen=True, kw_only=True):
    """What a look showed."""

    look: Look
    comparison: Comparison
    unsettled: tuple[str, ...]
    """Names of the rows that matter and are not settled; ``the window`` among them."""

    @property
    def is_settled(self) -> bool:
        """Whether recording can end."""
        return not self.unsettled

    @property
    def text(self) -> str:
        """The look in one sentence."""
        look = self.look
        head = f"look {look.number} of {look.of}, {look.each} runs a side, findings up to p {look.level:.2g}"
        if self.is_settled:
            return f"{head}: every row that matters is settled"
        named = ", ".join(visible(name, 60) for name in self.unsettled[:_NAMED])
        more = f" and {len(self.unsettled) - _NAMED} more" if len(self.unsettled) > _NAMED else ""
        return f"{head}: not settled: {named}{more}"


def looks_at(first: int, most: int) -> tuple[int, ...]:
    """Runs a side at each look: doubled from look to look, the last at ``most``."""
    looks = []
    runs = first
    while runs < most:
        looks.append(runs)
        runs *= 2
    if len(looks) > 1 and most < 1.5 * looks[-1]:
        looks.pop()  # a look with hardly more runs than the one before would only cost error
    return (*looks, most)


class Spending:
    """The level of each look.

    Args:
        looks: How many there are.
    """

    def __init__(self, looks: int) -> None:
        self._looks = looks
        self._spent = 0.0

    def level(self, number: int) -> float:
        """Family-wise p up to which look ``number`` (from 1) may call a row."""
        early = ALPHA * EARLY_SHARE * number / max(self._looks - 1, 1)
        allowed = ALPHA if number == self._looks else early
        return math.floor((allowed - self._spent) * 1e6 + 1e-3) / 1e6

    def spend(self, level: float, smallest_p: float | None) -> None:
        """A look was made at ``level``; only whole multiples of the smallest possible p are really spent."""
        if smallest_p:
            self._spent += math.floor(level / smallest_p + 1e-6) * smallest_p


class Settling:
    """Stages of a collect that ends when the rows that matter are settled, or at the last look.

    Args:
        first: Runs a side of the first look.
        most: Runs a side of the last.
        compare: The comparison of the first so many runs of each side, with findings up to a level.
        on_look: Told what each look showed.
    """

    def __init__(
        self,
        first: int,
        most: int,
        compare: Callable[[int, float], Comparison],
        on_look: Callable[[Seen], None],
    ) -> None:
        self._looks = looks_at(first, most)
        self._spending = Spending(len(self._looks))
        self._compare = compare
        self._on_look = on_look

    def next(self, each: int) -> int:
        """As :class:`~echolot_tui.collect.record.Stages`; the same runs give the same decisions again."""
        if each == 0:
            return self._looks[0]
        at = self._looks.index(each)
        look = Look(number=at + 1, of=len(self._looks), each=each, level=self._spending.level(at + 1))
        comparison = self._compare(each, look.level)
        if comparison.family is not None:
            self._spending.spend(look.level, comparison.family.smallest_p)
        seen = Seen(look=look, comparison=comparison, unsettled=unsettled(comparison))
        self._on_look(seen)
        is_last = each == self._looks[-1]
        return 0 if is_last or seen.is_settled else self._looks[at + 1] - each


def unsettled(comparison: Comparison) -> tuple[str, ...]:
    """What matters and is still open: the window, pinned rows, rows of at least 5 % of the window."""
    window = comparison.window
    names = []
    if window.before_ms is not None and window.verdict not in _SETTLED:
        names.append("the window")
    bar = MATTERS * max(window.before_ms or 0.0, window.after_ms or 0.0)
    rows = (row for row in comparison.rows if row.pinned or _size(row) >= bar)
    return (*names, *(row.location for row in rows if row.verdict not in _SETTLED))


def check_looks(first: int, most: int) -> None:
    """Refuse a plan that cannot settle anything.

    Raises:
        CollectError: Fewer runs at most than to begin with.
    """
    if most < first:
        raise CollectError(
            f"--max {most} is less than the {first} runs a side it begins with", todo="raise it, or lower -n"
        )


def _size(row: Row) -> float:
    faces = (face for face in (row.before, row.after) if face is not None)
    values = (getattr(face, row.metric) for face in faces)
    return max((value for value in values if isinstance(value, float | int)), default=0.0)
