"""The history store: one SQLite file that several processes write, each addition whole or not at all."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence

from echolot_tui.errors import EcholotError
from echolot_tui.frozen import Frozen
from echolot_tui.history.measured import Measured, Run, in_unit
from echolot_tui.history.series import Better, Blessing, SetName
from echolot_tui.history.store_schema import MIGRATIONS
from echolot_tui.project.sqlite_file import SqliteFile
from echolot_tui.text import storable


class StoreError(EcholotError):
    """The history store cannot be read or written."""


class StoredRun(Frozen, frozen=True, kw_only=True):
    """One run in the store."""

    id: int
    """Ascending in the order they were added."""
    commit: str
    dirty: bool
    branch: str | None
    set: SetName
    source: str
    added_at: str


class StoredSeries(Frozen, frozen=True, kw_only=True):
    """One series in the store, without its points."""

    id: int
    set: SetName
    segments: tuple[str, ...]
    metric: str
    unit: str | None
    better: Better


class StoredPoint(Frozen, frozen=True, kw_only=True):
    """One value in the store."""

    series: int
    run: int
    value: float
    runs: tuple[float, ...]
    listed: bool


class Place(Frozen, frozen=True, kw_only=True):
    """Where a run belongs."""

    commit: str
    dirty: bool = False
    branch: str | None = None


class Store(SqliteFile):
    """An open store. Not to be shared between threads."""

    migrations = MIGRATIONS
    failure = StoreError
    noun = "history store"
    fresh = "name another with --store"

    def add(self, run: Run, place: Place, *, source: str, sha256: str, at: str) -> bool:
        """Keep a run's values, in the units their series have; one that is there already stays as it is.

        Returns:
            Whether it was new.

        Raises:
            StoreError: A value's unit is another than its series has, and no other one of time.
        """
        with self._changing() as connection:
            added = connection.execute(
                "INSERT INTO runs"
                " (commit_id, dirty, branch, scenario, model, engine, source, sha256, added_at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id",
                (place.commit, place.dirty, place.branch, *_names(run.set), storable(source), sha256, at),
            ).fetchone()
            if added is None:
                return False
            for each in run.measured:
                series, unit = self._series(connection, run.set, each)
                kept = in_unit(each, unit)
                if kept is None:
                    raise StoreError(
                        f'gives {each.metric} of "{each.name}" in {each.unit or "no unit"}, the history has '
                        f"it in {unit or 'no unit'}",
                        where=source,
                        todo="name another --scenario, or another store with --store",
                    )
                connection.execute(
                    "INSERT INTO points (series, run, value, runs, listed) VALUES (?, ?, ?, ?, ?)",
                    (series, added[0], kept.value, json.dumps(kept.values), kept.listed),
                )
            return True

    def runs(self) -> list[StoredRun]:
        """Every run, in the order they were added."""
        rows = self.rows(
            "SELECT id, commit_id, dirty, branch, scenario, model, engine, source, added_at FROM runs"
            " ORDER BY id"
        )
        return [
            StoredRun(
                id=row[0],
                commit=row[1],
                dirty=bool(row[2]),
                branch=row[3],
                set=SetName(scenario=row[4], model=row[5], engine=row[6]),
                source=row[7],
                added_at=row[8],
            )
            for row in rows
        ]

    def series(self) -> list[StoredSeries]:
        """Every series, by set, identity and metric."""
        rows = self.rows(
            "SELECT id, scenario, model, engine, segments, metric, unit, better FROM series"
            " ORDER BY scenario, model, engine, segments, metric"
        )
        return [
            StoredSeries(
                id=row[0],
                set=SetName(scenario=row[1], model=row[2], engine=row[3]),
                segments=tuple(json.loads(row[4])),
                metric=row[5],
                unit=row[6],
                better=row[7],
            )
            for row in rows
        ]

    def points(self, runs: Sequence[int]) -> Iterator[StoredPoint]:
        """The values of some runs, by series, then in the order they were added."""
        wanted = json.dumps(list(runs))
        rows = self.rows(
            "SELECT series, run, value, runs, listed FROM points"
            " WHERE run IN (SELECT value FROM json_each(?)) ORDER BY series, run",
            wanted,
        )
        for row in rows:
            yield StoredPoint(
                series=row[0],
                run=row[1],
                value=row[2],
                runs=tuple(json.loads(row[3])),
                listed=bool(row[4]),
            )

    def bless(self, blessings: Sequence[Blessing]) -> None:
        """Accept changes."""
        with self._changing() as connection:
            connection.executemany(
                "INSERT INTO blessings (commit_id, prefix, reason, at, scenario, model, engine)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                [
                    (each.commit, storable(each.prefix), storable(each.reason), each.at, *_names(each.set))
                    for each in blessings
                ],
            )

    def unbless(self, commit: str, prefixes: Sequence[str] | None, sets: Sequence[SetName]) -> int:
        """Take blessings at one commit back.

        Args:
            commit: Only those at this commit.
            prefixes: Of exactly these prefixes; ``None`` for every one.
            sets: In these sets.

        Returns:
            How many there were.
        """
        gone = 0
        with self._changing() as connection:
            for name in sets:
                for prefix in prefixes if prefixes is not None else (None,):
                    gone += connection.execute(
                        "DELETE FROM blessings WHERE commit_id = ?"
                        " AND scenario = ? AND model = ? AND engine = ? AND (? IS NULL OR prefix = ?)",
                        (commit, *_names(name), prefix, prefix),
                    ).rowcount
        return gone

    def blessings(self) -> list[Blessing]:
        """Every blessing, in the order they were given."""
        rows = self.rows(
            "SELECT commit_id, prefix, reason, at, scenario, model, engine FROM blessings ORDER BY id"
        )
        return [
            Blessing(
                commit=row[0],
                prefix=row[1],
                reason=row[2],
                at=row[3],
                set=SetName(scenario=row[4], model=row[5], engine=row[6]),
            )
            for row in rows
        ]

    def _series(
        self, connection: sqlite3.Connection, name: SetName, each: Measured
    ) -> tuple[int, str | None]:
        """The series' identifier, made where there is none yet, and its unit."""
        key = (*_names(name), json.dumps(each.segments), storable(each.metric))
        connection.execute(
            "INSERT INTO series (scenario, model, engine, segments, metric, unit, better)"
            " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (*key, each.unit, each.better),
        )
        found: tuple[int, str | None] = connection.execute(
            "SELECT id, unit FROM series"
            " WHERE scenario = ? AND model = ? AND engine = ? AND segments = ? AND metric = ?",
            key,
        ).fetchone()
        return found


def _names(name: SetName) -> tuple[str, str, str]:
    return storable(name.scenario), storable(name.model), storable(name.engine)
