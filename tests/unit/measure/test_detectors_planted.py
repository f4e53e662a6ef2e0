"""Every shipped detector on the generated cold start: exactly the planted rows, with their numbers."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from detectors_asked import Asked, Row
from echolot_tui.engine.model import EngineChoice
from echolot_tui.engine.open import open_trace
from echolot_tui.generate.planted import Planted, PlantedRow
from echolot_tui.generate.scene import Scene
from echolot_tui.generate.world import Options
from echolot_tui.measure.tables import stable_thread_name
from echolot_tui.text import without_ids

SceneFile = Callable[[Options], tuple[Path, Scene]]

BY_THREAD = ("binder_txn", "monitor_contention", "runnable_starvation", "io_wait", "uninstrumented_cpu")
METRICS = ("count", "self_ms", "total_ms", "max_ms", "covered_ms")


def ask(scene_file: SceneFile, options: Options, occurrence: int = 0) -> tuple[Planted, Asked]:
    path, scene = scene_file(options)
    facts = scene.occurrences[occurrence]
    with open_trace(path, EngineChoice()) as session:
        return facts, Asked(session, facts.pid, facts.start_ns, facts.end_ns, package=facts.package)


@pytest.fixture(scope="module")
def cold(scene_file: SceneFile) -> tuple[Planted, Asked]:
    return ask(scene_file, Options())


def name_of(detector: str, planted: PlantedRow, pid: int) -> str:
    """As rows are named: without the numbers of one run, and the process's own pid in a thread's name."""
    name = planted.location
    return stable_thread_name(name, pid) if detector in BY_THREAD else without_ids(name)


def find(detector: str, planted: PlantedRow, rows: list[Row], pid: int) -> Row:
    """The row with the planted identity and the planted numbers."""
    location = name_of(detector, planted, pid)
    place = "detail" if detector == "gc_pressure" else "thread"
    close = [
        row
        for row in rows
        if without_ids(str(row["location"])) == location
        and (planted.thread is None or row[place] == planted.thread)
        and (planted.detail is None or row["detail"] == planted.detail)
        and all(
            row.get(metric) == pytest.approx(getattr(planted, metric), abs=0.0101)
            for metric in METRICS
            if getattr(planted, metric) is not None
        )
    ]
    assert len(close) == 1, (planted, [row for row in rows if row["location"] == location])
    return close[0]


def test_listed_rows_are_the_planted_ones(cold: tuple[Planted, Asked]) -> None:
    planted, asked = cold
    silent = set(asked.answers) - set(planted.rows)
    assert silent == {"anr_risk"}
    assert asked.listed("anr_risk") == []
    for detector, expected in planted.rows.items():
        listed = asked.listed(detector)
        found = [find(detector, row, listed, planted.pid) for row in expected]
        assert len(found) == len(listed), (detector, [row for row in listed if row not in found])


def test_controls_are_measured_and_stay_under_the_bar(cold: tuple[Planted, Asked]) -> None:
    planted, asked = cold
    for detector, controls in planted.below.items():
        listed = [row["location"] for row in asked.listed(detector)]
        for control in controls:
            location = name_of(detector, control, planted.pid)
            if detector in ("repeated_work", "main_thread_outlier"):
                assert location not in listed, (detector, control)
            else:
                row = find(detector, control, asked.rows(detector), planted.pid)
                assert row not in asked.listed(detector), (detector, control)


def test_absent_locations_are_not_measured_at_all(cold: tuple[Planted, Asked]) -> None:
    planted, asked = cold
    for detector, locations in planted.absent.items():
        present = {row["location"] for row in asked.rows(detector)}
        assert present.isdisjoint(locations), detector


def test_evidence(cold: tuple[Planted, Asked]) -> None:
    _, asked = cold
    held = asked.row("monitor_contention", "Analytics")
    assert held["detail"] == "Lock contention on a monitor lock (owner tid: 4023) · owner DiskWriter"
    assert "blocking from java.lang.Object com.example.app.Cache.read()(Cache.kt:41)" in str(
        asked.row("monitor_contention", "com.example.app", thread="main")["detail"]
    )
    chain = asked.row("main_thread_waits", "DefaultDispatch")["detail"]
    assert chain == (
        "28% idle · 72% blocked in loadConfig · waited itself 12.0 ms for pool-#-thread-#, "
        "that 6.0 ms for DiskWriter"
    )
    assert asked.row("main_thread_outlier", "inflate")["detail"] == "median 3.0 ms of 9 · worst 20.0×"
    assert str(asked.row("repeated_work", "AGENTTMP_load")["detail"]).startswith(
        "near miss: entered from 2: loadFeed, "
    )
    assert asked.row("composables", "com.example.app.ui.Card (Card.kt:10)")["detail"] == (
        "3 in a first composition · 1 in a frame"
    )
    assert str(asked.row("io_wait", "com.example.app")["detail"]).startswith("main · ext4_file_read_iter, ")
    anr = str(asked.row("anr", str(asked.rows("anr")[0]["location"]))["detail"])
    assert anr.startswith("inside the window at +700.0 ms · ")


def test_identity_is_unique_and_of_the_rows(cold: tuple[Planted, Asked]) -> None:
    _, asked = cold
    for detector in asked.plan.detectors:
        rows = asked.rows(detector.id)
        names = [tuple(row[column] for column in detector.identity) for row in rows]
        assert len(set(names)) == len(names), detector.id


def test_main_thread_and_its_namesake_stay_apart(cold: tuple[Planted, Asked]) -> None:
    _, asked = cold
    cpu = [row for row in asked.rows("uninstrumented_cpu") if row["location"] == "com.example.app"]
    assert {row["thread"]: row["total_ms"] for row in cpu}["background"] == 45.0
    assert len(cpu) == 2
    assert [
        row["self_ms"] for row in asked.rows("background_work") if row["thread"] == "com.example.app"
    ] == [45.0]


def test_coverage_lies_inside_the_window(cold: tuple[Planted, Asked]) -> None:
    planted, asked = cold
    for detector in asked.answers:
        if asked[detector].coverage is None:
            assert detector in ("anr", "background_work", "frame_jank"), detector
            continue
        for stretches in asked.covered(detector).values():
            assert planted.start_ns <= stretches[0][0]
            assert max(end for _, end in stretches) <= planted.end_ns


def test_self_time_covers_as_much_as_it_reports(cold: tuple[Planted, Asked]) -> None:
    _, asked = cold
    covered = asked.covered("main_thread_block")
    for row in asked.rows("main_thread_block"):
        stretches = covered.get(str(row["location"]), [])
        assert sum(end - start for start, end in stretches) / 1e6 == pytest.approx(row["self_ms"], abs=0.006)
    everything = sorted(stretch for stretches in covered.values() for stretch in stretches)
    assert all(one[1] <= two[0] for one, two in pairwise(everything))


@pytest.mark.parametrize(
    "detector", ["binder_txn", "gc_pressure", "io_wait", "repeated_work", "composables", "app_init"]
)
def test_coverage_of_main_thread_rows_adds_up(cold: tuple[Planted, Asked], detector: str) -> None:
    _, asked = cold
    covered = asked.covered(detector)
    for row in asked.rows(detector):
        if row.get("thread") == "background" or row.get("detail") == "background":
            assert row["location"] not in covered
            continue
        spent = sum(end - start for start, end in covered.get(str(row["location"]), [])) / 1e6
        if str(row.get("thread", "")).startswith("background"):
            continue
        assert spent == pytest.approx(row.get("self_ms", row.get("total_ms")), abs=0.011), row


def test_without_frames_or_scheduling_it_is_no_data(scene_file: SceneFile) -> None:
    planted, asked = ask(scene_file, Options(frames=False, sched=False))
    for detector in (
        "frame_jank",
        "io_wait",
        "main_thread_waits",
        "runnable_starvation",
        "uninstrumented_cpu",
        "anr_risk",
    ):
        assert asked[detector].state == "no data", detector
        assert asked[detector].rows == ()
        assert "record" in asked[detector].reason
    for detector, expected in planted.rows.items():
        assert asked[detector].state == "ok", asked[detector].reason
        listed = asked.listed(detector)
        assert len(listed) == len(expected)
        for row in expected:
            find(detector, row, listed, planted.pid)


def test_without_composable_names_it_is_no_data(scene_file: SceneFile) -> None:
    _, asked = ask(scene_file, Options(compose_names=False))
    assert asked["composables"].state == "no data"
    assert "runtime-tracing" in asked["composables"].reason


def test_recording_without_names(scene_file: SceneFile) -> None:
    planted, asked = ask(scene_file, Options(named=False, sched=False))
    for detector, expected in planted.rows.items():
        listed = asked.listed(detector)
        for row in expected:
            find(detector, row, listed, planted.pid)
    assert {row["detail"] for row in asked.rows("main_thread_block")} == {"(main thread)"}
    assert {row["thread"] for row in asked.rows("background_work")} == {"(unnamed thread)"}


def test_sampled_stacks(scene_file: SceneFile) -> None:
    _, asked = ask(scene_file, Options(sampling="arrived"))
    crunch = asked.row("uninstrumented_cpu", "Crunch")
    assert (
        "stacks: com.example.app.sync.Crunch.run 100.0% · ours: com.example.app.sync.Crunch.run 100.0%"
        in str(crunch["detail"])
    )
    assert "no samples" in str(asked.row("uninstrumented_cpu", "DefaultDispatch")["detail"])


def test_no_stacks_without_a_sampler(cold: tuple[Planted, Asked]) -> None:
    _, asked = cold
    assert all("stacks" not in row for row in asked.rows("uninstrumented_cpu"))


@pytest.mark.parametrize("occurrence", [0, 1])
def test_each_occurrence_has_its_own_window(scene_file: SceneFile, occurrence: int) -> None:
    planted, asked = ask(scene_file, Options(occurrences=2), occurrence)
    for detector, expected in planted.rows.items():
        listed = asked.listed(detector)
        found = [find(detector, row, listed, planted.pid) for row in expected]
        unexpected = [row for row in listed if row not in found]
        assert detector == "anr" or not unexpected, (detector, unexpected)
