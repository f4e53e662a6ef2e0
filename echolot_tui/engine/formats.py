"""Whether a file is a trace, told from its content, never from its name."""

from __future__ import annotations

import re
import zipfile
import zlib
from pathlib import Path
from typing import IO, Final, Literal

from echolot_tui.engine import wire
from echolot_tui.frozen import Frozen

Kind = Literal[
    "perfetto",
    "json",
    "gecko",
    "systrace",
    "perf_script",
    "perf_data",
    "fuchsia",
    "ninja_log",
    "art_method",
    "heap_dump",
    "instruments",
]
Packed = Literal["gzip", "zip", "tar"]


class TraceFormat(Frozen, frozen=True, kw_only=True):
    """What a trace file holds, and what it is packed in."""

    kind: Kind
    packed: Packed | None = None


_HEAD: Final = 1 << 16
_JSON_WINDOW: Final = 4 << 20
"""The part of a JSON file in which its tell-tale keys have to appear: metadata may come first."""

_MEMBERS: Final = 50
ZIP_ERRORS: Final = (zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error, EOFError)
"""What :mod:`zipfile` raises for an archive that is damaged, encrypted or packed in an unknown way."""

_MAGIC: Final[tuple[tuple[bytes, Kind], ...]] = (
    (b"\x10\x00\x04\x46\x78\x54\x16\x00", "fuchsia"),
    (b"PERFILE2", "perf_data"),
    (b"SLOW", "art_method"),
    (b"*version\n", "art_method"),
    (b"JAVA PROFILE", "heap_dump"),
    (b"# ninja log", "ninja_log"),
)
_EVENTS_KEY: Final = re.compile(rb'(?<!\\)"(traceEvents|systemTraceEvents)"\s*:')
_EVENT_KEYS: Final = (re.compile(rb'"ph"\s*:'), re.compile(rb'"(ts|name)"\s*:'))
_GECKO_KEYS: Final = (re.compile(rb'"threads"\s*:'), re.compile(rb'"(samples|stackTable|funcTable)"\s*:'))
_FTRACE_LINE: Final = re.compile(
    rb"^\s*\S.{0,40}-\d+\s+(\([\d -]+\)\s+)?\[\d+\]\s.*\d+\.\d+:\s", re.MULTILINE
)
_PERF_LINE: Final = re.compile(
    rb"^\s*\S.{0,40}?\s+-?\d+(/-?\d+)?\s+(\[\d+\]\s+)?\d+\.\d+:\s+(\d+\s+)?[\w:.,/-]+:"
)
_CONTROL: Final = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def sniff(path: Path) -> TraceFormat | None:
    """The format of a trace, or ``None`` for a file that is no trace at all.

    Inside gzip, zip and tar the content decides; for archives the first member that is a trace.

    Raises:
        OSError: The file cannot be read.
    """
    with path.open("rb") as file:
        start = file.read(512)
        file.seek(0)
        if start.startswith(b"\x1f\x8b"):
            return _packed("gzip", kind_of(_unzipped(file)))
        if start.startswith(b"PK\x03\x04"):
            return _packed("zip", _in_zip(file))
        if start[257:262] == b"ustar":
            return _packed("tar", _in_tar(file))
        kind = kind_of(file.read(_JSON_WINDOW))
    return TraceFormat(kind=kind) if kind else None


def kind_of(content: bytes) -> Kind | None:
    """What the first megabytes of a file's plain content are."""
    for magic, kind in _MAGIC:
        if content.startswith(magic):
            return kind
    if b"TRACE:\nx\x9c" in content[:_HEAD]:
        return "systrace"
    if _CONTROL.search(content[:_HEAD]):
        return "perfetto" if _is_perfetto(content) else None
    return _kind_of_text(content)


def after_comments(head: bytes) -> int:
    """Where the first line that is neither empty nor a ``#`` comment begins; ``len(head)`` without one."""
    at = 0
    while at < len(head):
        end = head.find(b"\n", at) + 1 or len(head)
        line = head[at:end].strip()
        if line and not line.startswith(b"#"):
            return at
        at = end
    return len(head)


def _packed(packed: Packed, kind: Kind | None) -> TraceFormat | None:
    return TraceFormat(kind=kind, packed=packed) if kind else None


