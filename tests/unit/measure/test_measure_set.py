"""Sets of traces: in order, cached, each bad one alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from echolot_tui.engine.model import EngineChoice
from echolot_tui.errors import EcholotError
from echolot_tui.generate.builder import TraceBuilder
from echolot_tui.measure.cache import MeasurementCache
from echolot_tui.measure.catalogue import load_catalogue
from echolot_tui.measure.measure_set import MeasuredSet, Progress, engine_key, measure_set
from echolot_tui.measure.model import Measurement
from echolot_tui.measure.plan import Override, plan
from echolot_tui.measure.spec import MeasureSpec

MS = 1_000_000
APP = "com.example.app"
CHOICE = EngineChoice()


def spec(**settings) -> MeasureSpec:
    made = plan(load_catalogue())
    given = {"process": APP, "detectors": made.detectors, "claimed_globs": made.claimed_globs} | settings
    return MeasureSpec(**given)


def run(folder: Path, number: int, *, name: str = APP) -> Path:
    """A run in which ``draw`` takes 20 ms more each time and plays twice."""
    builder = TraceBuilder()
    builder.process(4000, name, uid=10_100)
    for first in (100, 500):
        builder.slice(4000, 4000, first * MS, (first + 5) * MS, "start")
        builder.slice(4000, 4000, (first + 10) * MS, (first + 30 + 20 * number) * MS, "draw")
        builder.slice(4000, 4000, (first + 200) * MS, (first + 210) * MS, "end")
    path = folder / f"run_iter{number:03d}.perfetto-trace"
    path.write_bytes(builder.build())
    return path


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    return [run(tmp_path, number) for number in range(3)]


@pytest.fixture
def cache(tmp_path: Path) -> MeasurementCache:
    return MeasurementCache(tmp_path / "cache")


@pytest.fixture
def forbid_workers(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From the call on, a trace that is not cached fails the test."""

    def forbid() -> None:
        def refuse(jobs, **_settings):
            assert list(jobs) == []
            return []

        monkeypatch.setattr("echolot_tui.measure.measure_set.run_jobs", refuse)

    return forbid


def measured(
    paths: list[Path],
    asked: MeasureSpec,
    cache: MeasurementCache | None,
    events: list[Progress] | None = None,
) -> MeasuredSet:
    heard = events.append if events is not None else None
    return measure_set(paths, asked, CHOICE, jobs=1, cache=cache, on_event=heard)


def drawn(measurement: Measurement) -> list[float]:
    """Self time of ``draw`` in each occurrence."""
    return [
        float(row.columns["self_ms"] or 0)
        for occurrence in measurement.occurrences
        for detector in occurrence.detectors
        if detector.id == "main_thread_block"
        for row in detector.rows
        if row.columns["location"] == "draw"
    ]


def test_every_trace_in_the_order_given(runs: list[Path]) -> None:
    given = [runs[2], runs[0], runs[1]]
    found = measured(given, spec(), None)
    assert [one.trace.path for one in found.measurements] == [str(path) for path in given]
    assert [drawn(one) for one in found.measurements] == [[120.0], [40.0], [80.0]]
    assert (found.given, found.unreadable, found.notes) == (3, (), ())


def test_the_whole_measurement_of_a_small_trace(runs: list[Path]) -> None:
    asked = spec(start="start", end="end", window="each")
    (found,) = measured(runs[:1], asked, None).measurements
    assert (found.process.name, found.process.chosen_by, found.process.slices) == (APP, "mask", 6)
    assert found.main is not None
    assert (found.main.tid, found.main.rule) == (4000, "tid == pid")
    assert found.occurrences_total == 2
    assert [(one.number, one.duration_ms) for one in found.occurrences] == [(1, 210.0), (2, 210.0)]
    assert drawn(found) == [20.0, 20.0]
    assert found.health.state == "healthy"
    assert (found.clipped_slices, found.unfinished_slices) == (0, 0)
    assert len(found.spec_key) == 64
    assert found.engine.sha256 == engine_key(CHOICE)


def test_a_first_window_says_how_many_there_are(runs: list[Path]) -> None:
    (found,) = measured(runs[:1], spec(start="start", end="end"), None).measurements
    assert (len(found.occurrences), found.occurrences_total) == (1, 2)


