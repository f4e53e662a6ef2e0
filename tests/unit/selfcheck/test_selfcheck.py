"""The self-check finds what is wrong: each answer is falsified in turn."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from echolot_tui.engine.model import EngineChoice, EngineInfo
from echolot_tui.errors import EcholotError
from echolot_tui.measure.model import Measurement, Occurrence
from echolot_tui.present.doctor_text import doctor_lines, quiet_lines
from echolot_tui.present.spans import plain
from echolot_tui.selfcheck import engine as engine_part
from echolot_tui.selfcheck import native, numbers
from echolot_tui.selfcheck.detectors import detector_checks
from echolot_tui.selfcheck.facts import fact_checks
from echolot_tui.selfcheck.machine import devices, writable
from echolot_tui.selfcheck.model import Check, Doctor, exit_code
from echolot_tui.selfcheck.run import versions
from echolot_tui.selfcheck.scenes import Scenes, first_trace, measured_scenes

INFO = EngineInfo(kind="embedded", version="v1", sha256="ab" * 32)


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Scenes:
    return measured_scenes(tmp_path_factory.mktemp("doctor"), EngineChoice(), jobs=2, say=lambda _text: None)


def falsified(scenes: Scenes, variant: str, change: Callable[[Occurrence], Occurrence]) -> Scenes:
    """The scenes with one variant's first occurrence changed."""
    seen = scenes.seen[variant]
    first, *others = seen.measurement.occurrences
    measured = replace(seen.measurement, occurrences=(change(first), *others))
    return scenes._replace(seen=scenes.seen | {variant: seen._replace(measurement=measured)})


def failed(checks: list[Check]) -> set[str]:
    assert all(check.todo for check in checks if check.state == "failed")
    return {check.id for check in checks if check.state == "failed"}


def test_a_sound_machine_passes(scenes: Scenes) -> None:
    checks = [*fact_checks(scenes), *detector_checks(scenes)]
    assert failed(checks) == set()
    assert len([check for check in checks if check.id.startswith("detector.")]) == 17


def metric_off(occurrence: Occurrence, detector: str, metric: str) -> Occurrence:
    """The largest row of a detector, off by a twentieth of a millisecond, or by one."""

    def change(one: Any) -> Any:
        if one.id != detector:
            return one
        first, *others = one.rows
        value, by = first.columns[metric], 1 if metric == "count" else 0.05
        return replace(one, rows=(replace(first, columns=first.columns | {metric: value + by}), *others))

    return replace(occurrence, detectors=tuple(map(change, occurrence.detectors)))


@pytest.mark.parametrize(
    ("detector", "metric"),
    [
        ("main_thread_block", "self_ms"),
        ("app_init", "total_ms"),
        ("binder_txn", "max_ms"),
        ("composables", "self_ms"),
        ("frame_jank", "count"),
        ("gc_pressure", "total_ms"),
        ("io_wait", "total_ms"),
        ("monitor_contention", "count"),
        ("uninstrumented_cpu", "covered_ms"),
        ("background_work", "self_ms"),
        ("runnable_starvation", "total_ms"),
        ("anr", "count"),
    ],
)
def test_a_number_that_is_off_is_found(detector: str, metric: str, scenes: Scenes) -> None:
    wrong = falsified(scenes, "whole", lambda one: metric_off(one, detector, metric))
    assert failed(detector_checks(wrong)) == {f"detector.{detector}"}


def without_rows(occurrence: Occurrence, detector: str) -> Occurrence:
    return replace(
        occurrence,
        detectors=tuple(replace(one, rows=()) if one.id == detector else one for one in occurrence.detectors),
    )


def test_a_missing_and_a_spurious_row_are_found(scenes: Scenes) -> None:
    for detector in scenes.seen["whole"].planted.rows:
        wrong = falsified(scenes, "whole", lambda one, name=detector: without_rows(one, name))  # type: ignore[misc]
        assert failed(detector_checks(wrong)) == {f"detector.{detector}"}, detector

    shorter = falsified(scenes, "stall", lambda one: without_rows(one, "anr_risk"))
    assert failed(detector_checks(shorter)) == {"detector.anr_risk.stall"}

    def more(occurrence: Occurrence) -> Occurrence:
        detectors = [
            replace(
                one,
                rows=(replace(one.rows[0], columns=one.rows[0].columns | {"location": "made up"}), *one.rows),
            )
            if one.id == "main_thread_block"
            else one
            for one in occurrence.detectors
        ]
        return replace(occurrence, detectors=tuple(detectors))

    assert failed(detector_checks(falsified(scenes, "whole", more))) == {"detector.main_thread_block"}


