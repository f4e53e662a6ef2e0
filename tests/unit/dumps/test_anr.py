"""Thread dumps of every origin, and what they say about the main thread."""

from __future__ import annotations

from pathlib import Path

import pytest

from checkouts import KOTLIN, checkout
from echolot_tui.checkout.find import SourceFinder
from echolot_tui.checkout.sources import Sources
from echolot_tui.dumps.explain import classes_of, explain
from echolot_tui.dumps.model import Anr, DumpThread, ThreadDump
from echolot_tui.dumps.parse import read_dump
from echolot_tui.errors import EcholotError
from echolot_tui.present.anr_text import anr_lines
from echolot_tui.present.spans import plain
from echolot_tui.project.r8_mapping import read_classes
from echolot_tui.project.retrace import Retracer

ART = """\
Subject: Input dispatching timed out (Waited 5001ms)

----- pid 4020 at 2024-05-01 10:00:00.123 -----
Cmd line: com.example.app
DALVIK THREADS (5):
"Signal Catcher" daemon prio=10 tid=2 Runnable
  | state=R schedstat=( 1 1 1 ) utm=900 stm=1 core=2 HZ=100
  native: #00 pc 000000000054d8a8  /apex/com.android.art/lib64/libart.so (art::DumpNativeStack+108)

"main" prio=5 tid=1 Blocked
  | group="main" sCount=1 ucsCount=0 flags=1 obj=0x71 self=0xb4
  | sysTid=4020 nice=-10 cgrp=top-app sched=0/0 handle=0x7b
  | state=S schedstat=( 8688225491 992173020 4523 ) utm=768 stm=100 core=2 HZ=100
  | held mutexes=
  at com.example.app.Cache.get(Cache.kt:41)
  - waiting to lock <0x01bf> (a com.example.app.Cache) held by thread 12
  at com.example.app.Main.onCreate(Main.kt:12)
  - locked <0x0a> (a java.lang.Object)
  at android.app.Activity.performCreate(Activity.java:8595)

"db-writer" prio=5 tid=12 Native
  | sysTid=4044 nice=0
  native: #00 pc 0a1c8c  /apex/com.android.runtime/lib64/bionic/libc.so (fsync+12)
  at android.database.sqlite.SQLiteConnection.nativeExecute(Native method)
  at com.example.app.Cache.store(Cache.kt:88)
  - locked <0x01bf> (a com.example.app.Cache)

"worker-1" daemon prio=5 tid=14 Runnable
  | state=R schedstat=( 1 1 1 ) utm=220 stm=5 core=2 HZ=100
  at com.example.app.Parser.parse(Parser.kt:30)

"Binder:4020_1" prio=5 tid=9 Native
  native: #00 pc 00  /system/lib64/libbinder.so (android::IPCThreadState::talkWithDriver(bool)+296)
  native: #01 pc 00  /system/lib64/libbinder.so (android::IPCThreadState::getAndExecuteCommand()+24)
  native: #02 pc 00  /system/lib64/libbinder.so (android::IPCThreadState::joinThreadPool(bool)+76)

----- end 4020 -----
----- pid 900 at 2024-05-01 10:00:00.223 -----
Cmd line: system_server
"main" prio=5 tid=1 Native
  at android.os.MessageQueue.nativePollOnce(Native method)
----- end 900 -----
"""

PLAY = """\
"main" tid=1 Blocked
  at com.example.app.Cache.get (Cache.kt:41)
- waiting to lock <0x01bf> (a com.example.app.Cache) held by thread 12
"db-writer" tid=12 Timed Waiting
"db-writer" prio=5 tid=12 TimedWaiting
  at java.lang.Thread.sleep (Native method)
- sleeping on <0x99> (a java.lang.Object)
  at com.example.app.Cache.store (Cache.kt:88)
- locked <0x01bf> (a com.example.app.Cache)
"""

CRASHLYTICS = """\
# Crashlytics - Stack trace
# Application: com.example.app
# Platform: android

main (blocked):tid=1 systid=4020 | waiting to lock <0x01bf> (a com.example.app.Cache) held by thread 12
       at com.example.app.Cache.get(Cache.kt:41)

db-writer (runnable):tid=12 systid=4044
#00 pc 0x1 libc.so (write + 8)
       at libcore.io.Linux.writeBytes(Linux.java)
       at com.example.app.Cache.store(Cache.kt:88)
"""


