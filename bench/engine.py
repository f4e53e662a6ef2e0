"""Load time, memory and decoding speed of the engine on a generated trace of about 50 MB.

Run: ``python bench/engine.py [--slices N] [--wide]``
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from echolot_tui.engine import columns
from echolot_tui.engine.embedded import EmbeddedEngine, warm_up
from echolot_tui.engine.locate import Build
from echolot_tui.engine.reading import pieces
from echolot_tui.engine.wire import bytes_field, number_field

_R = TypeVar("_R")
_QUERY = "SELECT id, ts, dur, depth, name FROM slice"
_GROUP = "SELECT name, COUNT(*) AS n, SUM(dur) AS total FROM slice GROUP BY name ORDER BY total DESC"


def write_trace(path: Path, slices: int) -> None:
    """A main thread with ``slices`` slices, two deep, some names text and all durations different."""
    with path.open("wb") as file:
        for packet in _packets(slices):
            file.write(bytes_field(1, packet))


def _packets(slices: int) -> Iterator[bytes]:
    sequence = number_field(10, 1)
    thread = bytes_field(4, number_field(1, 100) + number_field(2, 100) + bytes_field(5, b"main"))
    yield bytes_field(60, number_field(1, 7) + thread) + sequence + number_field(13, 1)
    now = 1_000_000_000
    for index in range(slices // 2):
        outer, inner = f"work item {index % 997}".encode(), f"Step::part {index % 53}".encode()
        for name in (outer, inner):
            yield _event(now, 1, name)
            now += 1_000 + index % 7_919
        for _ in range(2):
            yield _event(now, 2, b"")
            now += 500 + index % 1_009


def _event(timestamp: int, kind: int, name: bytes) -> bytes:
    event = number_field(9, kind) + number_field(11, 7) + (bytes_field(23, name) if name else b"")
    return number_field(8, timestamp) + bytes_field(11, event) + number_field(10, 1)


def timed(what: str, run: Callable[[], _R]) -> tuple[float, _R]:
    begin = time.perf_counter()
    result = run()
    took = time.perf_counter() - begin
    print(f"{what:<42} {took:7.3f} s")
    return took, result


def measure(build: Build, trace: Path) -> None:
    print(f"-- {build}")
    warm_up(build, say=print)
    _, engine = timed("boot", lambda: EmbeddedEngine(build, memory_limit=16 << 30, timeout_s=600, say=print))
    timed("append", lambda: [engine.append(piece) for piece in pieces(trace)])
    timed("finish", engine.finish)
    print(f"{'engine memory':<42} {engine.memory_bytes >> 20:7d} MB")
    timed("group-by query", lambda: engine.query(_GROUP))
    asked, raw = timed("query, 5 columns, raw reply", lambda: engine.query(_QUERY))
    decoded, table = timed("decode 5 columns", lambda: columns.decode(columns.gather(raw)))
    print(f"{table.rows} rows; decoding takes {decoded / asked:.2f} of the query's time")
    print(f"{'peak memory of this process':<42} {_peak_mb():7d} MB")
    engine.close()


def _peak_mb() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak >> 20 if sys.platform == "darwin" else peak >> 10


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--slices", type=int, default=600_000)
    options.add_argument("--wide", action="store_true", help="measure the 64-bit build instead")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "bench.pftrace"
        timed("write the trace", lambda: write_trace(trace, given.slices))
        print(f"{'its size':<42} {trace.stat().st_size / 1e6:7.1f} MB")
        measure("embedded64" if given.wide else "embedded", trace)


if __name__ == "__main__":
    main()
