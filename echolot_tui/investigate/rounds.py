"""Rounds: planned for a collect, or made of traces recorded elsewhere; their reports and comparisons."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from echolot_tui.errors import FAILED, EcholotError
from echolot_tui.investigate import states
from echolot_tui.investigate.database import Change, Database
from echolot_tui.investigate.hunts import require_open, touch, worded
from echolot_tui.investigate.model import Plain, Round, TraceFile
from echolot_tui.investigate.reading import read_rounds

_ADD_TRACE: Final = "INSERT INTO traces (round, run, path, sha256) VALUES (?, ?, ?, ?)"


class MixedTracesError(EcholotError):
    """Traces of more than one round, which therefore belong to none."""


class Rounds:
    """All rounds of a project."""

    def __init__(self, database: Database, root: Path) -> None:
        self._database = database
        self._root = root

    def all(self) -> tuple[Round, ...]:
        """Every round, also those outside any hunt, in the order they were opened."""
        return read_rounds(self._database)

    def get(self, round_id: int) -> Round:
        """One round.

        Raises:
            EcholotError: There is none of that id.
        """
        for each in self.all():
            if each.id == round_id:
                return each
        raise EcholotError(f"there is no round of id {round_id}", exit_code=FAILED)

    def plan(
        self,
        hunt: int | None,
        *,
        scenario: str,
        runs: int | None,
        label: str | None = None,
        plan: Mapping[str, Plain] | None = None,
        over: int | None = None,
    ) -> Round:
        """Open a round that is to be recorded.

        Args:
            hunt: The hunt it belongs to; ``None`` for a set outside any.
            scenario: What is recorded.
            runs: How many; ``None`` when only the recording will show.
            label: What a person calls it.
            plan: How it is recorded, kept as it is.
            over: A round of the same hunt and scenario that was planned and never begun, by its id: this
                plan takes the place of that one.

        Raises:
            EcholotError: The hunt is closed or not there, or ``over`` was begun.
        """
        words = worded(label, "a label") if label and label.strip() else None
        with self._database.change() as change:
            if over is None:
                round_id = _open(change, hunt, scenario, "planned", label=words, plan=plan)
            else:
                round_id = _plan_over(change, over, label=words, plan=plan)
            for run in range(runs or 0):
                add_run(change, round_id, run, "waiting")
        return self.get(round_id)

    def attach(
        self, hunt: int, traces: Sequence[TraceFile], *, scenario: str, label: str | None = None
    ) -> Round:
        """The round that traces belong to, known by their content; a new one when no round has any of them.

        Traces the round does not have yet are added to it. A known trace keeps its path, unless nothing
        lies there any more.

        Args:
            hunt: The hunt being worked on.
            traces: In run order.
            scenario: What they record.
            label: What a new round is called.

        Raises:
            MixedTracesError: They come from several rounds of the hunt.
            EcholotError: The hunt is closed or not there.
        """
        with self._database.change() as change:
            require_open(change, hunt, "takes no more reports")
            ks = _rounds_with(change, hunt, traces)
            if len(ks) > 1:
                listed = " and ".join(map(str, ks))
                raise MixedTracesError(
                    f"the traces come from rounds {listed} of hunt {hunt}, so their report belongs to neither"
                )
            if ks:
                round_id = change.one("SELECT id FROM rounds WHERE hunt = ? AND k = ?", hunt, ks[0])
                self._add_new(change, round_id, traces)
            else:
                words = worded(label, "a label") if label and label.strip() else None
                round_id = _open(change, hunt, scenario, "complete", label=words)
                for run, trace in enumerate(traces):
                    _attach_run(change, round_id, run, trace)
        return self.get(round_id)

    def report_saved(
        self,
        round_id: int,
        *,
        path: str,
        sha256: str,
        traces: Sequence[str],
        generated_at: str | None = None,
        config_sha: str | None = None,
    ) -> Round:
        """A report of the round is complete on the disk.

        Args:
            round_id: The round.
            path: The report, from the project's root.
            sha256: Of the report's bytes.
            traces: SHA-256 of each trace it was made from.
            generated_at: As the report says.
            config_sha: As the report says.
        """
        with self._database.change() as change:
            report = change.run(
                "INSERT INTO reports (round, path, sha256, generated_at, config_sha) VALUES (?, ?, ?, ?, ?)",
                round_id,
                path,
                sha256,
                generated_at,
                config_sha,
            ).lastrowid
            for trace in change.run("SELECT * FROM traces WHERE round = ?", round_id).fetchall():
                if trace["sha256"] in traces:
                    change.run(
                        "INSERT INTO report_traces (report, run, path, sha256) VALUES (?, ?, ?, ?)",
                        report,
                        trace["run"],
                        trace["path"],
                        trace["sha256"],
                    )
            detail = {"path": path, "sha256": sha256, "traces": len(traces)}
            say_of_round(change, round_id, "report", "report", detail=detail)
        return self.get(round_id)

    def compared(self, before_report: int, after_report: int, path: str) -> None:
        """A comparison of two reports is complete on the disk.

        Args:
            before_report: Id of the report on the before side.
            after_report: Id of the report on the after side.
            path: ``comparison.json``, from the project's root.
        """
        with self._database.change() as change:
            change.run(
                "INSERT INTO comparisons (before_report, after_report, path, at) VALUES (?, ?, ?, ?)",
                before_report,
                after_report,
                path,
                change.at,
            )
            before, after = (
                change.one("SELECT round FROM reports WHERE id = ?", report)
                for report in (before_report, after_report)
            )
            detail = {"with": change.one("SELECT k FROM rounds WHERE id = ?", before), "path": path}
            say_of_round(change, after, "comparison", "compare", detail=detail)

    def _add_new(self, change: Change, round_id: int, traces: Sequence[TraceFile]) -> None:
        known = {
            row["sha256"]: row
            for row in change.run("SELECT * FROM traces WHERE round = ?", round_id).fetchall()
        }
        free = (change.one("SELECT MAX(run) FROM runs WHERE round = ?", round_id) or 0) + 1
        for trace in traces:
            row = known.get(trace.sha256)
            if row is None:
                _attach_run(change, round_id, free, trace)
                free += 1
            elif row["path"] != trace.path and not (self._root / row["path"]).exists():
                change.run(
                    "UPDATE traces SET path = ? WHERE round = ? AND run = ?", trace.path, round_id, row["run"]
                )
                detail = {"from": row["path"], "to": trace.path}
                say_of_round(change, round_id, "trace", "move", run=row["run"], detail=detail)


def move_run(
    change: Change,
    round_id: int,
    run: int,
    target: str,
    *,
    reason: str | None = None,
    is_work: bool = True,
) -> None:
    """Bring a run into another state.

    Args:
        change: The transaction.
        round_id: The round.
        run: Its number.
        target: The state wanted.
        reason: Why it failed, or why its trace gave no measurement.
        is_work: Somebody works on the round; otherwise it is only found to be so.

    Raises:
        EcholotError: There is no such run, or no legal step.
    """
    source = change.one("SELECT state FROM runs WHERE round = ? AND run = ?", round_id, run)
    if source is None:
        raise no_run(run)
    step = states.check("run", f"run {run}", source, target)
    change.run(
        "UPDATE runs SET state = ?, reason = ?, since = ? WHERE round = ? AND run = ?",
        target,
        reason,
        change.at,
        round_id,
        run,
    )
    if target == "waiting":
        change.run("DELETE FROM traces WHERE round = ? AND run = ?", round_id, run)
    detail = {"reason": reason} if reason else None
    say_of_round(
        change,
        round_id,
        "run",
        step.event,
        run=run,
        source=source,
        target=target,
        detail=detail,
        is_work=is_work,
    )


def no_run(run: int) -> EcholotError:
    """The refusal of a run nobody planned."""
    return EcholotError(f"the round has no run {run}", todo="extend it first", exit_code=FAILED)


def move_round(
    change: Change, round_id: int, target: str, *, pid: int | None = None, is_work: bool = True
) -> None:
    """Bring a round into another state.

    Args:
        change: The transaction.
        round_id: The round.
        target: The state wanted.
        pid: The process that records it from now on.
        is_work: Somebody works on the round; otherwise it is only found to be so.

    Raises:
        EcholotError: No legal step leads there.
    """
    hunt, k, source = change.run("SELECT hunt, k, state FROM rounds WHERE id = ?", round_id).fetchone()
    step = states.check("round", round_name(hunt, k), source, target, n=hunt)
    change.run("UPDATE rounds SET state = ?, pid = COALESCE(?, pid) WHERE id = ?", target, pid, round_id)
    detail = {"pid": pid} if pid is not None else None
    say_of_round(
        change,
        round_id,
        "round",
        step.event,
        source=source,
        target=target,
        detail=detail,
        is_work=is_work,
    )


def put_trace(change: Change, round_id: int, run: int, trace: TraceFile, *, is_work: bool = True) -> None:
    """A run's trace is complete in its place; an earlier one of that run is forgotten."""
    change.run("DELETE FROM traces WHERE round = ? AND run = ?", round_id, run)
    change.run(_ADD_TRACE, round_id, run, trace.path, trace.sha256)
    detail = {"path": trace.path, "sha256": trace.sha256}
    say_of_round(change, round_id, "trace", "trace", run=run, detail=detail, is_work=is_work)