def _kind_of_text(content: bytes) -> Kind | None:
    start = content[:_HEAD].lstrip()
    if start.startswith((b"{", b"[")):
        return _kind_of_json(start, content)
    if b"# tracer:" in start[:4096] or b"TRACE:\n" in start[:4096]:
        return "systrace"
    if start[:14].lower().startswith((b"<!doctype html", b"<html")):
        return "systrace" if b"# tracer:" in content or b'class="trace-data"' in content else None
    if start.startswith(b"<?xml") and b"<trace-query-result>" in start[:4096]:
        return "instruments"
    head = content[after_comments(content) :][:_HEAD]
    line, _, rest = head.partition(b"\n")
    if _PERF_LINE.match(line.rstrip()) and rest[:1] in (b"\t", b" ", b"\n", b"\r", b""):
        return "perf_script"
    return "systrace" if _FTRACE_LINE.match(line) else None


def _kind_of_json(start: bytes, content: bytes) -> Kind | None:
    if start.startswith(b"["):
        return "json" if all(key.search(start) for key in _EVENT_KEYS) else None
    if re.match(rb'\{\s*"(meta|libs)"', start) and all(key.search(content) for key in _GECKO_KEYS):
        return "gecko"
    return "json" if _EVENTS_KEY.search(content) else None


def _is_perfetto(content: bytes) -> bool:
    """Whether the bytes are a row of trace packets: field 1 of ``perfetto.protos.Trace``, again and again.

    A last packet may be cut off by the end of the window or of a truncated file.
    """
    view = memoryview(content)
    at = packets = 0
    while at < len(view) and packets < 20:
        if view[at] != 0x0A:
            return False
        try:
            size, body = wire.read_varint(view, at + 1)
        except wire.WireError:
            return packets > 0
        packet = view[body : body + size]
        if size and not _is_message(packet, complete=len(packet) == size):
            return False
        at = body + size
        packets += 1
    return packets > 0


def _is_message(packet: memoryview, *, complete: bool) -> bool:
    """Whether the bytes parse as fields with sound numbers, up to where they are cut off."""
    try:
        return all(number > 0 for number, _ in wire.fields(packet))
    except wire.CutOffError:
        return not complete
    except wire.WireError:
        return False


def _unzipped(file: IO[bytes], start: bytes = b"") -> bytes:
    """The first megabytes inside a gzip file, as far as it is sound; ``start`` is what was read of it."""
    unzip = zlib.decompressobj(wbits=31)
    content = unzip.decompress(start)
    try:
        while len(content) < _JSON_WINDOW and not unzip.eof and (piece := file.read(_HEAD)):
            content += unzip.decompress(piece, _JSON_WINDOW - len(content))
    except zlib.error:
        pass  # what came out before the damage is enough to tell
    return content


def zip_traces(archive: zipfile.ZipFile) -> list[tuple[str, TraceFormat]]:
    """The members that are traces, of the first fifty files.

    Raises:
        zipfile.BadZipFile: The archive is damaged; other errors of :mod:`zipfile` for one that is
            encrypted or packed in an unknown way.
    """
    found = []
    for info in [info for info in archive.infolist() if not info.is_dir()][:_MEMBERS]:
        with archive.open(info) as member:
            form = _member_format(member)
        if form:
            found.append((info.filename, form))
    return found


def _in_zip(file: IO[bytes]) -> Kind | None:
    try:
        with zipfile.ZipFile(file) as archive:
            found = zip_traces(archive)
    except ZIP_ERRORS:
        return None  # the engine cannot read it either
    return found[0][1].kind if found else None


def _in_tar(file: IO[bytes]) -> Kind | None:
    import tarfile  # noqa: PLC0415 - 10 ms for the rarest packing

    try:
        with tarfile.open(fileobj=file, mode="r:") as archive:
            for _, info in zip(range(_MEMBERS), archive, strict=False):
                member = archive.extractfile(info) if info.isfile() else None
                form = _member_format(member) if member else None
                if form:
                    return form.kind
    except tarfile.TarError:
        pass  # damaged
    return None


def _member_format(member: IO[bytes]) -> TraceFormat | None:
    start = member.read(2)
    if start == b"\x1f\x8b":
        return _packed("gzip", kind_of(_unzipped(member, start)))
    kind = kind_of(start + member.read(_JSON_WINDOW))
    return TraceFormat(kind=kind) if kind else None
