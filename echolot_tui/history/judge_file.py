"""Any series in a JSON file: ``{"series": [{"name", "unit", "values"}]}``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from echolot_tui.errors import EcholotError
from echolot_tui.frozen import Frozen
from echolot_tui.history import policy
from echolot_tui.history.model import Mode
from echolot_tui.history.series import Better, Point, Series, SetName, level_at

Value = float | tuple[float, ...] | None
"""One position: a number, the runs behind it, or nothing measured there."""

_TODO: Final = 'write {"series": [{"name": "startup", "unit": "ms", "values": [812.5, 809.1]}]}'


class GivenSeries(Frozen, frozen=True, kw_only=True):
    """One series of the file."""

    name: str
    unit: str | None = None
    metric: str | None = None
    better: Better = "lower"
    values: tuple[Value, ...]
    """Oldest first."""
    context: Value = None
    """The branch's value; the values are then its base."""


class SeriesFile(Frozen, frozen=True, kw_only=True):
    """The file."""

    series: tuple[GivenSeries, ...]
    commits: tuple[str, ...] | None = None
    """What to call the positions; else their number, from 0."""


class Judgeable(Frozen, frozen=True, kw_only=True):
    """The file as the judge takes it."""

    series: tuple[Series, ...]
    line: tuple[tuple[str, str], ...]
    mode: Mode


def read_series(raw: bytes, *, where: str, newest_is_branch: bool = False) -> Judgeable:
    """Read a file of series.

    Args:
        raw: Its bytes.
        where: The file, for messages.
        newest_is_branch: The last value of each series is the branch's, the ones before are its base.

    Raises:
        EcholotError: Not of that shape, or a number that is none.
    """
    try:
        given = msgspec.json.decode(raw, type=SeriesFile)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise EcholotError(f"is no file of series: {error}", where=where, todo=_TODO) from error
    for each in given.series:
        _refuse_unusable(each, where)
    branch = newest_is_branch or any(each.context is not None for each in given.series)
    longest = max((len(each.values) for each in given.series), default=0)
    names = _names(given, longest + (branch and not newest_is_branch), where)
    return Judgeable(
        series=tuple(_series(each, names, branch=branch, newest=newest_is_branch) for each in given.series),
        line=tuple((name, "") for name in names),
        mode="branch" if branch else "history",
    )


def _refuse_unusable(series: GivenSeries, where: str) -> None:
    for at, value in enumerate((*series.values, series.context)):
        numbers = value if isinstance(value, tuple) else () if value is None else (value,)
        if isinstance(value, tuple) and not value:
            raise EcholotError(
                f'value {at} of "{series.name}" is an empty list', where=where, todo="write null"
            )
        if any(abs(number) > policy.LARGEST for number in numbers):
            raise EcholotError(
                f'value {at} of "{series.name}" is beyond {policy.LARGEST:g}, too large to compare',
                where=where,
                todo="use a larger unit, or leave it out as null",
            )


def _names(given: SeriesFile, length: int, where: str) -> tuple[str, ...]:
    if given.commits is None:
        return tuple(map(str, range(length)))
    if len(given.commits) < length:
        raise EcholotError(
            f"names {len(given.commits)} commits for {length} positions", where=where, todo="name all of them"
        )
    return given.commits


def _series(given: GivenSeries, names: Sequence[str], *, branch: bool, newest: bool) -> Series:
    values, context = given.values, given.context
    place = len(names) - 1
    if newest:
        values, context, place = given.values[:-1], (given.values or (None,))[-1], len(given.values) - 1
    return Series(
        set=SetName(scenario="", model="", engine=""),
        segments=(given.name,),
        metric=given.metric or given.unit or "value",
        unit=given.unit,
        better=given.better,
        points=tuple(_point(at, names[at], value) for at, value in enumerate(values) if value is not None),
        context=_point(place, names[place], context) if branch and context is not None else None,
    )


def _point(at: int, name: str, value: float | tuple[float, ...]) -> Point:
    return level_at(at, name, value if isinstance(value, tuple) else (value,))
