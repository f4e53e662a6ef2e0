"""Hunts and rounds out of the database, as models."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Sequence

from echolot_tui.investigate.database import Database
from echolot_tui.investigate.model import (
    ComparisonLink,
    Hunt,
    JournalLine,
    Note,
    ReportLink,
    Round,
    Run,
    Trace,
)

_LATEST_REPORTS = """
SELECT r.*, (SELECT GROUP_CONCAT(t.run) FROM report_traces t WHERE t.report = r.id) AS runs
FROM reports r
WHERE r.id IN (SELECT MAX(id) FROM reports GROUP BY round)
"""

_LATEST_COMPARISONS = """
SELECT after.round, c.before_report, c.after_report, c.path, c.at, b.k AS before_k
FROM comparisons c
JOIN reports after ON after.id = c.after_report
JOIN reports before ON before.id = c.before_report
JOIN rounds b ON b.id = before.round
ORDER BY c.id
"""

_NOTES = "SELECT n.*, r.k FROM notes n LEFT JOIN rounds r ON r.id = n.round ORDER BY n.id"


def read_hunts(database: Database) -> tuple[Hunt, ...]:
    """Every hunt with its rounds, by number."""
    with database.view():
        rounds = _rounds(database)
        notes = _notes(database)
        current = database.rows("SELECT hunt FROM current")[0]["hunt"]
        return tuple(
            _hunt(
                row,
                current=row["n"] == current,
                rounds=[each for each in rounds if each.hunt == row["n"]],
                notes=notes[row["n"], None],
            )
            for row in database.rows("SELECT * FROM hunts ORDER BY n")
        )


def read_rounds(database: Database) -> tuple[Round, ...]:
    """Every round, also of no hunt, in the order they were opened."""
    with database.view():
        return _rounds(database)


def read_journal(database: Database, hunt: int | None = None) -> tuple[JournalLine, ...]:
    """Every line, or those of one hunt, oldest first."""
    rows = database.rows("SELECT * FROM journal WHERE ?1 IS NULL OR hunt = ?1 ORDER BY id", hunt)
    return tuple(
        JournalLine(**{key: json.loads(row[key]) if key == "detail" else row[key] for key in row.keys()})  # noqa: SIM118
        for row in rows
    )


def _rounds(database: Database) -> tuple[Round, ...]:
    runs = _grouped(database.rows("SELECT * FROM runs ORDER BY round, run"))
    traces = _grouped(database.rows("SELECT * FROM traces ORDER BY round, run"))
    reports = _grouped(database.rows(_LATEST_REPORTS))
    comparisons = _grouped(database.rows(_LATEST_COMPARISONS))
    notes = _notes(database)
    return tuple(
        _round(
            row,
            runs=runs[row["id"]],
            traces=traces[row["id"]],
            report=reports[row["id"]],
            comparison=comparisons[row["id"]],
            notes=notes[row["hunt"], row["k"]],
        )
        for row in database.rows("SELECT * FROM rounds ORDER BY id")
    )


def _grouped(rows: Iterable[sqlite3.Row]) -> dict[int, list[sqlite3.Row]]:
    groups: dict[int, list[sqlite3.Row]] = defaultdict(list)
    for row in rows:
        groups[row["round"]].append(row)
    return groups


def _notes(database: Database) -> dict[tuple[int | None, int | None], list[Note]]:
    groups: dict[tuple[int | None, int | None], list[Note]] = defaultdict(list)
    for row in database.rows(_NOTES):
        groups[row["hunt"], row["k"]].append(Note(at=row["at"], text=row["text"], k=row["k"]))
    return groups


def _hunt(row: sqlite3.Row, *, current: bool, rounds: Sequence[Round], notes: Sequence[Note]) -> Hunt:
    return Hunt(
        n=row["n"],
        question=row["question"],
        since=row["since"],
        scenario=row["scenario"],
        state=row["state"],
        current=current,
        opened_at=row["opened_at"],
        touched_at=row["touched_at"],
        closed_at=row["closed_at"],
        conclusion=row["conclusion"],
        config_sha=row["config_sha"],
        confirmed=json.loads(row["confirmed"]),
        anchors=json.loads(row["anchors"]),
        imported_from=row["imported_from"],
        rounds=tuple(rounds),
        notes=tuple(notes),
    )


def _round(
    row: sqlite3.Row,
    *,
    runs: Sequence[sqlite3.Row],
    traces: Sequence[sqlite3.Row],
    report: Sequence[sqlite3.Row],
    comparison: Sequence[sqlite3.Row],
    notes: Sequence[Note],
) -> Round:
    return Round(
        id=row["id"],
        hunt=row["hunt"],
        k=row["k"],
        scenario=row["scenario"],
        label=row["label"],
        state=row["state"],
        opened_at=row["opened_at"],
        touched_at=row["touched_at"],
        pid=row["pid"],
        plan=json.loads(row["plan"]),
        runs=tuple(
            Run(run=run["run"], state=run["state"], reason=run["reason"], since=run["since"]) for run in runs
        ),
        traces=tuple(Trace(run=trace["run"], path=trace["path"], sha256=trace["sha256"]) for trace in traces),
        report=_report(report[-1]) if report else None,
        comparison=_comparison(comparison[-1]) if comparison else None,
        notes=tuple(notes),
    )


def _report(row: sqlite3.Row) -> ReportLink:
    return ReportLink(
        id=row["id"],
        path=row["path"],
        sha256=row["sha256"],
        generated_at=row["generated_at"],
        config_sha=row["config_sha"],
        runs=tuple(sorted(map(int, row["runs"].split(",")))) if row["runs"] else (),
    )


def _comparison(row: sqlite3.Row) -> ComparisonLink:
    return ComparisonLink(
        before_k=row["before_k"],
        before_report=row["before_report"],
        after_report=row["after_report"],
        path=row["path"],
        at=row["at"],
    )
