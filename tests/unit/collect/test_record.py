"""The loop over runs: order, failures, stops, and what a set is called afterwards."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from echolot_tui.collect.control import leave_request
from echolot_tui.collect.model import Request, SetRecord
from echolot_tui.collect.progress import exit_code, progress_of, standing
from echolot_tui.collect.record import Lane, Recorder, traces_of
from echolot_tui.collect.runner import BatchRunner, CollectError, Control
from echolot_tui.collect.stages import Fixed
from echolot_tui.errors import EcholotError
from echolot_tui.report.model import Report
from recording import OWNER, Memory, Writes, a_keeper, a_set, listening, measured, this_process

OWNER_GONE = replace(this_process(), started="long ago")


def _recorder(  # type: ignore[no-untyped-def]
    tmp_path: Path,
    runners: Sequence[object],
    *,
    runs: int = 3,
    records: Sequence[SetRecord] | None = None,
    memory: Memory | None = None,
    analyze: Callable[[SetRecord], Report] = measured,
    said: list[str] | None = None,
    ended: Callable[[Sequence[SetRecord]], None] = lambda _sets: None,
) -> Recorder:
    ear = listening(tmp_path)
    records = records or [a_set(tmp_path)]
    lanes = [
        Lane(keeper=a_keeper(tmp_path, record=record, memory=memory), runner=runner, analyze=analyze)  # type: ignore[arg-type]
        for record, runner in zip(records, runners, strict=True)
    ]
    return Recorder(
        lanes,
        Fixed(runs, lambda: ear.iterations),
        seed=1,
        listening=ear,
        owner=OWNER,
        say=(said if said is not None else []).append,
        before_end=ended,
    )


def _ask(tmp_path: Path, **what: object) -> None:
    leave_request(tmp_path / "request.json", Request(collect="c1", **what))  # type: ignore[arg-type]


def test_a_complete_set(tmp_path: Path) -> None:
    runner, memory = Writes(), Memory()
    (record,) = _recorder(tmp_path, [runner], memory=memory).run()
    assert runner.calls == ["prepare", "run 0", "run 1", "run 2", "finish"]
    assert (record.status, record.reason, record.owner) == ("complete", None, None)
    assert [path.name for path in traces_of(record)] == [f"app_iter00{k}.json" for k in range(3)]
    assert [run.facts.window_ms for run in record.runs if run.facts] == [100.0, 101.0, 102.0]
    assert memory.kinds[0] == "begun"
    assert memory.kinds[-1] == "finished"


def test_on_the_machine_under_measurement_nothing_is_analyzed_while_a_run_is_recorded(tmp_path: Path) -> None:
    busy, seen = threading.Event(), []

    def analyze(record: SetRecord) -> Report:
        assert not busy.is_set()
        return measured(record)

    def before(k: int) -> None:
        busy.set()
        seen.append(k)
        threading.Event().wait(0.01)
        busy.clear()

    _recorder(tmp_path, [Writes(before=before)], analyze=analyze).run()
    assert seen == [0, 1, 2]


def test_a_device_records_on_while_its_last_trace_is_analyzed(tmp_path: Path) -> None:
    second_began = threading.Event()

    def analyze(record: SetRecord) -> Report:
        assert second_began.wait(10)
        return measured(record)

    def before(k: int) -> None:
        if k == 1:
            second_began.set()

    (record,) = _recorder(tmp_path, [Writes(here=False, before=before)], analyze=analyze).run()
    assert all(run.facts is not None for run in record.runs)


def test_a_failure_stops_the_set_and_keeps_what_is_done(tmp_path: Path) -> None:
    runner = Writes(fail_at=1)
    (record,) = _recorder(tmp_path, [runner]).run()
    assert runner.calls == ["prepare", "run 0", "run 1", "finish"]
    assert (record.status, record.reason) == ("partial", "run 2 broke")
    assert [run.state for run in record.runs] == ["done", "failed"]
    assert sorted(path.name for path in Path(record.folder).iterdir()) == ["app_iter000.json"]
    assert exit_code([record]) == 2


def test_a_first_run_that_fails_leaves_the_earlier_set_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "traces").mkdir()
    (tmp_path / "traces" / "app_iter000.json").write_text("old")
    (record,) = _recorder(tmp_path, [Writes(fail_at=0)]).run()
    assert record.status == "failed"
    assert [path.name for path in (tmp_path / "traces").iterdir()] == ["app_iter000.json"]


def test_what_prepare_refuses_is_the_reason_and_finish_still_comes(tmp_path: Path) -> None:
    runner = Writes(broken="no such device")
    (record,) = _recorder(tmp_path, [runner]).run()
    assert runner.calls == ["prepare", "finish"]
    assert (record.status, record.reason) == ("failed", "no such device")


def test_stop_after_this_run(tmp_path: Path) -> None:
    runner = Writes(before=lambda k: _ask(tmp_path, stop="after run") if k == 1 else None)
    (record,) = _recorder(tmp_path, [runner]).run()
    assert record.status == "partial"
    assert len(record.done) == 2
    assert exit_code([record]) == 0


def test_stop_now_gives_the_run_up(tmp_path: Path) -> None:
    def before(k: int) -> None:
        if k == 1:
            _ask(tmp_path, stop="now")
            threading.Event().wait(0.25)  # a command is asked to stop five times a second

    runner = Writes(before=before)
    (record,) = _recorder(tmp_path, [runner]).run()
    assert (record.status, len(record.done)) == ("interrupted", 1)
    assert runner.calls[-1] == "finish"
    assert [run.state for run in record.runs] == ["done", "waiting"]
    assert exit_code([record]) == 130


def test_a_request_to_another_collect_is_not_heard(tmp_path: Path) -> None:
    leave_request(tmp_path / "request.json", Request(collect="another", stop="now"))
    (record,) = _recorder(tmp_path, [Writes()]).run()
    assert record.status == "complete"


def test_more_runs_may_be_asked_for_on_the_way(tmp_path: Path) -> None:
    runner = Writes(before=lambda k: _ask(tmp_path, iterations=5) if k == 0 else None)
    (record,) = _recorder(tmp_path, [runner], runs=2).run()
    assert (record.status, record.iterations, len(record.done)) == ("complete", 5, 5)


def test_resuming_records_only_what_is_missing(tmp_path: Path) -> None:
    (record,) = _recorder(tmp_path, [Writes(fail_at=1)]).run()
    kept = traces_of(record)[0].read_text()
    runner = Writes()
    (record,) = _recorder(tmp_path, [runner], records=[record]).run()
    assert runner.calls == ["prepare", "run 1", "run 2", "finish"]
    assert record.status == "complete"
    assert traces_of(record)[0].read_text() == kept


def test_two_arms_take_turns_with_equal_counts(tmp_path: Path) -> None:
    order: list[str] = []
    runners = [Writes(before=lambda k, name=name: order.append(f"{name}{k}")) for name in "ab"]
    records = [
        a_set(tmp_path / name, arm=name, newest=None, folder=str(tmp_path / name / "traces")) for name in "ab"
    ]
    sets = _recorder(tmp_path, runners, records=records, runs=4).run()
    assert [len(each.done) for each in sets] == [4, 4]
    assert sorted(order) == [f"{name}{k}" for name in "ab" for k in range(4)]
    assert order != sorted(order)
    progress = progress_of(sets, pid=1, log=tmp_path / "log")
    assert (progress.iterations, progress.done, progress.exit) == (8, 8, 0)
    assert len(progress.traces) == 8


def test_a_trace_nothing_can_be_measured_of_is_told_and_recording_goes_on(tmp_path: Path) -> None:
    def analyze(record: SetRecord) -> Report:
        raise EcholotError("no process matches", where="app_iter000.json")

    (record,) = _recorder(tmp_path, [Writes()], analyze=analyze).run()
    assert record.status == "complete"
    assert {run.unreadable for run in record.runs} == {"app_iter000.json: no process matches"}
    ended = progress_of([record], pid=1, log=tmp_path / "x.log")
    assert (ended.exit, ended.error) == (2, "no trace of app gave a measurement, all are kept")
    one = replace(record, runs=(replace(record.runs[0], unreadable=None), *record.runs[1:]))
    assert progress_of([one], pid=1, log=tmp_path / "x.log").exit == 0


def test_a_bug_in_the_analysis_is_no_silence(tmp_path: Path) -> None:
    def analyze(record: SetRecord) -> Report:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        _recorder(tmp_path, [Writes()], analyze=analyze).run()


def test_what_fails_at_the_end_is_told_and_costs_nothing(tmp_path: Path) -> None:
    def ended(_sets: Sequence[SetRecord]) -> None:
        raise EcholotError("the comparison cannot be written")

    said: list[str] = []
    (record,) = _recorder(tmp_path, [Writes()], said=said, ended=ended).run()
    assert record.status == "complete"
    assert said == ["the comparison cannot be written"]


class _Batch:
    resource = "host"
    here = False

    def __init__(self, traces: Sequence[Path]) -> None:
        self._traces = traces

    def prepare(self, control: Control) -> None:
        pass

    def record_all(self, control: Control) -> Sequence[Path]:
        if not self._traces:
            raise CollectError("the task left no trace")
        return self._traces

    def finish(self, control: Control) -> None:
        pass


def test_one_command_may_record_all_runs(tmp_path: Path) -> None:
    traces = [tmp_path / f"made{number}" for number in (2, 1)]
    for trace in traces:
        trace.write_text(trace.name)
    runner = _Batch(traces)
    assert isinstance(runner, BatchRunner)
    (record,) = _recorder(tmp_path, [runner], records=[a_set(tmp_path, iterations=None)]).run()
    assert (record.status, record.iterations) == ("complete", 2)
    assert [path.read_text() for path in traces_of(record)] == ["made2", "made1"]
    assert all(trace.exists() for trace in traces)


def test_one_command_that_records_nothing_fails_the_set(tmp_path: Path) -> None:
    (record,) = _recorder(tmp_path, [_Batch([])], records=[a_set(tmp_path, iterations=None)]).run()
    assert (record.status, record.reason) == ("failed", "the task left no trace")


def test_progress_says_what_8_7_of_the_fact_sheet_names(tmp_path: Path) -> None:
    running = replace(a_set(tmp_path), owner=OWNER)
    progress = progress_of([running], pid=7, log=tmp_path / "x.log")
    assert (progress.scenario, progress.mode, progress.pid, progress.iterations) == ("app", "host", 7, 3)
    assert (progress.done, progress.finished, progress.exit, progress.traces) == (0, None, None, ())


def test_how_a_collect_stands_in_one_line(tmp_path: Path) -> None:
    done = a_set(tmp_path, status="complete", iterations=0, finished_at="2026-01-01T01:00:00Z")
    cases = {
        "app: running, 0/3 done since 2026-01-01T00:00:00Z": replace(a_set(tmp_path), owner=this_process()),
        "app: interrupted after 0/3, its process is gone; echolot collect --resume": a_set(
            tmp_path, owner=OWNER_GONE
        ),
        "app: 0/? done 2026-01-01T01:00:00Z": done,
        "app: failed after 0/3, 2026-01-01T01:00:00Z: it broke": replace(
            done, status="failed", iterations=3, reason="it broke"
        ),
        "app: stopped after 0/3, 2026-01-01T01:00:00Z: stopped": replace(
            done, status="interrupted", iterations=3, reason="stopped"
        ),
    }
    for sentence, record in cases.items():
        assert standing(progress_of([record], pid=1, log=tmp_path / "x.log")) == sentence
