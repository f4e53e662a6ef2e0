"""The evidence of lock waits, told as the source has it; what names a row stays as recorded."""

from __future__ import annotations

import pytest

from echolot_tui.compare.match import pair_rows
from echolot_tui.project.r8_mapping import read_classes
from echolot_tui.project.retrace import Retracer
from echolot_tui.report.model import AllRows, DetectorReport, Report, Retrace, Row
from echolot_tui.report.retraced import BuildMapping, lock_classes, retrace_report

MAPPING = """\
com.app.feed.Feed -> a.b:
# {"id":"sourceFile","fileName":"Feed.kt"}
    7:7:void com.app.feed.Cache.trim(int):300:300 -> a
    7:7:java.util.List load(com.app.feed.Cache,int):12 -> a
    void one() -> m
    void two() -> m
com.app.feed.Cache -> a.c:
# {"id":"sourceFile","fileName":"Caches.kt"}
    1:9:a.c get():41:49 -> a
com.app.Nameless -> a.d:
    1:1:void <init>():0:0 -> <init>
"""
OWNER = "java.util.List a.b.a(a.c, int)(SourceFile:7)"
OWNER_TOLD = (
    "void com.app.feed.Cache.trim(int)(Caches.kt:300), inlined into "
    "java.util.List com.app.feed.Feed.load(com.app.feed.Cache, int)(Feed.kt:12)"
)


def wait(owner: str, blocked: str) -> str:
    return f"monitor contention with owner main (4) at {owner} waiters=1 blocking from {blocked}"


def retraced(*details: str | None, map_id: str | None = "7cb1a3e", **row: str) -> tuple[list[Row], Retrace]:
    rows = tuple(Row(**({"location": f"T{at}", "detail": text} | row)) for at, text in enumerate(details))
    section = DetectorReport(id="monitor_contention", identity=("location", "thread"), rows=rows)
    every = AllRows(report_sha256="", detectors=(section,))
    mapped = Retracer.of(read_classes(MAPPING.encode().splitlines(), where="m", wanted=lock_classes(every)))
    report, found = retrace_report(Report(detectors=(section,)), every, BuildMapping(mapped, map_id))
    assert report.detectors == found.detectors
    assert report.retrace is not None
    return list(report.detectors[0].rows), report.retrace


@pytest.mark.parametrize(
    ("recorded", "told"),
    [
        (OWNER, OWNER_TOLD),
        ("a.c a.c.a()(SourceFile:3)", "a.c com.app.feed.Cache.get()(Caches.kt:43)"),
        ("void a.d.<init>()(SourceFile:1)", "void com.app.Nameless.<init>()(Unknown Source)"),
        ("void a.b.m(a.c)(SourceFile:3)", "void com.app.feed.Feed.one|two(com.app.feed.Cache)(Feed.kt)"),
        ("void a.c.a()(r8-map-id-7cb1a3e:3)", "a.c com.app.feed.Cache.get()(Caches.kt:43)"),
        ("void a.c.a()(r8-map-id-7cb1a3e0042:3)", "a.c com.app.feed.Cache.get()(Caches.kt:43)"),
    ],
)
def test_a_frame_is_told_as_the_source_has_it(recorded: str, told: str) -> None:
    native = "int libcore.io.Linux.read(int)(Linux.java:-2)"
    (row,), counted = retraced(f"{wait(recorded, native)} · owner main")
    assert row.detail == f"{wait(told, native)} · owner main"
    assert counted == Retrace(frames=1, outside=0, map_id="7cb1a3e")


@pytest.mark.parametrize(
    ("recorded", "counted"),
    [
        ("void a.b.a(a.c, int)(SourceFile:8)", Retrace(outside=1, map_id="7cb1a3e")),  # no such line
        ("void q.q.a()(SourceFile:1)", Retrace(outside=1, map_id="7cb1a3e")),
        ("void q.q.a()(:1)", Retrace(outside=1, map_id="7cb1a3e")),
        ("void android.os.Handler.a()(Handler.java:1)", Retrace(map_id="7cb1a3e")),
        (
            "void a.c.a()(r8-map-id-ffff:3)",
            Retrace(outside=1, map_id="7cb1a3e", other_map_ids=("ffff",)),
        ),
    ],
)
def test_what_the_mapping_does_not_have_stays_as_recorded(recorded: str, counted: Retrace) -> None:
    (row,), found = retraced(wait(recorded, "void android.os.Looper.loop()(Looper.java:1)"))
    assert row.detail == wait(recorded, "void android.os.Looper.loop()(Looper.java:1)")
    assert found == counted


def test_each_frame_counts_once_and_other_texts_are_left_alone() -> None:
    rows, counted = retraced(wait(OWNER, OWNER), wait(OWNER, "void q.q.a()(SourceFile:1)"), None, "a.b.a(7)")
    assert counted == Retrace(frames=1, outside=1, map_id="7cb1a3e")
    assert [row.detail for row in rows[2:]] == [None, "a.b.a(7)"]


def test_what_names_a_row_stays_as_recorded_so_that_rows_pair() -> None:
    name = wait(OWNER, OWNER)
    plain = DetectorReport(
        id="main_thread_block", identity=("location", "detail"), rows=(Row(location=name, detail=name),)
    )
    every = AllRows(report_sha256="", detectors=(plain,))
    report, _ = retrace_report(
        Report(detectors=(plain,)),
        every,
        BuildMapping(Retracer.of(read_classes(MAPPING.encode().splitlines(), where="m"))),
    )
    assert report.detectors == (plain,)
    (contention,), _ = retraced(name)
    (pair,) = pair_rows([Row(location="T0", detail=name)], [contention], ("location", "thread"), "X_")
    assert pair.before is not None
    assert pair.after is not None
