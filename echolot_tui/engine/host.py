"""What the WebAssembly engine may ask of its host: memory, clocks, a log. No files, no network.

The engine is an Emscripten program. Of its 40 imports it needs the ones named here; every other
one answers ENOSYS, which it takes as "not available on this platform".
"""

from __future__ import annotations

import calendar
import ctypes
import struct
import time
from collections import deque
from collections.abc import Callable
from typing import Final

import wasmtime

PAGE: Final = 65_536
_ENOSYS: Final = 52
_GROW_AHEAD: Final = 96 << 20
_LOG_LINES: Final = 50
_CHATTER: Final = ("warning: unsupported syscall", "\rLoading trace")
"""Log lines that say nothing: a call it can do without, and progress."""

_TM: Final = struct.Struct("<9i")


class EngineAbortError(Exception):
    """The engine gave up by itself: a failed assertion, ``abort()``, or a pointer outside its memory."""


class Host:
    """The host side of one engine instance.

    Args:
        store: The instance's store.
        wide: Pointers have 64 bits.
        memory_limit: Most bytes of linear memory.
    """

    def __init__(self, store: wasmtime.Store, *, wide: bool, memory_limit: int) -> None:
        self.log: deque[str] = deque(maxlen=_LOG_LINES)
        self.out_of_memory = False
        self._store = store
        self._wide = wide
        self._limit = memory_limit if wide else min(memory_limit, (1 << 32) - PAGE)
        self._memory: wasmtime.Memory | None = None
        self._line = ""

    def attach(self, memory: wasmtime.Memory) -> None:
        """Name the instance's memory, which exists only after the imports do."""
        self._memory = memory

    @property
    def pointer_type(self) -> wasmtime.ValType:
        """The type of the engine's pointers."""
        return wasmtime.ValType.i64() if self._wide else wasmtime.ValType.i32()

    @property
    def memory_bytes(self) -> int:
        """Present size of the linear memory."""
        return self._heap.data_len(self._store)

    def imports(self, module: wasmtime.Module) -> list[wasmtime.Func]:
        """A function for every import of ``module``, in its order."""
        known: dict[str, Callable[..., int | float | None]] = {
            "emscripten_get_now": lambda: time.monotonic() * 1000.0,
            "emscripten_date_now": lambda: time.time() * 1000.0,
            "clock_time_get": self._clock_time_get,
            "emscripten_get_heap_max": self._heap_max,
            "emscripten_resize_heap": self._resize_heap,
            "environ_sizes_get": self._environ_sizes_get,
            "environ_get": lambda _pointers, _buffer: 0,
            "fd_write": self._fd_write,
            "emscripten_err": self._emscripten_err,
            "__assert_fail": self._assert_fail,
            "_abort_js": self._abort,
            "_tzset_js": self._tzset,
            "_gmtime_js": self._gmtime,
            "_localtime_js": self._gmtime,
            "_timegm_js": self._timegm,
        }
        functions = []
        for wanted in module.imports:
            kind = wanted.type
            assert isinstance(kind, wasmtime.FuncType), wanted.name
            handler = known.get(wanted.name or "") or _unsupported(kind, wanted.module)
            functions.append(wasmtime.Func(self._store, kind, handler))
        return functions

    def read(self, address: int, size: int) -> bytes:
        """Copy bytes out of the engine's memory.

        Raises:
            EngineAbortError: The range is not inside the memory.
        """
        return ctypes.string_at(self._at(address, size), size)

    def write(self, address: int, content: bytes) -> None:
        """Copy bytes into the engine's memory.

        Raises:
            EngineAbortError: The range is not inside the memory.
        """
        ctypes.memmove(self._at(address, len(content)), content, len(content))

    def pointer(self, value: int) -> int:
        """A pointer as an unsigned number; 32-bit ones arrive signed."""
        return value & 0xFFFF_FFFF_FFFF_FFFF if self._wide else value & 0xFFFF_FFFF

    @property
    def _heap(self) -> wasmtime.Memory:
        assert self._memory is not None, "attach() comes first"
        return self._memory

    def _at(self, address: int, size: int) -> int:
        address = self.pointer(address)
        if size < 0 or address + size > self.memory_bytes:
            raise EngineAbortError("it pointed outside its memory")
        return ctypes.addressof(self._heap.data_ptr(self._store).contents) + address

    def _text(self, address: int, limit: int = 4096) -> str:
        """The NUL-terminated text at ``address``."""
        start = self.pointer(address)
        raw = self.read(start, max(min(limit, self.memory_bytes - start), 0))
        return raw.split(b"\0", 1)[0].decode("utf-8", errors="replace")

    def _clock_time_get(self, clock: int, _precision: int, result: int) -> int:
        now = time.time_ns() if clock == 0 else time.monotonic_ns()
        self.write(result, struct.pack("<Q", now))
        return 0

    def _heap_max(self) -> int:
        return self._limit if self._wide else _signed32(self._limit)

    def _resize_heap(self, wanted: int) -> int:
        """Grow to at least ``wanted`` bytes, by a fifth where there is room: each growth is a call out."""
        size = self.memory_bytes
        needed = self.pointer(wanted)
        ahead = max(needed, min(size + size // 5, size + _GROW_AHEAD))
        for target in (min(ahead, self._limit), needed):
            if needed <= target <= self._limit and self._grow(target - size):
                return 1
        self.out_of_memory = True
        return 0

    def _grow(self, by: int) -> bool:
        try:
            self._heap.grow(self._store, -(-max(by, 0) // PAGE))
        except wasmtime.WasmtimeError:
            return False
        return True

    def _environ_sizes_get(self, count: int, size: int) -> int:
        word = bytes(8 if self._wide else 4)
        self.write(count, word)
        self.write(size, word)
        return 0

    def _fd_write(self, _file: int, vectors: int, count: int, written: int) -> int:
        pair = struct.Struct("<QQ" if self._wide else "<II")
        total = 0
        for address, size in pair.iter_unpack(self.read(vectors, pair.size * count)):
            self._add_log(self.read(address, size).decode("utf-8", errors="replace"))
            total += size
        self.write(written, total.to_bytes(8 if self._wide else 4, "little"))
        return 0

    def _add_log(self, text: str) -> None:
        *lines, self._line = (self._line + text).split("\n")
        self.log.extend(line for line in lines if line and not line.startswith(_CHATTER))

    def _emscripten_err(self, message: int) -> None:
        self._add_log(self._text(message) + "\n")

    def _assert_fail(self, condition: int, file: int, line: int, _function: int) -> None:
        raise EngineAbortError(f"assertion {self._text(condition)} at {self._text(file)}:{line}")

    def _abort(self) -> None:
        raise EngineAbortError("it called abort()")

    def _tzset(self, timezone: int, daylight: int, standard_name: int, daylight_name: int) -> None:
        """Times are UTC everywhere, so the same trace gives the same answer everywhere."""
        self.write(timezone, bytes(8 if self._wide else 4))
        self.write(daylight, bytes(4))
        self.write(standard_name, b"UTC\0")
        self.write(daylight_name, b"UTC\0")

    def _gmtime(self, seconds: int, result: int) -> None:
        try:
            at = time.gmtime(seconds)
        except (OverflowError, OSError, ValueError):
            at = time.gmtime(0)
        fields = (at.tm_sec, at.tm_min, at.tm_hour, at.tm_mday, at.tm_mon - 1, at.tm_year - 1900)
        self.write(result, _TM.pack(*fields, (at.tm_wday + 1) % 7, at.tm_yday - 1, 0))

    def _timegm(self, broken_down: int) -> int:
        fields: tuple[int, ...] = _TM.unpack(self.read(broken_down, _TM.size))
        second, minute, hour, day, month, year = fields[:6]
        year += month // 12 + 1900
        if not 1 <= year <= 9999:
            return -1
        first: int = calendar.timegm((year, month % 12 + 1, 1, 0, 0, 0))
        return first + (day - 1) * 86_400 + hour * 3_600 + minute * 60 + second


def _signed32(value: int) -> int:
    return value - (1 << 32) if value >= 1 << 31 else value


def _unsupported(kind: wasmtime.FuncType, module: str) -> Callable[..., int | None]:
    """Answers ENOSYS: WASI returns it as it is, Emscripten's system calls negated."""
    answer = None if not kind.results else _ENOSYS if module.startswith("wasi") else -_ENOSYS
    return lambda *_: answer
