"""A trace file as the pieces of bytes an engine is fed."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final, cast

from echolot_tui.engine.formats import TraceFormat, after_comments, sniff

PIECE: Final = 2 << 20
"""Bytes handed over at a time."""


def pieces(path: Path) -> Iterator[bytes]:
    """Yield a trace's content.

    It goes to the engine as it is, packed or not, with one exception: perf script text is unpacked and
    loses its leading ``#`` comments, which the engine takes for another format.

    Raises:
        OSError: The file cannot be read, or its gzip stream is damaged.
        EOFError: Its gzip stream is cut off.
    """
    form = sniff(path)
    with path.open("rb") as file:
        yield from _without_comments(file, form) if _has_comments(form) else _plain(file)


def _has_comments(form: TraceFormat | None) -> bool:
    return form is not None and form.kind == "perf_script" and form.packed in (None, "gzip")


def _plain(file: IO[bytes]) -> Iterator[bytes]:
    while piece := file.read(PIECE):
        yield piece


def _without_comments(file: IO[bytes], form: TraceFormat | None) -> Iterator[bytes]:
    gzipped = form is not None and form.packed == "gzip"
    text = cast("IO[bytes]", gzip.GzipFile(fileobj=file)) if gzipped else file
    head = text.read(PIECE)
    while (start := after_comments(head)) == len(head) and (more := text.read(PIECE)):
        head += more
    yield head[start:]
    yield from _plain(text)
