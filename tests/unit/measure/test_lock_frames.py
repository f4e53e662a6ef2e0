"""Frames in the names of lock waits, as real recordings write them."""

from __future__ import annotations

from echolot_tui.measure.lock_frames import lock_frames

WAIT = (
    "monitor contention with owner pool-4-thread-8 (8173) at void com.example.Lock.lambda$go$0(int, long[])"
    "(Lock.java:42) waiters=14 blocking from java.lang.Object a.b.<init>()(SourceFile:7)"
)
GMS = (
    "monitor contention with owner lowpool[69] (81) at void bgkz.u(bghq, int)"
    "(:com.google.android.gms@223016044@22.30.16 (190400-468027120):2) waiters=0 blocking from "
    "int libcore.io.Linux.readBytes(java.io.FileDescriptor)(Linux.java:-2)"
)


def test_both_frames_of_a_wait() -> None:
    owner, blocked = lock_frames(WAIT)
    assert owner[3:] == ("void", "com.example.Lock", "lambda$go$0", "int, long[]", "Lock.java", 42)
    assert blocked[3:] == ("java.lang.Object", "a.b", "<init>", "", "SourceFile", 7)
    assert (owner.role, blocked.role) == ("owner", "blocked")
    assert WAIT[owner.start : owner.end] == "void com.example.Lock.lambda$go$0(int, long[])(Lock.java:42)"
    assert WAIT[blocked.start : blocked.end] == "java.lang.Object a.b.<init>()(SourceFile:7)"


def test_a_file_that_is_a_build_of_its_own_and_native_code() -> None:
    owner, blocked = lock_frames(GMS)
    assert (owner.owner, owner.method, owner.line) == ("bgkz", "u", 2)
    assert owner.file == ":com.google.android.gms@223016044@22.30.16 (190400-468027120)"
    assert (blocked.method, blocked.line) == ("readBytes", None)


def test_evidence_that_quotes_a_wait() -> None:
    quoted = (
        f"Lock contention on a monitor lock (owner tid: 9) · longest wait with a method, 3.00 ms: {WAIT[85:]}"
    )
    assert [frame.role for frame in lock_frames(f"{WAIT} · owner pool-4")] == ["owner", "blocked"]
    assert lock_frames(quoted)[-1].method == "<init>"
    assert lock_frames("Lock contention on a monitor lock (owner tid: 8166)") == ()
    assert lock_frames("looking at things (now) blocking from nowhere") == ()
    assert lock_frames("at void a.b.c()(:12) waiters=0 at void a.b.c()(:12)")[0].file == ""
