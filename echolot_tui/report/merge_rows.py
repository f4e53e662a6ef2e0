"""One detector's rows over a set of runs: found again by identity, one value per run, one median."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from echolot_tui.frozen import Cell
from echolot_tui.measure.model import DetectorMeasurement
from echolot_tui.report.model import Count, Row, Spread
from echolot_tui.report.over_runs import Values, median_count, median_ms, present, spread
from echolot_tui.text import without_ids
from echolot_tui.units import round2

Columns = Mapping[str, Cell]

TIMES: Final = ("self_ms", "total_ms", "max_ms")
"""Metrics that get a spread."""

BY_RUN: Final = ("count", "self_ms", "total_ms", "max_ms", "covered_ms")
"""Metrics kept for every run."""

_SUMMED: Final = ("count", "self_ms", "total_ms", "covered_ms", "full_ms")
_TEXTS: Final = ("location", "thread", "detail")
_CONTRACT: Final = frozenset({*_TEXTS, *_SUMMED, "max_ms", "stacks"})


@dataclass(frozen=True, slots=True)
class Sighting:
    """A row in one run: its columns, and which of the detector's open rows it was made of."""

    columns: Columns
    positions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FoundRow:
    """A row over the set: one sighting per run, ``None`` where the run lacks it."""

    identity: tuple[str | None, ...]
    sightings: tuple[Sighting | None, ...]


@dataclass(frozen=True, slots=True)
class Setting:
    """What merging needs to know of the set and the detector.

    Attributes:
        traces: Which trace each run comes from.
        looked: Whether the detector could look at each run.
        identity: Columns that name a row.
        rank: Column rows are sorted by.
        gate_columns: Further columns the gate looks at; their numbers are kept for every run, so that
            another threshold can be tried on the stored rows.
        own_columns: Whether columns of the detector's own are kept: a project wrote it and wants to see them.
    """

    traces: tuple[int, ...]
    looked: tuple[bool, ...]
    identity: tuple[str, ...]
    rank: str
    own_columns: bool = False
    gate_columns: tuple[str, ...] = ()


def find_rows(answers: Sequence[DetectorMeasurement | None], identity: Sequence[str]) -> list[FoundRow]:
    """Find the same row in every run; sorted by identity, so the order of rows in a run does not matter.

    Args:
        answers: What the detector's query answered in each run; ``None`` where it could not look.
        identity: Columns that name a row.
    """
    runs = len(answers)
    found: dict[tuple[str | None, ...], list[Sighting | None]] = {}
    for at, answer in enumerate(answers):
        for position, row in enumerate(answer.rows if answer else ()):
            key = tuple(name_of(row.columns.get(column)) for column in identity)
            sightings = found.setdefault(key, [None] * runs)
            sighting = Sighting(row.columns, (position,))
            earlier = sightings[at]
            sightings[at] = sighting if earlier is None else _together(earlier, sighting)
    return [FoundRow(key, tuple(found[key])) for key in sorted(found, key=_order)]


def merge_row(row: FoundRow, setting: Setting, *, passed: bool) -> Row:
    """The row over the set: medians over the runs that have it, evidence from the worst of them.

    A row under the bar gets no spread; its values per run say the same.
    """
    columns = [sighting.columns if sighting else None for sighting in row.sightings]
    by_run = {metric: _values(columns, metric) for metric in (*BY_RUN, *setting.gate_columns)}
    by_run = {metric: values for metric, values in by_run.items() if present(values)}
    total = median_ms(by_run.get("total_ms", ()))
    worst = _worst(columns, setting.rank)
    named = dict(zip(setting.identity, row.identity, strict=True))
    texts = {column: named.get(column, as_text(worst.get(column))) for column in _TEXTS}
    return Row(
        location=texts["location"],
        thread=texts["thread"],
        runs=_share(row.sightings, setting),
        count=median_count(by_run.get("count", ())),
        self_ms=median_ms(by_run.get("self_ms", ())),
        total_ms=total,
        max_ms=median_ms(by_run.get("max_ms", ())),
        covered_ms=median_ms(by_run.get("covered_ms", ())),
        full_ms=_full_ms(columns, total),
        spread=_spreads(by_run, setting.traces) if passed and len(columns) > 1 else None,
        by_run=by_run or None,
        detail=texts["detail"],
        stacks=_stacks(worst),
        extra=_extra(worst) if setting.own_columns else None,
        passed=passed,
    )