def test_an_incomplete_last_occurrence_is_noted(tmp_path: Path) -> None:
    path = run(tmp_path, 0)
    builder = TraceBuilder()
    builder.process(4000, APP, uid=10_100)
    builder.slice(4000, 4000, 10 * MS, 20 * MS, "start")
    builder.slice(4000, 4000, 30 * MS, 40 * MS, "end")
    builder.slice(4000, 4000, 50 * MS, 60 * MS, "start")
    path.write_bytes(builder.build())
    (found,) = measured([path], spec(start="start", end="end", window="each"), None).measurements
    assert found.notes == ("1 start after the last occurrence has no end and is left out",)


def test_what_is_cached_starts_no_worker(runs: list[Path], cache: MeasurementCache, forbid_workers) -> None:
    events: list[Progress] = []
    first = measured(runs, spec(), cache, events)
    assert [event.kind for event in events] == ["started", "measured"] * 3
    forbid_workers()
    events.clear()
    again = measured(runs, spec(), cache, events)
    assert again == first
    assert [(event.kind, event.done, event.given) for event in events] == [
        ("cached", 1, 3),
        ("cached", 2, 3),
        ("cached", 3, 3),
    ]


def test_other_thresholds_decide_without_measuring(runs, cache: MeasurementCache, forbid_workers) -> None:
    measured(runs, spec(), cache)
    forbid_workers()
    stricter = plan(
        load_catalogue(), overrides=[Override(detector="main_thread_block", param="min_slice_ms", text="99")]
    )
    measured(runs, spec(detectors=stricter.detectors), cache)


def test_another_question_measures_again(runs: list[Path], cache: MeasurementCache, forbid_workers) -> None:
    measured(runs, spec(), cache)
    forbid_workers()
    with pytest.raises(AssertionError):
        measured(runs, spec(start="draw"), cache)


def test_one_more_run_measures_that_one(tmp_path: Path, runs: list[Path], cache: MeasurementCache) -> None:
    measured(runs, spec(), cache)
    events: list[Progress] = []
    found = measured([*runs, run(tmp_path, 3)], spec(), cache, events)
    assert [event.kind for event in events] == ["cached"] * 3 + ["started", "measured"]
    assert [drawn(one) for one in found.measurements] == [[40.0], [80.0], [120.0], [160.0]]


def test_a_cached_measurement_has_the_path_it_was_asked_under(
    tmp_path: Path, runs: list[Path], cache: MeasurementCache
) -> None:
    measured(runs[:1], spec(), cache)
    moved = tmp_path / "moved.trace"
    moved.write_bytes(runs[0].read_bytes())
    assert measured([moved], spec(), cache).measurements[0].trace.path == str(moved)


def test_the_same_recording_twice_is_measured_once_and_noted(tmp_path: Path, runs: list[Path]) -> None:
    copy = tmp_path / "copy.perfetto-trace"
    copy.write_bytes(runs[0].read_bytes())
    events: list[Progress] = []
    found = measured([runs[0], runs[1], copy], spec(), None, events)
    assert [one.trace.path for one in found.measurements] == [str(runs[0]), str(runs[1]), str(copy)]
    assert found.notes == (f"{copy} is the same recording as {runs[0]}: it counts twice",)
    assert sum(event.kind == "started" for event in events) == 2
    assert [event.text for event in events if event.kind == "note"] == []  # the result tells it, once


def test_bad_traces_cost_only_themselves(tmp_path: Path, runs: list[Path], cache: MeasurementCache) -> None:
    empty = tmp_path / "empty.perfetto-trace"
    empty.write_bytes(b"")
    damaged = tmp_path / "damaged.json"
    damaged.write_text('{"traceEvents": [{"ph": "X", "ts": 1,')
    other = run(tmp_path, 9, name="com.elsewhere")
    events: list[Progress] = []
    found = measured([empty, runs[0], damaged, other, tmp_path / "gone", runs[1]], spec(), cache, events)
    assert [one.trace.path for one in found.measurements] == [str(runs[0]), str(runs[1])]
    assert [one.path for one in found.unreadable] == [
        str(empty),
        str(damaged),
        str(other),
        str(tmp_path / "gone"),
    ]
    assert all(one.reason for one in found.unreadable)
    assert "no process matches com.example.app" in found.unreadable[2].reason
    assert "cannot be read" in found.unreadable[3].reason
    assert found.given == 6
    assert [event.kind for event in events].count("unreadable") == 4
    assert events[-1].done == 6


