"""Reports on disk as the screens need them; called by the bridge, in a thread."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from echolot_tui.errors import EcholotError
from echolot_tui.frozen import Frozen
from echolot_tui.measure.detector_file import Setting
from echolot_tui.measure.plan import Decision
from echolot_tui.present.numbers import plural
from echolot_tui.project.files import read_bytes
from echolot_tui.report.codec import decode_report, decode_rows
from echolot_tui.report.model import AllRows, DetectorReport
from echolot_tui.report.view import sections
from echolot_tui.report.what_if import passing
from echolot_tui.text import visible
from echolot_tui.tui.store import Place, ShownReport, SidePassing, WhatIf

_REPORT: Final = "report.json"
_ROWS: Final = "rows.json"
_PATTERNS: Final = (
    ".echolot/out/**/report.json",
    ".echolot/hunts/**/report.json",
    "report.json",
    "*/report.json",
    "*/*/report.json",
)
_MOST_PLACES: Final = 200


class _Glance(Frozen, frozen=True, kw_only=True):
    """What a list says of a report."""

    generated_at: str | None = None
    scenario: str | None = None
    runs: int | None = None


def read_report(given: Path) -> ShownReport:
    """A report, and ``rows.json`` beside it where that belongs to it.

    Args:
        given: The file, or the folder it lies in.

    Raises:
        EcholotError: It is not there, or no report.
    """
    path = given / _REPORT if given.is_dir() else given
    if given.is_dir() and not path.is_file():
        raise EcholotError("holds no report.json", where=str(given), todo="run echolot analyze on its traces")
    data = read_bytes(path)
    report = decode_report(data, where=str(path))
    rows, note = _rows_beside(path.with_name(_ROWS), data)
    return ShownReport(
        path=str(path),
        report=report,
        all_rows=rows,
        rows_note=note,
        decisions=(),
        sections=sections(report),
    )


def find_reports(root: Path) -> tuple[Place, ...]:
    """Reports of a project and beside it, the newest first."""
    found = {path.resolve(): path for pattern in _PATTERNS for path in root.glob(pattern) if path.is_file()}
    newest = sorted(found.values(), key=lambda path: (-path.stat().st_mtime_ns, str(path)))
    return tuple(Place(path=str(path), text=_glance(path)) for path in newest[:_MOST_PLACES])


def judge_again(
    sides: Sequence[tuple[str, ShownReport]], decision: Decision, params: Mapping[str, Setting]
) -> WhatIf:
    """What other thresholds would list, on the rows each report has.

    Args:
        sides: Name and report; the first is the one that is open. Others without stored rows are left out.
        decision: The detector.
        params: Value of each of its parameters.

    Raises:
        EcholotError: The first has no stored rows, or the gate does not fit them.
    """
    judged = []
    for at, (name, shown) in enumerate(sides):
        section = _stored(shown, decision.detector.id)
        if section is not None:
            runs = tuple(repeat.label for repeat in shown.report.repeats)
            found = passing(section, decision.detector.gate, params, len(runs))
            judged.append(SidePassing(name=name, labels=runs, passing=found))
        elif at == 0:
            raise EcholotError(shown.rows_note or f"{decision.detector.id} was off in this report")
    return WhatIf(detector=decision.detector.id, params=dict(params), sides=tuple(judged))


def _stored(shown: ShownReport, detector_id: str) -> DetectorReport | None:
    rows = shown.all_rows.detectors if shown.all_rows is not None else ()
    return next((one for one in rows if one.id == detector_id), None)


def _rows_beside(path: Path, report: bytes) -> tuple[AllRows | None, str | None]:
    if not path.is_file():
        return None, "there is no rows.json beside the report; analyze again to see rows under the bar"
    try:
        return decode_rows(read_bytes(path), where=str(path), report=report), None
    except EcholotError as error:
        return None, error.sentence


def _glance(path: Path) -> str:
    try:
        seen = msgspec.json.decode(read_bytes(path), type=_Glance)
    except (EcholotError, msgspec.DecodeError, UnicodeDecodeError) as error:
        return f"cannot be read: {visible(str(error), 80)}"
    return " · ".join(_facts(seen))


def _facts(seen: _Glance) -> Iterable[str]:
    if seen.scenario:
        yield visible(seen.scenario, 40)
    if seen.runs:
        yield plural(seen.runs, "run")
    if seen.generated_at:
        yield visible(seen.generated_at, 30)
