"""Lost and damaged data, the device, and when it was recorded."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from echolot_tui.engine.model import Columns, EngineChoice
from echolot_tui.engine.open import open_trace
from echolot_tui.generate import packets
from echolot_tui.generate.builder import TraceBuilder
from echolot_tui.measure.device import device_facts, recorded_at
from echolot_tui.measure.health import missing_bytes, trace_health
from echolot_tui.measure.model import DeviceFacts, Health

MS = 1_000_000
APP = "com.example.app"


def app() -> TraceBuilder:
    builder = TraceBuilder()
    builder.process(4000, APP, uid=10_100)
    for index in range(50):
        builder.slice(4000, 4000, (10 + 3 * index) * MS, (12 + 3 * index) * MS, "work")
    return builder


def issues(health: Health) -> dict[str, tuple[int, str]]:
    return {issue.name: (issue.value, issue.severity) for issue in health.issues}


def test_a_whole_recording_is_healthy(load) -> None:
    assert trace_health(load(app())) == Health()


def test_lost_kernel_events(load) -> None:
    builder = app()
    builder.lose_events(0)
    health = trace_health(load(builder))
    assert health.state == "lossy"
    assert issues(health) == {"ftrace_cpu_has_data_loss": (1, "data loss")}
    assert health.issues[0].text == "the kernel lost events on 1 CPU: its buffer overflowed between two reads"


def packed_zip(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def packed_tar(path: Path, members: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path


@pytest.mark.parametrize("pack", [packed_zip, packed_tar])
def test_several_traces_in_one_archive_are_not_one_recording(
    pack: Callable[[Path, dict[str, bytes]], Path], tmp_path: Path
) -> None:
    trace = app().build()
    whole = pack(tmp_path / "one", {"a.pftrace": trace})
    with open_trace(whole, EngineChoice()) as session:
        assert trace_health(session) == Health()
    mixed = pack(tmp_path / "two", {"a.pftrace": trace, "b|.pftrace": trace})
    with open_trace(mixed, EngineChoice()) as session:
        health = trace_health(session)
    assert issues(health)["several_traces"] == (2, "error")
    told = next(issue.text for issue in health.issues if issue.name == "several_traces")
    assert told == "the archive holds 2 traces (a.pftrace, b|.pftrace), which are read as one: unpack it"


def test_a_full_buffer_that_threw_data_away(load) -> None:
    builder = app()
    buffer = builder.tail().trace_stats.buffer_stats.add()
    buffer.chunks_discarded = 12
    buffer.trace_writer_packet_loss = 3
    assert issues(trace_health(load(builder))) == {
        "traced_buf_chunks_discarded": (12, "data loss"),
        "traced_buf_trace_writer_packet_loss": (3, "data loss"),
    }


def test_a_ring_that_overwrote_its_oldest_part_is_as_asked(load) -> None:
    builder = app()
    builder.tail().trace_stats.buffer_stats.add().chunks_overwritten = 12
    assert trace_health(load(builder)) == Health()


def test_data_nothing_here_reads_does_not_count(load) -> None:
    builder = app()
    builder.head().packages_list.parse_error = True
    session = load(builder)
    assert session.query(
        "SELECT SUM(value) FROM stats WHERE name = 'packages_list_has_parse_errors'"
    ).scalar()
    assert trace_health(session) == Health()


def test_slices_that_overlap_and_times_before_zero(load) -> None:
    events = [
        {"ph": "X", "pid": 5, "tid": 5, "ts": 100, "dur": 100, "name": "a"},
        {"ph": "X", "pid": 5, "tid": 5, "ts": 150, "dur": 100, "name": "b"},
        {"ph": "X", "pid": 5, "tid": 5, "ts": -50, "dur": 10, "name": "c"},
        {"ph": "X", "pid": 5, "tid": 5, "ts": 500, "dur": 10, "name": "d"},
    ]
    health = trace_health(load(json.dumps({"traceEvents": events}).encode()))
    assert issues(health) == {
        "slice_drop_overlapping_complete_event": (1, "error"),
        "trace_sorter_negative_timestamp_dropped": (1, "error"),
    }
    assert health.issues[0].text.startswith("1 slice overlaps others")


class Counting:
    """A session of which only the statistics matter."""

    def __init__(self, path: Path, *rows: tuple[str, str, str, int, int]) -> None:
        self.path = path
        names = ("name", "severity", "description", "value", "places")
        columns = zip(*rows, strict=True)
        arrays = {name: np.array(column, dtype=object) for name, column in zip(names, columns, strict=True)}
        self._answer = Columns(names=names, arrays=arrays, rows=len(rows))

    def query(self, sql: str) -> Columns:
        none = Columns(names=("name",), arrays={"name": np.array([], dtype=object)}, rows=0)
        return self._answer if "FROM stats" in sql else none


def test_a_statistic_nobody_described_is_told_in_the_engines_words(tmp_path: Path) -> None:
    path = tmp_path / "trace"
    path.write_bytes(b"not a trace")
    session = Counting(
        path,
        ("brand_new_loss", "data_loss", "Something went away. It is long to explain.", 4, 2),
        ("brand_new_error", "error", "", 1, 1),
        ("hprof_class_errors", "error", "", 9, 1),
        ("misplaced_end_event", "data_loss", "", 3, 1),
    )
    health = trace_health(session)
    assert [(one.name, one.severity, one.text) for one in health.issues] == [
        ("brand_new_loss", "data loss", "the engine counted 4 × brand_new_loss (Something went away)"),
        ("misplaced_end_event", "data loss", "3 slices ended out of order and may have wrong lengths"),
        ("brand_new_error", "error", "the engine counted 1 × brand_new_error"),
    ]


def test_worst_comes_first(load) -> None:
    builder = app()
    builder.lose_events(0)
    builder.tail().trace_stats.invalid_packets = 1
    builder.tail().trace_stats.final_flush_outcome = 2
    severities = [issue.severity for issue in trace_health(load(builder)).issues]
    assert severities == sorted(severities)


def test_a_file_cut_off_in_a_packet(load, tmp_path: Path) -> None:
    builder = app()
    builder.tail().trace_stats.buffer_stats.add().buffer_size = 1 << 20
    whole = builder.build()
    health = trace_health(load(whole[:-5]))
    assert issues(health) == {"file_cut_off": (5, "data loss")}
    assert (
        health.issues[0].text
        == "the file is cut off: 5 bytes of its last packet are missing, and all after it"
    )
    path = tmp_path / "any"
    for cut in (1, 7):
        path.write_bytes(whole[:-cut])
        assert missing_bytes(path) == cut
    path.write_bytes(whole)
    assert missing_bytes(path) == 0


def test_a_file_cut_off_in_a_packets_length(tmp_path: Path) -> None:
    whole = app().build()
    path = tmp_path / "any"
    path.write_bytes(whole + b"\x0a\x80")
    assert missing_bytes(path) == 1


def test_other_formats_cannot_be_cut_off_this_way(tmp_path: Path) -> None:
    path = tmp_path / "any"
    for content in (b"", b"not a trace", b'{"traceEvents": [{"ph": "X", "ts": 1, "name": "a"}'):
        path.write_bytes(content)
        assert missing_bytes(path) == 0


def test_device_and_build(load) -> None:
    builder = app()
    packets.system_info(builder, packets.System())
    packets.package(builder, APP, 10_100, 412)
    packets.package(builder, "com.example.other", 10_101, 7)
    session = load(builder)
    expected = DeviceFacts(
        model="oriole",
        manufacturer="Google",
        fingerprint="google/oriole/oriole:13/TQ3A.230805.001/10316531:user/release-keys",
        android="13",
        sdk=33,
        kernel="5.10.157-android13-4-00003-gb0ca5e5b3e34-ab10316531",
        machine="aarch64",
        cpus=device_facts(session, package=APP).cpus,
        app_version_code=412,
    )
    assert device_facts(session, package=APP) == expected
    assert device_facts(session, package=f"{APP}:remote").app_version_code == 412
    assert device_facts(session, package="com.example").app_version_code is None


def test_a_fingerprint_that_is_none_is_left_out(load) -> None:
    builder = app()
    packets.system_info(builder, packets.System(fingerprint="Must use a callback to read"))
    facts = device_facts(load(builder), package=APP)
    assert (facts.fingerprint, facts.model, facts.android) == (None, None, None)


def test_nothing_is_known_about_a_bare_trace(load) -> None:
    session = load(app())
    assert device_facts(session, package=APP) == DeviceFacts()
    assert recorded_at(session) is None


def test_wall_clock_of_the_first_moment(load) -> None:
    builder = app()
    packets.clocks(builder, 4 * MS, 1_714_550_400_000_000_000)
    assert recorded_at(load(builder)) == "2024-05-01T08:00:00.006+00:00"


@pytest.mark.traces
@pytest.mark.parametrize(
    ("trace", "android", "state", "when"),
    [
        ("android/app-startup-before.pftrace", "Baklava", "healthy", "2026-04-25T13:46:48.900+00:00"),
        ("android/cpu-sampling-emulator.pftrace", None, "healthy", None),
        ("repeats/clang-10-main.json", None, "lossy", None),
    ],
)
def test_real_recordings(
    shared_traces: Path, trace: str, android: str | None, state: str, when: str | None
) -> None:
    with open_trace(shared_traces / trace, EngineChoice()) as session:
        assert device_facts(session, package="x").android == android
        assert trace_health(session).state == state
        assert when is None or recorded_at(session) == when


@pytest.mark.traces
def test_every_real_perfetto_file_is_whole(shared_traces: Path) -> None:
    for path in sorted((shared_traces / "android").glob("*trace")):
        assert missing_bytes(path) == 0