def add_run(change: Change, round_id: int, run: int, target: str) -> None:
    """A run that was not there before."""
    step = states.step("run", None, target)
    assert step is not None
    change.run(
        "INSERT INTO runs (round, run, state, since) VALUES (?, ?, ?, ?)", round_id, run, target, change.at
    )
    say_of_round(change, round_id, "run", step.event, run=run, target=target)


def next_run(change: Change, round_id: int) -> int:
    """The first number no run of the round has."""
    free: int = change.one("SELECT COALESCE(MAX(run) + 1, 0) FROM runs WHERE round = ?", round_id)
    return free


def say_of_round(
    change: Change,
    round_id: int,
    subject: str,
    event: str,
    *,
    run: int | None = None,
    source: str | None = None,
    target: str | None = None,
    detail: Mapping[str, object] | None = None,
    is_work: bool = True,
) -> None:
    """Write a journal line about a round; with ``is_work``, round and hunt were worked on at this moment."""
    hunt, k = change.run("SELECT hunt, k FROM rounds WHERE id = ?", round_id).fetchone()
    change.say(subject, event, hunt=hunt, k=k, run=run, source=source, target=target, detail=detail)
    if not is_work:
        return
    change.run("UPDATE rounds SET touched_at = ? WHERE id = ?", change.at, round_id)
    if hunt is not None:
        touch(change, hunt)


