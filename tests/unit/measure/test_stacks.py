"""What sampled stacks say: what ran, the nearest own method, whole and cut stacks."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from checkouts import checkout
from detectors_asked import Asked, Row
from echolot_tui.checkout.sources import Sources
from echolot_tui.engine.model import TraceSession
from echolot_tui.generate.builder import TraceBuilder
from echolot_tui.generate.samples import Sample, StackFrame, add_samples
from echolot_tui.generate.sched import Segment, State
from echolot_tui.measure.own_code import OwnCode

Load = Callable[[TraceBuilder], TraceSession]

MS = 1_000_000
PID = 10
LIBC = "/apex/com.android.runtime/lib64/bionic/libc.so"
FRAMEWORK = "/system/framework/x86_64/boot-framework.oat"
APK = "/data/app/~~a==/com.app-b==/base.apk"
NATIVE = "/data/app/~~a==/com.app-b==/lib/arm64/libapp.so"
JIT = "/memfd:jit-cache"

Frames = Sequence[tuple[str, str]]
ENTRY = ("__start_thread", LIBC)
LOOP = ("android.os.Looper.loop", FRAMEWORK)


def ask(
    load: Load,
    *stacks: Frames,
    covered: tuple[float, float] | None = None,
    own: OwnCode | None = None,
) -> Row:
    """The row of a thread that runs 0-100 ms and is sampled every millisecond, root frames first."""
    builder = TraceBuilder()
    builder.process(PID, "com.app")
    builder.segments(PID, [Segment(0, 100 * MS, State.RUNNING)])
    if covered:
        builder.slice(PID, PID, round(covered[0] * MS), round(covered[1] * MS), "covered")
    if stacks:
        add_samples(
            builder,
            100,
            [
                Sample(
                    ts=(number + 1) * MS,
                    cpu=0,
                    pid=PID,
                    tid=PID,
                    stack=tuple(StackFrame(function=name, mapping=mapping) for name, mapping in frames),
                )
                for number, frames in enumerate(stacks)
            ],
        )
    asked = Asked(load(builder), PID, 0, 100 * MS, only="uninstrumented_cpu", package="com.app", own=own)
    return asked.row("uninstrumented_cpu", "com.app")


def told(row: Row) -> str:
    return str(row["detail"]).partition("outside slices")[2]


@pytest.mark.parametrize(
    ("frames", "leaf", "ours"),
    [
        ([ENTRY, LOOP, ("com.app.Feed.load", APK)], "com.app.Feed.load", "com.app.Feed.load"),
        (
            [ENTRY, ("com.app.Feed.load", APK), ("java.util.HashMap.get", FRAMEWORK)],
            "java.util.HashMap.get",
            "com.app.Feed.load",
        ),
        ([ENTRY, ("com.app.Feed.load", APK), ("memcpy", LIBC)], "com.app.Feed.load", "com.app.Feed.load"),
        ([ENTRY, ("a1.b", APK), ("memcpy", LIBC)], "a1.b", "a1.b"),
        (
            [ENTRY, ("kotlin.collections.CollectionsKt.map", APK)],
            "kotlin.collections.CollectionsKt.map",
            "none",
        ),
        ([ENTRY, ("x0.invoke", JIT)], "x0.invoke", "x0.invoke"),
        ([ENTRY, ("android.view.View.draw", JIT)], "android.view.View.draw", "none"),
        (
            [ENTRY, ("_ZN3art9BitVector5UnionEPKS0_", LIBC)],
            "art::BitVector::Union(art::BitVector const*)",
            "none",
        ),
        ([ENTRY, ("work.llvm.123456", NATIVE)], "work", "none"),
        ([ENTRY, ("do_it.isra.0", NATIVE)], "do_it", "none"),
        ([("read", LIBC)], "read", "cut"),
        ([("ERROR INVALID_MAP", "/ERROR"), ("read", LIBC)], "read", "cut"),
        ([("ERROR INVALID_MAP", "/ERROR")], "[ERROR]", "cut"),
        (
            [ENTRY, ("void com.app.Feed.load(int, java.lang.String)", APK)],
            "com.app.Feed.load",
            "com.app.Feed.load",
        ),
        (
            [ENTRY, ("com.app.Feed$Companion.<init>", APK)],
            "com.app.Feed$Companion.<init>",
            "com.app.Feed$Companion.<init>",
        ),
        ([ENTRY, ("std.name", NATIVE)], "std.name", "none"),
    ],
)
def test_one_stack(load: Load, frames: Frames, leaf: str, ours: str) -> None:
    row = ask(load, frames)
    stored = json.loads(str(row["stacks"]))
    assert [entry["frame"] for entry in stored["leaf"]] == [leaf]
    assert [entry["frame"] for entry in stored["ours"]] == [ours]
    assert stored["ours"][0].get("stack") == {"none": "whole", "cut": "cut"}.get(ours)


def test_shares_are_of_the_stacks(load: Load) -> None:
    one, two = [ENTRY, ("com.app.A.a", APK)], [ENTRY, ("com.app.B.b", APK)]
    row = ask(load, one, one, two, [], [ENTRY, ("read", LIBC)])
    assert (
        told(row)
        == " · 4 stacks: com.app.A.a 50.0%, com.app.B.b 25.0% · ours: com.app.A.a 50.0%, com.app.B.b 25.0%"
    )
    stored = json.loads(str(row["stacks"]))
    assert (stored["samples"], stored["with_stack"]) == (5, 4)
    assert stored["leaf"][0] == {"frame": "com.app.A.a", "samples": 2, "pct": 50.0}
    assert "more" not in stored


def test_samples_inside_slices_say_nothing_about_the_rest(load: Load) -> None:
    stacks = [[ENTRY, ("com.app.In.a" if number < 20 else "com.app.Out.b", APK)] for number in range(40)]
    row = ask(load, *stacks, covered=(0, 20.5))
    assert json.loads(str(row["stacks"]))["leaf"] == [{"frame": "com.app.Out.b", "samples": 20, "pct": 100.0}]


def test_nothing_sampled(load: Load) -> None:
    assert told(ask(load)) == ""
    assert told(ask(load, [])) == " · 1 samples, none with a stack"
    row = ask(load, [ENTRY], covered=(0, 50))
    assert told(row) == " · no samples"
    assert json.loads(str(row["stacks"])) == {"samples": 0, "with_stack": 0}


def test_many_frames_are_counted(load: Load) -> None:
    row = ask(load, *([ENTRY, (f"com.app.C{number:02d}.run", APK)] for number in range(13)))
    stored = json.loads(str(row["stacks"]))
    assert len(stored["leaf"]) == len(stored["ours"]) == 10
    assert stored["more"] == {"leaf": 3, "ours": 3}
    assert [entry["frame"] for entry in stored["leaf"]] == [
        f"com.app.C{number:02d}.run" for number in range(10)
    ]


def test_long_and_hostile_names_are_cut_in_the_text_only(load: Load) -> None:
    name = "com.app." + "x" * 80 + ".run"
    row = ask(
        load,
        [ENTRY, (name, APK)],
        [ENTRY, ("evil\x1b[31m\nname", LIBC)],
        [ENTRY, ("evil\x1b[31m\nname", LIBC)],
    )
    text = told(row)
    assert "\x1b" not in text
    assert "\n" not in text
    assert name not in text
    stored = json.loads(str(row["stacks"]))
    assert {entry["frame"] for entry in stored["leaf"]} == {name, "evil\x1b[31m\nname"}


@pytest.mark.parametrize(
    ("files", "ours"),
    [
        ({}, "okhttp3.Call.execute"),
        ({"feed/Feed.kt": "package com.feature.feed\n"}, "com.feature.feed.Feed.load"),
        ({"app/Main.kt": "package com.app\n"}, "cut"),
    ],
    ids=["no sources", "declared", "declared elsewhere"],
)
def test_a_checkout_says_whose_package_a_method_is_of(
    load: Load, tmp_path: Path, files: dict[str, str], ours: str
) -> None:
    own = OwnCode(Sources(checkout(tmp_path / "checkout", files)))
    frames = [LOOP, ("com.feature.feed.Feed.load", APK), ("okhttp3.Call.execute", APK), ("read", LIBC)]
    (entry,) = json.loads(str(ask(load, frames, own=own)["stacks"]))["ours"]
    assert entry["frame"] == ours


def test_a_long_name_is_cut_in_the_evidence_and_whole_in_the_stacks(load: Load) -> None:
    name = "com.app.Feed." + "l" * 60
    row = ask(load, [ENTRY, (name, APK)])
    assert told(row) == f" · 1 stacks: {name[:47]}… 100.0% · ours: {name[:47]}… 100.0%"
    assert json.loads(str(row["stacks"]))["leaf"][0]["frame"] == name
