"""What of a comparison is looked at: direction, verdicts, impact, text, order, and how many rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Literal

from msgspec.structs import replace

from echolot_tui.compare.model import Comparison, Row, Verdict
from echolot_tui.frozen import Frozen

Direction = Literal["both", "slower", "faster"]
MinImpact = Literal["any", "noticeable", "large"]
SortBy = Literal["move", "ratio", "share", "verdict", "name", "detector"]

IMPACTS: Final[dict[MinImpact, float]] = {"any": 0.0, "noticeable": 0.01, "large": 0.05}
"""Least move, as a fraction of the before window, that each step admits."""

VERDICTS: Final[tuple[Verdict, ...]] = ("slower", "faster", "new", "gone", "can't tell", "no change")
"""In the order they are worth reading."""


class ViewOptions(Frozen, frozen=True, kw_only=True):
    """Which rows to show, in which order."""

    direction: Direction = "both"
    """``slower``: only rows in which the after side takes longer; rows that did not move are in neither."""
    verdicts: tuple[Verdict, ...] = ()
    """Only these; empty is all."""
    detectors: tuple[str, ...] = ()
    """Only these; empty is all."""
    min_impact: MinImpact = "any"
    text: str = ""
    """Only rows whose name, thread, detail or detector holds it, whatever the case."""
    sort: SortBy = "move"
    top: int | None = None
    """At most this many rows; rows on one side only never take more than half while others wait."""
    steady: bool = False
    """Also rows that did not move over the floor; those of a chosen verdict are shown anyway."""


class Chip(Frozen, frozen=True, kw_only=True):
    """One choice of a filter, with the rows it would show under all other filters as they are."""

    filter: Literal["direction", "verdict", "detector", "min_impact"]
    value: str
    label: str
    count: int
    active: bool


class Group(Frozen, frozen=True, kw_only=True):
    """Rows with one cause."""

    cause: Literal["window"] | None
    title: str
    rows: tuple[Row, ...]


class View(Frozen, frozen=True, kw_only=True):
    """The rows that are shown, and what is not."""

    rows: tuple[Row, ...]
    groups: tuple[Group, ...]
    """The same rows: those with a cause of their own first, then those that follow the whole run."""
    chips: tuple[Chip, ...]
    cut: int
    """Rows that pass the filters and are left out by ``top`` alone."""
    filtered: int
    """Rows that moved and do not pass the filters."""
    steady: int
    """Rows that did not move over the floor, shown or not."""
    empty: str | None
    """With no row to show: what that says."""


def view(comparison: Comparison, options: ViewOptions) -> View:
    """Filter, order and group the rows of a comparison."""
    passing = _passing(comparison, options)
    shown = top_rows(sort_rows(passing, options.sort), options.top)
    moved = [row for row in comparison.rows if options.steady or row.change != "steady"]
    return View(
        rows=shown,
        groups=_groups(shown, comparison),
        chips=chips(comparison, options),
        cut=len(passing) - len(shown),
        filtered=len(moved) - len(passing),
        steady=comparison.summary.steady,
        empty=None if shown else _empty_text(comparison, options, moved),
    )


def sort_rows(rows: Sequence[Row], by: SortBy) -> list[Row]:
    """Rows in order; equal ones as in the comparison, which is by how far they moved."""
    return sorted(rows, key=_ORDERS[by])


def top_rows(rows: Sequence[Row], top: int | None) -> tuple[Row, ...]:
    """The first ``top`` rows, of which at most half are on one side only while paired ones wait."""
    if top is None or len(rows) <= top:
        return tuple(rows)
    paired = sum(not is_one_sided(row) for row in rows)
    room = max(top - paired, top // 2)
    shown: list[Row] = []
    for row in rows:
        alone = is_one_sided(row)
        if len(shown) == top or (alone and room == 0):
            continue
        room -= alone
        shown.append(row)
    return tuple(shown)


def is_one_sided(row: Row) -> bool:
    """On one side only."""
    return row.change in {"appeared", "vanished"}


def key_of(row: Row) -> tuple[str, str, str, str]:
    """What names a row across comparisons of the same base: detector, location, thread, detail."""
    return row.detector, row.location, row.thread or "", row.detail or ""


def chips(comparison: Comparison, options: ViewOptions) -> tuple[Chip, ...]:
    """Every choice of every filter with its count, directions worded with the sides' names."""
    before, after = comparison.before.name, comparison.after.name
    detectors = sorted({row.detector for row in comparison.rows if options.steady or row.change != "steady"})

    def chip(
        filter_: Literal["direction", "verdict", "detector", "min_impact"],
        value: str,
        label: str,
        chosen: ViewOptions,
        *,
        active: bool,
    ) -> Chip:
        count = len(_passing(comparison, chosen))
        return Chip(filter=filter_, value=value, label=label, count=count, active=active)

    directions: list[tuple[Direction, str]] = [
        ("both", "either slower"),
        ("slower", f"{after} slower"),
        ("faster", f"{before} slower"),
    ]
    return (
        *(
            chip("direction", way, label, replace(options, direction=way), active=options.direction == way)
            for way, label in directions
        ),
        *(
            chip("verdict", word, word, replace(options, verdicts=(word,)), active=word in options.verdicts)
            for word in VERDICTS
        ),
        *(
            chip(
                "detector", name, name, replace(options, detectors=(name,)), active=name in options.detectors
            )
            for name in detectors
        ),
        *(
            chip(
                "min_impact",
                step,
                impact_hint(step, before),
                replace(options, min_impact=step),
                active=options.min_impact == step,
            )
            for step in IMPACTS
        ),
    )


