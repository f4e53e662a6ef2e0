"""Lock waits in a report, their frames told as the source has them. Pure.

Only evidence changes, and only where it names no row: identities stay as recorded, so rows of a report with
and of one without a mapping are the same rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from echolot_tui.measure.lock_frames import LockFrame, lock_frames
from echolot_tui.project.retrace import OriginalFrame, Retracer
from echolot_tui.report.model import AllRows, DetectorReport, Report, Retrace, Row

_NAMED_MAPPING: Final = re.compile(r"r8-map-id-(?P<id>\w+)")
_NO_FILE: Final = "Unknown Source"
_BY_R8: Final = frozenset({"SourceFile", _NO_FILE, "", "null"})
_INLINED: Final = ", inlined into "


def lock_classes(rows: AllRows) -> frozenset[str]:
    """Classes, as recorded, of the frames in the evidence and names of lock waits."""
    return frozenset(
        frame.owner
        for section in rows.detectors
        for row in section.rows
        for text in (row.location, row.detail)
        for frame in lock_frames(text or "")
    )


@dataclass(frozen=True, slots=True)
class BuildMapping:
    """The mapping of the measured build, asked for frames of lock waits.

    Attributes:
        retracer: Its classes, at least those :func:`lock_classes` names.
        map_id: R8's own name for it.
    """

    retracer: Retracer
    map_id: str | None = None

    def frames(self, frame: LockFrame) -> tuple[OriginalFrame, ...]:
        """The calls a recorded frame stands for, innermost first; nothing when this mapping does not say."""
        if self.other_id(frame) is not None:
            return ()
        return self.retracer.frames(frame.owner, frame.method, frame.line, parameters=frame.parameters)

    def other_id(self, frame: LockFrame) -> str | None:
        """The mapping a frame names in the place of its file, as R8 writes it, if it is not this one."""
        named = _NAMED_MAPPING.fullmatch(frame.file)
        if named is None or self.map_id is None or _same(named["id"], self.map_id):
            return None
        return named["id"]


def retrace_report(report: Report, rows: AllRows, mapping: BuildMapping) -> tuple[Report, AllRows]:
    """The report and its rows with retraced evidence.

    Args:
        report: Merged and gated.
        rows: Every row behind it.
        mapping: Of the measured build.
    """
    told = _Evidence(mapping)
    every_row = told.sections(rows.detectors)
    told.forget()  # what is counted is what the report lists
    return (
        msgspec.structs.replace(report, detectors=told.sections(report.detectors), retrace=told.count()),
        msgspec.structs.replace(rows, detectors=every_row),
    )


class _Evidence:
    """Retraces texts, and counts the frames in them."""

    def __init__(self, mapping: BuildMapping) -> None:
        self._mapping = mapping
        self.forget()

    def forget(self) -> None:
        """Count from nothing."""
        self._known: dict[str, bool] = {}
        self._other_ids: set[str] = set()

    def sections(self, detectors: Sequence[DetectorReport]) -> tuple[DetectorReport, ...]:
        return tuple(
            msgspec.structs.replace(one, rows=tuple(self._rows(one.rows, one.identity))) for one in detectors
        )

    def count(self) -> Retrace:
        return Retrace(
            frames=sum(self._known.values()),
            outside=sum(not known for known in self._known.values()),
            map_id=self._mapping.map_id,
            other_map_ids=tuple(sorted(self._other_ids)),
        )

    def _rows(self, rows: Sequence[Row], identity: Sequence[str]) -> Iterable[Row]:
        for row in rows:
            detail = None if row.detail is None or "detail" in identity else self._text(row.detail)
            yield row if detail in (None, row.detail) else msgspec.structs.replace(row, detail=detail)

    def _text(self, text: str) -> str:
        told, at = [], 0
        for frame in lock_frames(text):
            told += [text[at : frame.start], self._frame(frame, text[frame.start : frame.end])]
            at = frame.end
        return "".join([*told, text[at:]])

    def _frame(self, frame: LockFrame, recorded: str) -> str:
        originals = self._mapping.frames(frame)
        if originals:
            self._known[recorded] = True
            return _INLINED.join(self._written(one, frame) for one in originals)
        other_id = self._mapping.other_id(frame)
        if other_id is not None:
            self._other_ids.add(other_id)
        if frame.file in _BY_R8 or _NAMED_MAPPING.fullmatch(frame.file):
            self._known[recorded] = False
        return recorded

    def _written(self, one: OriginalFrame, frame: LockFrame) -> str:
        """As ART writes a frame; types the mapping does not tell are the recorded ones."""
        returns = one.returns or self._mapping.retracer.types(frame.returns)
        parameters = (
            self._mapping.retracer.types(frame.parameters) if one.parameters is None else one.parameters
        )
        line = "" if one.line is None else f":{one.line}"
        listed = ", ".join(parameters.replace(" ", "").split(","))
        return f"{returns} {one.owner}.{one.method}({listed})({one.file or _NO_FILE}{line})"


def _same(one: str, other: str) -> bool:
    """R8 shortens a mapping's name in one place and not in another."""
    return one.startswith(other) or other.startswith(one)