def round_name(hunt: int | None, k: int) -> str:
    """What a refusal calls a round."""
    return f"set {k} outside any hunt" if hunt is None else f"round {k} of hunt {hunt}"


def _open(
    change: Change,
    hunt: int | None,
    scenario: str,
    target: str,
    *,
    label: str | None = None,
    plan: Mapping[str, Plain] | None = None,
) -> int:
    if hunt is not None:
        require_open(change, hunt, "takes no more rounds")
    step = states.step("round", None, target)
    assert step is not None
    k = (change.one("SELECT MAX(k) FROM rounds WHERE hunt IS ?", hunt) or 0) + 1
    round_id = change.run(
        "INSERT INTO rounds (hunt, k, scenario, label, state, opened_at, touched_at, plan)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        hunt,
        k,
        scenario,
        label,
        target,
        change.at,
        change.at,
        json.dumps(plan or {}, sort_keys=True),
    ).lastrowid
    assert round_id is not None
    say_of_round(change, round_id, "round", step.event, target=target, detail={"label": label})
    return round_id


def _plan_over(change: Change, over: int, *, label: str | None, plan: Mapping[str, Plain] | None) -> int:
    """Plan a round anew whose collect died before it began; its runs, all waiting, are forgotten."""
    move_round(change, over, "planned")
    change.run("DELETE FROM runs WHERE round = ?", over)
    change.run(
        "UPDATE rounds SET label = ?, plan = ? WHERE id = ?",
        label,
        json.dumps(plan or {}, sort_keys=True),
        over,
    )
    return over


def _attach_run(change: Change, round_id: int, run: int, trace: TraceFile) -> None:
    add_run(change, round_id, run, "done")
    put_trace(change, round_id, run, trace)


def _rounds_with(change: Change, hunt: int, traces: Sequence[TraceFile]) -> list[int]:
    """Numbers of the hunt's rounds that have any of the traces."""
    wanted = {trace.sha256 for trace in traces}
    rows = change.run(
        "SELECT r.k, t.sha256 FROM traces t JOIN rounds r ON r.id = t.round WHERE r.hunt = ?", hunt
    ).fetchall()
    return sorted({row["k"] for row in rows if row["sha256"] in wanted})
