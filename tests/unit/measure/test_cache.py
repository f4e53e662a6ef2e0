"""Measurements on disk: found again, damaged, pruned; traces hashed once."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import msgspec
import pytest

from echolot_tui.engine.model import EngineInfo
from echolot_tui.errors import EcholotError
from echolot_tui.measure.cache import MeasurementCache, identify
from echolot_tui.measure.model import (
    Coverage,
    DetectorMeasurement,
    Measurement,
    Occurrence,
    OpenRow,
    ProcessFacts,
    TraceIdentity,
)

KEY = "k" * 64


def measurement(sha256: str = "a" * 64, key: str = KEY, filling: bytes = b"\x01\x00") -> Measurement:
    rows = (OpenRow(columns={"location": "draw", "self_ms": 1.5, "count": 3, "detail": None}),)
    detector = DetectorMeasurement(id="block", rows=rows, rows_total=1, coverage=Coverage(row=filling))
    return Measurement(
        trace=TraceIdentity(path="somewhere.pftrace", sha256=sha256, bytes=4),
        engine=EngineInfo(kind="embedded", version="v1", sha256="e" * 64),
        spec_key=key,
        process=ProcessFacts(name="app", upid=1),
        main=None,
        occurrences=(Occurrence(start_ns=0, end_ns=10, duration_ms=0.0, detectors=(detector,)),),
    )


@pytest.fixture
def cache(tmp_path: Path) -> MeasurementCache:
    return MeasurementCache(tmp_path / "cache")


def entries(cache_folder: Path) -> list[Path]:
    return sorted(cache_folder.glob("*/*.measurement"))


def test_a_measurement_is_found_under_the_path_it_is_asked_for(cache: MeasurementCache) -> None:
    stored = measurement()
    cache.store(stored)
    asked = TraceIdentity(path="elsewhere.pftrace", sha256="a" * 64, bytes=4)
    assert cache.load(asked, KEY) == msgspec.structs.replace(stored, trace=asked)


def test_a_file_whose_name_is_no_utf8_is_kept_like_any_other(cache: MeasurementCache, tmp_path: Path) -> None:
    path = Path(os.fsdecode(bytes(tmp_path) + b"/bad\xff.pftrace"))
    path.write_bytes(b"abcd")
    os.utime(path, (1, 1))
    first, again = cache.identify(path), cache.identify(path)
    assert first == again
    assert first.path == str(path), "the name it is opened by"
    cache.store(msgspec.structs.replace(measurement(first.sha256), trace=first))
    found = cache.load(first, KEY)
    assert found is not None
    assert found.trace == first


def test_another_content_or_question_is_not_found(cache: MeasurementCache) -> None:
    cache.store(measurement())
    assert cache.load(TraceIdentity(path="x", sha256="b" * 64, bytes=4), KEY) is None
    assert cache.load(TraceIdentity(path="x", sha256="a" * 64, bytes=4), "j" * 64) is None


def test_names_cut_alike_are_told_apart(cache: MeasurementCache) -> None:
    cache.store(measurement(key="k" * 32 + "1" * 32))
    assert cache.load(measurement().trace, "k" * 32 + "2" * 32) is None


@pytest.mark.parametrize("damage", [b"", b"garbage", None])
def test_a_damaged_entry_is_absent_and_written_again(
    cache: MeasurementCache, tmp_path: Path, damage: bytes | None
) -> None:
    stored = measurement()
    cache.store(stored)
    (entry,) = entries(tmp_path / "cache")
    entry.write_bytes(entry.read_bytes()[:-9] if damage is None else damage)
    assert cache.load(stored.trace, KEY) is None
    cache.store(stored)
    assert cache.load(stored.trace, KEY) == stored


def test_the_least_recently_used_go_first(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    cache = MeasurementCache(folder, limit_bytes=0)
    stored = [measurement(sha256=letter * 64) for letter in "abc"]
    for age, each in enumerate(stored):
        cache.store(each)
        for entry in folder.glob(f"{each.trace.sha256[:2]}/*"):
            os.utime(entry, (1_000_000 + age, 1_000_000 + age))
    size = entries(folder)[0].stat().st_size
    assert cache.load(stored[0].trace, KEY) is not None  # used now: the newest
    assert MeasurementCache(folder, limit_bytes=2 * size).prune() == 1
    assert [cache.load(each.trace, KEY) is not None for each in stored] == [True, False, True]
    assert MeasurementCache(folder, limit_bytes=2 * size).prune() == 0


def test_an_empty_cache_has_nothing_to_prune(cache: MeasurementCache) -> None:
    assert cache.prune() == 0


def test_a_cache_that_cannot_be_written_says_so(cache: MeasurementCache, tmp_path: Path) -> None:
    stored = measurement()
    cache.store(stored)
    (entry,) = entries(tmp_path / "cache")
    entry.unlink()
    entry.mkdir()
    with pytest.raises(EcholotError, match="cannot be written"):
        cache.store(stored)


def test_identity_is_the_content(tmp_path: Path) -> None:
    trace = tmp_path / "a.pftrace"
    trace.write_bytes(b"x" * 3_000_000)
    found = identify(trace)
    assert found == TraceIdentity(
        path=str(trace), sha256=hashlib.sha256(b"x" * 3_000_000).hexdigest(), bytes=3_000_000
    )


def test_a_file_is_hashed_again_only_when_it_changed(
    cache: MeasurementCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = tmp_path / "a.pftrace"
    trace.write_bytes(b"one")
    os.utime(trace, (1_000_000, 1_000_000))
    first = cache.identify(trace)
    monkeypatch.setattr("echolot_tui.measure.cache.identify", pytest.fail)
    assert cache.identify(trace) == first
    monkeypatch.undo()
    trace.write_bytes(b"two")
    os.utime(trace, (1_000_001, 1_000_001))
    assert cache.identify(trace).sha256 == hashlib.sha256(b"two").hexdigest()


def test_a_file_written_just_now_is_not_trusted_to_stay(cache: MeasurementCache, tmp_path: Path) -> None:
    trace = tmp_path / "a.pftrace"
    trace.write_bytes(b"one")
    cache.identify(trace)
    stamp = trace.stat().st_mtime_ns
    trace.write_bytes(b"two")  # same length, and a coarse clock gives the same time
    os.utime(trace, ns=(stamp, stamp))
    assert cache.identify(trace).sha256 == hashlib.sha256(b"two").hexdigest()


def test_a_missing_trace_says_so(cache: MeasurementCache, tmp_path: Path) -> None:
    with pytest.raises(EcholotError, match="cannot be read"):
        cache.identify(tmp_path / "nothing")
