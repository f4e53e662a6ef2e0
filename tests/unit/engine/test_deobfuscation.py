"""Sampled frames get the names a mapping gives them, in whatever packing the trace comes."""

from __future__ import annotations

import gzip
import io
import zipfile
from pathlib import Path

import pytest
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb

from echolot_tui.engine.deobfuscation import deobfuscation_trace
from echolot_tui.engine.model import EngineChoice
from echolot_tui.engine.open import open_trace
from echolot_tui.generate.builder import TraceBuilder
from echolot_tui.generate.samples import Sample, StackFrame, add_samples
from echolot_tui.project.r8_mapping import read_classes
from unit.engine import fake_shell, tiny

MS = 1_000_000
APK = "/data/app/~~a==/com.app-b==/base.apk"
MAPPING = b"""\
com.app.feed.Feed -> a1.b:
    int size -> a
    1:3:void com.app.util.Helper.inlined():5:5 -> a
    1:3:void load(int):10:12 -> a
    4:4:void load(int):20:20 -> a
    void parse() -> b
    void store(int) -> b
    java.lang.Object com.app.Base.moved() -> c
    void one() -> d
    void com.app.Other.two() -> d
    void run() -> run
com.app.Kept -> com.app.Kept:
    void shown() -> a
    void same() -> same
"""
EXPECTED = {
    "a1.b.a": "com.app.feed.Feed.load",
    "a1.b.b": "com.app.feed.Feed.parse|store",
    "a1.b.c": "com.app.Base.moved",
    "a1.b.d": "com.app.feed.Feed.d",
    "a1.b.run": "com.app.feed.Feed.run",
    "a1.b.z": None,
    "com.app.Kept.a": "com.app.Kept.shown",
    "com.app.Kept.same": None,
}


def message() -> bytes:
    return deobfuscation_trace(read_classes(MAPPING.splitlines(), where="m"), "com.app")


@pytest.fixture(scope="module")
def sampled() -> bytes:
    """A trace with one sample of every name."""
    builder = TraceBuilder()
    builder.process(10, "com.app")
    builder.slice(10, 10, MS, 90 * MS, "work")
    add_samples(
        builder,
        100,
        [
            Sample(ts=at * MS, cpu=0, pid=10, tid=10, stack=(StackFrame(function=name, mapping=APK),))
            for at, name in enumerate(EXPECTED, 2)
        ],
    )
    return builder.build()


@pytest.fixture
def names(tmp_path: Path) -> Path:
    path = tmp_path / "names.gz"
    path.write_bytes(gzip.compress(message()))
    return path


def told(path: Path, choice: EngineChoice) -> dict[str, str | None]:
    sql = "SELECT name, deobfuscated_name FROM stack_profile_frame"
    with open_trace(path, choice) as session:
        assert session.query("SELECT name FROM slice").scalar() == "work"
        return dict(session.query(sql).tuples())  # type: ignore[arg-type]


def test_the_packet_is_what_perfetto_declares() -> None:
    (packet,) = pb.Trace.FromString(message()).packet
    mapping = packet.deobfuscation_mapping
    assert mapping.package_name == "com.app"
    assert [
        (
            one.obfuscated_name,
            one.deobfuscated_name,
            [(method.obfuscated_name, method.deobfuscated_name) for method in one.obfuscated_methods],
            len(one.obfuscated_members),
        )
        for one in mapping.obfuscated_classes
    ] == [
        ("a1.b", "com.app.feed.Feed", [("a", "load"), ("b", "parse|store"), ("d", "d"), ("run", "run")], 0),
        ("a1.b", "com.app.Base", [("c", "moved")], 0),
        ("com.app.Kept", "com.app.Kept", [("a", "shown")], 0),
    ]


@pytest.mark.parametrize("packing", ["plain", "gzip", "zip with a note", "cut off"])
def test_sampled_methods_get_their_names_back(
    tmp_path: Path, sampled: bytes, names: Path, packing: str
) -> None:
    content = sampled
    if packing == "gzip":
        content = gzip.compress(sampled)
    elif packing == "zip with a note":
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("trace", sampled)
            archive.writestr("note.txt", "hello")
        content = packed.getvalue()
    elif packing == "cut off":
        content = sampled[:-3] + b"\n\x7f"
    path = tmp_path / "trace"
    path.write_bytes(content)
    found = told(path, EngineChoice(names=names))
    assert found == {name: EXPECTED[name] for name in found}
    assert len(found) >= len(EXPECTED) - (packing == "cut off")
    assert set(told(path, EngineChoice()).values()) == {None}


def test_the_native_engine_is_told_too(tmp_path: Path, sampled: bytes, names: Path) -> None:
    path = tmp_path / "trace"
    path.write_bytes(sampled)
    binary = fake_shell.install(tmp_path)
    choice = EngineChoice(tp_binary=binary, tp_binary_source="--tp-binary", names=names)
    assert told(path, choice) == EXPECTED


@pytest.mark.parametrize("content", [tiny.chrome_json(), tiny.PERF_SCRIPT, tiny.SYSTRACE])
def test_other_formats_are_read_as_ever(tmp_path: Path, names: Path, content: bytes) -> None:
    path = tmp_path / "trace"
    path.write_bytes(content)
    sql = "SELECT (SELECT COUNT(*) FROM slice) + (SELECT COUNT(*) FROM stack_profile_frame)"
    with open_trace(path, EngineChoice(names=names)) as told_too, open_trace(path, EngineChoice()) as plain:
        assert told_too.query(sql).scalar() == plain.query(sql).scalar()
