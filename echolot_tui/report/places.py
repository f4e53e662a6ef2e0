"""Where rows point in the code: the names in a row, looked up in the checkout."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from echolot_tui.checkout.find import Finder, Frame
from echolot_tui.measure.lock_frames import lock_frames
from echolot_tui.report.code_model import Place
from echolot_tui.report.model import AllRows, DetectorReport, Report, Row
from echolot_tui.report.retraced import BuildMapping

_CLASS: Final = re.compile(r"(?:[a-z_]\w*\.)+[A-Z]\w*(?:[.$][A-Z]\w*)*(?:[.#][a-z]\w*)?")
"""A class, perhaps with a member."""
_COMPOSABLE: Final = re.compile(r"(?P<symbol>\S+) \((?P<file>[A-Za-z]\w*\.kt):(?P<line>\d+)\)")
_WORTH_NAMING: Final = frozenset({"owner", "blocked", "sampled"})
"""Roles whose place is told even when the checkout does not have it, and that ``code`` names."""


class Named(NamedTuple):
    """A name in a row, and what it is there."""

    role: str
    frame: Frame
    callers: tuple[Frame, ...] = ()
    """Where R8 inlined the frame: whose inlined code it is, and theirs."""
    retraced: bool = False


def place_rows(
    report: Report, rows: AllRows, finder: Finder, mapping: BuildMapping | None = None
) -> tuple[Report, AllRows]:
    """The report and its rows with their places in the checkout.

    Args:
        report: Merged and gated, its frames as recorded.
        rows: Every row behind it.
        finder: Knows the checkout.
        mapping: Of the measured build, where it was minified.
    """
    placer = _Placer(finder, mapping)
    return (
        msgspec.structs.replace(report, detectors=placer.sections(report.detectors)),
        msgspec.structs.replace(rows, detectors=placer.sections(rows.detectors)),
    )


def names_of(row: Row, mapping: BuildMapping | None = None) -> Iterator[Named]:
    """The names in a row that may be in the checkout, in the order they are told."""
    for text in (row.location or "", row.detail or ""):
        contention = tuple(_contention(text, mapping))
        if contention:
            yield from contention
            return
    location = row.location or ""
    composable = _COMPOSABLE.fullmatch(location)
    if composable:
        line = int(composable["line"])
        yield Named("composable", Frame(symbol=composable["symbol"], file=composable["file"], line=line))
    elif _CLASS.fullmatch(location):
        yield Named("class", Frame(symbol=location.replace("#", ".")))
    sampled = _first_own(row)
    if sampled:
        yield Named("sampled", Frame(symbol=sampled))


def code_text(places: Sequence[Place]) -> str | None:
    """The places in a few words: ``owner at Cache.kt:88 · blocked at Cache.kt:41``."""
    told = [_told(place) for place in places if place.file is not None]
    return " · ".join(told) or None


class _Placer:
    """Looks each name up once."""

    def __init__(self, finder: Finder, mapping: BuildMapping | None) -> None:
        self._finder = finder
        self._mapping = mapping
        self._known: dict[Named, Place] = {}

    def sections(self, detectors: Sequence[DetectorReport]) -> tuple[DetectorReport, ...]:
        return tuple(
            msgspec.structs.replace(detector, rows=tuple(map(self._row, detector.rows)))
            for detector in detectors
        )

    def _row(self, row: Row) -> Row:
        places = [self._place(named) for named in names_of(row, self._mapping)]
        places = [place for place in places if place.file is not None or place.role in _WORTH_NAMING]
        if not places:
            return row
        return msgspec.structs.replace(row, places=tuple(places), code=code_text(places))

    def _place(self, named: Named) -> Place:
        if named not in self._known:
            self._known[named] = self._found(named)
        return self._known[named]

    def _found(self, named: Named) -> Place:
        """The innermost of the frame and its callers that the checkout has; else the frame."""
        for frame in (named.frame, *named.callers):
            spot = self._finder.find(frame)
            if spot is not None:
                return Place(
                    role=named.role,
                    symbol=frame.symbol,
                    file=spot.file,
                    line=spot.line,
                    exact=spot.exact,
                    retraced=named.retraced,
                )
        return Place(role=named.role, symbol=named.frame.symbol, retraced=named.retraced)


def _contention(text: str, mapping: BuildMapping | None) -> Iterator[Named]:
    """Each role once, by its first frame."""
    told: set[str] = set()
    for frame in lock_frames(text):
        if frame.role not in told:
            told.add(frame.role)
            originals = mapping.frames(frame) if mapping else ()
            if originals:
                innermost, *callers = (
                    Frame(symbol=f"{one.owner}.{one.method}", file=one.file, line=one.line)
                    for one in originals
                )
                yield Named(frame.role, innermost, tuple(callers), retraced=True)
                continue
            symbol = f"{frame.owner}.{frame.method}"
            named = frame.file.endswith((".kt", ".java"))  # otherwise by R8, whose lines are no source's
            yield Named(
                frame.role,
                Frame(symbol=symbol, file=frame.file, line=frame.line) if named else Frame(symbol=symbol),
            )


def _first_own(row: Row) -> str | None:
    """The method of the app most samples were in, if any stack had one."""
    ours = (row.stacks or {}).get("ours")
    for entry in ours if isinstance(ours, list) else ():
        if isinstance(entry, dict) and "stack" not in entry and isinstance(entry.get("frame"), str):
            return str(entry["frame"])
    return None


def _told(place: Place) -> str:
    name = (place.file or "").rpartition("/")[2]
    where = name if place.line is None else f"{name}:{place.line}"
    words = f"{place.role} at {where}" if place.role in _WORTH_NAMING else where
    return words if place.exact else f"{words} (uncertain)"