def test_a_source_that_is_silently_missing_is_found(scenes: Scenes) -> None:
    def silent(occurrence: Occurrence) -> Occurrence:
        detectors = [
            replace(one, state="ok", reason="") if one.id == "io_wait" else one
            for one in occurrence.detectors
        ]
        return replace(occurrence, detectors=tuple(detectors))

    assert failed(detector_checks(falsified(scenes, "bare", silent))) == {"detectors.no-data"}


@pytest.mark.parametrize(
    ("variant", "changes", "found"),
    [
        ("twice", {"end_ns": 7}, "facts.window"),
        ("repeat 1", {"duration_ms": 1.0}, "facts.window"),
        ("whole", {"main_thread": None}, "facts.main-thread"),
        ("whole", {"startup": None}, "facts.startup"),
    ],
)
def test_a_fact_that_is_off_is_found(
    variant: str, changes: dict[str, Any], found: str, scenes: Scenes
) -> None:
    wrong = falsified(scenes, variant, lambda one: replace(one, **changes))
    assert failed(fact_checks(wrong)) == {found}


@pytest.mark.parametrize("block", ["cpu", "thermal", "memory", "compose_names"])
def test_an_environment_that_is_off_is_found(block: str, scenes: Scenes) -> None:
    wrong = falsified(
        scenes, "whole", lambda one: replace(one, environment=replace(one.environment, **{block: None}))
    )
    assert failed(fact_checks(wrong)) == {"facts.environment"}


def test_health_process_and_sampling(scenes: Scenes) -> None:
    def with_measurement(variant: str, change: Callable[[Measurement], Measurement]) -> Scenes:
        seen = scenes.seen[variant]
        return scenes._replace(
            seen=scenes.seen | {variant: seen._replace(measurement=change(seen.measurement))}
        )

    healthy = scenes.seen["whole"].measurement.health
    assert failed(fact_checks(with_measurement("lossy", lambda one: replace(one, health=healthy)))) == {
        "facts.health"
    }
    assert failed(fact_checks(with_measurement("whole", lambda one: replace(one, main=None)))) == {
        "facts.process"
    }
    without = falsified(
        scenes, "sampled", lambda one: replace(one, environment=replace(one.environment, sampling=None))
    )
    assert failed(fact_checks(without)) == {"facts.sampling"}


