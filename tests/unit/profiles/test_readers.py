"""Every format this program reads itself: what it says, and what is told of a damaged file."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from echolot_tui.engine.model import EngineChoice
from echolot_tui.engine.wire import bytes_field, number_field, varint
from echolot_tui.headless.profiling import read_side
from echolot_tui.profiles.formats import profile_kind, read_profile, unpacked
from echolot_tui.profiles.stacks import NO_STACK, ProfileError, Recording, Selection, Thread, select
from echolot_tui.profiles.union import unite


def totals(recording: Recording) -> dict[str, float]:
    """Own weight per path."""
    tree = unite([recording], collapse=False)
    own = tree.own([0], 1)[:, 0]
    return {
        ";".join(tree.name(at) for at in tree.path(node)): own[node]
        for node in range(1, tree.nodes)
        if own[node]
    }


def read(content: bytes, kind: str) -> Recording:
    assert profile_kind(content) == kind
    return read_profile(content, kind, path="file")  # type: ignore[arg-type]


def test_collapsed_stacks() -> None:
    found = read(
        b"# a comment\nmain;work 3\nmain;work;deep path 4.5\n\nmain;[unknown] 2\r\nmain;none 0\n", "collapsed"
    )
    assert totals(found) == {"main;work": 3, "main;work;deep path": 4.5, "main;[unknown]": 2}
    assert found.samples == 9.5
    assert found.ts is None


def test_names_of_collapsed_stacks_may_hold_other_line_separators() -> None:
    content = "main;a\u2028b 3\r\nmain;\x0cfeed\x85;c d 4\n".encode()
    assert profile_kind(content) == "collapsed"
    recording = read_profile(content, "collapsed", path="x")
    assert [frame.name for frame in recording.frames] == ["main", "a\u2028b", "\x0cfeed\x85", "c d"]
    assert recording.weight.tolist() == [3, 4]


def test_a_line_that_is_no_stack_is_named() -> None:
    with pytest.raises(ProfileError, match="line 2 is no collapsed stack"):
        read_profile(b"a;b 1\nnothing\n", "collapsed", path="x")


@pytest.mark.parametrize("content", [b"", b"hello world\n", b"total 12\n", b"\x00\x01\x02", b"[1, 2]", b"{}"])
def test_what_is_none_of_them_is_not_taken_for_one(content: bytes) -> None:
    assert profile_kind(content) is None


def pprof(*, packed: bool = True, with_time: bool = True) -> bytes:
    """main calls work, into which inner was inlined; one location has no name."""
    strings = [
        "",
        "samples",
        "count",
        "cpu",
        "nanoseconds",
        "main",
        "work",
        "inner",
        "/bin/app",
        "/lib/libx.so",
    ]
    out = b""
    for kind, unit in ((1, 2), (3, 4)) if with_time else ((1, 2),):
        out += bytes_field(1, number_field(1, kind) + number_field(2, unit))
    for locations, count in (([2, 1], 3), ([3, 1], 2), ([], 1)):
        values = [count, count * 10_000_000] if with_time else [count]
        if packed:
            sample = bytes_field(1, b"".join(map(varint, locations))) + bytes_field(
                2, b"".join(map(varint, values))
            )
        else:
            sample = b"".join(number_field(1, one) for one in locations)
            sample += b"".join(number_field(2, one) for one in values)
        out += bytes_field(2, sample)
    for mapping, file in ((1, 8), (2, 9)):
        out += bytes_field(3, number_field(1, mapping) + number_field(5, file))
    for location, mapping, functions in ((1, 1, [1]), (2, 1, [3, 2]), (3, 2, [])):
        lines = b"".join(bytes_field(4, number_field(1, function)) for function in functions)
        out += bytes_field(
            4, number_field(1, location) + number_field(2, mapping) + number_field(3, 64) + lines
        )
    for function, name in ((1, 5), (2, 6), (3, 7)):
        out += bytes_field(5, number_field(1, function) + number_field(2, name))
    for text in strings:
        out += bytes_field(6, text.encode())
    return out + bytes_field(11, number_field(1, 3) + number_field(2, 4)) + number_field(12, 10_000_000)


@pytest.mark.parametrize("packed", [True, False])
def test_pprof_with_inlined_functions_and_nameless_ones(packed: bool) -> None:
    found = read(pprof(packed=packed), "pprof")
    assert totals(found) == {
        "main [app];work [app];inner [app]": 30,
        "main [app];[libx.so]": 20,
        NO_STACK: 10,
    }
    assert (found.facts.unit, found.facts.hz, found.facts.event) == ("ms", 100.0, "cpu")
    assert found.samples == 6


def test_pprof_without_time_counts() -> None:
    found = read(pprof(with_time=False), "pprof")
    assert (found.facts.unit, found.samples, float(found.weight.sum())) == ("samples", 6, 6)


def test_files_are_told_apart_by_their_bytes_whatever_they_are_called(tmp_path: Path) -> None:
    contents = {
        "a.pftrace": gzip.compress(pprof()),
        "b.txt": b"a;b 1\n",
        "c": json.dumps(RAW_GECKO).encode(),
        "d.json": gzip.compress(speedscope([SAMPLED])),
        "notes.md": b"no profile\n",
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    read_in = read_side(str(tmp_path), "side", Selection(), Selection(), EngineChoice(), jobs=1)
    sources = [one.facts.source for one in read_in.recordings]
    assert sources == ["pprof", "collapsed stacks", "gecko", "speedscope"]


def test_a_damaged_pprof_is_a_sentence() -> None:
    with pytest.raises(ProfileError, match="damaged pprof"):
        read_profile(pprof()[:-200], "pprof", path="x")


def speedscope(profiles: list[dict[str, Any]]) -> bytes:
    return json.dumps(
        {
            "$schema": "https://www.speedscope.app/file-format-schema.json",
            "shared": {
                "frames": [{"name": "main"}, {"name": "work", "file": "src/work.py"}, {"name": "idle"}]
            },
            "profiles": profiles,
        }
    ).encode()


SAMPLED = {
    "type": "sampled", "name": "t", "unit": "milliseconds", "startValue": 0, "endValue": 6,
    "samples": [[0], [0, 1], [0, 1]], "weights": [1, 2, 3],
}  # fmt: skip


def test_speedscope_samples() -> None:
    found = read(speedscope([SAMPLED]), "speedscope")
    assert totals(found) == {"main": 1, "main;work [work.py]": 5}
    assert found.ts is not None
    assert found.ts.tolist() == [0, 1_000_000, 3_000_000]
    assert (found.facts.unit, found.facts.exact, found.samples) == ("ms", False, 3)
    counted = read(speedscope([SAMPLED | {"unit": "none"}]), "speedscope")
    assert (counted.facts.unit, counted.samples, counted.ts) == ("samples", 6, None)


def test_speedscope_events_are_exact_times() -> None:
    events = [("O", 0, 0), ("O", 2, 1), ("C", 7, 1), ("O", 7, 2), ("C", 9, 2), ("C", 10, 0)]
    profile = {
        "type": "evented", "name": "t", "unit": "microseconds", "startValue": 0, "endValue": 10,
        "events": [{"type": kind, "at": at, "frame": frame} for kind, at, frame in events],
    }  # fmt: skip
    found = read(speedscope([profile]), "speedscope")
    assert totals(found) == pytest.approx({"main": 0.003, "main;work [work.py]": 0.005, "main;idle": 0.002})
    assert found.facts.exact


@pytest.mark.parametrize(
    "content",
    [
        speedscope([{"type": "sampled", "unit": "none", "samples": [[7]], "weights": [1]}]),
        speedscope([{"type": "sampled", "unit": "none", "samples": [[0]], "weights": []}]),
        speedscope([{"type": "other"}]),
        speedscope([]),
        b'{"$schema": "https://www.speedscope.app/file-format-schema.json"',
    ],
)
def test_a_damaged_speedscope_file_is_a_sentence(content: bytes) -> None:
    with pytest.raises(ProfileError):
        read(content, "speedscope")


RAW_GECKO = {
    "meta": {"interval": 2, "startTime": 0, "version": 5},
    "threads": [
        {
            "name": "Main", "pid": 7, "processName": "app",
            "stringTable": ["(root)", "work (in /lib/libx.so)", "js (https://a.b/c.js:10:4)"],
            "frameTable": {"schema": {"location": 0}, "data": [[0], [1], [2]]},
            "stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[None, 0], [0, 1], [1, 2]]},
            "samples": {"schema": {"stack": 0, "time": 1}, "data": [[1, 0], [2, 2], [2, 4], [None, 6]]},
        }
    ],
}  # fmt: skip


def test_gecko_as_the_browser_writes_it() -> None:
    found = read(json.dumps(RAW_GECKO).encode(), "gecko")
    assert totals(found) == {"(root);work [libx.so]": 1, "(root);work [libx.so];js [c.js]": 2, NO_STACK: 1}
    assert found.threads == (Thread("app", "Main", 7),)
    assert found.facts.hz == 500
    assert found.ts is not None
    assert found.ts.tolist() == [0, 2_000_000, 4_000_000, 6_000_000]


def test_gecko_inside_a_child_process() -> None:
    nested = {"meta": RAW_GECKO["meta"], "threads": [], "processes": [RAW_GECKO]}
    assert read(json.dumps(nested).encode(), "gecko").samples == 4


@pytest.mark.parametrize("shared", [True, False])
def test_gecko_as_the_profiler_saves_it(shared: bool) -> None:
    tables = {
        "stringArray": ["main", "work", "libx.so"],
        "funcTable": {"name": [0, 1], "resource": [-1, 0]},
        "frameTable": {"func": [0, 1]},
        "stackTable": {"prefix": [None, 0], "frame": [0, 1]},
        "resourceTable": {"name": [2], "lib": [None]},
    }
    thread = {"name": "Main", "samples": {"stack": [0, 1, 1], "timeDeltas": [0, 1, 1], "weight": None}}
    file: dict[str, Any] = {"meta": {"interval": 1}, "threads": [thread | ({} if shared else tables)]}
    if shared:
        file["shared"] = tables
    found = read(json.dumps(file).encode(), "gecko")
    assert totals(found) == {"main": 1, "main;work [libx.so]": 2}


def test_a_damaged_gecko_file_is_a_sentence() -> None:
    broken = json.loads(json.dumps(RAW_GECKO))
    del broken["threads"][0]["frameTable"]
    with pytest.raises(ProfileError, match="no Firefox profile"):
        read(json.dumps(broken).encode(), "gecko")


def test_a_cpu_profile() -> None:
    calls = [(1, "(root)", [2]), (2, "work", [3]), (3, "", [])]
    file = {
        "nodes": [
            {"id": one, "callFrame": {"functionName": name, "url": "file:///a/b.js"}, "children": below}
            for one, name, below in calls
        ],
        "startTime": 0, "endTime": 900, "samples": [2, 3, 3], "timeDeltas": [100, 300, 500],
    }  # fmt: skip
    found = read(json.dumps(file).encode(), "cpuprofile")
    assert totals(found) == {
        "(root) [b.js];work [b.js]": 1,
        "(root) [b.js];work [b.js];(anonymous) [b.js]": 2,
    }
    assert found.ts is not None
    assert found.ts.tolist() == [100_000, 400_000, 900_000]
    with pytest.raises(ProfileError, match="no CPU profile"):
        read_profile(json.dumps(file | {"samples": [9, 9, 9]}).encode(), "cpuprofile", path="x")


def test_gzip_is_unpacked_and_a_damaged_one_is_a_sentence() -> None:
    packed = gzip.compress(b"a;b 1\n")
    assert unpacked(packed, path="x") == b"a;b 1\n"
    assert unpacked(b"a;b 1\n", path="x") == b"a;b 1\n"
    with pytest.raises(ProfileError, match="cut off"):
        unpacked(packed[:-4], path="x")
    with pytest.raises(ProfileError, match="damaged"):
        unpacked(packed[:12] + b"\xff\xff\xff" + packed[15:], path="x")


def test_selection_by_process_thread_and_moment() -> None:
    found = read(json.dumps(RAW_GECKO).encode(), "gecko")
    assert select(found, Selection(process="a*", thread="M*")).samples == 4
    assert select(found, Selection(process="pid:7")).samples == 4
    assert select(found, Selection(from_ms=2, to_ms=6)).samples == 2
    with pytest.raises(ProfileError, match="no sample is left"):
        select(found, Selection(process="pid:8"))
    with pytest.raises(ProfileError, match="no part can be cut out"):
        select(read(b"a;b 1\n", "collapsed"), Selection(from_ms=1))