def read(text: str) -> ThreadDump:
    return read_dump(text, where="dump.txt")


def told(text: str) -> Anr:
    return explain(read(text), finder=None, retracer=None, where="dump.txt")


def named(dump: ThreadDump, name: str) -> DumpThread:
    (found,) = [one for one in dump.threads if one.name == name]
    return found


def text_of(found: Anr, width: int = 200) -> str:
    return "\n".join(plain(each) for each in anr_lines(found, width))


def test_a_dump_of_the_system_has_all_its_facts() -> None:
    dump = read(ART)
    assert (dump.process, dump.subject) == ("com.example.app", "Input dispatching timed out (Waited 5001ms)")
    assert dump.others == ("system_server",)
    assert [one.name for one in dump.threads] == [
        "Signal Catcher",
        "main",
        "db-writer",
        "worker-1",
        "Binder:4020_1",
    ]
    main = named(dump, "main")
    assert (main.tid, main.sys_tid, main.state, main.cpu_ms) == (1, 4020, "Blocked", 8680.0)
    assert main.holds == ("0x0a",)
    assert [(one.symbol, one.file, one.line) for one in main.frames] == [
        ("com.example.app.Cache.get", "Cache.kt", 41),
        ("com.example.app.Main.onCreate", "Main.kt", 12),
        ("android.app.Activity.performCreate", "Activity.java", 8595),
    ]
    assert main.waits_for is not None
    assert (main.waits_for.address, main.waits_for.kind, main.waits_for.owner) == (
        "0x01bf",
        "com.example.app.Cache",
        12,
    )


@pytest.mark.parametrize(("text", "doing"), [(ART, "database"), (PLAY, "sleeping"), (CRASHLYTICS, "files")])
def test_the_chain_leads_to_who_holds_the_lock(text: str, doing: str) -> None:
    found = told(text)
    assert [(link.thread.name, link.doing) for link in found.chain] == [
        ("main", "lock"),
        ("db-writer", doing),
    ]
    assert (found.deadlock, found.lost) == (False, None)


def test_only_threads_at_work_are_busy() -> None:
    """Not the one that writes the dump, not one of the chain, not a binder thread without a call."""
    assert [(one.thread.name, one.doing) for one in told(ART).busy] == [("worker-1", "running")]


def test_without_an_owner_the_thread_that_locked_it_holds_it() -> None:
    found = told(ART.replace(" held by thread 12", ""))
    assert [link.thread.name for link in found.chain] == ["main", "db-writer"]


def test_one_that_waits_to_be_notified_holds_nothing() -> None:
    notified = """\
"main" tid=1 Blocked
  - waiting to lock <0x1> (a A)
"waiter" tid=2 Waiting
  at java.lang.Object.wait(Native method)
  - waiting on <0x1> (a A)
  - locked <0x1> (a A)
"holder" tid=3 Runnable
  at a.B.c(B.kt:1)
  - locked <0x1> (a A)
"""
    assert [link.thread.name for link in told(notified).chain] == ["main", "holder"]


def test_a_circle_is_a_deadlock() -> None:
    circle = """\
"main" tid=1 Blocked
  - waiting to lock <0x1> (a A) held by thread 2
"b" tid=2 Blocked
  - waiting to lock <0x2> (a B) held by thread 3
"c" tid=3 Blocked
  - waiting to lock <0x1> (a A) held by thread 2
"""
    found = told(circle)
    assert [link.thread.name for link in found.chain] == ["main", "b", "c", "b"]
    assert found.deadlock
    assert text_of(found).count("waits for the lock of") == 3
    assert "Deadlock: main → b → c → b" in text_of(found)


def test_an_owner_the_dump_lacks_ends_the_chain_and_is_said() -> None:
    found = told('"main" tid=1 Blocked\n  - waiting to lock <0x1> (a A) held by thread 77\n')
    assert len(found.chain) == 1
    assert "the chain ends here: who holds the lock, thread 77, is not in the dump" in text_of(found)


