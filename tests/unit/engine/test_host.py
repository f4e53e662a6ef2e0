"""The host functions, called by a small WebAssembly module instead of the engine."""

from __future__ import annotations

import calendar
import struct
import time

import pytest
import wasmtime

from echolot_tui.engine.host import PAGE, EngineAbortError, Host

MODULE = """(module
  (import "env" "_gmtime_js" (func $gmtime (param i64 i32)))
  (import "env" "_timegm_js" (func $timegm (param i32) (result i64)))
  (import "env" "emscripten_resize_heap" (func $resize (param i32) (result i32)))
  (import "env" "emscripten_get_heap_max" (func $max (result i32)))
  (import "env" "_tzset_js" (func $tzset (param i32 i32 i32 i32)))
  (import "env" "__syscall_openat" (func $openat (param i32 i32 i32 i32) (result i32)))
  (import "env" "__assert_fail" (func $assert (param i32 i32 i32 i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "environ_sizes_get" (func $environ (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "clock_time_get" (func $clock (param i32 i64 i32) (result i32)))
  (memory (export "memory") 1)
  (export "gmtime" (func $gmtime)) (export "timegm" (func $timegm)) (export "resize" (func $resize))
  (export "max" (func $max)) (export "tzset" (func $tzset)) (export "openat" (func $openat))
  (export "assert" (func $assert)) (export "write" (func $write)) (export "read" (func $read))
  (export "environ" (func $environ)) (export "clock" (func $clock)))"""


class Instance:
    def __init__(self, memory_limit: int = 16 * PAGE) -> None:
        engine = wasmtime.Engine()
        self.store = wasmtime.Store(engine)
        self.store.set_limits(memory_size=memory_limit)
        module = wasmtime.Module(engine, MODULE)
        self.host = Host(self.store, wide=False, memory_limit=memory_limit)
        self.exports = wasmtime.Instance(self.store, module, self.host.imports(module)).exports(self.store)
        memory = self.exports["memory"]
        assert isinstance(memory, wasmtime.Memory)
        self.host.attach(memory)

    def call(self, name: str, *arguments: int) -> int:
        function = self.exports[name]
        assert isinstance(function, wasmtime.Func)
        return int(function(self.store, *arguments) or 0)


@pytest.mark.parametrize("seconds", [0, 1, 951_782_400, 1_709_210_096, 4_102_444_799, -1])
def test_times_are_utc_and_come_back(seconds: int) -> None:
    instance = Instance()
    instance.call("gmtime", seconds, 64)
    second, minute, hour, day, month, year, weekday, yearday, dst = struct.unpack(
        "<9i", instance.host.read(64, 36)
    )
    expected = time.gmtime(seconds)
    assert (year + 1900, month + 1, day, hour, minute, second) == expected[:6]
    assert (weekday, yearday, dst) == ((expected.tm_wday + 1) % 7, expected.tm_yday - 1, 0)
    assert instance.call("timegm", 64) == seconds


def test_timegm_takes_fields_out_of_range() -> None:
    instance = Instance()
    instance.host.write(64, struct.pack("<9i", 70, -1, 25, 32, 13, 99, 0, 0, 0))
    expected = calendar.timegm((2000, 2, 1, 0, 0, 0)) + 31 * 86_400 + 25 * 3_600 - 60 + 70
    assert instance.call("timegm", 64) == expected


def test_the_zone_is_utc() -> None:
    instance = Instance()
    instance.call("tzset", 0, 4, 16, 32)
    assert instance.host.read(0, 8) == bytes(8)
    assert instance.host.read(16, 4) == b"UTC\0"


def test_the_heap_grows_up_to_its_limit() -> None:
    instance = Instance(memory_limit=16 * PAGE)
    assert instance.call("max") == 16 * PAGE
    assert instance.call("resize", 4 * PAGE) == 1
    assert instance.host.memory_bytes >= 4 * PAGE
    assert instance.call("resize", 16 * PAGE) == 1
    assert instance.host.memory_bytes == 16 * PAGE
    assert not instance.host.out_of_memory
    assert instance.call("resize", 16 * PAGE + 1) == 0
    assert instance.call("resize", -1) == 0, "nearly 4 GiB, as a signed number"
    assert instance.host.out_of_memory


def test_a_limit_over_2_gib_is_one_page_less_than_4() -> None:
    assert Instance(memory_limit=1 << 40).call("max") & 0xFFFF_FFFF == (1 << 32) - PAGE


def test_the_log_keeps_whole_lines_without_chatter() -> None:
    instance = Instance()
    text = b"one\nwarning: unsupported syscall: x\ntw"
    instance.host.write(256, text)
    instance.host.write(512, b"o\nrest")
    instance.host.write(0, struct.pack("<IIII", 256, len(text), 512, 6))
    assert instance.call("write", 2, 0, 2, 32) == 0
    assert struct.unpack("<I", instance.host.read(32, 4)) == (len(text) + 6,)
    assert list(instance.host.log) == ["one", "two"]


def test_pointers_outside_the_memory_end_the_instance() -> None:
    instance = Instance()
    with pytest.raises(EngineAbortError, match="outside its memory"):
        instance.call("clock", 0, 0, PAGE - 4)
    with pytest.raises(EngineAbortError, match="outside its memory"):
        instance.call("environ", -8, 0)
    with pytest.raises(EngineAbortError, match="outside its memory"):
        instance.host.read(0, PAGE + 1)


def test_a_failed_assertion_is_told() -> None:
    instance = Instance()
    instance.host.write(64, b"x > 0\0")
    instance.host.write(128, b"file.cc\0")
    with pytest.raises(EngineAbortError, match=r"x > 0 at file\.cc:12"):
        instance.call("assert", 64, 128, 12, 0)


def test_everything_else_is_not_available() -> None:
    instance = Instance()
    assert instance.call("openat", 0, 0, 0, 0) == -52
    assert instance.call("read", 0, 0, 0, 0) == 52
    assert instance.call("environ", 0, 4) == 0
    assert instance.host.read(0, 8) == bytes(8)


def test_the_clock_is_the_systems() -> None:
    instance = Instance()
    before = time.time_ns()
    instance.call("clock", 0, 0, 8)
    (told,) = struct.unpack("<Q", instance.host.read(8, 8))
    assert before <= told <= time.time_ns()
