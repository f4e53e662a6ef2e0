"""States of Home, Collect, Calibration, History and Doctor for tests of screens, made by hand."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from echolot_tui.calibrate.model import (
    CalibratedRun,
    Calibration,
    DetectorCalibration,
    EffectOn,
    SuspectRow,
    Suspicion,
    Threshold,
)
from echolot_tui.collect.model import Owner, Progress, RunFacts, RunRecord, SetRecord
from echolot_tui.collect.progress import progress_of
from echolot_tui.collect.run_line import lines_of, seconds_left
from echolot_tui.history.model import Census, HistoryReport
from echolot_tui.investigate.drift import Drift
from echolot_tui.investigate.facts import RoundFacts
from echolot_tui.investigate.model import ComparisonLink, Hunt, Note, ReportLink, Round, Run, Trace
from echolot_tui.investigate.view import HuntView
from echolot_tui.measure.model import ProcessFacts
from echolot_tui.measure.probe import Probe, ProcessLine, SliceLine, ThreadLine
from echolot_tui.present.calibration_yaml import section_yaml
from echolot_tui.selfcheck.model import Check, Doctor, Versions
from echolot_tui.tui.store import (
    CollectPlan,
    HomeView,
    Place,
    Ready,
    SetupView,
    ShownCalibration,
    ShownCollect,
)
from screens_data import HOSTILE

NOW = "2026-03-01T12:30:00Z"
EARLIER = "2026-03-01T12:00:00Z"


def a_round(k: int, **fields: Any) -> Round:
    """A complete round of five runs with a report."""
    given: dict[str, Any] = {
        "id": k,
        "hunt": 1,
        "k": k,
        "scenario": "cold-start",
        "label": "before",
        "state": "complete",
        "opened_at": EARLIER,
        "touched_at": EARLIER,
        "runs": tuple(Run(run=at, state="done", since=EARLIER) for at in range(5)),
        "traces": tuple(
            Trace(run=at, path=f"r{k}/run_iter00{at}.pftrace", sha256="0" * 64) for at in range(5)
        ),
        "report": ReportLink(id=k, path=f"r{k}/report.json", sha256="0" * 64, runs=tuple(range(5))),
    }
    return Round(**(given | fields))


def facts(middle: float, **fields: Any) -> RoundFacts:
    """Five runs around a window."""
    values = tuple(middle + each for each in (-30.0, -10.0, 0.0, 12.0, 41.0))
    given: dict[str, Any] = {
        "window_ms": middle,
        "values": values,
        "runs": 5,
        "model": "Pixel 6",
        "cpu_mhz": 1803.0,
        "throttled": False,
    }
    return RoundFacts(**(given | fields))


def a_hunt(n: int = 1, *rounds: Round, **fields: Any) -> Hunt:
    """An open, current hunt."""
    given: dict[str, Any] = {
        "n": n,
        "question": "Why does the start take 7 s?",
        "since": "the tab redesign",
        "scenario": "cold-start",
        "state": "open",
        "current": True,
        "opened_at": EARLIER,
        "touched_at": EARLIER,
        "rounds": rounds,
    }
    return Hunt(**(given | fields))


def home_view(**fields: Any) -> Ready[HomeView]:
    """A project with two hunts, the current one with three rounds."""
    rounds = (
        a_round(1),
        a_round(
            2,
            label="after the tab redesign",
            comparison=ComparisonLink(
                before_k=1, before_report=1, after_report=2, path="r2/comparison.json", at=EARLIER
            ),
            notes=(Note(at=EARLIER, text="the fan was loud", k=2),),
        ),
        a_round(
            3,
            label=None,
            state="partial",
            report=None,
            runs=tuple(
                Run(
                    run=at,
                    state="done" if at < 2 else "failed",
                    reason="no trace" if at >= 2 else None,
                    since=EARLIER,
                )
                for at in range(3)
            ),
        ),
    )
    hunt = a_hunt(2, *rounds, notes=(Note(at=EARLIER, text="only on the cheap phone"),))
    old = a_hunt(
        1,
        a_round(1),
        current=False,
        state="concluded",
        question="Why is scrolling rough?",
        conclusion="a lock",
    )
    view = HuntView(
        hunt=hunt,
        fresh=True,
        drift=(Drift(id="confirmed_changed", text="the end anchor is another one now"),),
        facts=(facts(3000), facts(7000, throttled=True), RoundFacts()),
    )
    given: dict[str, Any] = {
        "standing": (
            ("config", "/project/echolot.yml"),
            ("engine", "embedded: trace_processor v52.0"),
            ("traces", "5"),
            ("report", "cold-start: /project/.echolot/out/report.json · 5 runs"),
        ),
        "next_step": "round 3 is partial, 2/3: echolot collect --resume records what is missing",
        "next_word": "resume-collect",
        "config": "/project/echolot.yml",
        "hunts": (hunt, old),
        "shown": view,
        "at": NOW,
        "reports": (Place(path="/project/r1/report.json", text="cold-start · 5 runs"),),
    }
    return Ready(value=HomeView(**(given | fields)))


def without_hunts(*reports: str, **fields: Any) -> Ready[HomeView]:
    """A project whose reports lie about."""
    return home_view(
        hunts=(),
        shown=None,
        reports=tuple(Place(path=path, text="cold-start · 5 runs") for path in reports),
        next_word="compare",
        next_step="record the other side, then echolot compare OLD/report.json",
        **fields,
    )


def first_start() -> Ready[HomeView]:
    """Nothing is here."""
    return without_hunts(
        config=None, has_config=False, standing=(("config", "none: no echolot.yml here or above"),)
    )


def hostile_home() -> Ready[HomeView]:
    """Every nasty text a person or a path can hold."""
    rounds = tuple(
        a_round(
            at + 1,
            label=text,
            report=ReportLink(id=at + 1, path=text, sha256="0" * 64, runs=tuple(range(5))),
            notes=(Note(at=EARLIER, text=text),),
        )
        for at, text in enumerate(HOSTILE)
    )
    hunt = a_hunt(
        1, *rounds, question=" ".join(HOSTILE[:9]), since=HOSTILE[7], scenario=HOSTILE[5],
        notes=(Note(at=EARLIER, text=HOSTILE[9]),),
    )  # fmt: skip
    view = HuntView(
        hunt=hunt,
        drift=(Drift(id="untouched", text=HOSTILE[6]),),
        facts=tuple(facts(1000 + at, model=text, problem=text) for at, text in enumerate(HOSTILE)),
    )
    return home_view(
        hunts=(hunt,),
        shown=view,
        standing=tuple((text[:20], text) for text in HOSTILE[:3]),
        next_step=HOSTILE[7],
        reports=tuple(Place(path=text, text=text) for text in HOSTILE),
    )


def many_rounds(many: int = 2000) -> Ready[HomeView]:
    """So many that only those on the screen may be formatted."""
    rounds = tuple(a_round(at + 1, label=f"try {at + 1}") for at in range(many))
    hunt = a_hunt(1, *rounds)
    view = HuntView(hunt=hunt, facts=tuple(facts(1000 + at % 90) for at in range(many)))
    return home_view(hunts=(hunt,), shown=view)


# Collect.


PLAN = CollectPlan(
    config="/project/echolot.yml",
    scenario="cold-start",
    mode="host",
    iterations=5,
    commands=("python -m viztracer -o {trace} app.py",),
    hunt="Why does the start take 7 s?",
)


def a_set(*runs: RunRecord, **fields: Any) -> SetRecord:
    """A set of five runs."""
    given: dict[str, Any] = {
        "collect": "c1",
        "scenario": "cold-start",
        "mode": "host",
        "folder": "/project/round-1/traces",
        "suffix": ".json",
        "recipe": "r",
        "iterations": 5,
        "started_at": EARLIER,
        "owner": Owner(pid=1, started="then", host="here"),
        "runs": runs,
    }
    return SetRecord(**(given | fields))


def done(k: int, window: float, **fields: Any) -> RunRecord:
    """A run that was measured."""
    return RunRecord(
        k=k,
        state="done",
        path=f"/project/round-1/traces/cold-start_iter00{k}.json",
        finished_at=f"2026-03-01T12:{k + 1:02}:00Z",
        facts=RunFacts(**({"window_ms": window, "cpu_mhz": 1800.0, "celsius": 31.4 + k} | fields)),
    )


def collect(progress: Progress | None, **fields: Any) -> Ready[ShownCollect]:
    """As the bridge shows it."""
    given: dict[str, Any] = {"plan": PLAN, "progress": progress}
    if progress is not None:
        given |= {"lines": lines_of(progress), "notes": progress.notes, "log": ("[i] run 1 recorded",)}
    if fields.get("running") and progress is not None:
        given["left_s"] = seconds_left(progress)
    return Ready(value=ShownCollect(**(given | fields)))


def progress(*sets: SetRecord, **fields: Any) -> Progress:
    """Everything the sets tell."""
    from pathlib import Path

    return replace(progress_of(sets, pid=1, log=Path("/project/log")), **fields)


def filling() -> Ready[ShownCollect]:
    """Three runs done, the first far off, one being recorded."""
    runs = (
        done(0, 1402.5),
        done(1, 1003.25, throttled=True),
        done(2, 998.1, lossy=True),
        RunRecord(k=3, state="recording"),
    )
    return collect(progress(a_set(*runs)), running=True)


def ended(**fields: Any) -> Ready[ShownCollect]:
    """Complete, with a report."""
    runs = tuple(done(k, 1000.0 + 3 * k) for k in range(5))
    record = a_set(*runs, status="complete", finished_at=NOW, owner=None)
    return collect(progress(record), report="/project/round-1/report.json", **fields)


def ended_early() -> Ready[ShownCollect]:
    """One run failed, and the set with it."""
    runs = (
        done(0, 1000.0),
        RunRecord(k=1, state="failed", error="run 2: the command ended with 3: no such file"),
    )
    record = a_set(
        *runs, status="partial", reason="run 2: the command ended with 3", finished_at=NOW, owner=None
    )
    return collect(progress(record))


def cooling_arms() -> Ready[ShownCollect]:
    """Two sides in random order, one cooling."""
    before = a_set(done(0, 1000.0), RunRecord(k=1, state="cooling"), arm="before", iterations=3)
    after = a_set(done(0, 1300.0), arm="after", iterations=3)
    return collect(progress(before, after), running=True, asked="stopping after this run")


def hostile_collect() -> Ready[ShownCollect]:
    """Nasty texts wherever a recorder could put one."""
    runs = tuple(RunRecord(k=k, state="failed", error=text) for k, text in enumerate(HOSTILE))
    record = a_set(*runs, scenario=HOSTILE[0], arm=HOSTILE[7][:8], reason=HOSTILE[5], iterations=len(HOSTILE))
    shown = progress(replace(record, status="failed", finished_at=NOW), said=HOSTILE, notes=HOSTILE[:4])
    plan = replace(PLAN, scenario=HOSTILE[1], commands=HOSTILE[:3], hunt=HOSTILE[6])
    return collect(shown, plan=plan, problem=HOSTILE[8], log=())


# First config.


def a_probe(*, process: str | None = None, names: tuple[str, ...] = ("bindApplication", "draw")) -> Probe:
    """A trace of two processes; with a process its threads and slices."""
    return Probe(
        trace="traces/one.pftrace",
        duration_ms=4321.5,
        processes=(
            ProcessLine(name="system_server", pid=900, slices=40, async_slices=2),
            ProcessLine(name="com.example.app", pid=4000, slices=30, async_slices=0),
        ),
        processes_total=2,
        process=ProcessFacts(
            name="com.example.app", upid=4, pid=4000, slices=30, chosen_by="most main-thread work"
        ),
        threads=(ThreadLine(name="main", tid=1, is_main=True, running_ms=3.0, slices=9, slice_ms=4.0),)
        if process
        else (),
        longest=tuple(
            SliceLine(
                name=name, thread="main", start_ms=10.0 * at, dur_ms=900.0 - at, same_name=1 + 4 * (at == 1)
            )
            for at, name in enumerate(names)
        )
        if process
        else (),
    )


def setup(probe: Probe, trace: str = "traces") -> Ready[SetupView]:
    """As the bridge shows it."""
    return Ready(value=SetupView(trace=trace, probe=probe))


# Calibration, history, doctor.


def a_calibration(name: str = "main_thread_block", **fields: Any) -> Calibration:
    """One threshold proposed, one kept, one of a detector that failed."""
    threshold = Threshold(
        param="min_slice_ms",
        statistic="top10(self_ms)",
        factor=1.5,
        shipped=16,
        today=20,
        today_source="config",
        own=20,
        proposed=30.4,
        after=30.4,
        outcome="proposed",
        value=20.24,
        per_run=(20.2, 19.9, 21.5),
        sample=(41, 40, 43),
        runs_used=3,
    )
    kept = Threshold(
        param="max_total_ms",
        statistic="top10(total_ms)",
        factor=1.5,
        shipped=50,
        today=50,
        today_source="shipped",
        after=50,
        outcome="sample",
        reason="sample 2 per run at most, needs at least 10",
        per_run=(None, None, None),
        sample=(2, 1, 2),
    )
    given: dict[str, Any] = {
        "scenario": "cold-start",
        "device": "Pixel 6",
        "runs": tuple(
            CalibratedRun(label=str(k + 1), trace=f"r1/{k}.pftrace", sha256=str(k), window_ms=1000.0 + k)
            for k in range(3)
        ),
        "detectors": (
            DetectorCalibration(
                id=name, state="measured", thresholds=(threshold,), before=(16, 17, 16), after=(6, 7, 7)
            ),
            DetectorCalibration(id="gc_pressure", state="measured", thresholds=(kept,)),
            DetectorCalibration(
                id="io_wait",
                state="failed",
                error="no such table",
                thresholds=(
                    replace(kept, param="min_io_ms", outcome="failed", reason="the detector failed"),
                ),
            ),
        ),
        "effect_on": EffectOn(
            what="the latest report", path="/project/out/report.json", labels=("1", "2", "3")
        ),
    }
    return Calibration(**(given | fields))


def suspicious() -> Calibration:
    """Runs that are slower than the last healthy ones."""
    row = SuspectRow(
        detector="monitor_contention", location="Lock", verdict="slower", before_ms=10.0, after_ms=40.0
    )
    return a_calibration(
        suspicion=Suspicion(against="c1", made_at=EARLIER, runs=5, tested=True, rows=(row,)),
        warnings=("the runs are on battery",),
    )


def calibration(made: Calibration | None = None) -> Ready[ShownCalibration]:
    """As the bridge shows it."""
    made = made or a_calibration()
    return Ready(
        value=ShownCalibration(
            calibration=made,
            traces=("r1/a.pftrace", "r1/b.pftrace"),
            path="/project/echolot.calibrated.yml",
            section=section_yaml(made),
        )
    )


def history() -> Ready[HistoryReport]:
    """Three series, nothing found."""
    return Ready(
        value=HistoryReport(
            mode="history",
            source="series.json",
            series=3,
            census=Census(total=3, in_scope=3, judged=3, state="full"),
        )
    )


def doctor() -> Ready[Doctor]:
    """One check of each outcome."""
    return Ready(
        value=Doctor(
            exit_code=1,
            versions=Versions(
                echolot="0.1.0", python="3.11.7", platform="Linux", packages={"numpy": "2.4.6"}
            ),
            engine=None,
            checks=(
                Check(id="engine.found", group="engine", state="ok", text="embedded"),
                Check(id="config", group="project", state="failed", text=HOSTILE[0], todo="correct line 3"),
                Check(id="devices", group="machine", state="skip", text="no device"),
            ),
        )
    )