@pytest.mark.parametrize(
    ("frame", "doing"),
    [
        ("at android.os.MessageQueue.nativePollOnce(Native method)", "idle"),
        ("at android.os.BinderProxy.transactNative(Native method)", "binder"),
        ("at jdk.internal.misc.Unsafe.park(Native method)", "waiting"),
        ("at java.lang.Thread.sleep(Native method)", "sleeping"),
        ("at libcore.io.Linux.fsync(Native method)", "files"),
        ("at android.database.sqlite.SQLiteConnection.nativeExecuteForLong(Native method)", "database"),
        ("at android.graphics.HardwareRenderer.nSyncAndDrawFrame(Native method)", "drawing"),
        ("native: #00 pc 0 /apex/libc.so (__epoll_pwait+8)", "waiting"),
        ("at com.example.app.Main.compute(Main.kt:3)", "running"),
        ("", "unknown"),
    ],
)
def test_the_innermost_frames_tell_what_a_thread_did(frame: str, doing: str) -> None:
    found = told(f'"main" tid=1 Native\n  {frame}\n')
    assert [link.doing for link in found.chain] == [doing]


def test_a_main_thread_without_anything_to_do_says_that_the_stall_was_over() -> None:
    found = told('"main" tid=1 Native\n  at android.os.MessageQueue.nativePollOnce(Native method)\n')
    assert "what stalled it was over" in text_of(found)


def test_frames_point_into_the_checkout(tmp_path: Path) -> None:
    checkout(tmp_path, {f"{KOTLIN}/Cache.kt": "package com.example.app\n" + "\n" * 90})
    finder = SourceFinder(Sources(tmp_path))
    found = explain(read(ART), finder=finder, retracer=None, where="")
    place = found.chain[0].thread.frames[0].place
    assert place is not None
    assert (place.file, place.line, place.exact) == (f"{KOTLIN}/Cache.kt", 41, True)
    assert f"com.example.app.Cache.get  {KOTLIN}/Cache.kt:41" in text_of(found)


@pytest.mark.parametrize(
    "where", ["SourceFile:7", "r8-map-id-0a1b:7", "Unknown Source:7", "com.lib:lib@@1.0:7"]
)
def test_a_line_beside_no_file_is_not_taken_for_the_source_s(tmp_path: Path, where: str) -> None:
    code = "package com.example.app\n\nclass Cache {\n    fun get() {\n    }\n}\n" + "\n" * 20
    checkout(tmp_path, {f"{KOTLIN}/Cache.kt": code})
    dump = read(f'"main" tid=1 Runnable\n  at com.example.app.Cache.get({where})\n')
    found = explain(dump, finder=SourceFinder(Sources(tmp_path)), retracer=None, where="")
    (frame,) = found.chain[0].thread.frames
    assert (frame.file, frame.line) == (None, 7)
    assert frame.place is not None
    assert frame.place.line == 4


def test_a_mapping_gives_minified_frames_their_names_and_what_was_inlined() -> None:
    mapping = b"""com.example.app.Cache -> a.b:
# {"id":"sourceFile","fileName":"Cache.kt"}
    1:1:void check():7:7 -> a
    1:1:void get():41 -> a
"""
    minified = '"main" tid=1 Runnable\n  at a.b.a(SourceFile:1)\n  at c.d.e(Unknown Source:3)\n'
    dump = read(minified)
    assert classes_of(dump) == {"a.b", "c.d"}
    retracer = Retracer.of(read_classes(mapping.splitlines(), where="mapping.txt", wanted=classes_of(dump)))
    found = explain(dump, finder=None, retracer=retracer, where="")
    frames = found.chain[0].thread.frames
    assert [(one.symbol, one.line, one.retraced) for one in frames] == [
        ("com.example.app.Cache.check", 7, True),
        ("com.example.app.Cache.get", 41, True),
        ("c.d.e", 3, False),
    ]
    assert found.outside == 1
    assert told(minified).outside == 2
    assert "1 frame of minified classes" in text_of(found)


def test_hostile_names_are_harmless() -> None:
    text = text_of(
        told('"main" tid=1 Runnable\n  at a.B\x1b[31m.c(B.kt:1)\n"x\x1b]0;t\x07 (y)" tid=3 Runnable\n')
    )
    assert "\x1b" not in text
    assert "\x07" not in text


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "dump.txt: holds no thread dump; give the stacks of all threads"),
        ("java.lang.NullPointerException\n  at a.B.c(B.kt:1)\n", "holds no thread dump"),
        ('"worker" tid=7 Runnable\n  at a.B.c(B.kt:1)\n', "dump.txt: has no main thread among its 1"),
    ],
)
def test_what_is_no_dump_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(EcholotError) as refused:
        told(text)
    assert sentence in refused.value.sentence
