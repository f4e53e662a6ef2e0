"""What is a trace and what is not, by content."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import zipfile
from pathlib import Path

import pytest

from echolot_tui.engine.formats import TraceFormat, after_comments, kind_of, sniff
from unit.engine import tiny

PERFETTO = tiny.perfetto_trace([("a", 1000, 50), ("b", 2000, 60)])
GECKO = b'{\n "libs": [],\n "meta": {},\n "threads": [{"samples": {"data": []}}]}'
TRACES = {
    "perfetto": PERFETTO,
    "json": tiny.chrome_json(),
    "gecko": GECKO,
    "systrace": tiny.SYSTRACE,
    "perf_script": tiny.PERF_SCRIPT,
    "perf_data": b"PERFILE2h" + bytes(50),
    "fuchsia": b"\x10\x00\x04\x46\x78\x54\x16\x00" + bytes(16),
    "ninja_log": b"# ninja log v5\n0\t1\t2\ta\tb\n",
    "art_method": b"*version\n3\n",
    "heap_dump": b"JAVA PROFILE 1.0.2\0" + bytes(20),
    "instruments": b'<?xml version="1.0"?>\n<trace-query-result>\n',
}
VARIANTS = {
    "json list": ("json", b'[{"ph": "X", "ts": 1, "name": "a"}]'),
    "json after metadata": ("json", b'{"otherData": {"x": "' + b"y" * 100_000 + b'"}, "traceEvents": []}'),
    "json after white space": ("json", b"\n\n  " + tiny.chrome_json()),
    "perf script with a header": ("perf_script", tiny.PERF_HEADER + tiny.PERF_SCRIPT),
    "perf script, tracepoint": (
        "perf_script",
        b"swapper     0 [003] 12.345678: sched:sched_switch: prev_comm=a\n",
    ),
    "atrace output": ("systrace", b"capturing trace... done\nTRACE:\n# tracer: nop\n"),
    "compressed atrace output": ("systrace", b"capturing trace... done\nTRACE:\nx\x9c\x01\x02"),
    "ftrace without a header": (
        "systrace",
        b"          <idle>-0     [000] d..3  12.5: sched_switch: prev_comm=a\n",
    ),
    "systrace in HTML": ("systrace", b'<!DOCTYPE html>\n<script class="trace-data">\n# tracer: nop\n'),
    "perfetto cut off": ("perfetto", PERFETTO[: len(PERFETTO) - 7]),
    "perfetto cut in its first packet": ("perfetto", PERFETTO[:20]),
}
OTHERS = {
    "empty": b"",
    "a newline": b"\n",
    "a note": b"# Notes\n\nslower since Tuesday, see 12.5: yes\n",
    "a note after a blank line": b"\nHello world, this is a note.\nBye.\n",
    "indented text": b"   indented text\n",
    "yaml": b"scenario:\n  start: 'a*'\n",
    "our report": json.dumps(
        {"schema": 1, "detectors": [{"rows": [{"location": '"traceEvents": []'}]}]}
    ).encode(),
    "some json": b'{"meta": {"a": 1}, "name": "package"}',
    "a json list": b'[{"name": "a", "value": 1}]',
    "png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(64),
    "jpeg": b"\xff\xd8\xff\xe0\0\x10JFIF\0" + bytes(64),
    "binary that begins with a newline": b"\n\x05\xff\xff\xff\xff\xff\0\x01\x02",
    "html page": b"<!DOCTYPE html><html><body>traces</body></html>",
    "collapsed stacks": b"main;a;b 12\nmain;c 3\n",
    "csv": b"name,dur\na,1\n",
    "log": b"2024-01-02 10:11:12.123 INFO server started\n",
}


@pytest.mark.parametrize("kind", TRACES)
def test_each_kind_of_trace_is_known(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "note.txt"
    path.write_bytes(TRACES[kind])
    assert sniff(path) == TraceFormat(kind=kind)


@pytest.mark.parametrize("name", VARIANTS)
def test_variants(name: str) -> None:
    kind, content = VARIANTS[name]
    assert kind_of(content) == kind


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("packed", [False, True])
def test_other_files_are_no_traces(name: str, packed: bool, tmp_path: Path) -> None:
    path = tmp_path / "iter000.perfetto-trace"
    path.write_bytes(gzip.compress(OTHERS[name]) if packed else OTHERS[name])
    assert sniff(path) is None


@pytest.mark.parametrize("kind", TRACES)
def test_gzip_is_looked_into(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(gzip.compress(TRACES[kind]))
    assert sniff(path) == TraceFormat(kind=kind, packed="gzip")
    path.write_bytes(gzip.compress(TRACES[kind])[:-4])
    assert sniff(path) == TraceFormat(kind=kind, packed="gzip"), "cut off"


def test_damaged_gzip_is_no_trace(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"\x1f\x8b\xff\xff" + bytes(100))
    assert sniff(path) is None


def test_zip_is_looked_into(tmp_path: Path) -> None:
    path = tmp_path / "x"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("folder/", b"")
        archive.writestr("note.txt", b"hello")
        archive.writestr("folder/a.gz", gzip.compress(PERFETTO))
    assert sniff(path) == TraceFormat(kind="perfetto", packed="zip")
    damaged = path.read_bytes()
    path.write_bytes(damaged[: len(damaged) // 2])
    assert sniff(path) is None


def test_zip_of_documents_is_no_trace(tmp_path: Path) -> None:
    path = tmp_path / "x"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", b"hello")
    assert sniff(path) is None


@pytest.mark.parametrize(("content", "expected"), [(PERFETTO, "perfetto"), (b"hello", None)])
def test_tar_is_looked_into(content: bytes, expected: str | None, tmp_path: Path) -> None:
    path = tmp_path / "x"
    with tarfile.open(path, "w") as archive:
        info = tarfile.TarInfo("a")
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    form = sniff(path)
    assert (form.kind if form else None) == expected


@pytest.mark.parametrize(
    ("text", "rest"),
    [(b"# a\n\n#b\nx\n", b"x\n"), (b"x", b"x"), (b"# only", b""), (b"", b""), (b"  # a\n y", b" y")],
)
def test_after_comments(text: bytes, rest: bytes) -> None:
    assert text[after_comments(text) :] == rest
