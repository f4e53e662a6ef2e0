"""Measurements kept on disk, by the trace's content and what was asked of it."""

from __future__ import annotations

import contextlib
import hashlib
import os
import zlib
from pathlib import Path
from typing import Final

import msgspec

from echolot_tui.checkout.sources import Sources
from echolot_tui.errors import EcholotError
from echolot_tui.frozen import Frozen
from echolot_tui.measure.model import Measurement, TraceIdentity
from echolot_tui.measure.own_code import answer
from echolot_tui.project.files import write_atomic
from echolot_tui.text import storable

DEFAULT_LIMIT_BYTES: Final = 2 * 1024**3
_SETTLED_NS: Final = 2_000_000_000
"""A file changed this shortly before it was hashed could change again under the same time stamp."""
_HASH_CHUNK: Final = 1 << 20
_SUFFIX: Final = ".measurement"


class _KnownHash(Frozen, frozen=True, kw_only=True):
    """What a file looked like when its content was hashed."""

    path: str
    bytes: int
    mtime_ns: int
    inode: int
    sha256: str


class MeasurementCache:
    """A folder of measurements, bounded in size; the least recently used go first.

    Entries are MessagePack, compressed. A damaged one counts as absent and is written again.

    Args:
        folder: Where entries live; made when the first one is written.
        limit_bytes: Size of all entries together that :meth:`prune` leaves.
        sources: The checkout; an entry it would answer otherwise now counts as absent.
    """

    def __init__(
        self, folder: Path, *, limit_bytes: int = DEFAULT_LIMIT_BYTES, sources: Sources | None = None
    ) -> None:
        self._folder = folder
        self._sources = sources
        self._limit_bytes = limit_bytes

    def identify(self, path: Path) -> TraceIdentity:
        """The trace's identity; its content is hashed only when the file is not the one hashed before.

        Raises:
            EcholotError: The file cannot be read.
        """
        name = hashlib.sha256(os.fsencode(path.absolute())).hexdigest()[:32]
        memo = self._folder / "hashes" / name
        known = self._known_hash(memo, path)
        if known is not None:
            return TraceIdentity(path=str(path), sha256=known.sha256, bytes=known.bytes)
        before = _stat(path)
        identity = identify(path)
        seen = _KnownHash(
            path=storable(str(path.absolute())),
            bytes=before.st_size,
            mtime_ns=before.st_mtime_ns,
            inode=before.st_ino,
            sha256=identity.sha256,
        )
        if identity.bytes == before.st_size:
            # Where nothing can be written every hash is taken anew; storing a measurement says why.
            with contextlib.suppress(EcholotError):
                write_atomic(memo, msgspec.msgpack.encode(seen))
        return identity

    def load(self, trace: TraceIdentity, key: str) -> Measurement | None:
        """The stored measurement of this content and spec key, under ``trace``'s path, or ``None``."""
        entry = self._entry(trace.sha256, key)
        try:
            packed = zlib.decompress(entry.read_bytes())
            measurement = msgspec.msgpack.decode(packed, type=Measurement)
        except (OSError, zlib.error, msgspec.MsgspecError):
            return None
        if measurement.trace.sha256 != trace.sha256 or measurement.spec_key != key:
            return None
        if any(answer(asked, self._sources) != known for asked, known in measurement.checkout.items()):
            return None
        _touch(entry)
        return msgspec.structs.replace(measurement, trace=trace)

    def store(self, measurement: Measurement) -> None:
        """Keep ``measurement``.

        Raises:
            EcholotError: The folder cannot be written.
        """
        trace = msgspec.structs.replace(measurement.trace, path=storable(measurement.trace.path))
        kept = msgspec.structs.replace(measurement, trace=trace)
        packed = zlib.compress(msgspec.msgpack.encode(kept), level=1)
        write_atomic(self._entry(measurement.trace.sha256, measurement.spec_key), packed)

    def prune(self) -> int:
        """Delete least recently used entries until the rest fits the limit; return how many went."""
        entries = sorted(self._entries(), reverse=True)
        kept_bytes = removed = 0
        for _, size, path in entries:
            kept_bytes += size
            if kept_bytes > self._limit_bytes:
                path.unlink(missing_ok=True)
                removed += 1
        return removed

    def _entries(self) -> list[tuple[int, int, Path]]:
        """Time of last use, size and path of each entry."""
        found = []
        for path in self._folder.glob(f"*/*{_SUFFIX}"):
            try:
                status = path.stat()
            except FileNotFoundError:  # another process pruned it meanwhile
                continue
            found.append((status.st_mtime_ns, status.st_size, path))
        return found

    def _entry(self, sha256: str, key: str) -> Path:
        return self._folder / sha256[:2] / f"{sha256[:32]}-{key[:32]}{_SUFFIX}"

    @staticmethod
    def _known_hash(memo: Path, path: Path) -> _KnownHash | None:
        try:
            known = msgspec.msgpack.decode(memo.read_bytes(), type=_KnownHash)
            written_ns = memo.stat().st_mtime_ns
        except (OSError, msgspec.MsgspecError):
            return None
        now = _stat(path)
        same = (storable(str(path.absolute())), now.st_size, now.st_mtime_ns, now.st_ino) == (
            known.path,
            known.bytes,
            known.mtime_ns,
            known.inode,
        )
        return known if same and written_ns - known.mtime_ns > _SETTLED_NS else None


def identify(path: Path) -> TraceIdentity:
    """Hash a trace's content.

    Raises:
        EcholotError: The file cannot be read.
    """
    digest = hashlib.sha256()
    size = 0
    try:
        with path.open("rb", buffering=0) as handle:
            buffer = memoryview(bytearray(_HASH_CHUNK))
            while read := handle.readinto(buffer):
                digest.update(buffer[:read])
                size += read
    except OSError as error:
        raise _unreadable(path, error) from error
    return TraceIdentity(path=str(path), sha256=digest.hexdigest(), bytes=size)


def _stat(path: Path) -> os.stat_result:
    try:
        return path.stat()
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> EcholotError:
    return EcholotError(f"cannot be read ({error.strerror or error})", where=str(path))


def _touch(entry: Path) -> None:
    """Mark as used now; on a read-only cache the order of use is simply not kept."""
    if os.access(entry, os.W_OK):
        os.utime(entry)
