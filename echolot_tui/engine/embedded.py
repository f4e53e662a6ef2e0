"""Trace Processor's WebAssembly build, run inside this process."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Final

import wasmtime

from echolot_tui.engine import wire
from echolot_tui.engine.backend import EngineDiedError, Say, short_version
from echolot_tui.engine.host import EngineAbortError, Host
from echolot_tui.engine.locate import Build, find_build
from echolot_tui.engine.model import EngineInfo
from echolot_tui.engine.module_cache import load_module, make_engine
from echolot_tui.errors import EcholotError

PIECE: Final = 2 << 20
"""Bytes of a trace handed over at a time."""

_BUFFER: Final = PIECE + 4096
_ROOM: Final = "lift the limit on this process's memory (ulimit -v), or allow the engine more"
# Numbers of perfetto.protos.TraceProcessorRpc and its methods.
_RPC_MESSAGE, _FATAL_ERROR, _REQUEST, _INVALID_REQUEST = 1, 5, 2, 4
_APPEND, _FINALIZE, _QUERY, _STATUS, _RESET = 1, 2, 3, 10, 11
_APPEND_DATA, _QUERY_ARGS, _RESET_ARGS = 101, 103, 107
_APPEND_RESULT, _QUERY_RESULT, _STATUS_RESULT, _FINALIZE_RESULT = 201, 203, 210, 212
_INGEST_FTRACE_IN_RAW_TABLE = 2


def warm_up(build: Build, *, say: Say) -> None:
    """Compile the build now unless it is in the cache already.

    Raises:
        EcholotError: The build is missing or not the pinned one.
    """
    load_module(make_engine(build), find_build(build), say)


class EmbeddedEngine:
    """One instance: append a trace's bytes, finish, then query. Not thread-safe.

    Args:
        build: The 32-bit build, or the 64-bit one for traces that need more than 4 GiB.
        memory_limit: Most bytes of memory the instance may hold.
        timeout_s: Seconds it may exist, compiling aside, before it is stopped.
        say: Told when the engine is compiled.

    Raises:
        EcholotError: The build is missing or not the pinned one, or there is no room to start it.
    """

    def __init__(self, build: Build, *, memory_limit: int, timeout_s: float, say: Say) -> None:
        wasm = find_build(build)
        self._engine = make_engine(build)
        module = load_module(self._engine, wasm, say)
        self._store = wasmtime.Store(self._engine)
        self._store.set_limits(memory_size=memory_limit)
        self._store.set_epoch_deadline(1)
        self._host = Host(self._store, wide=build == "embedded64", memory_limit=memory_limit)
        self._dead: EngineDiedError | None = None
        self._replies: list[bytes] = []
        self._timeout_s = timeout_s
        self._alarm = threading.Timer(timeout_s, self._engine.increment_epoch)
        self._alarm.daemon = True
        self._alarm.start()
        try:
            instance = wasmtime.Instance(self._store, module, self._host.imports(module))
            self._exports = instance.exports(self._store)
            self._buffer = self._boot()
            self._reset()
            self.info = EngineInfo(kind=build, version=self._version(), sha256=wasm.sha256)
        except (wasmtime.WasmtimeError, EngineDiedError) as error:
            self.close()
            why = " ".join(str(error).split())
            raise EcholotError(f"the trace engine does not start ({why})", todo=_ROOM) from error
        except BaseException:
            self.close()
            raise

    @property
    def memory_bytes(self) -> int:
        """Bytes of memory the instance holds; it never gives any back."""
        return self._host.memory_bytes

    @property
    def log(self) -> tuple[str, ...]:
        """The engine's latest log lines."""
        return tuple(self._host.log)

    def append(self, piece: bytes) -> str:
        """Hand over the next bytes of the trace; the engine's error, or nothing.

        Raises:
            EngineDiedError: The instance is lost.
        """
        return _error(self._request(_APPEND, wire.bytes_field(_APPEND_DATA, piece)), _APPEND_RESULT, 2)

    def finish(self) -> str:
        """Say that the trace is complete; the engine's error, or nothing.

        Raises:
            EngineDiedError: The instance is lost.
        """
        return _error(self._request(_FINALIZE), _FINALIZE_RESULT, 1)

    def query(self, sql: str) -> list[bytes | memoryview]:
        """The serialized ``QueryResult`` messages that answer ``sql``.

        Raises:
            EngineDiedError: The instance is lost.
        """
        arguments = wire.bytes_field(1, sql.encode("utf-8", errors="replace"))
        replies = self._request(_QUERY, wire.bytes_field(_QUERY_ARGS, arguments))
        if self._host.out_of_memory:  # survived, but the answer is an error or lacks something
            self._dead = self._full()
            raise self._dead
        return [value for value in _results(replies, _QUERY_RESULT) if not isinstance(value, int)]

    def close(self) -> None:
        """Stop the alarm and give the memory back."""
        self._alarm.cancel()
        self._store.close()
        self._engine.close()

    def _boot(self) -> int:
        """Start the reactor; the address of its request buffer."""
        memory, table = self._exports["memory"], self._exports["__indirect_function_table"]
        assert isinstance(memory, wasmtime.Memory)
        assert isinstance(table, wasmtime.Table)
        self._host.attach(memory)
        self._invoke("emscripten_stack_init")
        self._invoke("__wasm_call_ctors")
        pointer = self._host.pointer_type
        kind = wasmtime.FuncType([pointer, wasmtime.ValType.i32()], [])
        on_reply = wasmtime.Func(self._store, kind, self._on_reply)
        index = table.grow(self._store, 1, on_reply)
        return self._invoke("trace_processor_rpc_init", index, _BUFFER)

    def _reset(self) -> None:
        """Start afresh without the raw ftrace table, which repeats the others: a quarter less to do."""
        options = wire.number_field(_INGEST_FTRACE_IN_RAW_TABLE, 0)
        self._request(_RESET, wire.bytes_field(_RESET_ARGS, options))

    def _version(self) -> str:
        status = next(iter(_results(self._request(_STATUS), _STATUS_RESULT)))
        told = (wire.text(value) for number, value in _message(status) if number == 2)
        return short_version(next(told, ""))

    def _on_reply(self, address: int, size: int) -> None:
        self._replies.append(self._host.read(address, size))

    def _request(self, method: int, arguments: bytes = b"") -> bytes:
        """Send one request through the buffer, in pieces when it is longer; the stream of replies."""
        message = wire.bytes_field(_RPC_MESSAGE, wire.number_field(_REQUEST, method) + arguments)
        self._replies = []
        for start in range(0, len(message), _BUFFER):
            piece = message[start : start + _BUFFER]
            self._host.write(self._buffer, piece)
            self._invoke("trace_processor_on_rpc_request", len(piece))
        replies, self._replies = b"".join(self._replies), []
        return replies

    def _invoke(self, name: str, *arguments: int) -> int:
        """Call an export; whatever ends the call early ends the instance."""
        if self._dead is not None:
            raise self._dead
        function = self._exports[name]
        assert isinstance(function, wasmtime.Func)
        try:
            return int(function(self._store, *arguments) or 0)
        except (EngineAbortError, wasmtime.Trap, wasmtime.WasmtimeError) as cause:
            self._dead = self._death(cause)
            raise self._dead from cause
        except BaseException:
            self._dead = EngineDiedError("was interrupted")
            raise

    def _full(self) -> EngineDiedError:
        return EngineDiedError(f"ran out of memory at {self.memory_bytes >> 20} MB", out_of_memory=True)

    def _death(self, cause: Exception) -> EngineDiedError:
        if isinstance(cause, wasmtime.Trap) and cause.trap_code is wasmtime.TrapCode.INTERRUPT:
            return EngineDiedError(f"was stopped after {self._timeout_s:g} s")
        if self._host.out_of_memory:
            return self._full()
        if isinstance(cause, wasmtime.Trap):
            code = cause.trap_code
            reason = f"trapped ({code.name.lower().replace('_', ' ')})" if code else "trapped"
        else:
            reason = f"gave up ({cause})"
        return EngineDiedError(f"{reason}: {self.log[-1]}" if self.log else reason)


def _results(replies: bytes, field: int) -> Iterator[wire.Value]:
    """Field ``field`` of every ``TraceProcessorRpc`` in a stream of them.

    Raises:
        EngineDiedError: The engine did not understand the request.
    """
    for _, message in wire.fields(replies):
        for number, value in _message(message):
            if number == field:
                yield value
            elif number == _FATAL_ERROR:
                raise EngineDiedError(f"refused to go on: {wire.text(value)}")
            elif number == _INVALID_REQUEST:
                raise EngineDiedError(f"does not know request {value}")


def _message(value: wire.Value) -> Iterator[tuple[int, wire.Value]]:
    if isinstance(value, int):
        raise wire.WireError("a number where a message belongs")
    return wire.fields(value)


def _error(replies: bytes, result: int, field: int) -> str:
    """The text of an error field inside a result, or nothing."""
    for message in _results(replies, result):
        for number, value in _message(message):
            if number == field:
                return wire.text(value)
    return ""