def _spreads(by_run: Mapping[str, Values], traces: Sequence[int]) -> dict[str, Spread]:
    spreads = {metric: spread(by_run[metric], traces) for metric in TIMES if metric in by_run}
    return {metric: one for metric, one in spreads.items() if one}


def rank_value(row: Row, found: FoundRow, rank: str) -> float:
    """What the row is sorted by: the median of the ranking column over the runs that have it."""
    known = row.value(rank) if rank in BY_RUN else median_ms(_values(_columns(found), rank))
    return -math.inf if known is None else known


def name_of(value: Cell) -> str | None:
    """An identity column's value without what names one run's thread only."""
    text = as_text(value)
    return None if text is None else without_ids(text)


def as_text(value: Cell) -> str | None:
    """A column's value as the text it is known by."""
    return value if value is None or isinstance(value, str) else str(value)


def shown_order(row: Row, found: FoundRow, rank: str) -> tuple[float, tuple[tuple[bool, str], ...]]:
    """Sort key: ranking value from large to small, then identity."""
    return -rank_value(row, found, rank), _order(found.identity)


def _order(identity: Iterable[str | None]) -> tuple[tuple[bool, str], ...]:
    return tuple((part is None, part or "") for part in identity)


def _together(first: Sighting, second: Sighting) -> Sighting:
    """Two rows of one run with one identity: times and counts add up, the longest stays the longest.

    The evidence of both is kept, one after the other.
    """
    columns: dict[str, Cell] = dict(first.columns)
    details = present(as_text(sighting.columns.get("detail")) for sighting in (first, second))
    if details:
        columns["detail"] = "; ".join(dict.fromkeys("; ".join(details).split("; ")))
    for name in (*_SUMMED, "max_ms"):
        values = present(_number(sighting.columns.get(name)) for sighting in (first, second))
        if values:
            columns[name] = max(values) if name == "max_ms" else sum(values)
    return Sighting(columns, first.positions + second.positions)


def _columns(row: FoundRow) -> list[Columns | None]:
    return [sighting.columns if sighting else None for sighting in row.sightings]


def _values(columns: Sequence[Columns | None], metric: str) -> tuple[Count | None, ...]:
    return tuple(None if one is None else _number(one.get(metric)) for one in columns)


def _number(value: Cell) -> Count | None:
    """A finite number to 2 decimals, whole numbers as they are; anything else is no number."""
    if isinstance(value, float):
        return round2(value) if math.isfinite(value) else None
    return value if isinstance(value, int) else None


def _share(sightings: Sequence[Sighting | None], setting: Setting) -> str | None:
    """``k/n`` traces that have the row, of those the detector could look at; ``None`` for a single trace."""
    if len(set(setting.traces)) < 2:
        return None
    seen = {trace for trace, sighting in zip(setting.traces, sightings, strict=True) if sighting}
    looked = {trace for trace, could in zip(setting.traces, setting.looked, strict=True) if could}
    return f"{len(seen)}/{len(looked)}"


def _worst(columns: Sequence[Columns | None], rank: str) -> Columns:
    """The run with the largest ranking value, the first of equals; of those with stacks if any has them."""
    found = present(columns)
    sampled = [one for one in found if one.get("stacks")]
    return max(sampled or found, key=lambda one: _rank_of(one, rank))


def _rank_of(columns: Columns, rank: str) -> float:
    value = _number(columns.get(rank))
    return -math.inf if value is None else value


def _full_ms(columns: Sequence[Columns | None], total: float | None) -> float | None:
    full = median_ms(_values(columns, "full_ms"))
    return full if full is not None and (total is None or full > total) else None


def _stacks(columns: Columns) -> dict[str, Any] | None:
    """Sampled stacks, which a query carries as the text of a JSON object; any other text is none."""
    text = columns.get("stacks")
    if not isinstance(text, str):
        return None
    try:
        stacks: dict[str, Any] = msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError:
        return None
    return stacks


def _extra(columns: Columns) -> dict[str, Cell] | None:
    extra = {name: _tidy(value) for name, value in columns.items() if name not in _CONTRACT}
    return extra or None


def _tidy(value: Cell) -> Cell:
    return _number(value) if isinstance(value, float) else value
