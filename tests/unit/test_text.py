"""Names from traces: harmless on a terminal and in Markdown, and folded into families."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echolot_tui.text import escape_cell, family, storable, visible, without_ids


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain", "plain"),
        ("[/] [red]", "[/] [red]"),
        ("a\nb\tc\rd", "a\\nb\\tc\\rd"),
        ("\x1b]0;owned\x07", "\\x1b]0;owned\\x07"),
        ("\x9b31m", "\\x9b31m"),
        ("\u202eevil", "\\u202eevil"),
        ("\udcff", "\\udcff"),
        ("\U000e0001", "\\U000e0001"),
        ("日本 é", "日本 é"),
    ],
)
def test_visible(raw: str, shown: str) -> None:
    assert visible(raw) == shown


@given(st.text(st.characters(), max_size=50))
def test_what_is_storable_is_utf8_and_otherwise_as_it_was(text: str) -> None:
    kept = storable(text)
    assert kept.encode().decode() == kept
    assert kept == "".join(repr(char)[1:-1] if "\ud800" <= char <= "\udfff" else char for char in text)


@given(st.text(max_size=200))
def test_nothing_visible_returns_can_move_a_cursor(text: str) -> None:
    assert not {unicodedata.category(char) for char in visible(text)} & {"Cc", "Cf", "Cs", "Zl", "Zp"}


@given(st.text(max_size=200), st.integers(min_value=1, max_value=50))
def test_a_limit_is_kept(text: str, limit: int) -> None:
    assert len(visible(text, limit)) <= limit


def test_ten_thousand_characters_are_cut_with_a_sign() -> None:
    assert visible("x" * 10_000, 20) == "x" * 19 + "…"


@pytest.mark.parametrize(
    ("name", "folded"),
    [
        ("arch_disk_io_0", "arch_disk_io_#"),
        ("toggle#12", "toggle##"),
        ("0xDEADbeef then 12", "0x# then #"),
        ("0x", "#x"),
        ("none", "none"),
    ],
)
def test_family(name: str, folded: str) -> None:
    assert family(name) == folded


@pytest.mark.parametrize(
    ("raw", "cell"),
    [
        ("a|b", "a\\|b"),
        ("a\nb", "a\\\\nb"),
        ("<b>*x*_y_`z`", "\\<b\\>\\*x\\*\\_y\\_\\`z\\`"),
        ("AT&T &lt; &#35;", "AT&T &amp;lt; &amp;#<!-- -->35;"),
        ("@alice fixes #12", "@<!-- -->alice fixes #<!-- -->12"),
        ("toggle#12 a@b", "toggle#12 a@b"),
        ("cost $x$", "cost \\$x\\$"),
    ],
)
def test_escape_cell(raw: str, cell: str) -> None:
    assert escape_cell(raw) == cell


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (
            "Lock contention on a monitor lock (owner tid: 4020)",
            "Lock contention on a monitor lock (owner tid: #)",
        ),
        (
            "monitor contention with owner pool-1-thread-2 (4020) at a.b(C.kt:30) waiters=0",
            "monitor contention with owner pool-#-thread-# (#) at a.b(C.kt:30) waiters=#",
        ),
        (
            "monitor contention with owner a (1) at b(C.kt:3) waiters=12 blocking from d(E.kt:5)",
            "monitor contention with owner a (#) at b(C.kt:3) waiters=# blocking from d(E.kt:5)",
        ),
        (
            "Input dispatching timed out (com.x/.Main2 is not responding. Waited 5001ms for MotionEvent)",
            "Input dispatching timed out (com.x/.Main2 is not responding. Waited #ms for MotionEvent)",
        ),
        (
            "monitor contention with owner binder:1858_1D (4020) at a.b2(C.kt:30) waiters=0",
            "monitor contention with owner binder:#_# (#) at a.b2(C.kt:30) waiters=#",
        ),
        (
            "monitor contention with owner w (8180) waiters=15 blocking from d(E.kt:5)",
            "monitor contention with owner w (#) waiters=# blocking from d(E.kt:5)",
        ),
        (
            "Input dispatching timed out (3a8ac3e com.x/.M (server) is not responding. Waited 5001ms for it)",
            "Input dispatching timed out (# com.x/.M (server) is not responding. Waited #ms for it)",
        ),
        (
            "Service start timeout: ServiceRecord{1f0a2bc u0 com.x/.Sync3}",
            "Service start timeout: ServiceRecord{# u0 com.x/.Sync3}",
        ),
        (
            "(delivered to it over 500.0ms ago.  Wait queue length: 2.  Wait queue head age: 5529.1ms.)",
            "(delivered to it over #ms ago.  Wait queue length: #.  Wait queue head age: #ms.)",
        ),
        ("Choreographer#doFrame 82552", "Choreographer#doFrame #"),
        (
            "Choreographer#doFrame - resynced to 84005 in 31.0ms",
            "Choreographer#doFrame - resynced to # in #ms",
        ),
        ("Choreographer#onVsync 191185", "Choreographer#onVsync #"),
        ("DrawFrames 84048", "DrawFrames #"),
        (
            "frameTimelineInfo(frameNumber=2, vsyncId=84048, inputEventId=0x1f0)",
            "frameTimelineInfo(frameNumber=#, vsyncId=#, inputEventId=#)",
        ),
        ("commit 191057 vsyncIn 10.18ms", "commit # vsyncIn #ms"),
        ("composite 191057", "composite #"),
        ("appSf alarm in 10595us; VSYNC in 37762us", "appSf alarm in #us; VSYNC in #us"),
        (
            "deliverInputEvent src=0x1002 eventTimeNano=47110815 id=0x1a2b3c4d",
            "deliverInputEvent src=0x1002 eventTimeNano=# id=#",
        ),
        ("Trace GPU completion fence 1", "Trace GPU completion fence #"),
        ("HWC release fence 2 has signaled", "HWC release fence # has signaled"),
        ("waiting for GPU completion 12", "waiting for GPU completion #"),
        (
            "acquireNextBufferLocked - VRI[Main2]#1(f:0,a:1)frame=7",
            "acquireNextBufferLocked - VRI[Main2]##(f:#,a:#)frame=#",
        ),
        ("VRI[Main2]#55(BLAST Consumer)55: 0", "VRI[Main2]##(BLAST Consumer)#: #"),
        ("Texture upload(11) 428x36", "Texture upload(#) 428x36"),
        ("Invoke transactionReadyCallback=107449536", "Invoke transactionReadyCallback=#"),
        ("addToSync token=138833475", "addToSync token=#"),
        ("load a.b.C@1f0a2bc", "load a.b.C@#"),
        ("run 0x7f3a4b5c6d", "run 0x#"),
        ("ProfilerStep#12", "ProfilerStep##"),
        ("Worker #14 working", "Worker ## working"),
        ("waiters=3", "waiters=3"),
        ("toggle#12", "toggle#12"),
        ("mail a@facade1.com from shop@2024", "mail a@facade1.com from shop@2024"),
        ("flg=0x10000010", "flg=0x10000010"),
        ("Handler: a.b.C$1$$ExternalSyntheticLambda3", "Handler: a.b.C$1$$ExternalSyntheticLambda3"),
        ("Decoding 193x193 bitmap", "Decoding 193x193 bitmap"),
        ("StatusBar: 0", "StatusBar: 0"),
        ("Waited 3 times", "Waited 3 times"),
        ("draw (12) at home", "draw (12) at home"),
    ],
)
def test_ids_of_one_run_are_no_part_of_a_name(name: str, shown: str) -> None:
    assert without_ids(name) == shown
