"""Where rows point in the code: names read out of rows, and what becomes of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from checkouts import KOTLIN, checkout
from echolot_tui.checkout.find import Frame, SourceFinder, Spot
from echolot_tui.checkout.sources import Sources
from echolot_tui.generate.cast import HELD
from echolot_tui.project.r8_mapping import read_classes
from echolot_tui.project.retrace import Retracer
from echolot_tui.report.code_model import Place
from echolot_tui.report.model import AllRows, DetectorReport, Report, Row
from echolot_tui.report.places import code_text, names_of, place_rows
from echolot_tui.report.retraced import BuildMapping
from echolot_tui.text import without_ids

OWNER = Frame(symbol="com.example.app.Cache.refresh", file="Cache.kt", line=88)
BLOCKED = Frame(symbol="com.example.app.Cache.read", file="Cache.kt", line=41)


def names(row: Row) -> list[tuple[str, Frame]]:
    return [(named.role, named.frame) for named in names_of(row)]


@pytest.mark.parametrize(
    "row",
    [
        Row(location="main", detail=f"{HELD} · owner DefaultDispatch"),
        Row(location=HELD, detail="main"),
        Row(location=without_ids(HELD), detail=HELD),
    ],
    ids=["evidence", "name", "folded name"],
)
def test_both_frames_of_a_contention(row: Row) -> None:
    assert names(row) == [("owner", OWNER), ("blocked", BLOCKED)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            (
                "Lock contention on a monitor lock (owner tid: #) · owner A · longest wait with a method: "
                "blocking from void com.example.app.Cache.read(int, java.lang.String[])(Cache.kt:41)"
            ),
            [("blocked", BLOCKED)],
        ),
        (
            (
                "monitor contention with owner at home (12) at void a.b.c()(SourceFile:12) waiters=1 "
                "blocking from void com.example.Fast.native()(Fast.java:-2)"
            ),
            [
                ("owner", Frame(symbol="a.b.c")),
                ("blocked", Frame(symbol="com.example.Fast.native", file="Fast.java")),
            ],
        ),
        (
            "monitor contention with owner x (1) at void com.example.Feed.<init>(com.a.B)(null:-1)",
            [("owner", Frame(symbol="com.example.Feed.<init>"))],
        ),
        ("monitor contention with owner x (1) at", []),
        ("Lock contention on thread list lock (owner tid: 12)", []),
        ("blocking from nowhere", []),
    ],
)
def test_frames_as_the_runtime_writes_them(text: str, expected: list[tuple[str, Frame]]) -> None:
    assert names(Row(location="main", detail=text)) == expected


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("com.example.app.Feed", [("class", Frame(symbol="com.example.app.Feed"))]),
        ("com.example.app.Feed$Row", [("class", Frame(symbol="com.example.app.Feed$Row"))]),
        ("com.example.app.Feed#load", [("class", Frame(symbol="com.example.app.Feed.load"))]),
        (
            "com.example.app.ui.Home (Home.kt:42)",
            [("composable", Frame(symbol="com.example.app.ui.Home", file="Home.kt", line=42))],
        ),
        ("com.example.app", []),
        ("Feed.load", []),
        ("see com.example.app.Feed", []),
        ("com.example.app.Feed\nx", []),
        (None, []),
    ],
)
def test_names_a_location_is(location: str | None, expected: list[tuple[str, Frame]]) -> None:
    assert names(Row(location=location)) == expected


@pytest.mark.parametrize(
    ("ours", "expected"),
    [
        (
            [{"frame": "cut", "stack": "cut"}, {"frame": "com.a.B.c"}],
            [("sampled", Frame(symbol="com.a.B.c"))],
        ),
        ([{"frame": "none", "stack": "whole"}], []),
        ([{}, 3, {"frame": 4}], []),
        ("no list", []),
    ],
)
def test_the_first_own_frame_of_the_samples(ours: Any, expected: list[tuple[str, Frame]]) -> None:
    assert names(Row(location="worker", stacks={"samples": 3, "ours": ours})) == expected


class Known:
    """Knows what it is told."""

    def __init__(self, **spots: Spot) -> None:
        self.spots = spots
        self.asked: list[str] = []

    def find(self, frame: Frame) -> Spot | None:
        self.asked.append(frame.symbol)
        return self.spots.get(frame.symbol.rpartition(".")[2])


def placed(rows: Sequence[Row], finder: Known | SourceFinder) -> tuple[Row, ...]:
    section = DetectorReport(id="x", rows=tuple(rows))
    report, every = place_rows(
        Report(detectors=(section,)), AllRows(report_sha256="", detectors=(section,)), finder
    )
    assert every.detectors == report.detectors
    return report.detectors[0].rows


def test_a_place_the_checkout_lacks_is_told_of_frames_only() -> None:
    rows = [Row(location="main", detail=HELD), Row(location="com.example.app.Gone")]
    frames, gone = placed(rows, Known(read=Spot(file="x/Cache.kt", line=41)))
    assert frames.places == (
        Place(role="owner", symbol=OWNER.symbol, file=None, line=None, exact=False),
        Place(role="blocked", symbol=BLOCKED.symbol, file="x/Cache.kt", line=41, exact=True),
    )
    assert frames.code == "blocked at Cache.kt:41"
    assert gone == rows[1]


MAPPING = b"""
com.app.Feed -> a.b:
# {"id":"sourceFile","fileName":"Feed.kt"}
    7:7:void kotlin.io.Closeables.use():9:9 -> a
    7:7:void com.app.Cache.trim(int):300:300 -> a
    7:7:void load():12 -> a
