"""A round while it is recorded: what is told, what is refused, what is left after a crash."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import get_args

import pytest

from echolot_tui.errors import EcholotError
from echolot_tui.investigate.model import Round
from echolot_tui.investigate.states import IllegalTransitionError, ToldState
from echolot_tui.investigate.store import Store
from echolot_tui.project.files import sha256_of
from unit.investigate.project import Clock, record_run, store_in


@pytest.fixture
def planned(store: Store) -> Round:
    store.hunts.open("why?", scenario="cold")
    return store.rounds.plan(1, scenario="cold", runs=3, plan={"suffix": ".json", "seed": 7})


def states_of(of: Round) -> list[str]:
    return [run.state for run in of.runs]


def died(root: Path, to: Path) -> Path:
    """The project as a process that died this instant leaves it: the same files, and nobody holds a lock."""
    return Path(shutil.copytree(root, to))


def test_a_set_that_gets_all_its_runs_is_complete(store: Store, planned: Round, tmp_path: Path) -> None:
    assert (planned.state, states_of(planned), planned.plan["seed"]) == ("planned", ["waiting"] * 3, 7)
    with store.record(planned.id) as recording:
        assert recording.round.state == "recording"
        assert recording.round.pid is not None
        hashes = [record_run(recording, run) for run in range(3)]
        assert recording.finish().state == "complete"
    done = store.rounds.get(planned.id)
    assert (done.done, done.missing) == ((0, 1, 2), ())
    assert [trace.sha256 for trace in done.traces] == hashes
    assert all((tmp_path / trace.path).is_file() for trace in done.traces)
    assert done.traces[1].path == ".echolot/hunts/1/round-1/traces/cold_iter001.json"


def test_a_set_that_ends_early_is_partial_and_is_resumed_for_what_is_missing(
    store: Store, planned: Round
) -> None:
    with store.record(planned.id) as recording:
        record_run(recording, 0)
        recording.run_state(1, "recording")
        recording.run_state(1, "failed", "the screen is dark")
    partial = store.rounds.get(planned.id)
    assert (partial.state, states_of(partial), partial.missing) == (
        "partial",
        ["done", "failed", "waiting"],
        (1, 2),
    )
    assert partial.runs[1].reason == "the screen is dark"
    with store.record(planned.id) as recording:
        assert states_of(recording.round) == ["done", "waiting", "waiting"]
        for run in recording.round.missing:
            record_run(recording, run)
    assert store.rounds.get(planned.id).state == "complete"


def test_an_error_while_recording_ends_the_set_with_what_is_there(store: Store, planned: Round) -> None:
    def breaks() -> None:
        with store.record(planned.id) as recording:
            record_run(recording, 0)
            recording.run_state(1, "recording")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        breaks()
    partial = store.rounds.get(planned.id)
    assert (partial.state, states_of(partial)) == ("partial", ["done", "failed", "waiting"])


def test_a_complete_set_takes_more_runs(store: Store, planned: Round) -> None:
    with store.record(planned.id) as recording:
        for run in range(3):
            record_run(recording, run)
    with store.record(planned.id) as recording:
        assert recording.extend(2) == (3, 4)
        for run in (3, 4):
            record_run(recording, run)
    assert store.rounds.get(planned.id).done == (0, 1, 2, 3, 4)


def test_a_set_whose_length_only_the_recording_shows(store: Store) -> None:
    unknown = store.rounds.plan(None, scenario="cold", runs=None)
    with store.record(unknown.id) as recording:
        assert recording.extend() == (0,)
        record_run(recording, 0)
    assert store.rounds.get(unknown.id).state == "complete"
    empty = store.rounds.plan(None, scenario="cold", runs=None)
    with store.record(empty.id):
        pass
    assert store.rounds.get(empty.id).state == "partial"


def test_a_trace_that_is_gone_is_recorded_again(store: Store, planned: Round, tmp_path: Path) -> None:
    with store.record(planned.id) as recording:
        for run in range(3):
            record_run(recording, run)
        recording.trace_path(1).unlink()
    with store.record(planned.id) as recording:
        assert recording.round.missing == (1,)
        assert [trace.run for trace in recording.round.traces] == [0, 2]


def test_illegal_steps_are_refused_and_change_nothing(store: Store, planned: Round) -> None:
    with store.record(planned.id) as recording:
        before = store.journal()
        for run, state in ((0, "pulling"), (0, "done"), (0, "waiting"), (9, "recording")):
            with pytest.raises(EcholotError):
                recording.run_state(run, state)
        assert store.journal() == before
        with pytest.raises(
            IllegalTransitionError, match="run 0 is waiting and cannot become done; possible: "
        ):
            recording.run_state(0, "done")


WAYS: dict[str, tuple[str, ...]] = {
    "waiting": (),
    "cooling": ("cooling",),
    "recording": ("recording",),
    "pulling": ("recording", "pulling"),
    "analyzing": ("recording", "comes"),
    "done": ("recording", "comes", "done"),
    "failed": ("failed",),
}
LEGAL = {
    "waiting": {"cooling", "recording", "failed", "comes"},
    "cooling": {"recording", "failed", "waiting"},
    "recording": {"cooling", "pulling", "failed", "waiting", "comes"},
    "pulling": {"failed", "waiting", "comes"},
    "analyzing": {"done", "failed", "waiting"},
    "done": {"waiting"},
    "failed": {"waiting"},
}


@pytest.mark.parametrize("source", WAYS)
def test_every_step_of_a_run_is_legal_or_refused(store: Store, source: str) -> None:
    told = [*get_args(ToldState), "comes"]
    planned = store.rounds.plan(None, scenario="cold", runs=len(told))
    with store.record(planned.id) as recording:

        def say(run: int, word: str) -> None:
            if word == "comes":
                recording.trace_finished(run, recording.trace_path(run), "hash")
            else:
                recording.run_state(run, word)

        for run, word in enumerate(told):
            for step in WAYS[source]:
                say(run, step)
            assert recording.round.runs[run].state == source
            if word in LEGAL[source]:
                say(run, word)
            else:
                with pytest.raises(IllegalTransitionError, match=f"run {run} is {source} and cannot become"):
                    say(run, word)


def test_one_process_records_a_round_at_a_time(store: Store, planned: Round, tmp_path: Path) -> None:
    with (
        store.record(planned.id),
        store_in(tmp_path) as other,
        pytest.raises(EcholotError, match="another process is recording this round"),
        other.record(planned.id),
    ):
        pass


def test_a_round_of_a_closed_hunt_is_not_recorded(store: Store, planned: Round) -> None:
    store.hunts.conclude(1, "x")
    with pytest.raises(IllegalTransitionError, match="takes no more recordings"), store.record(planned.id):
        pass
    assert store.rounds.get(planned.id).state == "planned"


def test_a_recording_that_goes_on_is_left_alone(store: Store, planned: Round, tmp_path: Path) -> None:
    with store.record(planned.id), store_in(tmp_path) as other:
        assert other.lost == ()
        assert other.rounds.get(planned.id).state == "recording"


def test_after_a_crash_what_came_is_kept_and_the_rest_waits(
    store: Store, planned: Round, tmp_path: Path, clock: Clock, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with store.record(planned.id) as recording:
        record_run(recording, 0)
        recording.run_state(1, "cooling")
        recording.run_state(2, "recording")
        last = store.hunts.get(1).touched_at
        crashed = died(tmp_path, tmp_path_factory.mktemp("crash") / "a")
    clock.wait(days=1)
    with store_in(crashed, clock) as after:
        (lost,) = after.lost
        assert (lost.state, states_of(lost)) == ("interrupted", ["done", "waiting", "waiting"])
        assert after.hunts.get(1).touched_at == last  # being found is not being worked on
        with after.record(lost.id) as recording:
            for run in recording.round.missing:
                record_run(recording, run)
        assert after.rounds.get(lost.id).state == "complete"
    with store_in(crashed, clock) as again:
        assert again.lost == ()


@pytest.mark.parametrize("state", ["recording", "pulling", "analyzing"])
def test_a_trace_that_came_without_a_word_is_found(
    store: Store, planned: Round, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, state: str
) -> None:
    with store.record(planned.id) as recording:
        recording.run_state(0, "recording")
        if state == "pulling":
            recording.run_state(0, "pulling")
        recording.trace_path(0).write_text("whole")
        if state == "analyzing":
            recording.trace_finished(0, recording.trace_path(0), "told")
        crashed = died(tmp_path, tmp_path_factory.mktemp("crash") / "a")
    with store_in(crashed) as after:
        (lost,) = after.lost
        assert states_of(lost) == ["done", "waiting", "waiting"]
        assert lost.traces[0].path == ".echolot/hunts/1/round-1/traces/cold_iter000.json"
        told = "told" if state == "analyzing" else sha256_of(b"whole")
        assert lost.traces[0].sha256 == told


def test_the_trace_of_a_failed_attempt_is_not_taken_for_a_new_one(
    store: Store, planned: Round, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with store.record(planned.id) as recording:
        recording.run_state(0, "recording")
        recording.trace_path(0).write_text("unreadable")
        recording.trace_finished(0, recording.trace_path(0), "x")
        recording.run_state(0, "failed", "no trace")
    with store.record(planned.id) as recording:
        recording.run_state(0, "cooling")
        cooling = died(tmp_path, tmp_path_factory.mktemp("crash") / "a")
        recording.run_state(0, "recording")
        assert not recording.trace_path(0).exists()
        again = died(tmp_path, tmp_path_factory.mktemp("crash") / "b")
    for crashed in (cooling, again):
        with store_in(crashed) as after:
            assert states_of(after.lost[0])[0] == "waiting"
            assert after.lost[0].traces == ()