def test_numbers(scenes: Scenes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert failed(numbers.number_checks(scenes, tmp_path, EngineChoice(), jobs=2)) == set()
    wrong = falsified(scenes, "repeat 2", lambda one: metric_off(one, "main_thread_block", "self_ms"))
    assert failed([numbers._merged(wrong)]) == {"numbers.merge"}
    monkeypatch.setitem(numbers.TRIMMED, (5, 5), 3)
    assert numbers._range()
    monkeypatch.setattr(numbers, "relabel", lambda *_args, **_named: None)
    assert numbers._table()


def test_the_known_ranges_are_those_of_brute_force() -> None:
    for (n, m), trim in numbers.TRIMMED.items():
        if comb(n + m, n) > 20_000:
            continue
        pairs = [
            sum(a > b for a in (set(range(n + m)) - set(before)) for b in before)
            for before in combinations(range(n + m), n)
        ]
        allowed = [u for u in range(n * m) if sum(pair <= u for pair in pairs) * 40 <= len(pairs)]
        assert trim == (max(allowed) if allowed else None), (n, m)
    for before, after, low, move, high in (
        ([10, 11, 12, 13, 14], [20, 22, 24, 26, 29], 8.0, 12.0, 17.0),
        ([10, 30, 12, 45, 14], [20, 22, 9, 26, 29], -23.0, -1.0, 16.0),
    ):
        pairs = sorted(b - a for a in before for b in after)
        assert (pairs[2], np.median(pairs), pairs[-3]) == (low, move, high)


def test_an_engine_that_is_not_the_known_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def other(_build: str) -> None:
        raise EcholotError("the trace engine is not the known build", todo="install it again")

    monkeypatch.setattr(engine_part, "find_build", other)
    found, checks = engine_part.engine_checks(tmp_path / "x", EngineChoice(), lambda _text: None)
    assert (found, exit_code(found, checks)) == (None, 2)
    assert checks[0].todo == "install it again"


def test_a_native_engine_that_is_missing_or_broken(tmp_path: Path) -> None:
    trace = first_trace(tmp_path)
    missing = EngineChoice(tp_binary=tmp_path / "absent", tp_binary_source="--tp-binary")
    found, checks = engine_part.engine_checks(trace, missing, lambda _text: None)
    assert (found, exit_code(found, checks)) == (None, 2)
    assert "correct --tp-binary" in checks[0].todo


def test_an_engine_that_fails_on_a_sound_trace_is_a_failure(tmp_path: Path) -> None:
    empty = tmp_path / "empty.pftrace"
    empty.touch()
    found, checks = engine_part.engine_checks(empty, EngineChoice(), lambda _text: None)
    assert found is not None
    assert exit_code(found, checks) == 1


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    check = writable("cache", tmp_path / "file" / "x", "things", "name another")
    assert check.state == "failed"
    assert check.todo.endswith("or name another")
    assert writable("cache", tmp_path / "new" / "x", "things", "").state == "ok"
    assert list((tmp_path / "new" / "x").iterdir()) == []


def test_no_adb_is_skipped_and_a_wrong_address_fails() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    nobody = devices({"PATH": "", "ANDROID_ADB_SERVER_PORT": str(port)})
    assert (nobody.state, "platform-tools" in nobody.todo) == ("skip", True)
    wrong = devices({"ADB_SERVER_SOCKET": "nonsense"})
    assert wrong.state == "failed"
    assert wrong.todo


def test_exit_codes() -> None:
    ok, skip = (Check(id="a", group="engine", state=state, text="") for state in ("ok", "skip"))
    bad = Check(id="b", group="machine", state="failed", text="", todo="x")
    no_engine = Check(id="c", group="engine", state="failed", text="", todo="x")
    assert exit_code(INFO, [ok, skip]) == 0
    assert exit_code(INFO, [ok, bad]) == 1
    assert exit_code(INFO, [no_engine]) == 1
    assert exit_code(None, [no_engine, bad]) == 2
    assert exit_code(None, [bad]) == 1


def test_in_words() -> None:
    checks = (
        Check(id="engine.found", group="engine", state="ok", text="embedded"),
        Check(id="devices", group="machine", state="skip", text="none"),
        Check(id="config", group="project", state="failed", text="does not load\x1b[31m", todo="correct it"),
    )
    doctor = Doctor(exit_code=1, versions=versions(), engine=INFO, checks=checks)
    quiet = [plain(line) for line in quiet_lines(doctor)]
    assert quiet[0].startswith("computes  echolot ")
    assert quiet[1:] == [
        "skipped   devices",
        "verdict   3 checks: 1 ok, 1 skipped, 1 failed; the numbers are right, correct what fails",
        "FAILS config  does not load\\x1b[31m",
        "              → correct it",
    ]
    assert len(quiet_lines(replace(doctor, checks=checks[:2]))) == 3
    everything = [plain(line) for line in doctor_lines(doctor)]
    assert [line for line in everything if line in {"engine", "machine", "project"}] == [
        "engine",
        "machine",
        "project",
    ]
    broken = replace(checks[0], state="failed", todo="x")
    assert "do not trust" in plain(quiet_lines(replace(doctor, checks=(broken,)))[2])


@pytest.fixture
def pinned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A manifest whose one entry is a file of this test."""
    source = tmp_path / "source"
    source.write_bytes(b"#!/bin/sh\n")
    entry = {"url": source.as_uri(), "sha256": native._sha256(b"#!/bin/sh\n")}
    monkeypatch.setattr(native, "_entry", lambda _system, _machine: entry)
    return source


def test_a_native_engine_is_fetched_once_and_checked(tmp_path: Path, pinned: Path) -> None:
    said: list[str] = []
    path = native.fetch_native(tmp_path / "cache", said.append)
    assert os.access(path, os.X_OK)
    assert native.fetch_native(tmp_path / "cache", said.append) == path
    assert len(said) == 1
    path.write_bytes(b"tampered")
    pinned.write_bytes(b"tampered too")
    with pytest.raises(EcholotError, match="is not the pinned build"):
        native.fetch_native(tmp_path / "cache", said.append)
    assert path.read_bytes() == b"tampered"
    pinned.unlink()
    with pytest.raises(EcholotError, match=r"cannot be fetched .*the embedded engine needs no network"):
        native.fetch_native(tmp_path / "other", said.append)


def test_a_platform_without_a_native_engine() -> None:
    with pytest.raises(EcholotError, match="pins no native engine for plan9 on z80"):
        native._entry("plan9", "z80")
    assert native._entry("linux", "x86_64")["url"].startswith("https://")