def impact_hint(step: MinImpact, before: str) -> str:
    """What a step of the minimum impact admits."""
    if step == "any":
        return "any: every row over the floor"
    return f"{step}: moved by at least {100 * IMPACTS[step]:g} % of the window of {before}"


def _passing(comparison: Comparison, options: ViewOptions) -> list[Row]:
    return [row for row in comparison.rows if _passes(row, options)]


def _passes(row: Row, options: ViewOptions) -> bool:
    """Whether all filters admit the row; without a window the impact is unknown and admitted."""
    impact = abs(row.impact) if row.impact is not None else None
    return (
        (row.change != "steady" or options.steady or row.verdict in options.verdicts)
        and _goes(row, options.direction)
        and (not options.verdicts or row.verdict in options.verdicts)
        and (not options.detectors or row.detector in options.detectors)
        and (impact is None or impact >= IMPACTS[options.min_impact])
        and options.text.casefold() in " ".join(key_of(row)).casefold()
    )


def _goes(row: Row, direction: Direction) -> bool:
    if direction == "both":
        return True
    return row.delta_ms > 0 if direction == "slower" else row.delta_ms < 0


def _groups(rows: Sequence[Row], comparison: Comparison) -> tuple[Group, ...]:
    own = tuple(row for row in rows if row.follows is None)
    following = tuple(row for row in rows if row.follows == "window")
    groups = [Group(cause=None, title="rows with a cause of their own", rows=own)] if own else []
    if following:
        title = f"follow the whole run of {comparison.after.name}"
        groups.append(Group(cause="window", title=title, rows=following))
    return tuple(groups)


def _empty_text(comparison: Comparison, options: ViewOptions, moved: Sequence[Row]) -> str:
    """What it says that no row is left."""
    before, after = comparison.before.name, comparison.after.name
    if not moved:
        nothing = f"No row moved by more than the floor{_unsettled(comparison)} between {before} and {after}"
        return "; ".join((nothing, *_moved_elsewhere(comparison))) + "."
    if options.direction != "both" and not any(_goes(row, options.direction) for row in moved):
        slower = after if options.direction == "slower" else before
        return f"Nothing is slower in {slower}."
    return f"None of the {len(moved)} rows passes these filters."


def _moved_elsewhere(comparison: Comparison) -> Iterator[str]:
    """The window and the states of the main thread that moved past a row's floor; with their verdicts."""
    floor, window = comparison.noise_floor, comparison.window
    budget = [row for table in comparison.also if table.id == "budget" for row in table.rows]
    moves = [
        ("the window", window.before_ms, window.delta_ms, window.verdict),
        *((f"the main thread's time {row.name}", row.before, row.delta, row.verdict) for row in budget),
    ]
    for name, before, delta, verdict in moves:
        is_past = delta is not None and abs(delta) > max(floor.abs_ms, floor.ratio * (before or 0.0))
        if is_past and verdict != "no change":
            yield f"{name} did ({delta:+.2f} ms, {verdict or 'not judged'})".replace("-", "−")


def _unsettled(comparison: Comparison) -> str:
    """Rows of which that cannot be said, for too few runs."""
    rows = comparison.summary.verdicts.get("can't tell", 0)
    return f" ({rows} can't tell)" if rows else ""


def _verdict_order(row: Row) -> int:
    return VERDICTS.index(row.verdict) if row.verdict is not None else len(VERDICTS)


_ORDERS: Final[dict[SortBy, Callable[[Row], tuple[float | str, ...]]]] = {
    "move": lambda row: (-abs(row.delta_ms),),
    "ratio": lambda row: (-_times(row),),
    "share": lambda row: (-abs(row.share.delta_pct) if row.share else 0.0,),
    "verdict": lambda row: (_verdict_order(row), -abs(row.delta_ms)),
    "name": lambda row: (row.location.casefold(),),
    "detector": lambda row: (row.detector, -abs(row.delta_ms)),
}


def _times(row: Row) -> float:
    """How many times one side is the other, whichever is larger; one-sided rows come first."""
    if not row.ratio:
        return float("inf")
    return max(row.ratio, 1 / row.ratio)
