"""Accepting an intentional change, and taking that back."""

from __future__ import annotations

from collections.abc import Sequence

from echolot_tui.errors import EcholotError
from echolot_tui.frozen import Frozen, always
from echolot_tui.history.select import Filters
from echolot_tui.history.series import Blessing, SetName
from echolot_tui.history.store import Store

EVERYTHING = ""
"""The prefix every identity begins with."""


class Blessed(Frozen, frozen=True, kw_only=True):
    """What a blessing did."""

    blessings: tuple[Blessing, ...] = always(())
    warnings: tuple[str, ...] = ()


def bless(
    store: Store,
    prefixes: Sequence[str],
    *,
    commit: str,
    filters: Filters,
    reason: str = "",
    on_base: bool = True,
    at: str,
) -> Blessed:
    """Accept the change at a commit for every set that was measured there.

    Args:
        store: Open.
        prefixes: Plain beginnings of joined identities.
        commit: Detection starts anew here.
        filters: Only sets that are meant; named in full, a set needs no data at the commit.
        reason: Why.
        on_base: The commit lies on the base's line.
        at: Now.

    Raises:
        EcholotError: Nothing was measured there and no set is named in full.
    """
    warnings = []
    sets = sets_at(store, commit, filters)
    if not sets:
        if filters.one_set is None:
            raise EcholotError(
                f"nothing was measured at {commit[:12]}",
                todo="name the set in full with --scenario, --machine and --engine to bless it all the same",
            )
        sets = [filters.one_set]
        warnings.append(
            f"nothing was measured at {commit[:12]}; the blessing counts from the next measurement"
        )
    if not on_base:
        warnings.append(f"{commit[:12]} is not on the base's line; it counts once it is")
    blessings = [
        Blessing(commit=commit, prefix=prefix, reason=reason, at=at, set=name)
        for name in sets
        for prefix in prefixes
    ]
    store.bless(blessings)
    return Blessed(blessings=tuple(blessings), warnings=tuple(warnings))


def unbless(store: Store, prefixes: Sequence[str] | None, *, commit: str, filters: Filters) -> int:
    """Take back the blessings at a commit, of some prefixes or all; returns how many."""
    held = {each.set for each in store.blessings() if each.commit == commit and filters.take(each.set)}
    return store.unbless(commit, prefixes, sorted(held))


def sets_at(store: Store, commit: str, filters: Filters) -> list[SetName]:
    """The sets that were measured at a commit."""
    return sorted({run.set for run in store.runs() if run.commit == commit and filters.take(run.set)})
