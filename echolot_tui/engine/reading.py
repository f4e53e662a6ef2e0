"""A trace file as the pieces of bytes an engine is fed."""

from __future__ import annotations

import contextlib
import gzip
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final, cast

from echolot_tui.engine.formats import ZIP_ERRORS, TraceFormat, after_comments, sniff, zip_traces

PIECE: Final = 2 << 20
"""Bytes handed over at a time."""

READ_ERRORS: Final = (OSError, EOFError, zlib.error, zipfile.BadZipFile)
"""What :func:`pieces` raises for a file that cannot be read or is damaged where it had to be unpacked."""


def pieces(path: Path, names: Path | None = None) -> Iterator[bytes]:
    """Yield a trace's content.

    It goes to the engine as it is, packed or not, with two exceptions. Perf script text loses its leading
    ``#`` comments, which the engine takes for another format. Of a zip file that holds one trace among other
    files only that member goes in: the engine refuses the whole archive for a note beside the trace.

    Args:
        path: The trace.
        names: A gzip file with the packet that gives minified names back. It goes in front of a recording in
            Perfetto's own format: behind one that was cut off inside a packet it would be that packet's
            rest. Another format, or an archive of several traces, has no place for it.

    Raises:
        READ_ERRORS: A file cannot be read or unpacked.
    """
    form = sniff(path)
    with path.open("rb") as file, contextlib.ExitStack() as stack:
        member = stack.enter_context(_only_member(file)) if form and form.packed == "zip" else None
        if member is None:
            file.seek(0)
        content, form = member or (file, form)
        if names is not None and form is not None and form.kind == "perfetto":
            yield from _names(names, form)
        yield from _content(content, form)


@contextlib.contextmanager
def _only_member(file: IO[bytes]) -> Iterator[tuple[IO[bytes], TraceFormat] | None]:
    """The one trace in a zip file that holds other files too, opened."""
    with contextlib.ExitStack() as stack:
        found = None
        with contextlib.suppress(*ZIP_ERRORS):
            archive = stack.enter_context(zipfile.ZipFile(file))
            traces = zip_traces(archive)
            if len(traces) == 1:
                name, form = traces[0]
                found = stack.enter_context(archive.open(name)), form
        yield found


def _content(file: IO[bytes], form: TraceFormat | None) -> Iterator[bytes]:
    if form is None or form.kind != "perf_script" or form.packed not in (None, "gzip"):
        yield from _plain(file)
        return
    text = cast("IO[bytes]", gzip.GzipFile(fileobj=file)) if form.packed == "gzip" else file
    head = text.read(PIECE)
    while (start := after_comments(head)) == len(head) and (more := text.read(PIECE)):
        head += more
    yield head[start:] + text.read(PIECE)  # the engine tells the format from the first piece alone
    yield from _plain(text)


def _names(packed: Path, form: TraceFormat) -> Iterator[bytes]:
    """The packet in the packing of the trace behind it: gzip files in a row are one."""
    if form.packed == "gzip":
        with packed.open("rb") as file:
            yield from _plain(file)
    elif form.packed is None:
        with gzip.open(packed) as unpacked:
            yield from _plain(cast("IO[bytes]", unpacked))


def _plain(file: IO[bytes]) -> Iterator[bytes]:
    while piece := file.read(PIECE):
        yield piece
