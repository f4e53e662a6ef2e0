"""Ask detectors of a session inside one window, as the measurement does, and gate the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from echolot_tui.engine.model import TraceSession
from echolot_tui.frozen import Cell
from echolot_tui.generate.builder import TraceBuilder
from echolot_tui.measure.catalogue import load_catalogue
from echolot_tui.measure.coverage import unpack
from echolot_tui.measure.derived import DerivedTables
from echolot_tui.measure.gate import parse_gate
from echolot_tui.measure.model import DetectorMeasurement
from echolot_tui.measure.own_code import OwnCode
from echolot_tui.measure.plan import Override, Plan, plan
from echolot_tui.measure.run_detectors import run_detectors
from echolot_tui.measure.tables import create_tables, drop_tables

Row = dict[str, Cell]

MS = 1_000_000
PID = 10


def app(*threads: tuple[int, str]) -> TraceBuilder:
    """A trace of one process ``app``, with further threads."""
    builder = TraceBuilder()
    builder.process(PID, "app")
    for tid, name in threads:
        builder.thread(PID, tid, name)
    return builder


def put(builder: TraceBuilder, tid: int, start: float, end: float | None, name: str) -> None:
    """A slice of ``app``, in milliseconds."""
    builder.slice(PID, tid, round(start * MS), None if end is None else round(end * MS), name)


def ask(session: TraceSession, only: str, start: float = 0, end: float = 1000, **settings: str) -> Asked:
    """Ask one detector of ``app`` in a window in milliseconds."""
    keyed = {f"{only}.{key}": value for key, value in settings.items()}
    return Asked(session, PID, round(start * MS), round(end * MS), only=only, settings=keyed)


def windowed(
    session: TraceSession,
    pid: int,
    start: int,
    end: int,
    *,
    main_tid: int | None = None,
    package: str | None = None,
    claimed: Sequence[str] = (),
) -> None:
    """Make the window's tables."""
    process = session.query(f"SELECT upid, name FROM process WHERE pid = {pid} ORDER BY upid DESC").records()[
        0
    ]
    upid = process["upid"]
    tid = pid if main_tid is None else main_tid
    mains = session.query(f"SELECT utid FROM thread WHERE upid = {upid} AND tid = {tid}")["utid"].tolist()
    assert isinstance(upid, int)
    create_tables(
        session,
        upid=upid,
        main_utid=mains[0] if mains else None,
        start_ns=start,
        end_ns=end,
        process_name=str(process["name"] or f"pid {pid}"),
        package=package or (str(process["name"]) if process["name"] else None),
        claimed_globs=claimed,
    )


class Asked:
    """Answers of some shipped detectors in one window."""

    def __init__(
        self,
        session: TraceSession,
        pid: int,
        start: int,
        end: int,
        *,
        only: str = "",
        settings: dict[str, str] | None = None,
        own: OwnCode | None = None,
        **window: Any,
    ) -> None:
        overrides = [
            Override(detector=key.partition(".")[0], param=key.partition(".")[2], text=text)
            for key, text in (settings or {}).items()
        ]
        self.plan: Plan = plan(load_catalogue(), overrides=overrides)
        windowed(session, pid, start, end, claimed=self.plan.claimed_globs, **window)
        wanted = set(only.split()) if only else {detector.id for detector in self.plan.detectors}
        answers = run_detectors(
            DerivedTables(session, own), [one for one in self.plan.detectors if one.id in wanted]
        )
        drop_tables(session)
        self.answers = {answer.id: answer for answer in answers}

    def __getitem__(self, detector: str) -> DetectorMeasurement:
        return self.answers[detector]

    def rows(self, detector: str) -> list[Row]:
        """All rows, also those under the bar."""
        answer = self.answers[detector]
        assert answer.state == "ok", answer.reason
        return [row.columns for row in answer.rows]

    def listed(self, detector: str) -> list[Row]:
        """Rows over the bar."""
        rows, decision = self.rows(detector), self.plan.decision(detector)
        assert decision is not None
        if decision.detector.gate is None:
            return rows
        passed = parse_gate(decision.detector.gate).evaluate(rows, decision.params)
        return [row for row, is_over in zip(rows, passed, strict=True) if is_over]

    def row(self, detector: str, location: str, **more: str) -> Row:
        """The one row of that location."""
        found = [
            row
            for row in self.rows(detector)
            if row["location"] == location and all(row[key] == value for key, value in more.items())
        ]
        assert len(found) == 1, found
        return found[0]

    def covered(self, detector: str) -> dict[str, list[tuple[int, int]]]:
        """Stretches by location, as sorted ``(start, end)``."""
        answer = self.answers[detector]
        assert answer.coverage_error == ""
        assert answer.coverage is not None
        found: dict[str, list[tuple[int, int]]] = {}
        for row, ts, dur in zip(*(column.tolist() for column in unpack(answer.coverage)), strict=True):
            found.setdefault(str(answer.rows[row].columns["location"]), []).append((ts, ts + dur))
        return {location: sorted(stretches) for location, stretches in found.items()}