def test_nothing_left_is_refused_with_every_reason(tmp_path: Path) -> None:
    other = run(tmp_path, 9, name="com.elsewhere")
    with pytest.raises(EcholotError) as refused:
        measured([other, tmp_path / "gone", tmp_path / "lost"], spec(), None)
    assert refused.value.what == (
        "none of the 3 traces gave a measurement"
        f" · {other}: no process matches com.example.app; most slices: com.elsewhere"
        f" · {tmp_path / 'gone'} and 1 more: cannot be read (No such file or directory)"
    )
    with pytest.raises(EcholotError) as refused:
        measured([tmp_path / "gone"], spec(), None)
    assert refused.value.where == str(tmp_path / "gone")
    with pytest.raises(EcholotError, match="no trace to measure"):
        measured([], spec(), None)


def test_one_reason_for_all_is_said_once(tmp_path: Path) -> None:
    with pytest.raises(
        EcholotError, match=r"none of the 8 traces gave a measurement: cannot be read \(No such"
    ) as refused:
        measured([tmp_path / f"gone{number}" for number in range(8)], spec(), None)
    assert refused.value.where == f"{tmp_path / 'gone0'} and 7 more"


def test_a_cache_that_cannot_be_written_is_said_once(tmp_path: Path, runs: list[Path], monkeypatch) -> None:
    def refuse(_path, _data):
        raise EcholotError("cannot be written (disk full)", where="cache")

    monkeypatch.setattr("echolot_tui.measure.cache.write_atomic", refuse)
    found = measured(runs, spec(), MeasurementCache(tmp_path / "cache"))
    assert len(found.measurements) == 3
    assert found.notes == ("measurements are not kept: cache: cannot be written (disk full)",)


def test_as_many_workers_as_wanted_give_the_same_bytes(runs: list[Path], tmp_path: Path) -> None:
    asked = spec(start="start", end="end", window="each")
    given = [*runs, tmp_path / "gone"]
    one = measure_set(given, asked, CHOICE, jobs=1, cache=None)
    two = measure_set(given, asked, CHOICE, jobs=2, cache=None)
    assert msgspec.msgpack.encode(one) == msgspec.msgpack.encode(two)


def test_a_missing_engine_is_refused(tmp_path: Path, runs: list[Path]) -> None:
    choice = EngineChoice(tp_binary=tmp_path / "nothing", tp_binary_source="--tp-binary")
    with pytest.raises(EcholotError, match=r"the engine cannot be read .*check --tp-binary"):
        measure_set(runs, spec(), choice, jobs=1, cache=None)


@pytest.mark.traces
def test_real_recordings(shared_traces: Path) -> None:
    paths = [shared_traces / "android" / f"app-startup-{side}.pftrace" for side in ("before", "after")]
    found = measure_set(
        paths, spec(process="com.example.perfetto.startup"), CHOICE, jobs=2, cache=None
    ).measurements

    def self_ms(measurement: Measurement, detector_id: str) -> dict[str, float]:
        (answer,) = (one for one in measurement.occurrences[0].detectors if one.id == detector_id)
        return {str(row.columns["location"]): float(row.columns["self_ms"] or 0) for row in answer.rows}

    before, after = self_ms(found[0], "main_thread_block"), self_ms(found[1], "background_work")
    assert [before[name] for name in ("ImageLoader.init", "CrashReporter.init", "Analytics.init")] == [
        1200.59,
        800.64,
        550.77,
    ]
    assert [after[name] for name in ("ImageLoader.init", "CrashReporter.init", "Analytics.init")] == [
        1200.48,
        800.48,
        550.41,
    ]
    assert "ImageLoader.init" not in self_ms(found[1], "main_thread_block")


@pytest.mark.traces
def test_each_occurrence_of_a_real_recording(shared_traces: Path) -> None:
    asked = spec(process="com.example.*", start="toggle#*", end="toggle#*", window="each")
    path = shared_traces / "android" / "main-thread-io-before.pftrace"
    (found,) = measure_set([path], asked, CHOICE, jobs=1, cache=None).measurements
    assert (found.process.name, found.process.chosen_by) == ("com.example.perfetto.mainio", "start anchor")
    assert found.occurrences_total == len(found.occurrences) == 39
    assert sum(one.duration_ms for one in found.occurrences) == pytest.approx(61.54, abs=0.2)
    assert [one.number for one in found.occurrences] == list(range(1, 40))