"""


def test_a_retraced_frame_is_the_innermost_call_the_checkout_has() -> None:
    minified = "monitor contention with owner m (4) at void a.b.a()(SourceFile:7) waiters=0 blocking from "
    row = Row(location="T", detail=f"{minified}void a.z.a()(SourceFile:1)")
    section = DetectorReport(id="x", rows=(row,))
    mapping = BuildMapping(Retracer.of(read_classes(MAPPING.splitlines(), where="m")))
    told = []
    for known in (
        Known(trim=Spot(file="x/Cache.kt", line=300), load=Spot(file="x/Feed.kt", line=12)),
        Known(),
    ):
        report, _ = place_rows(
            Report(detectors=(section,)), AllRows(report_sha256="", detectors=()), known, mapping
        )
        told.append(report.detectors[0].rows[0])
    blocked = Place(role="blocked", symbol="a.z.a")
    assert told[0].code == "owner at Cache.kt:300"
    assert told[0].places == (
        Place(
            role="owner", symbol="com.app.Cache.trim", file="x/Cache.kt", line=300, exact=True, retraced=True
        ),
        blocked,
    )
    assert told[1].places == (Place(role="owner", symbol="kotlin.io.Closeables.use", retraced=True), blocked)


def test_each_name_is_looked_up_once() -> None:
    known = Known()
    placed([Row(location="a.B", total_ms=1.0), Row(location="a.B", total_ms=2.0)], known)
    assert known.asked == ["a.B"]


def test_the_words_of_places() -> None:
    places = [
        Place(role="owner", file="app/F.kt", line=30, exact=True),
        Place(role="blocked", file="F.kt", line=61, exact=False),
        Place(role="class", file="app/G.kt", exact=True),
        Place(role="sampled", symbol="a.B"),
    ]
    assert code_text(places) == "owner at F.kt:30 · blocked at F.kt:61 (uncertain) · G.kt"
    assert code_text(places[3:]) is None


def test_a_row_points_into_a_checkout(tmp_path: Path) -> None:
    cache = "package com.example.app\n\nclass Cache {\n" + "    //\n" * 90 + "}\n"
    checkout(tmp_path, {f"{KOTLIN}/Cache.kt": cache})
    (row,) = placed([Row(location="main", detail=HELD)], SourceFinder(Sources(tmp_path)))
    assert row.code == "owner at Cache.kt:88 · blocked at Cache.kt:41"
    assert [place.file for place in row.places or ()] == [f"{KOTLIN}/Cache.kt"] * 2
