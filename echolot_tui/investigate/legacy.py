"""Investigations of the original program: read once into the record, left where they are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from echolot_tui.errors import EcholotError
from echolot_tui.frozen import Frozen
from echolot_tui.investigate.database import Change, Database
from echolot_tui.investigate.moments import normalized, written
from echolot_tui.project.files import read_bytes, sha256_of
from echolot_tui.project.layout import STATE, Layout
from echolot_tui.report.codec import decode_report
from echolot_tui.report.model import Report

_NUMBERED: Final = re.compile(r"[0-9]{1,9}")
_LARGEST: Final = 999_999_999
"""Larger numbers are no count of investigations."""
_ANY_LINE: Final = "SELECT 1 FROM journal LIMIT 1"
_STATES: Final = frozenset({"open", "concluded", "abandoned"})


class _Record(Frozen, frozen=True, kw_only=True):
    """One investigation as the original kept it."""

    path: Path
    number: int | None
    is_latest: bool
    """It is ``hunt.json``: the only one that can be open."""
    values: dict[str, Any]


def has_legacy(layout: Layout) -> bool:
    """Whether the project holds investigations of the original."""
    return any(True for _ in _files(layout)) or any(True for _ in _numbered_reports(layout))


def import_legacy(database: Database, layout: Layout) -> tuple[str, ...]:
    """Bring the original's investigations into an empty record, once.

    A numbered report copy becomes a round. Nothing is moved, changed or deleted.

    Returns:
        One sentence for each file that could not be read.
    """
    if not has_legacy(layout) or database.rows(_ANY_LINE):
        return ()
    records, problems = _records(layout)
    with database.change() as change:
        if change.one(_ANY_LINE) is not None:
            return ()
        for number, record in _by_number(records, layout):
            problems += _import(change, layout, number, record)
        change.say("project", "import", detail={"hunts": len(records), "problems": problems})
    return tuple(problems)


def _files(layout: Layout) -> Iterator[Path]:
    latest = layout.root / STATE / "hunt.json"
    if latest.is_file():
        yield latest
    if layout.hunts.is_dir():
        yield from sorted(layout.hunts.glob("*/hunt.json"))
        yield from sorted(layout.hunts.glob("*.json"))


def _numbered_reports(layout: Layout) -> Iterator[Path]:
    if layout.hunts.is_dir():
        yield from sorted(layout.hunts.glob("*/reports/*.json"))


def _records(layout: Layout) -> tuple[list[_Record], list[str]]:
    records: list[_Record] = []
    problems: list[str] = []
    for path in _files(layout):
        try:
            values = json.loads(read_bytes(path))
        except (EcholotError, ValueError, RecursionError) as error:
            problems.append(f"{path}: cannot be read and is not imported ({error})")
            continue
        if not isinstance(values, dict):
            problems.append(f"{path}: is no investigation and is not imported")
            continue
        records.append(
            _Record(
                path=path,
                number=_number(values.get("n"), path.parent.name),
                is_latest=path.parent.name == STATE,
                values=values,
            )
        )
    return records, problems


def _number(said: object, folder: str) -> int | None:
    if isinstance(said, int) and not isinstance(said, bool) and 0 < said <= _LARGEST:
        return said
    return int(folder) if _NUMBERED.fullmatch(folder) and 0 < int(folder) <= _LARGEST else None


def _by_number(records: list[_Record], layout: Layout) -> list[tuple[int, _Record]]:
    """Every investigation with a number of its own; folders of reports without a record are kept too."""
    taken: dict[int, _Record] = {}
    unnumbered: list[_Record] = []
    for record in records:
        if record.number is None or record.number in taken:
            unnumbered.append(record)
        else:
            taken[record.number] = record
    for report in _numbered_reports(layout):
        folder = report.parent.parent
        number = _number(None, folder.name)
        if number is not None and number not in taken:
            taken[number] = _Record(path=folder, number=number, is_latest=False, values={})
    free = max(taken, default=0) + 1
    # The older ones carry their time stamp as the beginning of their name.
    ordered = sorted(unnumbered, key=lambda record: record.path.name)
    return sorted(taken.items()) + [(free + at, record) for at, record in enumerate(ordered)]


def _import(change: Change, layout: Layout, n: int, record: _Record) -> list[str]:
    values = record.values
    opened = normalized(values.get("opened_at")) or _modified(record.path)
    touched = normalized(values.get("touched_at")) or opened
    state = _text(values, "status")
    if state not in _STATES or (state == "open" and not record.is_latest):
        state = "abandoned"
    confirmed = values.get("confirmed")
    change.run(
        "INSERT INTO hunts (n, question, since, scenario, state, opened_at, touched_at, closed_at,"
        " conclusion, config_sha, confirmed, imported_from) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        n,
        _text(values, "question") or "(no question was recorded)",
        _text(values, "since"),
        _scenario(values),
        state,
        opened,
        touched,
        None if state == "open" else normalized(values.get("closed_at")) or touched,
        _text(values, "conclusion"),
        _text(values, "config_sha"),
        json.dumps(confirmed if isinstance(confirmed, dict) else {}, sort_keys=True),
        layout.relative(record.path),
    )
    if state == "open":
        change.run("UPDATE current SET hunt = ?", n)
    kept: dict[str, object] = {
        key: values[key] for key in ("collects", "analyzes", "traces") if key in values
    }
    change.say("hunt", "import", hunt=n, target=state, detail={"from": layout.relative(record.path), **kept})
    copies = sorted((layout.hunts / str(n) / "reports").glob("*.json"))
    read = [_Copy.read(path) for path in copies]
    for k, copy in enumerate(read, start=1):
        _import_round(change, layout, (n, k), copy, _Fallback(at=opened, scenario=_scenario(values)))
    return [copy.problem for copy in read if copy.problem]


class _Copy(Frozen, frozen=True, kw_only=True):
    """A numbered copy of a report."""

    path: Path
    data: bytes = b""
    report: Report | None = None
    problem: str | None = None

    @staticmethod
    def read(path: Path) -> _Copy:
        try:
            data = read_bytes(path)
            return _Copy(path=path, data=data, report=decode_report(data, where=str(path)))
        except EcholotError as error:
            return _Copy(path=path, problem=f"{error.sentence}; its round has no report")


class _Fallback(Frozen, frozen=True, kw_only=True):
    """What a round takes from its investigation where its report does not say it."""

    at: str
    scenario: str


def _import_round(
    change: Change, layout: Layout, number: tuple[int, int], copy: _Copy, fallback: _Fallback
) -> None:
    n, k = number
    report = copy.report
    at = (normalized(report.generated_at) if report else None) or fallback.at
    round_id = change.run(
        "INSERT INTO rounds (hunt, k, scenario, state, opened_at, touched_at)"
        " VALUES (?, ?, ?, 'complete', ?, ?)",
        n,
        k,
        (report.scenario if report else None) or fallback.scenario,
        at,
        at,
    ).lastrowid
    path = layout.relative(copy.path)
    change.say("round", "import", hunt=n, k=k, target="complete", detail={"report": path})
    if report is None:
        return
    report_id = change.run(
        "INSERT INTO reports (round, path, sha256, generated_at, config_sha) VALUES (?, ?, ?, ?, ?)",
        round_id,
        path,
        sha256_of(copy.data),
        report.generated_at,
        report.config.sha,
    ).lastrowid
    for run, trace in enumerate(dict.fromkeys(repeat.trace for repeat in report.repeats)):
        change.run("INSERT INTO runs (round, run, state, since) VALUES (?, ?, 'done', ?)", round_id, run, at)
        change.run("INSERT INTO traces (round, run, path) VALUES (?, ?, ?)", round_id, run, trace)
        change.run("INSERT INTO report_traces (report, run, path) VALUES (?, ?, ?)", report_id, run, trace)


def _scenario(values: Mapping[str, Any]) -> str:
    return _text(values, "scenario") or "run"


def _text(values: Mapping[str, Any], key: str) -> str | None:
    found = values.get(key)
    return found if isinstance(found, str) and found.strip() else None


def _modified(path: Path) -> str:
    return written(datetime.fromtimestamp(path.stat().st_mtime, UTC))
