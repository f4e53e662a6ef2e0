"""Kept calibrations in the project's record, with the traces they were made from."""

from __future__ import annotations

import zlib
from typing import Final

from echolot_tui.calibrate.model import Calibration
from echolot_tui.investigate.database import Database, DatabaseError

_LEVEL: Final = 1
"""Rows repeat themselves: the quickest compression makes them an eighth, the best one a tenth."""


class Calibrations:
    """The :class:`~echolot_tui.calibrate.kept.Shelf` of a project.

    They write no journal: a calibration is no step of a hunt, and its document says when it was made.

    Args:
        database: The project's record.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def documents(self, scenario: str) -> tuple[tuple[str, bytes], ...]:
        """Name and ``calibration.json`` of each of the scenario's, by name."""
        rows = self._database.rows(
            "SELECT name, document FROM calibrations WHERE scenario = ? ORDER BY name", scenario
        )
        return tuple((row["name"], row["document"]) for row in rows)

    def runs(self, name: str) -> tuple[bytes, bytes]:
        """``report.json`` and ``rows.json`` of its runs.

        Raises:
            DatabaseError: It is not there (any more), or what is stored is damaged.
        """
        found = self._database.rows("SELECT report, rows FROM calibrations WHERE name = ?", name)
        if not found:
            raise DatabaseError(f"has no calibration {name}", where=str(self._database.path))
        try:
            return zlib.decompress(found[0]["report"]), zlib.decompress(found[0]["rows"])
        except zlib.error as error:
            raise DatabaseError(
                f"the runs of the calibration {name} are damaged ({error})", where=str(self._database.path)
            ) from error

    def put(
        self, name: str, calibration: Calibration, document: bytes, *, report: bytes, rows: bytes
    ) -> None:
        """Keep one, in the place of an earlier one of that name.

        Args:
            name: What it is kept as.
            calibration: The calibration.
            document: The same as ``calibration.json``.
            report: Its runs, as ``report.json``.
            rows: And as ``rows.json``.

        Raises:
            DatabaseError: The record cannot be written.
        """
        packed = [zlib.compress(data, _LEVEL) for data in (report, rows)]
        with self._database.change() as change:
            change.run("DELETE FROM calibrations WHERE name = ?", name)
            change.run(
                "INSERT INTO calibrations (name, scenario, made_at, document, report, rows)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                name,
                calibration.scenario,
                calibration.made_at,
                document,
                *packed,
            )
            for at, run in enumerate(calibration.runs):
                change.run(
                    "INSERT INTO calibration_traces (calibration, run, label, path, sha256)"
                    " VALUES (?, ?, ?, ?, ?)",
                    name,
                    at,
                    run.label,
                    run.trace,
                    run.sha256,
                )
