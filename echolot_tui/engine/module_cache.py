"""The compiled engine, kept in the user's cache folder.

Compiling takes seconds, loading the result a few milliseconds. A cached file is machine code that
will be run, so its name carries its own SHA-256 and a file that does not match is thrown away.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import platform
import tempfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Final

import wasmtime

from echolot_tui.engine.backend import Say
from echolot_tui.engine.locate import Build, WasmBuild, file_sha256

CACHE_DIR_VARIABLE: Final = "ECHOLOT_CACHE_DIR"
_COMPILE_WAIT_S: Final = 120.0
_RESERVATION64: Final = 1 << 36
_GUARDS: Final = 1 << 26
RESERVED_BYTES: Final[dict[Build, int]] = {
    "embedded": (1 << 32) + _GUARDS,
    "embedded64": _RESERVATION64 + _GUARDS,
}
"""Address space an instance reserves at once, guard pages included: wasmtime's 4 GiB, and ours for 64 bits.

The 64-bit memory gets all of it up front: growing past a smaller range would move, and for that moment
double, the whole memory.
"""


def make_engine(build: Build) -> wasmtime.Engine:
    """An engine with the settings the compiled modules are made for."""
    config = wasmtime.Config()
    config.epoch_interruption = True
    if build == "embedded64":
        config.wasm_memory64 = True
        config.memory_reservation = _RESERVATION64
    return wasmtime.Engine(config)


def load_module(engine: wasmtime.Engine, wasm: WasmBuild, say: Say) -> wasmtime.Module:
    """The compiled build, from the cache or compiled now.

    Args:
        engine: What will run it, made by :func:`make_engine` for the same build.
        wasm: The build.
        say: Told, in one line, when something slow or unexpected happens.
    """
    folder = cache_folder()
    module = _from_cache(engine, wasm, folder)
    if module is not None:
        return module
    with contextlib.ExitStack() as stack:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            stack.enter_context(_compile_turn(folder, wasm))
        except OSError as error:
            say(f"cannot write {folder} ({error.strerror}): the trace engine is compiled at every start")
            return _compile(engine, wasm, say)
        module = _from_cache(engine, wasm, folder)
        if module is None:
            module = _compile(engine, wasm, say)
            try:
                _store(bytes(module.serialize()), wasm, folder)
            except OSError as error:
                say(f"cannot keep the compiled trace engine in {folder} ({error.strerror})")
        return module


def cache_folder() -> Path:
    """Where compiled modules are kept: ``$ECHOLOT_CACHE_DIR``, else the user's cache folder."""
    named = os.environ.get(CACHE_DIR_VARIABLE)
    if named:
        return Path(named).expanduser() / "engine"
    import platformdirs  # noqa: PLC0415 - 20 ms that a named folder does not need

    return platformdirs.user_cache_path("echolot") / "engine"


def _compile(engine: wasmtime.Engine, wasm: WasmBuild, say: Say) -> wasmtime.Module:
    say("compiling the trace engine (once, some seconds)")
    return wasmtime.Module(engine, wasm.path.read_bytes())


@contextlib.contextmanager
def _compile_turn(folder: Path, wasm: WasmBuild) -> Iterator[None]:
    """One process compiles, the others wait and then find the result; after two minutes each for itself."""
    from filelock import FileLock, Timeout  # noqa: PLC0415 - 58 ms that a cached start does not need

    lock = FileLock(folder / f"{_key(wasm)}.lock")
    with contextlib.suppress(Timeout):
        lock.acquire(timeout=_COMPILE_WAIT_S)
    try:
        yield
    finally:
        lock.release()


def _key(wasm: WasmBuild) -> str:
    return f"{wasm.build}-{wasm.sha256[:16]}-wasmtime{metadata.version('wasmtime')}-{_cpu()}"


@functools.cache
def _cpu() -> str:
    """Names the instruction set: machines that share a home folder may differ in it."""
    features = platform.processor()
    with contextlib.suppress(OSError), Path("/proc/cpuinfo").open(encoding="utf-8", errors="replace") as info:
        features = next((line for line in info if line.startswith(("flags", "Features"))), features)
    return f"{platform.machine()}-{hashlib.sha256(features.encode()).hexdigest()[:8]}"


def _from_cache(engine: wasmtime.Engine, wasm: WasmBuild, folder: Path) -> wasmtime.Module | None:
    """The cached module; a file that is damaged or made with other settings is removed."""
    key = _key(wasm)
    for path in sorted(folder.glob(f"{key}-*.cwasm")):
        with contextlib.suppress(OSError, wasmtime.WasmtimeError):
            if path.name == f"{key}-{file_sha256(path)}.cwasm":
                return wasmtime.Module.deserialize_file(engine, str(path))
        with contextlib.suppress(OSError):
            path.unlink()
    return None


def _store(compiled: bytes, wasm: WasmBuild, folder: Path) -> None:
    """Write under the final name at once: temporary file, fsync, rename."""
    name = f"{_key(wasm)}-{hashlib.sha256(compiled).hexdigest()}.cwasm"
    handle, temporary = tempfile.mkstemp(prefix=".compiled-", dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(compiled)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(folder / name)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
