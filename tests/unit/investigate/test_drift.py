"""What changed under a hunt, and what to do next in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from echolot_tui.investigate.drift import anchors_of, confirmed_values, drift, is_fresh
from echolot_tui.investigate.model import Hunt, TraceFile
from echolot_tui.investigate.next_step import next_step
from echolot_tui.investigate.store import Store
from echolot_tui.project.load import LoadedConfig, load_config
from echolot_tui.project.scenario import resolve_scenario
from unit.investigate.project import Clock, record_run

CONFIG = """
project:
  package: com.example.app
  process: com.example.*
  _source: confirmed_by_user
scenarios:
  cold:
    start: {name: bindApplication, _source: confirmed_by_user}
    end: reportFullyDrawn
  warm:
    start: {name: warmUp, _source: confirmed_by_user}
runner:
  iterations: 5
"""


def config(folder: Path, text: str = CONFIG) -> LoadedConfig:
    path = folder / "echolot.yml"
    path.write_text(text)
    return load_config(path)


def opened(store: Store, loaded: LoadedConfig) -> Hunt:
    return store.hunts.open(
        "why?",
        scenario="cold",
        config_sha=loaded.sha,
        confirmed=confirmed_values(loaded.values, "cold"),
        anchors=anchors_of(resolve_scenario(loaded, "cold")),
    )


def test_confirmed_values_are_those_of_blocks_that_say_so(tmp_path: Path) -> None:
    assert confirmed_values(config(tmp_path).values, "cold") == {
        "project.package": "com.example.app",
        "project.process": "com.example.*",
        "scenarios.cold.start.name": "bindApplication",
    }


def test_confirmed_lists_and_nested_blocks() -> None:
    values = {
        "domains": [{"slice": "a*"}, {"slice": "b*", "_source": "confirmed_by_user"}],
        "runner": {
            "_source": "confirmed_by_user",
            "cooldown": {"max_c": 35},
            "atrace_categories": ["am", "wm"],
            "_evidence": "x",
        },
        "detectors": {"gc": {"_source": "guessed", "min": 3}},
    }
    assert confirmed_values(values, "cold") == {
        "domains.1.slice": "b*",
        "runner.cooldown.max_c": 35,
        "runner.atrace_categories": ["am", "wm"],
    }


def changes(store: Store, tmp_path: Path, clock: Clock, old: str, new: str) -> list[tuple[str, str]]:
    hunt = opened(store, config(tmp_path))
    assert drift(hunt, config(tmp_path), clock.now) == ()
    assert old in CONFIG
    after = config(tmp_path, CONFIG.replace(old, new))
    return [(each.id, each.text) for each in drift(hunt, after, clock.now)]


def test_a_confirmed_value_that_changed(store: Store, tmp_path: Path, clock: Clock) -> None:
    ((kind, text),) = changes(store, tmp_path, clock, "package: com.example.app", "package: com.other")
    assert kind == "confirmed_changed"
    assert text == (
        'project.package was confirmed as "com.example.app" when hunt 1 opened and is "com.other" now'
    )


def test_a_confirmed_value_that_is_gone(store: Store, tmp_path: Path, clock: Clock) -> None:
    found = changes(store, tmp_path, clock, "  package: com.example.app\n", "")
    assert [kind for kind, _ in found] == ["confirmed_changed"]
    assert found[0][1].endswith("and is nothing now")


def test_a_value_still_the_same_need_not_be_confirmed_again(
    store: Store, tmp_path: Path, clock: Clock
) -> None:
    found = changes(store, tmp_path, clock, "  _source: confirmed_by_user\nscenarios", "scenarios")
    assert [kind for kind, _ in found] == ["config_changed"]


def test_anchors_that_changed_measure_another_window(store: Store, tmp_path: Path, clock: Clock) -> None:
    found = changes(store, tmp_path, clock, "end: reportFullyDrawn", "end: firstFrame")
    assert [kind for kind, _ in found] == ["scenario_changed", "config_changed"]
    assert 'end was "reportFullyDrawn" and is "firstFrame"' in found[0][1]


def test_a_scenario_that_is_gone(store: Store, tmp_path: Path, clock: Clock) -> None:
    found = changes(store, tmp_path, clock, "  cold:\n", "  chilly:\n")
    assert found[0][0] == "scenario_gone"
    assert "warm" in found[0][1] or "chilly" in found[0][1]


def test_any_other_change_is_told_by_the_hash(store: Store, tmp_path: Path, clock: Clock) -> None:
    found = changes(store, tmp_path, clock, "iterations: 5", "iterations: 7")
    assert [kind for kind, _ in found] == ["config_changed"]


def test_another_scenarios_confirmed_values_do_not_matter(store: Store, tmp_path: Path, clock: Clock) -> None:
    found = changes(store, tmp_path, clock, "warmUp", "heatUp")
    assert [kind for kind, _ in found] == ["config_changed"]


def test_time_without_work(store: Store, tmp_path: Path, clock: Clock) -> None:
    hunt = opened(store, config(tmp_path))
    clock.wait(minutes=30)
    assert is_fresh(hunt, clock.now)
    clock.wait(seconds=10)
    assert not is_fresh(hunt, clock.now)
    clock.wait(days=6)
    assert drift(hunt, None, clock.now) == ()
    clock.wait(days=1)
    (old,) = drift(hunt, None, clock.now)
    assert (old.id, old.text) == ("untouched", "nobody worked on it for 7 days")


def word(store: Store, clock: Clock) -> str | None:
    step = next_step(store.hunts.all(), clock.now)
    return step.word if step else None


def measured(store: Store, name: str) -> int:
    made = store.rounds.attach(1, [TraceFile(path=name, sha256=name)], scenario="cold")
    done = store.rounds.report_saved(made.id, path="report.json", sha256=name, traces=[name])
    assert done.report is not None
    return done.report.id


@pytest.mark.parametrize(
    ("reasons", "told"), [(["no process", None], "has traces"), (["no process"] * 2, "no process")]
)
def test_traces_that_gave_no_measurement_say_why(
    store: Store, clock: Clock, reasons: list[str | None], told: str
) -> None:
    store.hunts.open("why?", scenario="cold")
    planned = store.rounds.plan(1, scenario="cold", runs=2)
    with store.record(planned.id) as recording:
        for run, reason in enumerate(reasons):
            recording.run_state(run, "recording")
            path = recording.trace_path(run)
            path.write_bytes(b"x")
            recording.trace_finished(run, path, f"{run}")
            recording.run_state(run, "done", reason)
        recording.finish()
    assert [run.reason for run in store.rounds.get(planned.id).runs] == reasons
    step = next_step(store.hunts.all(), clock.now)
    assert step is not None
    assert step.word == "analyze"
    assert told in step.todo
    assert "echolot analyze .echolot/hunts/1/round-1/traces" in step.todo


def test_the_way_of_a_hunt_step_by_step(store: Store, clock: Clock) -> None:
    assert word(store, clock) is None
    store.hunts.open("why?", scenario="cold")
    assert word(store, clock) == "collect"
    store.rounds.attach(1, [TraceFile(path="traces/a", sha256="a")], scenario="cold")
    assert word(store, clock) == "analyze"
    first = measured(store, "a")
    assert word(store, clock) == "collect"
    planned = store.rounds.plan(1, scenario="cold", runs=2)
    assert word(store, clock) == "resume-collect"
    with store.record(planned.id) as recording:
        assert word(store, clock) == "wait"
        clock.wait(days=1)
        assert word(store, clock) == "wait"  # however long it takes
        record_run(recording, 0)
        clock.wait(minutes=1)
    assert word(store, clock) == "resume-collect"
    with store.record(planned.id) as recording:
        hashes = [trace.sha256 or "" for trace in recording.round.traces] + [record_run(recording, 1)]
    assert word(store, clock) == "analyze"
    second = store.rounds.report_saved(planned.id, path="r", sha256="r", traces=hashes).report
    assert second is not None
    assert word(store, clock) == "compare"
    store.rounds.compared(first, second.id, "comparison.json")
    assert word(store, clock) == "conclude"
    measured(store, "a")  # the first round has another report now
    assert word(store, clock) == "compare"
    clock.wait(hours=1)
    assert word(store, clock) == "resume-or-new"
    store.hunts.choose(1)
    assert word(store, clock) == "compare"
    store.hunts.conclude(1, "so")
    assert word(store, clock) is None


def test_a_partial_set_that_was_analyzed_is_taken_as_it_is(store: Store, clock: Clock) -> None:
    store.hunts.open("why?", scenario="cold")
    measured(store, "a")
    planned = store.rounds.plan(1, scenario="cold", runs=2)
    with store.record(planned.id) as recording:
        content = record_run(recording, 0)
    store.rounds.report_saved(planned.id, path="r", sha256="r", traces=[content])
    assert word(store, clock) == "compare"


def test_open_hunts_without_a_current_one(store: Store, clock: Clock) -> None:
    for _ in range(2):
        store.hunts.open("why?", scenario="cold")
    store.hunts.abandon(2)
    step = next_step(store.hunts.all(), clock.now)
    assert step is not None
    assert step.word == "resume-or-new"
    assert "hunt 1 open" in step.todo


@pytest.mark.parametrize("wait", [0, 40])
def test_the_line_says_what_to_type(store: Store, clock: Clock, wait: int) -> None:
    store.hunts.open("why?", scenario="cold")
    clock.wait(minutes=wait)
    step = next_step(store.hunts.all(), clock.now)
    assert step is not None
    assert "echolot " in step.todo
