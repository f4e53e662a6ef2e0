"""Tiny traces made by hand."""

from __future__ import annotations

import json
from pathlib import Path

from echolot_tui.engine.wire import bytes_field, number_field

THREAD_UUID = 7


def perfetto_trace(slices: list[tuple[str | bytes, int, int]]) -> bytes:
    """One thread's slices: ``(name, ts, dur)`` in nanoseconds, sorted, not nested."""
    thread = bytes_field(4, number_field(1, 100) + number_field(2, 100) + bytes_field(5, b"main"))
    packets = [
        bytes_field(60, number_field(1, THREAD_UUID) + thread) + number_field(10, 1) + number_field(13, 1)
    ]
    for name, ts, dur in slices:
        raw = name if isinstance(name, bytes) else name.encode()
        packets.append(_event(ts, 1, bytes_field(23, raw)))
        packets.append(_event(ts + dur, 2, b""))
    return b"".join(bytes_field(1, packet) for packet in packets)


def _event(ts: int, kind: int, name: bytes) -> bytes:
    event = number_field(9, kind) + number_field(11, THREAD_UUID) + name
    return number_field(8, ts) + bytes_field(11, event) + number_field(10, 1)


def write_perfetto(path: Path, count: int = 3) -> Path:
    path.write_bytes(perfetto_trace([(f"slice {i}", 1000 + 100 * i, 50 + i) for i in range(count)]))
    return path


def chrome_json(count: int = 2) -> bytes:
    events = [{"ph": "X", "ts": 10 * i, "dur": 5, "pid": 1, "tid": 1, "name": f"e{i}"} for i in range(count)]
    return json.dumps({"traceEvents": events}).encode()


PERF_SCRIPT = b"""prog     9/9     198791.127353: cpu-clock: 
\t             643 beta (/bin/prog)
\t             6f3 main (/bin/prog)

prog     9/9     198791.128290: cpu-clock: 
\t             677 delta (/bin/prog)
\t             6f3 main (/bin/prog)

"""  # noqa: W291 - perf writes the blank

PERF_HEADER = b"# ========\n# captured on : Tue Jan  2 2024\n# ========\n#\n\n"

SYSTRACE = b"""# tracer: nop
#
           a-1     (1) [000] ...1 1.5: tracing_mark_write: B|1|hello
           a-1     (1) [000] ...1 1.6: tracing_mark_write: E|1
"""

OLD_GECKO = json.dumps(
    {
        "meta": {"version": 3, "interval": 1, "startTime": 0, "processType": 0},
        "libs": "[]",
        "threads": [
            {"name": "GeckoMain", "tid": 1, "samples": [{"frames": [{"location": "a"}], "time": 1.0}]}
        ],
    }
).encode()
