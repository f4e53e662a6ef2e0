"""Which profile a file's bytes are, where the engine has no reader of its own or a worse one."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from typing import Final, Literal

from echolot_tui.profiles.read_collapsed import is_collapsed, read_collapsed
from echolot_tui.profiles.read_cpuprofile import read_cpuprofile
from echolot_tui.profiles.read_gecko import read_gecko
from echolot_tui.profiles.read_pprof import is_pprof, read_pprof
from echolot_tui.profiles.read_speedscope import SCHEMA, read_speedscope
from echolot_tui.profiles.stacks import ProfileError, Recording

ProfileKind = Literal["collapsed", "pprof", "speedscope", "gecko", "cpuprofile"]

KINDS: Final = (
    "traces with callstack samples, perf data and script, pprof, collapsed stacks, "
    "Firefox, Chrome and speedscope profiles"
)

_READERS: Final[dict[ProfileKind, Callable[..., Recording]]] = {
    "collapsed": read_collapsed,
    "pprof": read_pprof,
    "speedscope": read_speedscope,
    "gecko": read_gecko,
    "cpuprofile": read_cpuprofile,
}
_GECKO_KEYS: Final = (re.compile(rb'"meta"\s*:'), re.compile(rb'"(threads|processes)"\s*:'))
_GECKO_TABLES: Final = re.compile(rb'"(stackTable|funcTable|frameTable)"\s*:')
_CPU_KEYS: Final = tuple(re.compile(rb'"' + key + rb'"\s*:') for key in (b"nodes", b"samples", b"timeDeltas"))


def profile_kind(content: bytes) -> ProfileKind | None:
    """What the plain bytes of a whole file are; ``None`` for what is none of these.

    Args:
        content: Unpacked.
    """
    start = content[:4096].lstrip()
    if start.startswith(b"{"):
        return _json_kind(content)
    if start.startswith(b"["):
        return None
    if is_pprof(content):
        return "pprof"
    return "collapsed" if is_collapsed(content) else None


def _json_kind(content: bytes) -> ProfileKind | None:
    if SCHEMA.encode() in content:
        return "speedscope"
    if b'"traceEvents"' in content[: 1 << 20]:
        return None
    if all(key.search(content) for key in _GECKO_KEYS) and _GECKO_TABLES.search(content):
        return "gecko"
    return "cpuprofile" if all(key.search(content) for key in _CPU_KEYS) else None


def unpacked(content: bytes, *, path: str) -> bytes:
    """The content of a gzip file; anything else as it is.

    Raises:
        ProfileError: The file is damaged.
    """
    if not content.startswith(b"\x1f\x8b"):
        return content
    try:
        unzip = zlib.decompressobj(wbits=31)
        plain = unzip.decompress(content) + unzip.flush()
    except zlib.error as error:
        raise ProfileError(f"is a damaged gzip file ({error})", where=path) from error
    if not unzip.eof:
        raise ProfileError("is a gzip file that is cut off", where=path, todo="copy it again")
    return plain


def read_profile(content: bytes, kind: ProfileKind, *, path: str) -> Recording:
    """Read a profile of a known kind.

    Args:
        content: Unpacked.
        kind: As :func:`profile_kind` says.
        path: For messages.

    Raises:
        ProfileError: It is damaged or holds no samples.
    """
    return _READERS[kind](content, path=path)
